/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Vivace's arithmetic, for the kernel and for the tests. Rules: docs/models/vivace.md. */
#ifndef BENTPIPE_VIVACE_H
#define BENTPIPE_VIVACE_H

#include "fixed.h"
#include "line.h"

/* Set before the program is loaded; the loader writes the members in this order. */
struct vivace_values {
	u64 start_rate; /* bit/s */
};

enum {
	PROBE = 5, /* a faster and a slower rate differ so much from the present one, in hundredths */
	WINDOW_ROUND_TRIPS = 2,
	MIN_WINDOW_PACKETS = 4,
	MIN_RATE_PACKETS = 2, /* in a round trip */
	MIN_PACKETS = 20, /* of an interval */
	LATENCY = 900, /* weight of the growth of the RTT */
	LOSS_HUNDREDTHS = 1135, /* weight of loss */
	BOUNDARY = 50, /* thousandths of the rate: omega_0 */
	WIDENING = 100, /* delta */
	LINEAR = 3, /* gradients of one sign up to which the amplifier is their number */
};

/* A difference of utilities beyond this asks for more than any boundary allows; it bounds products. */
#define MAX_DIFFERENCE (1LL << 40)
#define NO_RTT (~0ULL)

enum vivace_phase { STARTING, PROBING, SUSPENDED };
enum direction { LEVEL, UP, DOWN };

struct interval {
	u64 rate; /* bit/s */
	u64 start, end; /* bytes sent before it, before its end */
	u64 opened_us, closed_us;
	u64 acked, lost;
	u32 is_limited;
	struct line line;
};

/* What an interval showed. */
struct judgement {
	u32 is_void;
	s64 utility;
};

struct vivace {
	u64 mss, initial_window;
	u64 rate; /* r in bit/s */
	u64 good_rate; /* the last one of the start, with its utility; 0: none */
	s64 good_utility;
	u64 sent, resolved; /* bytes */
	u64 srtt_us; /* 0: none */
	u64 restart; /* the window of a timeout until the next acknowledgement; 0: none */
	u64 steps, widenings; /* tau, k */
	u32 direction, phase, coin;
	u32 is_high_first, has_open, has_closed, has_first;
	struct judgement first;
	struct interval open, closed;
};

/* What an acknowledgement said; bytes. */
struct acknowledgement {
	u64 now_us, acked, lost, in_flight;
	u64 rtt_us; /* or NO_RTT */
	u64 srtt_us; /* or 0 */
	u32 is_limited; /* what it acknowledges left while the application had no more */
};

INLINE u64 rate_high(u64 rate)
{
	return rate * (100 + PROBE) / 100;
}

INLINE u64 rate_low(u64 rate)
{
	return rate * (100 - PROBE) / 100;
}

/* ---- utility ---- */

/* U = x^0.9 - 900 x g - 11.35 x L in millionths; a rate in bit/s is x in millionths. */
INLINE s64 vivace_utility(u64 rate, u64 growth_ppm, u64 acked, u64 lost)
{
	u64 loss_ppm = acked + lost ? lost * MILLION / (acked + lost) : 0;
	u64 latency = rate * growth_ppm / MILLION * LATENCY;
	u64 loss = rate * loss_ppm / MILLION * LOSS_HUNDREDTHS / 100;

	return (s64)power_of_millionths(rate) - (s64)latency - (s64)loss;
}

/* ---- intervals ---- */

INLINE void vivace_open(struct vivace *v, u64 rate, u64 now_us)
{
	static const struct interval fresh;

	v->open = fresh;
	v->open.rate = rate;
	v->open.start = v->sent;
	v->open.opened_us = now_us;
	v->has_open = 1;
}

INLINE void vivace_open_pair(struct vivace *v, u64 now_us)
{
	v->phase = PROBING;
	v->coin = v->coin * 1664525U + 1013904223U;
	v->is_high_first = v->coin >> 31;
	v->has_first = 0;
	vivace_open(v, v->is_high_first ? rate_high(v->rate) : rate_low(v->rate), now_us);
}

INLINE void interval_take(struct interval *of, const struct acknowledgement *ack)
{
	of->acked += ack->acked;
	of->lost += ack->lost;
	of->is_limited |= ack->is_limited;
	if (ack->rtt_us != NO_RTT)
		line_add(&of->line, less(less(ack->now_us, ack->rtt_us), of->opened_us), ack->rtt_us);
}

INLINE void vivace_close(struct vivace *v, u64 now_us)
{
	u64 second;

	if (!v->has_open || v->resolved <= v->open.start || v->sent - v->open.start < MIN_PACKETS * v->mss)
		return;
	v->closed = v->open;
	v->closed.end = v->sent;
	v->closed.closed_us = now_us;
	v->has_closed = 1;
	v->has_open = 0;
	second = v->is_high_first ? rate_low(v->rate) : rate_high(v->rate);
	if (v->phase == PROBING && !v->has_first && v->closed.rate != second)
		vivace_open(v, second, now_us);
}

INLINE struct judgement vivace_judge(const struct interval *of)
{
	u64 allowed = times(of->rate / 8, of->closed_us - of->opened_us) / MILLION;
	struct judgement judgement = { .is_void = 1, .utility = 0 };

	if (of->is_limited || times(of->end - of->start, 10) < times(allowed, 9))
		return judgement;
	judgement.is_void = 0;
	judgement.utility = vivace_utility(of->rate, line_growth_ppm(&of->line), of->acked, of->lost);
	return judgement;
}

/* ---- decisions ---- */

/* Two packets per round trip. */
INLINE u64 vivace_least_rate(const struct vivace *v)
{
	return MIN_RATE_PACKETS * v->mss * 8 * MILLION / greatest(v->srtt_us, 1);
}

INLINE u64 boundary(u64 rate, u64 widenings)
{
	return rate * (BOUNDARY + WIDENING * widenings) / 1000;
}

/* The largest change is omega(k) r: it widens each time that it binds, else is as narrow as the step allows. */
INLINE u64 vivace_bounded(struct vivace *v, u64 step)
{
	u64 bound = boundary(v->rate, v->widenings);

	if (step > bound) {
		v->widenings++;
		return bound;
	}
	if (v->rate) {
		/* The smallest k with 1000 step <= r (50 + 100 k). */
		u64 beyond = less(1000 * step, BOUNDARY * v->rate), unit = WIDENING * v->rate;

		v->widenings = least(v->widenings, (beyond + unit - 1) / unit);
	}
	return step;
}

INLINE void vivace_climb(struct vivace *v, s64 high_utility, s64 low_utility)
{
	u32 direction = high_utility > low_utility ? UP : high_utility < low_utility ? DOWN : LEVEL;
	u64 difference, apart = greatest(rate_high(v->rate) - rate_low(v->rate), 1), step;

	if (direction != v->direction || direction == LEVEL) {
		v->direction = direction;
		v->steps = 0;
		v->widenings = 0;
	}
	if (direction == LEVEL)
		return;
	v->steps++;
	difference = direction == UP ? (u64)(high_utility - low_utility) : (u64)(low_utility - high_utility);
	step = least(difference, MAX_DIFFERENCE) * MILLION / apart;
	step *= v->steps <= LINEAR ? v->steps : 2 * v->steps - LINEAR;
	step = vivace_bounded(v, step);
	v->rate = direction == UP ? v->rate + step : less(v->rate, step);
}

INLINE void vivace_judge_start(struct vivace *v, struct judgement judgement, u64 now_us)
{
	if (judgement.is_void) {
		vivace_open(v, v->rate, now_us);
	} else if (v->good_rate && judgement.utility <= v->good_utility) {
		v->rate = v->good_rate;
		vivace_open_pair(v, now_us);
	} else {
		v->good_rate = v->rate;
		v->good_utility = judgement.utility;
		v->rate *= 2;
		vivace_open(v, v->rate, now_us);
	}
}

INLINE void vivace_judge_pair(struct vivace *v, struct judgement second, u64 now_us)
{
	struct judgement first = v->first;

	if (!first.is_void && !second.is_void) {
		if (v->is_high_first)
			vivace_climb(v, first.utility, second.utility);
		else
			vivace_climb(v, second.utility, first.utility);
		v->rate = greatest(v->rate, vivace_least_rate(v));
	}
	vivace_open_pair(v, now_us);
}

INLINE void vivace_judge_resolved(struct vivace *v, u64 now_us)
{
	struct judgement judgement;

	if (!v->has_closed || v->resolved < v->closed.end)
		return;
	judgement = vivace_judge(&v->closed);
	v->has_closed = 0;
	if (v->phase == STARTING) {
		vivace_judge_start(v, judgement, now_us);
	} else if (v->phase == PROBING && v->has_first) {
		vivace_judge_pair(v, judgement, now_us);
	} else if (v->phase == PROBING) {
		v->first = judgement;
		v->has_first = 1;
	}
}

/* ---- what happens ---- */

INLINE void vivace_init(struct vivace *v, const struct vivace_values *values, u32 seed, u64 now_us)
{
	static const struct vivace fresh;

	*v = fresh;
	v->rate = values->start_rate;
	v->coin = seed;
	vivace_open(v, v->rate, now_us);
}

INLINE void vivace_acknowledged(struct vivace *v, const struct acknowledgement *ack)
{
	u64 before = v->resolved;

	v->resolved = greatest(before, less(v->sent, ack->in_flight));
	if (ack->srtt_us)
		v->srtt_us = ack->srtt_us;
	v->restart = 0;
	if (v->has_closed)
		interval_take(&v->closed, ack);
	else if (v->has_open && before >= v->open.start)
		interval_take(&v->open, ack);
	vivace_judge_resolved(v, ack->now_us);
	vivace_close(v, ack->now_us);
}

INLINE void vivace_timed_out(struct vivace *v, u64 window)
{
	if (v->phase == STARTING && v->good_rate)
		v->rate = v->good_rate;
	v->phase = SUSPENDED;
	v->has_open = 0;
	v->has_closed = 0;
	v->restart = window;
}

INLINE void vivace_recovered(struct vivace *v, u64 now_us)
{
	if (v->phase == SUSPENDED)
		vivace_open_pair(v, now_us);
}

/* ---- what is controlled ---- */

/* bit/s */
INLINE u64 vivace_rate(const struct vivace *v)
{
	return v->has_open ? v->open.rate : v->rate;
}

/* bytes */
INLINE u64 vivace_window(const struct vivace *v)
{
	u64 smallest = MIN_WINDOW_PACKETS * v->mss;

	if (v->restart)
		return v->restart;
	if (!v->srtt_us)
		return greatest(v->initial_window, smallest);
	return greatest(WINDOW_ROUND_TRIPS * times(vivace_rate(v) / 8, v->srtt_us) / MILLION, smallest);
}

#endif
