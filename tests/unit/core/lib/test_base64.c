/* SPDX-License-Identifier: BSD-2-Clause */
/* The vectors of RFC 4648, 10, and all letters. */
#include "core/lib/base64.h"

#include <string.h>

#include "tests/unit/common/test.h"

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

TEST(test_vectors)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		TEXT_DEFINE(t, 40);

		base64_add(&t, (const uint8_t *)vectors[i].bytes, strlen(vectors[i].bytes));
		assert_string_equal(t.buf, vectors[i].text);
	}
}
