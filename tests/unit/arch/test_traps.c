/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack of each vector, by its gate. Source: Intel SDM vol. 3, 6.14.1 and 6.14.5. */
#include "arch/x86_64/traps.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define GATE_BYTES  16u
#define TABLE_BYTES (256 * GATE_BYTES)
#define DF          8
#define MC          18

/* Symbols of the assembly. */
const char trap_entries[34 * 16];
const int32_t extable_begin[1], extable_end[1];

void trap_entry_nmi(void);

void trap_entry_nmi(void)
{
}

bool trap_try(void (*fn)(void *), void *arg, struct trap_escape *escape)
{
	(void)fn, (void)arg, (void)escape;
	return false;
}

void trap_leave(const void *escape);

void trap_leave(const void *escape)
{
	(void)escape;
}

static uint8_t tables[TRAPS_BYTES];

static unsigned stack_of(unsigned table, unsigned vector)
{
	return tables[table * TABLE_BYTES + vector * GATE_BYTES + 4] & 7;
}

/* The first table is for cores on loan, without a task register. */
TEST(test_stacks)
{
	traps_init(tables);
	for (unsigned vector = 0; vector < 256; vector++) {
		assert_int_equal(stack_of(0, vector), 0);
		if (vector != DF && vector != MC)
			assert_int_equal(stack_of(1, vector), 0);
	}
	assert_true(stack_of(1, DF) && stack_of(1, MC));
	assert_int_not_equal(stack_of(1, DF), stack_of(1, MC));
}
