/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Logarithm and power in fixed point: whole numbers with 24 binary places. The twin of vivace/fixed.rs. */
#ifndef BENTPIPE_FIXED_H
#define BENTPIPE_FIXED_H

#include "integers.h"

enum { PLACES = 24 };

/* 0.1 log2(10^6), truncated. */
#define MICRO 33439623ULL

/* 2^(2^-n) in 2^-30, n from 1 to 24. */
static const u32 ROOTS[PLACES] = {
	1518500250, 1276901417, 1170923762, 1121280436, 1097253708, 1085434106, 1079572136, 1076653033,
	1075196443, 1074468888, 1074105294, 1073923544, 1073832680, 1073787251, 1073764537, 1073753181,
	1073747502, 1073744663, 1073743244, 1073742534, 1073742179, 1073742001, 1073741913, 1073741868,
};

/* The place of the highest bit of a positive number. */
INLINE u32 highest_bit(u64 x)
{
	u32 place = 0;

	for (u32 half = 32; half > 0; half /= 2) {
		if (x >> half) {
			x >>= half;
			place += half;
		}
	}
	return place;
}

/* Of a positive number: the square of a number in [1, 2) reaches 2 exactly when its next binary place is 1. */
INLINE u64 log2_of(u64 x)
{
	u32 exponent = highest_bit(x);
	u64 mantissa = exponent > 31 ? x >> ((exponent - 31) & 63) : x << ((31 - exponent) & 63);
	u64 log = exponent;

	for (u32 place = 0; place < PLACES; place++) {
		mantissa = (mantissa * mantissa) >> 31;
		log <<= 1;
		if (mantissa >> 32) {
			mantissa >>= 1;
			log++;
		}
	}
	return log;
}

/* 2 to a power below 2^34, rounded down. */
INLINE u64 exp2_of(u64 power)
{
	u32 exponent = (u32)(power >> PLACES);
	u64 root = 1 << 30;

	for (u32 place = 0; place < PLACES; place++) {
		if ((power >> (PLACES - 1 - place)) & 1)
			root = (root * ROOTS[place]) >> 30;
	}
	return exponent > 30 ? root << ((exponent - 30) & 63) : root >> ((30 - exponent) & 63);
}

/* (x / 10^6)^0.9 in millionths. */
INLINE u64 power_of_millionths(u64 x)
{
	return x ? exp2_of(log2_of(x) * 9 / 10 + MICRO) : 0;
}

#endif
