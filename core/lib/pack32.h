/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A count of up to 64 bits in 32 bits: its highest bits, and above them the number of bits by which
 * they are shifted. An unpacked count is at most the original, and smaller by less than 2^-25 of
 * it; 2^-24 if signed.
 */
#pragma once

#include <stdint.h>

#define PACK32_BITS        26 /* smaller counts are exact */
#define PACK32_SIGNED_BITS 25
#define PACK32_NEGATIVE    (UINT32_C(1) << 31)

/* Large values are rare, hence a call: it keeps the slow path short. */
static __attribute__((noinline, unused)) uint32_t pack32_shifted(uint64_t value, unsigned bits)
{
	unsigned shift = 64u - bits - (unsigned)__builtin_clzll(value);

	return (uint32_t)(value >> shift) | shift << bits;
}

static inline uint32_t pack32_bits(uint64_t value, unsigned bits)
{
	if (__builtin_expect(value >> bits == 0, 1))
		return (uint32_t)value;
	return pack32_shifted(value, bits);
}

static inline uint64_t pack32_unpack_bits(uint32_t packed, unsigned bits)
{
	return (packed & ((UINT64_C(1) << bits) - 1)) << (packed >> bits);
}

static inline uint32_t pack32(uint64_t value)
{
	return pack32_bits(value, PACK32_BITS);
}

static inline uint64_t pack32_unpack(uint32_t packed)
{
	return pack32_unpack_bits(packed, PACK32_BITS);
}

static inline uint32_t pack32_signed(int64_t value)
{
	if (value < 0)
		return pack32_bits(-(uint64_t)value, PACK32_SIGNED_BITS) | PACK32_NEGATIVE;
	return pack32_bits((uint64_t)value, PACK32_SIGNED_BITS);
}

static inline int64_t pack32_unpack_signed(uint32_t packed)
{
	uint64_t value = pack32_unpack_bits(packed & ~PACK32_NEGATIVE, PACK32_SIGNED_BITS);

	return (int64_t)(packed & PACK32_NEGATIVE ? -value : value);
}
