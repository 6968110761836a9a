/* SPDX-License-Identifier: BSD-2-Clause */
/* A fuzzer's input, taken byte by byte: zeros once it is used up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const uint8_t *at, *end;
} take;

static inline void take_from(const uint8_t *data, size_t bytes)
{
	take.at = data;
	take.end = data ? data + bytes : NULL;
}

/* Take an input of `least` to `most` bytes; false: it is another. */
static inline bool take_input(const uint8_t *data, size_t bytes, size_t least, size_t most)
{
	take_from(data, bytes);
	return bytes >= least && bytes <= most;
}

/* The target: the block behind it is run on each input of `least` to `most` bytes. */
#define FUZZ(least, most)                                                   \
	static void fuzz_input(const uint8_t *data, size_t bytes);          \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);      \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)       \
	{                                                                   \
		if (take_input(data, bytes, least, most))                   \
			fuzz_input(data, bytes);                            \
		return 0;                                                   \
	}                                                                   \
	static void fuzz_input(__attribute__((unused)) const uint8_t *data, \
			       __attribute__((unused)) size_t bytes)

static inline bool take_more(void)
{
	return take.at < take.end;
}

static inline uint8_t take_byte(void)
{
	return take_more() ? *take.at++ : 0;
}

static inline void take_bytes(void *to, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((uint8_t *)to)[i] = take_byte();
}

static inline uint64_t take_number64(unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | take_byte();
	return value;
}

static inline uint32_t take_number(unsigned bytes)
{
	return (uint32_t)take_number64(bytes);
}

/* A number of any size: the first byte is the number of bytes. */
static inline uint64_t take_sized(void)
{
	return take_number64(take_byte() % 9);
}

static inline void insist(bool is_so)
{
	if (!is_so)
		abort();
}

/* Text for people must be safe: printable ASCII, terminated in `cap` bytes. */
static inline void insist_showable(const char *s, size_t cap)
{
	size_t i = 0;

	while (i < cap && s[i] >= ' ' && s[i] <= '~')
		i++;
	insist(i < cap && !s[i]);
}

/* Bytes in their exact size, so that a read past them is seen. */
static inline void *exact(const void *from, size_t bytes)
{
	void *copy = malloc(bytes + !bytes);

	insist(copy);
	return bytes ? memcpy(copy, from, bytes) : copy;
}
