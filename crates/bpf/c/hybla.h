/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Hybla's arithmetic, for the kernel and for the tests. Rules: docs/models/hybla.md. */
#ifndef BENTPIPE_HYBLA_H
#define BENTPIPE_HYBLA_H

#include "window.h"

/* Set before the program is loaded; the loader writes the members in this order. */
struct hybla_values {
	u32 rtt0_us; /* the round trip whose growth is copied */
	u32 most_exponent; /* of slow start */
	u32 most_segments; /* the largest window */
};

enum {
	RHO_UNIT = 8, /* rho is kept in eighths */
	SEGMENT = 128, /* increments are in 128ths of a segment */
};

struct hybla {
	u32 rho;
	u32 least_srtt; /* eighths of a microsecond, 0: none yet */
	u32 fraction; /* what the window has grown beyond whole segments */
};

/* Takes rho from the smallest smoothed RTT. The first one scales the window too. */
INLINE void hybla_take_srtt(struct hybla *h, struct window *w, const struct hybla_values *values, u32 srtt)
{
	u32 first = h->least_srtt == 0;

	if (srtt == 0 || (!first && srtt >= h->least_srtt))
		return;
	h->least_srtt = srtt;
	h->rho = (u32)greatest(srtt / values->rtt0_us, RHO_UNIT);
	if (first)
		w->cwnd = (u32)greatest(w->cwnd, h->rho / RHO_UNIT);
}

INLINE void hybla_init(struct hybla *h, struct window *w, const struct hybla_values *values, u32 srtt)
{
	h->rho = RHO_UNIT;
	h->least_srtt = 0;
	h->fraction = 0;
	hybla_take_srtt(h, w, values, srtt);
}

/* 2^(n/8) in 128ths. */
INLINE u32 hybla_fraction(u32 n)
{
	switch (n) {
	case 1:
		return 139;
	case 2:
		return 152;
	case 3:
		return 165;
	case 4:
		return 181;
	case 5:
		return 197;
	case 6:
		return 215;
	case 7:
		return 234;
	default:
		return 128;
	}
}

/* One acknowledgement of new data, whatever it covers: 2^rho - 1 segments, or rho^2 / cwnd beyond slow start. */
INLINE void hybla_grow(struct hybla *h, struct window *w, const struct hybla_values *values)
{
	u32 slow_start = in_slow_start(w), before = w->cwnd;
	u64 cwnd = before, increase;

	if (slow_start) {
		u64 exponent = least(h->rho / RHO_UNIT, values->most_exponent);

		increase = ((u64)hybla_fraction(h->rho % RHO_UNIT) << (exponent & 31)) - SEGMENT;
	} else {
		increase = (u64)h->rho * h->rho * (SEGMENT / (RHO_UNIT * RHO_UNIT)) / before;
		if (increase < SEGMENT)
			w->credit++;
	}
	cwnd += increase / SEGMENT;
	h->fraction += (u32)(increase % SEGMENT);
	if (h->fraction >= SEGMENT) {
		h->fraction -= SEGMENT;
		cwnd++;
		w->credit = 0;
	}
	/* The increase is too small for the unit: as Reno. */
	if (increase == 0 && w->credit >= before) {
		cwnd++;
		w->credit = 0;
	}
	if (slow_start)
		cwnd = least(least(cwnd, greatest(2 * (u64)w->peak, before)), w->ssthresh);
	w->cwnd = (u32)least(cwnd, greatest(least(w->most, values->most_segments), before));
}

#endif
