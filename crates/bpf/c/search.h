/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* SEARCH's arithmetic, for the kernel and for the tests, in packets. Rules: docs/models/slow_start.md. */
#ifndef BENTPIPE_SEARCH_H
#define BENTPIPE_SEARCH_H

#include "integers.h"

/* Set before the program is loaded; the loader writes the members in this order. */
struct search_values {
	u32 window; /* of initial round trips, in hundredths */
	u32 threshold; /* the normalised difference that ends slow start, in hundredths */
	u32 arrivals; /* packets for one that leaves while the queue drains */
};

enum {
	WINDOW_BINS = 10,
	EXTRA_BINS = 15,
	HUNDRED = 100,
	/* Powers of two, which the verifier follows: at least 26 and 11. */
	SENT_SLOTS = 32,
	DELIVERED_SLOTS = 16,
};

enum search_step {
	SEARCH_GROW, /* slow start goes on */
	SEARCH_DRAIN, /* the window is SEARCH's */
	SEARCH_LEAVE, /* it is, and the threshold too */
};

struct search {
	u64 bin_ns; /* 0: no bin yet */
	u64 end_ns; /* of the present bin */
	u64 initial_rtt_ns;
	u32 bin; /* the latest that has ended */
	/* Totals of the connection at the ends of bins. */
	u32 sent[SENT_SLOTS];
	u32 delivered[DELIVERED_SLOTS];
	u32 initial_window;
	u32 is_draining, cwnd, target, arrived;
};

struct search_ack {
	u64 now_us;
	u64 rtt_us; /* 0: none */
	u32 acked;
	u32 in_flight;
	/* Totals of the connection, this acknowledgement included. */
	u32 sent, delivered;
};

INLINE u32 search_sent(const struct search *s, u32 bin)
{
	return s->sent[bin & (SENT_SLOTS - 1)];
}

INLINE u32 search_delivered(const struct search *s, u32 bin)
{
	return s->delivered[bin & (DELIVERED_SLOTS - 1)];
}

INLINE void search_close_bin(struct search *s, u32 sent, u32 delivered)
{
	s->bin++;
	s->end_ns += s->bin_ns;
	s->sent[s->bin & (SENT_SLOTS - 1)] = sent;
	s->delivered[s->bin & (DELIVERED_SLOTS - 1)] = delivered;
}

INLINE void search_open(struct search *s, const struct search_values *values, const struct search_ack *ack)
{
	s->initial_rtt_ns = ack->rtt_us * 1000;
	s->bin_ns = s->initial_rtt_ns * values->window / (HUNDRED * WINDOW_BINS);
	s->end_ns = ack->now_us * 1000 + s->bin_ns;
	s->bin = 0;
	s->sent[0] = ack->sent;
	s->delivered[0] = ack->delivered;
}

/* Whether the acknowledgement is the first beyond a bin. After a pause of more than a window all starts anew. */
INLINE int search_advance(struct search *s, const struct search_ack *ack)
{
	u64 now_ns = ack->now_us * 1000, passed;
	u32 sent = search_sent(s, s->bin), delivered = search_delivered(s, s->bin);

	if (now_ns <= s->end_ns || s->bin_ns == 0)
		return 0;
	passed = (now_ns - s->end_ns) / s->bin_ns + 1;
	if (passed > WINDOW_BINS) {
		s->bin_ns = 0;
		return 0;
	}
	for (u32 i = 1; i < WINDOW_BINS; i++)
		if (i < passed)
			search_close_bin(s, sent, delivered);
	search_close_bin(s, ack->sent, ack->delivered);
	return 1;
}

/* Whether as much less arrived in the latest window than was sent in the one a round trip before. */
INLINE int search_is_over(const struct search *s, const struct search_values *values, u64 rtt_ns)
{
	u64 back, fraction, sent, delivered;
	u32 earlier;

	if (s->bin_ns == 0)
		return 0;
	back = rtt_ns / s->bin_ns;
	fraction = rtt_ns % s->bin_ns * HUNDRED / s->bin_ns;
	if (back >= EXTRA_BINS || s->bin <= WINDOW_BINS + back)
		return 0;
	earlier = s->bin - (u32)back;
	sent = (search_sent(s, earlier - 1) - search_sent(s, earlier - 1 - WINDOW_BINS)) * fraction +
	       (search_sent(s, earlier) - search_sent(s, earlier - WINDOW_BINS)) * (HUNDRED - fraction);
	delivered = search_delivered(s, s->bin) - search_delivered(s, s->bin - WINDOW_BINS);
	return sent && less(sent, HUNDRED * delivered) * HUNDRED / sent >= values->threshold;
}

/* What arrived in the bins of the latest initial round trip. */
INLINE u32 search_target(const struct search *s)
{
	u64 bins = (s->initial_rtt_ns + s->bin_ns - 1) / greatest(s->bin_ns, 1);
	u32 since = s->bin - (u32)least(least(bins, WINDOW_BINS), s->bin);

	return (u32)greatest(search_delivered(s, s->bin) - search_delivered(s, since), s->initial_window);
}

INLINE enum search_step search_drain(struct search *s, const struct search_values *values,
				     const struct search_ack *ack, u32 cwnd)
{
	u32 departures;

	s->arrived += ack->acked;
	departures = s->arrived / values->arrivals;
	s->arrived %= values->arrivals;
	/* After a pause the window is less than what this left it with (RFC 2861). */
	s->cwnd = (u32)least(greatest(ack->in_flight + departures, s->target), least(s->cwnd, cwnd));
	return s->cwnd <= s->target ? SEARCH_LEAVE : SEARCH_DRAIN;
}

/* An acknowledgement of the first slow start; the window is `cwnd`, and that of the structure where SEARCH has one. */
INLINE enum search_step search_acknowledged(struct search *s, const struct search_values *values,
					    const struct search_ack *ack, u32 cwnd)
{
	if (s->is_draining)
		return search_drain(s, values, ack, cwnd);
	if (!ack->rtt_us)
		return SEARCH_GROW;
	if (s->bin_ns == 0) {
		search_open(s, values, ack);
		return SEARCH_GROW;
	}
	if (!search_advance(s, ack) || !search_is_over(s, values, ack->rtt_us * 1000))
		return SEARCH_GROW;
	s->target = search_target(s);
	s->cwnd = cwnd;
	if (s->target >= cwnd)
		return SEARCH_LEAVE;
	s->is_draining = 1;
	return SEARCH_DRAIN;
}

#endif
