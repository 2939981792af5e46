// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The kernel's own CUBIC with SEARCH in HyStart's place. Rules: docs/models/slow_start.md. CUBIC's functions are the
 * kernel's, called as such, and its state is theirs; SEARCH's is more than icsk_ca_priv has room for beside it.
 */

#include "kernel.h"
#include "search.h"

char LICENSE[] SECTION("license") = "Dual MIT/GPL";

const volatile struct search_values values SECTION(".rodata.values") = {};

struct state {
	struct search search;
	u32 delivered; /* tp->delivered at the last acknowledgement */
	u32 step; /* what SEARCH made of the present one */
};

struct {
	int (*type)[SK_STORAGE];
	int (*map_flags)[NO_PREALLOCATION];
	int *key;
	struct state *value;
} states SECTION(".maps");

/* net/ipv4/tcp_cubic.c and tcp_cong.c offer them to programs. */
#define KERNELS __attribute__((section(".ksyms")))
extern void cubictcp_init(struct sock *sk) KERNELS;
extern u32 cubictcp_recalc_ssthresh(struct sock *sk) KERNELS;
extern void cubictcp_cong_avoid(struct sock *sk, u32 ack, u32 acked) KERNELS;
extern void cubictcp_state(struct sock *sk, u8 new_state) KERNELS;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) KERNELS;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) KERNELS;
extern u32 tcp_reno_undo_cwnd(struct sock *sk) KERNELS;

/* The kernel's state of CUBIC, as far as it has to be told that HyStart has found what it looks for. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct bictcp {
	u8 found;
};
#pragma clang attribute pop

INLINE void switch_hystart_off(struct tcp_sock *tp)
{
	STATE(tp, struct bictcp)->found = 1;
}

INLINE struct sock *socket_of(arguments *args)
{
	return (struct sock *)connection(args);
}

SECTION("struct_ops/search_init") void search_of_connection(arguments *args)
{
	struct tcp_sock *tp = connection(args);
	struct state *state = sk_storage_get(&states, tp, 0, CREATE);

	cubictcp_init(socket_of(args));
	switch_hystart_off(tp);
	if (!state)
		return;
	__builtin_memset(state, 0, sizeof(*state));
	state->search.initial_window = tp->snd_cwnd;
	state->delivered = tp->delivered;
}

/* Comes before cong_avoid, for every acknowledgement. */
SECTION("struct_ops/search_pkts_acked") void search_acked(arguments *args)
{
	struct tcp_sock *tp = connection(args);
	const struct ack_sample *sample = (const struct ack_sample *)args[1];
	struct search_values set = {
		.window = values.window, .threshold = values.threshold, .arrivals = values.arrivals
	};
	struct state *state = sk_storage_get(&states, tp, 0, 0);
	struct search_ack ack;

	cubictcp_acked(socket_of(args), sample);
	if (!state)
		return;
	ack.now_us = tp->tcp_mstamp;
	ack.rtt_us = sample->rtt_us > 0 ? (u64)sample->rtt_us : 0;
	ack.acked = tp->delivered - state->delivered;
	ack.in_flight = in_flight(tp);
	ack.sent = tp->data_segs_out;
	ack.delivered = tp->delivered;
	state->delivered = tp->delivered;
	state->step = SEARCH_GROW;
	if (tp->snd_ssthresh < INFINITE_SSTHRESH)
		return;
	state->step = search_acknowledged(&state->search, &set, &ack, tp->snd_cwnd);
	if (state->step == SEARCH_GROW)
		return;
	tp->snd_cwnd = state->search.cwnd;
	if (state->step == SEARCH_LEAVE)
		tp->snd_ssthresh = state->search.cwnd;
}

SECTION("struct_ops/search_cong_avoid") void search_grow(arguments *args)
{
	struct state *state = sk_storage_get(&states, connection(args), 0, 0);

	if (!state || state->step == SEARCH_GROW)
		cubictcp_cong_avoid(socket_of(args), (u32)args[1], (u32)args[2]);
}

SECTION("struct_ops/search_set_state") void search_state(arguments *args)
{
	cubictcp_state(socket_of(args), (u8)args[1]);
	/* A timeout arms it. */
	switch_hystart_off(connection(args));
}

SECTION("struct_ops/search_cwnd_event") void search_event(arguments *args)
{
	cubictcp_cwnd_event(socket_of(args), (enum tcp_ca_event)args[1]);
}

SECTION("struct_ops/search_ssthresh") u32 search_ssthresh(arguments *args)
{
	return cubictcp_recalc_ssthresh(socket_of(args));
}

SECTION("struct_ops/search_undo_cwnd") u32 search_undo(arguments *args)
{
	return tcp_reno_undo_cwnd(socket_of(args));
}

SECTION(".struct_ops.link") struct tcp_congestion_ops operations = {
	.init = (void *)search_of_connection,
	.pkts_acked = (void *)search_acked,
	.cong_avoid = (void *)search_grow,
	.set_state = (void *)search_state,
	.cwnd_event = (void *)search_event,
	.ssthresh = (void *)search_ssthresh,
	.undo_cwnd = (void *)search_undo,
	.name = "bp_cubic_search",
};
