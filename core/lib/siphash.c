/* SPDX-License-Identifier: BSD-2-Clause */
/* SipHash-2-4, 128 bits: the names v0 to v3, m and b are the paper's. */
#include "siphash.h"

#include "bytes.h"

#define ROUNDS_PER_WORD 2
#define ROUNDS_AT_END   4

struct state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static void rounds(struct state *s, unsigned count)
{
	for (; count; count--) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = rotate(s->v1, 13) ^ s->v0;
		s->v3 = rotate(s->v3, 16) ^ s->v2;
		s->v0 = rotate(s->v0, 32);
		s->v2 += s->v1;
		s->v0 += s->v3;
		s->v1 = rotate(s->v1, 17) ^ s->v2;
		s->v3 = rotate(s->v3, 21) ^ s->v0;
		s->v2 = rotate(s->v2, 32);
	}
}

static void take_word(struct state *s, uint64_t m)
{
	s->v3 ^= m;
	rounds(s, ROUNDS_PER_WORD);
	s->v0 ^= m;
}

/* The message's last bytes, and its length modulo 256 in the highest byte. */
static uint64_t last_word(const uint8_t *left, size_t bytes)
{
	uint64_t b = (uint64_t)bytes << 56;

	for (size_t i = 0; i < bytes % 8; i++)
		b |= (uint64_t)left[i] << 8 * i;
	return b;
}

static void put_word(const struct state *s, uint8_t *out)
{
	bytes_put_le64(out, s->v0 ^ s->v1 ^ s->v2 ^ s->v3);
}

void siphash(const uint8_t key[SIPHASH_KEY_BYTES], const void *data, size_t bytes,
	     uint8_t tag[SIPHASH_TAG_BYTES])
{
	uint64_t k0 = bytes_le64(key), k1 = bytes_le64(key + 8);
	/* "somepseudorandomlygeneratedbytes"; 0xee marks the 128-bit form. */
	struct state s = { k0 ^ UINT64_C(0x736f6d6570736575),
			   k1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xee,
			   k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573) };
	const uint8_t *at = data, *end = at + (bytes - bytes % 8);

	for (; at < end; at += 8)
		take_word(&s, bytes_le64(at));
	take_word(&s, last_word(at, bytes));
	s.v2 ^= 0xee;
	rounds(&s, ROUNDS_AT_END);
	put_word(&s, tag);
	s.v1 ^= 0xdd;
	rounds(&s, ROUNDS_AT_END);
	put_word(&s, tag + 8);
}

bool siphash_same(const uint8_t a[SIPHASH_TAG_BYTES], const uint8_t b[SIPHASH_TAG_BYTES])
{
	unsigned differs = 0;

	for (unsigned i = 0; i < SIPHASH_TAG_BYTES; i++)
		differs |= (unsigned)(a[i] ^ b[i]);
	return differs == 0;
}
