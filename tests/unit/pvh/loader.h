/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical memory as a boot loader leaves it, and checks of what is read from it. */
#pragma once

#include "pvh/start_info.h"
#include "tests/unit/common/test.h"
#include "tests/unit/physical.h"

#include <stdio.h>
#include <string.h>

#define PAGE UINT64_C(4096)
#define GIB4 (UINT64_C(1) << 32)

/* Addresses. From ABOVE on there is no memory by the map; physical memory ends at TOP. */
#define INFO      UINT64_C(0x8000)
#define COMMAND   UINT64_C(0x10000)
#define IMAGE     UINT64_C(0x120000)
#define IMAGE_END UINT64_C(0x122000)
#define ABOVE     UINT64_C(0x1f0000)
#define TOP       UINT64_C(0x200000)

#define PROBLEM 240

/* Types of entries: ACPI 6.5, table 15.4. */
enum { MEMORY = 1, RESERVED, ACPI, NVS, UNUSABLE, DISABLED };

static struct physical physical;
static struct start_info info;
static char reason[PROBLEM];

static inline void put_entry_at(uint64_t at, uint64_t from, uint64_t bytes, uint32_t type)
{
	physical_put(&physical, at, 8, from);
	physical_put(&physical, at + 8, 8, bytes);
	physical_put(&physical, at + 16, 4, type);
}

static inline void reset_memory(void)
{
	physical_reset(&physical);
	physical.used = TOP - PHYSICAL_BASE;
}

static int teardown(void **state)
{
	(void)state;
	physical_forget(&physical);
	return 0;
}

/* Map one part, and forget the one before: the reader must not use parts later. */
static inline const void *map_one(void *ctx, uint64_t address, size_t bytes)
{
	physical_forget(ctx);
	return physical_map(ctx, address, bytes);
}

/* start_info_read() or start_info_read_linux() */
typedef bool start_info_reader(struct start_info *s, const struct acpi_memory *memory,
			       uint64_t address, uint64_t image, uint64_t image_end,
			       struct text *problem);

static inline bool read_by(start_info_reader *read, uint64_t address)
{
	const struct acpi_memory memory = { map_one, &physical };
	TEXT_DEFINE(problem, PROBLEM);
	bool is_good = read(&info, &memory, address, IMAGE, IMAGE_END, &problem);

	assert_false(problem.overflow);
	memcpy(reason, problem.buf, sizeof(reason));
	return is_good;
}

static inline void assert_good_by(start_info_reader *read, uint64_t address)
{
	if (!read_by(read, address))
		fail_msg("is refused: %s", reason);
	assert_string_equal(reason, "");
}

static inline void assert_refused_by(start_info_reader *read, uint64_t address, const char *why)
{
	assert_false(read_by(read, address));
	assert_string_equal(reason, why);
}
