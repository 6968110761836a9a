/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of each type is that of the lines that core/records/record.c writes. */
#include "host/capture/record_layout.h"

#include "tests/unit/capture.h"
#include "tests/unit/common/test.h"

static struct capture capture;

static int start(void **state)
{
	(void)state;
	capture_start(&capture, UINT64_C(0x0123456789abcdef));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	capture_free(&capture);
	return 0;
}

/* Where the line is, and the row that has to come. */
struct walk {
	const struct record_field *fields;
	const struct record_layout *layout;
	size_t row, members;
};

#define HEADER 4 /* nf, sid, seq, type */

static bool take_member(struct json_scan *s, const struct json_name *name, void *ctx)
{
	struct walk *w = ctx;
	const struct record_field *f = &w->fields[w->row];

	if (w->members++ >= HEADER && !json_name_is(name, "crc")) {
		assert_int_not_equal(f->kind, FIELD_END);
		assert_true(json_name_is(name, f->name));
		w->row = w->layout->row[w->row].next;
	}
	return json_scan_skip(s);
}

static void check_line(enum record_type type, const char *line, size_t bytes)
{
	static char strings[RECORD_LINE_MAX];
	struct json_scan s = { .at = line, .end = line + bytes, .strings = strings };
	struct walk w = { record_fields(type), record_layout_of(type), 0, 0 };

	assert_true(json_scan_object(&s, take_member, &w));
	assert_int_equal(w.fields[w.row].kind, FIELD_END);
}

TEST_F(start, teardown, test_order)
{
	static const union record none;

	for (unsigned type = 0; type < RECORD_TYPES; type++) {
		const char *line;

		record_send(&capture.link, (enum record_type)type, &none);
		line = capture_at(&capture, type);
		check_line((enum record_type)type, line, strcspn(line, "\n"));
	}
}

/* The writer's name of the type, and room for its struct. */
TEST(test_types)
{
	for (unsigned type = 0; type < RECORD_TYPES; type++) {
		const struct record_layout *l = record_layout_of((enum record_type)type);
		char text[64];

		snprintf(text, sizeof(text), ",\"type\":\"%s\",\"stage\":null,\"n\":0",
			 record_type_name((enum record_type)type));
		assert_ptr_equal(json_skip_known(text, text + strlen(text), &l->typed),
				 strstr(text, ",\"stage\""));
		assert_string_equal(l->name.at, record_type_name((enum record_type)type));
		assert_int_equal(l->name.bytes, strlen(l->name.at));
	}
	assert_int_equal(record_layout_of(RECORD_GAP)->bytes, sizeof(struct record_gap));
	assert_true(record_layout_of(RECORD_CPU)->has_pairs);
	assert_false(record_layout_of(RECORD_GAP)->has_pairs);
	assert_int_equal(record_layout_of(RECORD_GAP)->fields, 11);
}
