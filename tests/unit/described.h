/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of firmware in physical memory, and the complaints that come of reading them. */
#pragma once

#include "tests/unit/common/test.h"
#include "tests/unit/physical.h"
#include "tests/unit/reported.h"

static struct physical memory;
static struct reported reported;

static inline void complain(void *ctx, const char *text)
{
	reported_add(ctx, "", 0, text);
}

/* Empty the memory, and forget complaints: before and behind each test. */
static inline void empty_memory(void)
{
	physical_reset(&memory);
	reported.count = 0;
}
