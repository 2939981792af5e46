// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* PCC Vivace for the kernel. Rules: docs/models/vivace.md. */

#include "kernel.h"
#include "vivace.h"

char LICENSE[] SECTION("license") = "Dual MIT/GPL";

const volatile struct vivace_values values SECTION(".rodata.values") = {};

/* Where cong_control has its rate sample: the fourth argument since Linux 6.10, the second before. */
const volatile u32 sample_is_fourth SECTION(".rodata.kernel") = 1;

struct state {
	struct vivace vivace;
	/* The kernel's counters of packets as they were at the last acknowledgement. */
	u32 sent, delivered, lost;
};

/* More than a connection has room for in icsk_ca_priv. */
struct {
	int (*type)[SK_STORAGE];
	int (*map_flags)[NO_PREALLOCATION];
	int *key;
	struct state *value;
} states SECTION(".maps");

INLINE void count_sent(struct state *state, const struct tcp_sock *tp)
{
	state->vivace.sent += (u64)(tp->data_segs_out - state->sent) * state->vivace.mss;
	state->sent = tp->data_segs_out;
}

INLINE void control(struct tcp_sock *tp, const struct vivace *v)
{
	struct sock *sk = (struct sock *)tp;
	u64 bytes_per_second = vivace_rate(v) / 8;

	sk->sk_pacing_rate = least(bytes_per_second, sk->sk_max_pacing_rate);
	if (!v->restart)
		tp->snd_cwnd = (u32)least(vivace_window(v) / greatest(v->mss, 1), tp->snd_cwnd_clamp);
}

SECTION("struct_ops/vivace_init") void vivace_of_connection(arguments *args)
{
	struct tcp_sock *tp = connection(args);
	struct vivace_values set = { .start_rate = values.start_rate };
	struct state *state = sk_storage_get(&states, tp, 0, CREATE);

	if (!state)
		return;
	vivace_init(&state->vivace, &set, get_prandom_u32(), tp->tcp_mstamp);
	state->vivace.mss = tp->mss_cache;
	state->vivace.initial_window = (u64)tp->snd_cwnd * tp->mss_cache;
	state->vivace.srtt_us = tp->srtt_us >> 3;
	state->sent = tp->data_segs_out;
	state->delivered = tp->delivered;
	state->lost = tp->lost;
	((struct sock *)tp)->sk_pacing_status = SK_PACING_NEEDED;
	control(tp, &state->vivace);
}

SECTION("struct_ops/vivace_set_state") void vivace_state(arguments *args)
{
	struct tcp_sock *tp = connection(args);
	struct state *state = sk_storage_get(&states, tp, 0, 0);

	if (!state)
		return;
	count_sent(state, tp);
	/* The kernel has set the window of a timeout already. */
	if ((u8)args[1] == TCP_CA_LOSS)
		vivace_timed_out(&state->vivace, (u64)tp->snd_cwnd * state->vivace.mss);
	else
		vivace_recovered(&state->vivace, tp->tcp_mstamp);
	control(tp, &state->vivace);
}

SECTION("struct_ops/vivace_cong_control") void vivace_control(arguments *args)
{
	struct tcp_sock *tp = connection(args);
	const struct rate_sample *sample;
	struct state *state = sk_storage_get(&states, tp, 0, 0);
	struct acknowledgement ack;

	if (!state)
		return;
	/* Written out: the verifier wants constant places, and leaves out the branch that is never taken. */
	if (sample_is_fourth)
		__asm__ volatile("%0 = *(u64 *)(%1 + 24)" : "=r"(sample) : "r"(args));
	else
		__asm__ volatile("%0 = *(u64 *)(%1 + 8)" : "=r"(sample) : "r"(args));
	state->vivace.mss = tp->mss_cache;
	count_sent(state, tp);
	ack.now_us = tp->tcp_mstamp;
	ack.acked = (u64)(tp->delivered - state->delivered) * state->vivace.mss;
	ack.lost = (u64)(tp->lost - state->lost) * state->vivace.mss;
	ack.in_flight = (u64)in_flight(tp) * state->vivace.mss;
	ack.rtt_us = sample->rtt_us < 0 ? NO_RTT : (u64)sample->rtt_us;
	ack.srtt_us = tp->srtt_us >> 3;
	ack.is_limited = sample->interval_us > 0 && sample->is_app_limited;
	state->delivered = tp->delivered;
	state->lost = tp->lost;
	vivace_acknowledged(&state->vivace, &ack);
	control(tp, &state->vivace);
}

/* Infinite: loss is in the utility. */
SECTION("struct_ops/vivace_ssthresh") u32 vivace_ssthresh(arguments *args)
{
	return INFINITE_SSTHRESH;
}

SECTION("struct_ops/vivace_undo_cwnd") u32 vivace_undo(arguments *args)
{
	return connection(args)->snd_cwnd;
}

SECTION(".struct_ops.link") struct tcp_congestion_ops operations = {
	.init = (void *)vivace_of_connection,
	.set_state = (void *)vivace_state,
	.cong_control = (void *)vivace_control,
	.ssthresh = (void *)vivace_ssthresh,
	.undo_cwnd = (void *)vivace_undo,
	.name = "bp_vivace",
};
