/* SPDX-License-Identifier: BSD-2-Clause */
/* FIPS 180-4, section 6.2, block by block. */
#include "sha256.h"

#include "bytes.h"
#include "mem.h"

#define BLOCK SHA256_BLOCK
#define TAIL  8 /* the length in bits, at the end of the last block */

static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

static const uint32_t constants[BLOCK] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

static uint32_t turn(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void spread(const uint8_t *block, uint32_t w[BLOCK])
{
	for (unsigned i = 0; i < 16; i++)
		w[i] = bytes_be32(block + 4 * i);
	for (unsigned i = 16; i < BLOCK; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
}

static void add_block(uint32_t h[8], const uint8_t *block)
{
	uint32_t w[BLOCK], v[8];

	spread(block, w);
	memcpy(v, h, sizeof(v));
	for (unsigned i = 0; i < BLOCK; i++) {
		uint32_t one = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
			       ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
		uint32_t two = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
			       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += one;
		v[0] = one + two;
	}
	for (unsigned i = 0; i < 8; i++)
		h[i] += v[i];
}

void sha256_start(struct sha256 *s)
{
	memcpy(s->h, start, sizeof(s->h));
	s->bytes = 0;
}

void sha256_add(struct sha256 *s, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < bytes; i++) {
		s->block[s->bytes++ % BLOCK] = at[i];
		if (s->bytes % BLOCK == 0)
			add_block(s->h, s->block);
	}
}

void sha256_end(struct sha256 *s, uint8_t digest[SHA256_BYTES])
{
	static const uint8_t end[BLOCK] = { 0x80 };
	uint64_t bits = s->bytes * 8;
	uint8_t tail[TAIL];

	sha256_add(s, end, 1 + (2 * BLOCK - TAIL - 1 - s->bytes % BLOCK) % BLOCK);
	for (unsigned i = 0; i < TAIL; i++)
		tail[i] = (uint8_t)(bits >> (8 * (TAIL - 1 - i)));
	sha256_add(s, tail, TAIL);
	for (unsigned i = 0; i < SHA256_BYTES; i++)
		digest[i] = (uint8_t)(s->h[i / 4] >> (24 - i % 4 * 8));
}

void sha256(const void *data, size_t bytes, uint8_t digest[SHA256_BYTES])
{
	struct sha256 s;

	sha256_start(&s);
	sha256_add(&s, data, bytes);
	sha256_end(&s, digest);
}
