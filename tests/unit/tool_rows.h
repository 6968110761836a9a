/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of peers' tables, with figures to choose. */
#pragma once

#include "tests/unit/common/test.h"
#include "tests/unit/tool_text.h"

#define LATENCY_HEAD(time)                                                                 \
	"                                     Timer Latency\n"                             \
	"  0 " time "   |          IRQ Timer Latency (us)        |         Thread Timer "  \
	"Latency (us)\n"                                                                   \
	"CPU COUNT      |      cur       min       avg       max |      cur       min    " \
	"   avg       max\n"

#define LATENCY_ROW(cpu, count, max)                                                    \
	"  " cpu " #" count "     |        0         0         1        15 |       10 " \
	"        3         9     " max "\n"

#define LATENCY(time, count, max0, max1) \
	LATENCY_HEAD(time) LATENCY_ROW("0", count, max0) LATENCY_ROW("1", count, max1)

#define CYCLES(thread, pid, count, min, max)                                                      \
	"T: " thread " ( " pid ") P:80 I:10000 C: " count " Min:      " min " Act:    5 Avg:    " \
	"6 Max:   " max "\n"

#define ROW "T: 0 ( 1234) P:80 I:10000 C: 900 Min:      4 Act:    5 Avg:    6 Max:   61102"

/* In us; the bounds are those of a number that was cut. */
static inline void assert_longest(size_t piece, uint32_t cpu, uint64_t us)
{
	const struct tool_core *core = tool_at(piece, cpu);

	assert_non_null(core);
	assert_range(core->max_ns, us * 1000, us * 1000 + 999);
}
