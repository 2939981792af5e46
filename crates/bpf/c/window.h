/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A congestion window in packets, and Reno's growth of it (RFC 5681). */
#ifndef BENTPIPE_WINDOW_H
#define BENTPIPE_WINDOW_H

#include "integers.h"

struct window {
	u32 cwnd;
	u32 ssthresh;
	u32 credit; /* packets delivered that have not made the window grow yet */
	u32 most; /* the largest cwnd */
	u32 peak; /* most packets in flight in the last round trip */
};

INLINE int in_slow_start(const struct window *w)
{
	return w->cwnd < w->ssthresh;
}

/* Whether the present window has been tested; in slow start half of it in flight is enough. */
INLINE int may_grow(const struct window *w, u64 was_limited)
{
	return was_limited || (in_slow_start(w) && w->cwnd < 2 * (u64)w->peak);
}

/* Section 3.1, in slow start up to the threshold, then a packet for each window delivered. */
INLINE void reno_grow(struct window *w, u32 acked)
{
	u32 window;

	if (in_slow_start(w)) {
		u32 cwnd = (u32)least(w->cwnd + acked, w->ssthresh);

		acked -= cwnd - w->cwnd;
		w->cwnd = (u32)least(cwnd, w->most);
		if (!acked)
			return;
	}
	window = w->cwnd;
	/* Credit earned with a larger window is worth one packet. */
	if (w->credit >= window) {
		w->credit = 0;
		w->cwnd++;
	}
	w->credit += acked;
	w->cwnd += w->credit / window;
	w->credit %= window;
	w->cwnd = (u32)least(w->cwnd, w->most);
}

/* Equation 4, of the window. */
INLINE u32 reno_ssthresh(u32 cwnd)
{
	return (u32)greatest(cwnd / 2, 2);
}

#endif
