/* SPDX-License-Identifier: BSD-2-Clause */
/* The vectors of RFC 4648, 10, and all letters. */
#include "core/lib/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *bytes, *text;
} vectors[] = {
	{ "", "" },
	{ "f", "Zg==" },
	{ "fo", "Zm8=" },
	{ "foo", "Zm9v" },
	{ "foob", "Zm9vYg==" },
	{ "fooba", "Zm9vYmE=" },
	{ "foobar", "Zm9vYmFy" },
	{ "\xff\xef\xbe\xfb", "/++++w==" },
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		TEXT_DEFINE(t, 40);

		base64_add(&t, (const uint8_t *)vectors[i].bytes, strlen(vectors[i].bytes));
		assert_string_equal(t.buf, vectors[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_vectors) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
