/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores whose clocks were set apart. */
#include "probe/tsc_adjust.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define CORES 300

static struct cpu cpu[CORES];
static char buffer[TSC_ADJUST_TEXT_MAX];

static void lay(void)
{
	memset(cpu, 0, sizeof(cpu));
	for (uint32_t i = 0; i < CORES; i++) {
		cpu[i].index = i;
		cpu[i].measured = true;
		cpu[i].tsc_adjust = (struct maybe){ .value = 0, .known = true };
	}
}

static const char *printed(uint32_t cpus)
{
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	tsc_adjust_print(cpu, cpus, &t);
	return buffer;
}

static void set(uint32_t n, int64_t ticks)
{
	cpu[n].tsc_adjust.value = (uint64_t)ticks;
}

TEST_F(lay, NULL, test_equal_ones_are_silent)
{
	assert_string_equal(printed(CORES), "");
	for (uint32_t i = 0; i < CORES; i++)
		set(i, -77);
	assert_string_equal(printed(CORES), "");
	for (uint32_t i = 0; i < CORES; i++)
		cpu[i].tsc_adjust = (struct maybe){ .value = i, .known = false };
	assert_string_equal(printed(CORES), "");
	assert_string_equal(printed(0), "");
}

TEST_F(lay, NULL, test_groups)
{
	set(3, -1250);
	assert_string_equal(printed(5), "0: 0-2,4; -1250: 3");
	set(0, 9);
	set(4, 9);
	assert_string_equal(printed(5), "9: 0,4; 0: 1-2; -1250: 3");
	cpu[1].tsc_adjust.known = false;
	assert_string_equal(printed(5), "9: 0,4; n/a: 1; 0: 2; -1250: 3");
}

TEST_F(lay, NULL, test_numbers_are_the_cores_own)
{
	cpu[1].index = 40;
	set(1, 5);
	assert_string_equal(printed(2), "0: 0; 5: 40");
}

TEST_F(lay, NULL, test_cores_left_out)
{
	set(0, 5);
	set(2, 6);
	cpu[0].measured = cpu[2].measured = false;
	assert_string_equal(printed(4), "");
	set(3, 6);
	assert_string_equal(printed(4), "0: 1; 6: 3");
}

TEST_F(lay, NULL, test_too_many_to_print)
{
	for (uint32_t i = 0; i < CORES; i++)
		set(i, INT64_MIN + i);
	printed(CORES);
	assert_int_equal(strlen(buffer), sizeof(buffer) - 1);
	assert_string_equal(buffer + sizeof(buffer) - 4, "...");
	assert_int_equal(strncmp(buffer, "-9223372036854775808: 0; ", 25), 0);
}
