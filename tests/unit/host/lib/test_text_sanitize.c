/* SPDX-License-Identifier: BSD-2-Clause */
/* Printable characters: those of RFC 3629, but for controls. */
#include "host/lib/text_sanitize.h"

#include "tests/unit/common/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text, *safe;
} cases[] = {
	{ "plain ~", "plain ~" },
	{ "a\x1b[2J\x7f\t\n", "a?[2J???" },
	{ "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf",
	  "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf" },
	{ "\xc2\x9b", "??" },                  /* U+009B, a control */
	{ "\xc1\xbf|\xe0\x9f\xbf", "??|???" }, /* longer than they need to be */
	{ "\xf0\x8f\xbf\xbf", "????" },        /* overlong, too */
	{ "\xed\xa0\x80", "???" },             /* a surrogate */
	{ "\xf4\x90\x80\x80|\xf5", "????|?" }, /* past U+10FFFF */
	{ "\xe2\x82|\xc3", "??|?" },           /* cut */
	{ "\xe2\x82 ", "?? " },
	{ "\x80\xbf", "??" },
};

TEST(test_characters)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[40];

		text_sanitize_copy(text, sizeof(text), cases[i].text);
		assert_string_equal(text, cases[i].safe);
	}
}

TEST(test_markup)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t bytes;
		FILE *to = open_memstream(&text, &bytes);

		assert_non_null(to);
		text_markup(to, cases[i].text);
		text_markup(to, i ? NULL : "a<b>&\"'\xef\xbf\xbf");
		assert_int_equal(fclose(to), 0);
		bytes = strlen(cases[i].safe);
		assert_memory_equal(text, cases[i].safe, bytes);
		assert_string_equal(text + bytes, i ? "n/a" : "a&lt;b&gt;&amp;&quot;&#39;???");
		free(text);
	}
}
