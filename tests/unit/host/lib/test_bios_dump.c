/* SPDX-License-Identifier: BSD-2-Clause */
/* BIOS dumps as a BMC gives them, and files that are none. */
#include "host/lib/bios_dump.h"

#include "tests/unit/common/test.h"
#include "tests/unit/tree.h"

#define WHOLE                                                                       \
	"{\"@odata.id\": \"/redfish/v1/Systems/1/Bios\", \"Id\": \"BIOS\",\n"       \
	" \"Attributes\": {\"SysProfile\": \"PerfOptimized\", \"CorrEccSmi\": "     \
	"\"Enabled\",\n  \"Zeta\": 3, \"Alpha\": true, \"Ratio\": 0.5, \"Unset\": " \
	"null},\n \"AttributeRegistry\": \"BiosAttributeRegistry.v1_0_0\"}\n"

static bool read_dump(struct bios_dump *d, const char *text, const char **why)
{
	static char room[200];
	struct text t;

	text_init(&t, room, sizeof(room));
	*why = room;
	tree_write("bios.json", text);
	return bios_dump_read(d, tree_path("bios.json"), &t);
}

TEST_F(tree_make, tree_remove, test_order_and_values)
{
	static const char *const expected[][2] = {
		{ "SysProfile", "PerfOptimized" },
		{ "CorrEccSmi", "Enabled" },
		{ "Zeta", "3" },
		{ "Alpha", "true" },
		{ "Ratio", "0.5" },
	};
	struct bios_dump d;
	const char *why;

	assert_true(read_dump(&d, WHOLE, &why));
	assert_string_equal(why, "");
	assert_int_equal(d.count, 6);
	assert_int_equal(d.not_scalar, 0);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(d.attribute[i].name, expected[i][0]);
		assert_string_equal(d.attribute[i].value, expected[i][1]);
		assert_string_equal(bios_dump_value(&d, expected[i][0]), expected[i][1]);
	}
	assert_string_equal(d.attribute[5].name, "Unset");
	assert_null(d.attribute[5].value);
	assert_null(bios_dump_value(&d, "Unset"));
	assert_null(bios_dump_value(&d, "sysprofile"));
	bios_dump_free(&d);
}

TEST_F(tree_make, tree_remove, test_utf8_mark)
{
	struct bios_dump d;
	const char *why;

	assert_true(read_dump(&d, "\xef\xbb\xbf{\"Attributes\": {\"A\": 1}}", &why));
	assert_string_equal(bios_dump_value(&d, "A"), "1");
	bios_dump_free(&d);
}

/* No escape of a terminal reaches one; what is no scalar is counted, not read. */
TEST_F(tree_make, tree_remove, test_hostile)
{
	struct bios_dump d;
	const char *why;

	assert_true(read_dump(&d,
			      "{\"Attributes\": {\"A\\u001b[2J\": \"\\u009b0m\\n\", \"L\": [1],"
			      " \"O\": {\"A\": 1}, \"B\": \"\"}}",
			      &why));
	assert_int_equal(d.count, 2);
	assert_int_equal(d.not_scalar, 2);
	assert_string_equal(d.attribute[0].name, "A?[2J");
	assert_string_equal(d.attribute[0].value, "??0m?");
	assert_string_equal(bios_dump_value(&d, "B"), "");
	bios_dump_free(&d);
}

TEST_F(tree_make, tree_remove, test_refused)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "no JSON: line" },
		{ "[]", "no BIOS dump: it has no object \"Attributes\"" },
		{ "{\"Attributes\": []}", "no BIOS dump" },
		{ "{\"Attributes\": {\"A\": 1, \"A\": 2}}",
		  "no JSON: line 1, column 27: duplicate" },
		{ "{\"Attributes\": {\"A\": 1}} {",
		  "no JSON: line 1, column 26: end of file expected" },
		{ "{\"Attributes\":\n{\"A\": 123456789012345678901234567890}}",
		  "no JSON: line 2, column 36: too big integer" },
		{ "{\"nf\":1,\"type\":\"begin\"}", "no BIOS dump" },
	};
	struct bios_dump d;
	const char *why;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(read_dump(&d, bad[i].text, &why));
		if (!strstr(why, bad[i].why))
			fail_msg("no `%s` in %s", bad[i].why, why);
		bios_dump_free(&d);
	}
	/* Whatever it ends in the middle of. */
	for (size_t bytes = 0; bytes < sizeof(WHOLE) - 2; bytes++) {
		char part[sizeof(WHOLE)] = WHOLE;

		part[bytes] = '\0';
		assert_false(read_dump(&d, part, &why));
		assert_string_not_equal(why, "");
		bios_dump_free(&d);
	}
}

TEST_F(tree_make, tree_remove, test_huge)
{
	size_t bytes = BIOS_DUMP_BYTES + 1, at;
	char *text = calloc(1, bytes + 1);
	struct bios_dump d;
	const char *why;

	assert_non_null(text);
	memset(text, ' ', bytes);
	memcpy(text, "{\"Attributes\":{}}", 17);
	assert_false(read_dump(&d, text, &why));
	assert_string_equal(why, "more than 4194304 bytes: no BIOS dump");
	text[BIOS_DUMP_BYTES] = '\0';
	assert_true(read_dump(&d, text, &why));
	assert_int_equal(d.count, 0);
	bios_dump_free(&d);
	at = (size_t)sprintf(text, "{\"Attributes\":{\"A\":1");
	for (unsigned i = 0; i < BIOS_DUMP_ATTRIBUTES; i++)
		at += (size_t)sprintf(text + at, ",\"B%u\":1", i);
	sprintf(text + at, "}}");
	assert_false(read_dump(&d, text, &why));
	assert_string_equal(why, "more than 8192 attributes");
	free(text);
}

TEST_F(tree_make, tree_remove, test_no_file)
{
	TEXT_DEFINE(why, 200);
	struct bios_dump d;

	assert_false(bios_dump_read(&d, tree_path("none.json"), &why));
	assert_string_equal(why.buf, "No such file or directory");
	text_reset(&why);
	assert_false(bios_dump_read(&d, tree_path(""), &why));
	assert_string_equal(why.buf, "Is a directory");
	bios_dump_free(&d);
}
