/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring of steps: what was noted last, in each form, and no more than it holds. */
#include "core/lib/steps.h"

#include <stdio.h>

#include "tests/unit/common/test.h"

static const char *step(unsigned back)
{
	static char buf[120];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	return steps_print(back, &t) ? buf : NULL;
}

TEST(test_none_yet)
{
	assert_null(step(0));
}

TEST(test_forms)
{
	steps_note("starting the cores");
	steps_note_at("reading MSR", 0x34);
	steps_note_pci("reading PCI", UINT64_C(1) << 32 | 0x80 << 20 | 0x1f << 15 | 3 << 12 | 0xa4);
	assert_string_equal(step(0), "reading PCI 0001:80:1f.3 register 0xa4");
	assert_string_equal(step(1), "reading MSR 0x34");
	assert_string_equal(step(2), "starting the cores");
	assert_null(step(3));
}

/* A register that is polled does not push all else out. */
TEST(test_repeated)
{
	for (unsigned i = 0; i < 1000; i++)
		steps_note_at("reading MSR", 0x35);
	assert_string_equal(step(0), "reading MSR 0x35");
	assert_string_equal(step(1), "reading PCI 0001:80:1f.3 register 0xa4");
}

/* Each step counts as progress, and so does steps_go_on(). */
TEST(test_count)
{
	uint32_t before = steps_count();

	for (unsigned i = 0; i < 10; i++)
		steps_note_at("reading MSR", 0x35);
	assert_int_equal(steps_count() - before, 10);
	steps_go_on();
	assert_int_equal(steps_count() - before, 11);
	assert_string_equal(step(0), "reading MSR 0x35");
	assert_string_equal(step(1), "reading PCI 0001:80:1f.3 register 0xa4");
}

/* A scan uses one entry: the steps before it are still there. */
TEST(test_scan)
{
	for (uint64_t place = 0; place < 1000; place++)
		steps_note_pci("reading PCI", place << 12);
	assert_string_equal(step(0), "reading PCI 0000:03:1c.7 register 0x0");
	assert_string_equal(step(1), "reading MSR 0x35");
}

TEST(test_full)
{
	char wanted[40];

	for (unsigned i = 0; i < 3 * STEPS_KEPT; i++)
		steps_note_at("step", i);
	for (unsigned back = 0; back < STEPS_KEPT; back++) {
		snprintf(wanted, sizeof(wanted), "step 0x%x", 3 * STEPS_KEPT - 1 - back);
		assert_string_equal(step(back), wanted);
	}
	assert_null(step(STEPS_KEPT));
}
