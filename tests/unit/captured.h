/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical memory of QEMU's q35 with OVMF, out of a file: pieces of address, length, bytes. */
#pragma once

#include "core/firmware/acpi.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* QEMU 7.2, q35, 4 cores, OVMF 2022.11. */
#define CAPTURED_Q35 "tests/data/tables-qemu-7.2-ovmf-4.bin"

#define CAPTURED_BYTES 65536

struct captured {
	uint8_t file[CAPTURED_BYTES];
	size_t bytes;
};

struct captured_piece {
	uint64_t address;
	uint32_t bytes;
	const uint8_t *data;
};

/* The piece at `*at` in the file, which is stepped over; false at the end. */
static inline bool captured_next(const struct captured *c, size_t *at, struct captured_piece *p)
{
	if (c->bytes - *at < 12)
		return false;
	memcpy(&p->address, c->file + *at, 8);
	memcpy(&p->bytes, c->file + *at + 8, 4);
	p->data = c->file + *at + 12;
	if (p->bytes > c->bytes - *at - 12)
		return false;
	*at += 12 + p->bytes;
	return true;
}

static inline const void *captured_map(void *ctx, uint64_t address, size_t bytes)
{
	struct captured_piece p;
	size_t at = 0;

	while (captured_next(ctx, &at, &p)) {
		if (address >= p.address && address - p.address <= p.bytes &&
		    bytes <= p.bytes - (address - p.address))
			return p.data + (address - p.address);
	}
	return NULL;
}

/* Address of the n-th piece, from 0; 0 when there are fewer. */
static inline uint64_t captured_address(const struct captured *c, unsigned n)
{
	struct captured_piece p;
	size_t at = 0;

	while (captured_next(c, &at, &p)) {
		if (n-- == 0)
			return p.address;
	}
	return 0;
}

/* False, with a word why, when the file cannot be read. Run from the top folder. */
static inline bool captured_load(struct captured *c, const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f) {
		perror(path);
		return false;
	}
	c->bytes = fread(c->file, 1, sizeof(c->file), f);
	fclose(f);
	return true;
}
