/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The growth of the RTT over an interval: the least-squares line through (departure, RTT). */
#ifndef BENTPIPE_LINE_H
#define BENTPIPE_LINE_H

#include "integers.h"

#define MILLION 1000000ULL

enum {
	/* Departures are counted in ticks of 16 microseconds, so that sums of products fit 64 bits. */
	TICK_US = 16,
	MAX_TICKS = (1 << 20) - 1,
	MAX_RTT_US = (1 << 23) - 1,
	MAX_SAMPLES = (1 << 16) - 1,
	MAX_GROWTH_PPM = 10000000,
	MIN_GROWTH_PPM = 10000,
};

/* Sums over the samples: t in ticks, y in microseconds. */
struct line {
	u64 n, t, y, tt, ty, yy, first, last;
};

/* A packet that left so long after the interval opened took rtt_us. */
INLINE void line_add(struct line *line, u64 departure_us, u64 rtt_us)
{
	u64 t = least(departure_us / TICK_US, MAX_TICKS);
	u64 y = least(rtt_us, MAX_RTT_US);

	if (line->n == MAX_SAMPLES)
		return;
	line->first = line->n ? least(line->first, t) : t;
	line->last = line->n ? greatest(line->last, t) : t;
	line->n++;
	line->t += t;
	line->y += y;
	line->tt += t * t;
	line->ty += t * y;
	line->yy += y * y;
}

/* max(0, dRTT/dt) in millionths; zero when it is too small or drowns in the scatter of the samples. */
INLINE u64 line_growth_ppm(const struct line *line)
{
	u64 n = line->n, mean_t, mean_y, rest_t, rest_y, above, below, tt, ty, yy, rise, run, growth, climbed;

	if (n < 2)
		return 0;
	/* Sums of products of deviations from the means, whose whole parts are taken off exactly. */
	mean_t = line->t / n;
	mean_y = line->y / n;
	rest_t = line->t % n;
	rest_y = line->y % n;
	above = line->ty + n * mean_t * mean_y;
	below = mean_t * line->y + mean_y * line->t + rest_t * rest_y / n;
	tt = line->tt + n * mean_t * mean_t - 2 * mean_t * line->t - rest_t * rest_t / n;
	ty = less(above, below);
	yy = line->yy + n * mean_y * mean_y - 2 * mean_y * line->y - rest_y * rest_y / n;

	rise = ty;
	run = tt;
	for (u32 i = 0; i < 18 && rise >> 46; i++) {
		rise >>= 1;
		run >>= 1;
	}
	if (!rise || !run)
		return 0;
	growth = least(rise * (MILLION / TICK_US) / run, MAX_GROWTH_PPM);
	climbed = growth * (line->last - line->first) * TICK_US / MILLION;
	if (growth < MIN_GROWTH_PPM)
		return 0;
	/* Mean square of what the line leaves unexplained. */
	if (climbed * climbed < less(yy / n, ty / n / 1000 * (growth * TICK_US) / 1000))
		return 0;
	return growth;
}

#endif
