// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Hybla for the kernel. Rules: docs/models/hybla.md. */

#include "kernel.h"
#include "hybla.h"

char LICENSE[] SECTION("license") = "Dual MIT/GPL";

const volatile struct hybla_values values SECTION(".rodata.values") = {};

struct state {
	struct hybla hybla;
	u32 is_open; /* no recovery under way, no reordering seen */
};

FITS(struct state);

INLINE struct hybla_values set_values(void)
{
	struct hybla_values set = {
		.rtt0_us = values.rtt0_us,
		.most_exponent = values.most_exponent,
		.most_segments = values.most_segments,
	};

	return set;
}

SECTION("struct_ops/hybla_init") void hybla_of_connection(arguments *args)
{
	struct tcp_sock *tp = connection(args);
	struct state *state = STATE(tp, struct state);
	struct hybla_values set = set_values();
	struct window w = window_of(tp);
	struct hybla h;

	hybla_init(&h, &w, &set, tp->srtt_us);
	state->hybla = h;
	state->is_open = 1;
	tp->snd_cwnd = w.cwnd;
}

SECTION("struct_ops/hybla_set_state") void hybla_state(arguments *args)
{
	STATE(connection(args), struct state)->is_open = (u8)args[1] == TCP_CA_OPEN;
}

SECTION("struct_ops/hybla_cong_avoid") void hybla_acknowledged(arguments *args)
{
	struct tcp_sock *tp = connection(args);
	struct state *state = STATE(tp, struct state);
	struct hybla_values set = set_values();
	struct window w = window_of(tp);
	struct hybla h = state->hybla;

	hybla_take_srtt(&h, &w, &set, tp->srtt_us);
	if (may_grow(&w, was_cwnd_limited(tp))) {
		if (state->is_open)
			hybla_grow(&h, &w, &set);
		else
			reno_grow(&w, (u32)args[2]);
	}
	state->hybla = h;
	tp->snd_cwnd = w.cwnd;
	tp->snd_cwnd_cnt = w.credit;
}

SECTION("struct_ops/hybla_ssthresh") u32 hybla_ssthresh(arguments *args)
{
	return reno_ssthresh(connection(args)->snd_cwnd);
}

SECTION("struct_ops/hybla_undo_cwnd") u32 hybla_undo(arguments *args)
{
	struct tcp_sock *tp = connection(args);

	return (u32)greatest(tp->snd_cwnd, tp->prior_cwnd);
}

SECTION(".struct_ops.link") struct tcp_congestion_ops operations = {
	.init = (void *)hybla_of_connection,
	.set_state = (void *)hybla_state,
	.cong_avoid = (void *)hybla_acknowledged,
	.ssthresh = (void *)hybla_ssthresh,
	.undo_cwnd = (void *)hybla_undo,
	.name = "bp_hybla",
};
