/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Integer types and arithmetic that a BPF program and a program of the host share. */
#ifndef BENTPIPE_INTEGERS_H
#define BENTPIPE_INTEGERS_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

#define INLINE static inline __attribute__((always_inline, unused))

INLINE u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

INLINE u64 greatest(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* a - b, not below zero. */
INLINE u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/* a * b, not beyond the largest number. By halves: a BPF program has no 128-bit product. */
INLINE u64 times(u64 a, u64 b)
{
	u64 crossed = (a >> 32) * (u32)b + (u32)a * (b >> 32), low = (u64)(u32)a * (u32)b, product;

	if ((a >> 32 && b >> 32) || crossed >> 32)
		return ~0ULL;
	product = low + (crossed << 32);
	return product < low ? ~0ULL : product;
}

#endif
