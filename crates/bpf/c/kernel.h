/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the programs touch of the kernel's TCP. Only names matter: the loader looks up where the running kernel
 * keeps each member (CO-RE), so that one object serves every kernel from 6.1 on.
 */
#ifndef BENTPIPE_KERNEL_H
#define BENTPIPE_KERNEL_H

#include "window.h"

#define SECTION(name) __attribute__((section(name), used))

/* A struct_ops program gets its arguments as an array of 64-bit values. */
typedef unsigned long long arguments;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock {
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	u32 sk_pacing_status;
};

struct inet_connection_sock {
	u64 icsk_ca_priv[13];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 snd_cwnd;
	u32 snd_cwnd_cnt;
	u32 snd_cwnd_clamp;
	u32 snd_ssthresh;
	u32 prior_cwnd;
	u32 max_packets_out;
	u32 srtt_us; /* eighths */
	u32 mss_cache;
	u32 data_segs_out;
	u32 packets_out;
	u32 sacked_out;
	u32 lost_out;
	u32 retrans_out;
	u32 delivered;
	u32 lost;
	u64 tcp_mstamp; /* microseconds, taken at the acknowledgement */
	u8 is_cwnd_limited : 1;
};

struct rate_sample {
	long interval_us; /* below zero: not a valid sample */
	long rtt_us; /* below zero: none */
	_Bool is_app_limited;
};

struct ack_sample {
	s32 rtt_us; /* below zero: none */
};

#pragma clang attribute pop

enum tcp_ca_event { CA_EVENT_TX_START };

/* Not relocated: the loader matches its members with the kernel's by name. */
struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *);
	void (*cong_avoid)(struct sock *, u32, u32);
	void (*set_state)(struct sock *, u8);
	void (*cwnd_event)(struct sock *, enum tcp_ca_event);
	void (*pkts_acked)(struct sock *, const struct ack_sample *);
	void (*cong_control)(struct sock *, u32, int, const void *);
	u32 (*undo_cwnd)(struct sock *);
	void (*init)(struct sock *);
	char name[16];
};

enum { TCP_CA_OPEN = 0, TCP_CA_DISORDER = 1, TCP_CA_CWR = 2, TCP_CA_RECOVERY = 3, TCP_CA_LOSS = 4 };
enum { SK_PACING_NEEDED = 1, INFINITE_SSTHRESH = 0x7fffffff };

/* include/uapi/linux/bpf.h: maps and helpers by number. */
enum { SK_STORAGE = 24, NO_PREALLOCATION = 1, CREATE = 1 };
static u32 (*get_prandom_u32)(void) = (void *)7;
static void *(*sk_storage_get)(void *map, void *sk, void *value, u64 flags) = (void *)107;

/* The kernel hands programs of a congestion control its struct sock as the struct tcp_sock that it is. */
INLINE struct tcp_sock *connection(arguments *args)
{
	return (struct tcp_sock *)args[0];
}

#define STATE(tp, type) ((type *)(tp)->inet_conn.icsk_ca_priv)
/* What an algorithm may keep with a connection. */
#define FITS(type) _Static_assert(sizeof(type) <= 13 * sizeof(u64), #type " does not fit icsk_ca_priv")

/* Where a bit field lies differs from kernel to kernel: size, place and shifts are looked up by the loader. */
enum { FIELD_BYTE_OFFSET = 0, FIELD_BYTE_SIZE = 1, FIELD_LSHIFT_U64 = 4, FIELD_RSHIFT_U64 = 5 };

INLINE u64 was_cwnd_limited(const struct tcp_sock *tp)
{
	const void *at = (const char *)tp + __builtin_preserve_field_info(tp->is_cwnd_limited, FIELD_BYTE_OFFSET);
	u64 bits = 0;

	/* Keeps the compiler from folding the place into an offset that the loader could not change. */
	__asm__ volatile("" : "+r"(at));
	switch (__builtin_preserve_field_info(tp->is_cwnd_limited, FIELD_BYTE_SIZE)) {
	case 1:
		bits = *(const u8 *)at;
		break;
	case 2:
		bits = *(const unsigned short *)at;
		break;
	case 4:
		bits = *(const u32 *)at;
		break;
	case 8:
		bits = *(const u64 *)at;
		break;
	}
	bits <<= __builtin_preserve_field_info(tp->is_cwnd_limited, FIELD_LSHIFT_U64);
	return bits >> __builtin_preserve_field_info(tp->is_cwnd_limited, FIELD_RSHIFT_U64);
}

INLINE u32 in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

INLINE struct window window_of(const struct tcp_sock *tp)
{
	struct window w = {
		.cwnd = tp->snd_cwnd,
		.ssthresh = tp->snd_ssthresh,
		.credit = tp->snd_cwnd_cnt,
		.most = tp->snd_cwnd_clamp,
		.peak = tp->max_packets_out,
	};

	return w;
}

#endif
