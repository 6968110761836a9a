/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer's input as physical memory from INPUT_BASE on: handed out as copies
 * of exactly the size asked for, so that a read past it is seen.
 */
#pragma once

#include "core/firmware/acpi.h"
#include "tests/fuzz/take.h"

#define INPUT_BASE 0x1000u
#define COPIES_MAX 4096

static struct {
	const uint8_t *data;
	size_t bytes;
	/* Called on each copy before it is handed out: may mend checksums. NULL: does not. */
	void (*mend)(uint8_t *copy, size_t bytes);
	size_t copies;
	void *copy[COPIES_MAX];
} input;

static inline const void *input_map(void *ctx, uint64_t address, size_t bytes)
{
	uint8_t *copy;

	(void)ctx;
	if (input.copies == COPIES_MAX || address < INPUT_BASE ||
	    address - INPUT_BASE > input.bytes || bytes > input.bytes - (address - INPUT_BASE))
		return NULL;
	copy = exact(input.data + (address - INPUT_BASE), bytes);
	if (input.mend)
		input.mend(copy, bytes);
	return input.copy[input.copies++] = copy;
}

static inline void input_free(void)
{
	while (input.copies > 0)
		free(input.copy[--input.copies]);
}

/* Let the bytes at `b` sum up to 0 by way of the one at `checksum`. */
static inline void input_sum(uint8_t *b, size_t bytes, size_t checksum)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < bytes; i++)
		sum = (uint8_t)(sum + b[i]);
	b[checksum] = (uint8_t)(b[checksum] - sum);
}

static unsigned input_complaints; /* since the input was laid out, or a reader began */

/* Complaints of readers: text that can be shown. */
static inline void input_complain(void *ctx, const char *text)
{
	(void)ctx;
	insist_showable(text, 256);
	input_complaints++;
}

static inline struct acpi_memory input_lay(const uint8_t *data, size_t bytes,
					   void (*mend)(uint8_t *copy, size_t bytes))
{
	input.data = data;
	input.bytes = bytes;
	input.mend = mend;
	input_complaints = 0;
	return (struct acpi_memory){ input_map, NULL };
}
