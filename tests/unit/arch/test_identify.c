/* SPDX-License-Identifier: BSD-2-Clause */
/* What the processor reports of itself, by mocked leaves. */
#include "identify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define MHZ       UINT64_C(1000000)
#define INVARIANT (1u << 8)

static struct {
	uint32_t leaf;
	struct cpuid value;
} leaves[32];
static unsigned count;

static struct cpuid mock_cpuid(uint32_t leaf, uint32_t subleaf)
{
	(void)subleaf;
	for (unsigned i = 0; i < count; i++)
		if (leaves[i].leaf == leaf)
			return leaves[i].value;
	return (struct cpuid){ 0 };
}

static const struct regs mock = { .cpuid = mock_cpuid };

static void add(uint32_t leaf, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	assert_true(count < 32);
	leaves[count].leaf = leaf;
	leaves[count++].value = (struct cpuid){ eax, ebx, ecx, edx };
}

static void lay(uint32_t highest, bool invariant)
{
	count = 0;
	add(0, highest, 0, 0, 0);
	add(0x80000000u, 0x80000008u, 0, 0, 0);
	add(0x80000007u, 0, 0, 0, invariant ? INVARIANT : 0);
}

static void check_source(const struct tsc_rate_source *s, const char *name, uint64_t hz,
			 enum tsc_rate_kind kind)
{
	assert_string_equal(s->name, name);
	assert_int_equal(s->hz, hz);
	assert_int_equal(s->kind, kind);
}

/* Leaf 15h with the crystal's rate is exact, without it nothing; leaf 16h is a name plate. */
static void test_clock_leaves(void **state)
{
	struct tsc_rate_source s[ARCH_CLOCK_SOURCES];

	(void)state;
	/* An i9-13900K: 38.4 MHz * 156 / 2 */
	lay(0x20, true);
	add(0x15, 2, 156, 38400000, 0);
	add(0x16, 3000, 5800, 100, 0);
	assert_int_equal(identify_clock(&mock, s), 2);
	check_source(&s[0], "cpuid15", 2995200000, TSC_RATE_EXACT);
	check_source(&s[1], "cpuid16", 3000 * MHZ, TSC_RATE_NOMINAL);
	/* Cascade Lake: no crystal's rate. */
	lay(0x16, true);
	add(0x15, 2, 168, 0, 0);
	add(0x16, 2100, 4000, 100, 0);
	assert_int_equal(identify_clock(&mock, s), 1);
	check_source(&s[0], "cpuid16", 2100 * MHZ, TSC_RATE_NOMINAL);
	/* No ratio; no leaf; a TSC that is not invariant. */
	lay(0x15, true);
	add(0x15, 0, 156, 38400000, 0);
	assert_int_equal(identify_clock(&mock, s), 0);
	lay(0x14, true);
	add(0x15, 2, 156, 38400000, 0);
	add(0x16, 3000, 0, 0, 0);
	assert_int_equal(identify_clock(&mock, s), 0);
	lay(0x16, false);
	add(0x16, 3000, 0, 0, 0);
	assert_int_equal(identify_clock(&mock, s), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_leaves),
	};

	return cmocka_run_group_tests_name("identify", tests, NULL, NULL);
}
