/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer's input as physical memory from INPUT_BASE on: handed out as copies
 * of exactly the size asked for, so that a read past it is seen.
 */
#pragma once

#include "core/firmware/acpi.h"
#include "tests/fuzz/take.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_BASE 0x1000u
#define COPIES_MAX 4096

struct input {
	const uint8_t *data;
	size_t bytes;
	/* Called on each copy before it is handed out: may mend checksums. NULL: does not. */
	void (*mend)(uint8_t *copy, size_t bytes);
	size_t copies;
	void *copy[COPIES_MAX];
};

static inline const void *input_map(void *ctx, uint64_t address, size_t bytes)
{
	struct input *in = ctx;

	if (in->copies == COPIES_MAX || address < INPUT_BASE || address - INPUT_BASE > in->bytes ||
	    bytes > in->bytes - (address - INPUT_BASE))
		return NULL;

	uint8_t *copy = malloc(bytes + !bytes);

	if (!copy)
		abort();
	if (bytes)
		memcpy(copy, in->data + (address - INPUT_BASE), bytes);
	if (in->mend)
		in->mend(copy, bytes);
	in->copy[in->copies++] = copy;
	return copy;
}

static inline void input_free(struct input *in)
{
	while (in->copies > 0)
		free(in->copy[--in->copies]);
}

/* Let the bytes at `b` sum up to 0 by way of the one at `checksum`. */
static inline void input_sum(uint8_t *b, size_t bytes, size_t checksum)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < bytes; i++)
		sum = (uint8_t)(sum + b[i]);
	b[checksum] = (uint8_t)(b[checksum] - sum);
}

/* What is shown to people must be shown safely: printable ASCII, terminated in `cap` bytes. */
static inline void input_assert_showable(const char *s, size_t cap)
{
	size_t i;

	for (i = 0; i < cap && s[i]; i++) {
		if (s[i] < ' ' || s[i] > '~')
			abort();
	}
	if (i == cap)
		abort();
}

static unsigned input_complaints; /* set to 0 before each read */

/* Complaints of readers: text that can be shown. */
static inline void input_complain(void *ctx, const char *text)
{
	(void)ctx;
	input_assert_showable(text, 256);
	input_complaints++;
}
