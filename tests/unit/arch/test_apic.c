/* SPDX-License-Identifier: BSD-2-Clause */
/* Which cores xAPIC mode can name. */
#include "apic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* An INIT to 255 would be one to all cores, this one too. */
static void test_broadcast_is_no_core(void **state)
{
	(void)state;
	assert_true(apic_is_xapic_id(0));
	assert_true(apic_is_xapic_id(254));
	assert_false(apic_is_xapic_id(255));
	assert_false(apic_is_xapic_id(256));
	assert_false(apic_is_xapic_id(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broadcast_is_no_core),
	};

	return cmocka_run_group_tests_name("apic", tests, NULL, NULL);
}
