/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The quick reader of records: on lines of real runs and of core/records/record.c, and on each of
 * them with every byte changed, it says what the JSON parser says or leaves it to that.
 */
#define _GNU_SOURCE /* memmem */

#include "core/lib/crc32c.h"

#include "host/capture/reader.h"

#include "tests/fuzz/agrees.h"
#include "tests/fuzz/signed.h"

#include "tests/unit/capture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct capture capture;

static int start(void **state)
{
	(void)state;
	capture_start(&capture, UINT64_C(0x0123456789abcdef));
	return 0;
}

static int stop(void **state)
{
	(void)state;
	capture_free(&capture);
	return 0;
}

/* Records with everything that their types can hold. */
static void write_records(void)
{
	struct record_gap gap = { .stage = "handoff", .cpu = 254, .cause = "smi" };
	struct record_event event = { .stage = "bare", .cause = "nmi", .scope = "core" };
	const struct record_window window = { .stage = "acpi", .smi = { 7, true } };

	record_send(&capture.link, RECORD_GAP, &gap);
	gap.smi = (struct maybe){ 0, true };
	gap.nmi = (struct maybe){ 4000000000, true };
	gap.start_tsc = UINT64_C(999999999999999999);
	gap.why = "smi: its counter moved by 1";
	record_send(&capture.link, RECORD_GAP, &gap);
	gap.stage = NULL;
	gap.cause = "none that is known";
	record_send(&capture.link, RECORD_GAP, &gap);
	record_send(&capture.link, RECORD_EVENT, &event);
	event.list = "0-3,8";
	event.partial = true;
	event.causes[CAUSE_SMI] = (struct cause_sum){ 3, 4 };
	event.causes[CAUSE_UNKNOWN] = (struct cause_sum){ 5, 600000000000 };
	record_send(&capture.link, RECORD_EVENT, &event);
	record_send(&capture.link, RECORD_WINDOW, &window);
}

static void load(const char *path)
{
	char bytes[4096];
	FILE *f = fopen(path, "rb");
	size_t count;

	assert_non_null(f);
	while ((count = fread(bytes, 1, sizeof(bytes), f)) > 0)
		capture_bytes(&capture, bytes, count);
	fclose(f);
}

static void load_all(void)
{
	write_records();
	load("tests/data/runs/quiet.log");
	load("tests/data/runs/smis.log");
}

static bool is_of(const char *line, size_t bytes, const char *type)
{
	const char *at = memmem(line, bytes, "\"type\":\"", 8);

	return at && strncmp(at + 8, type, strlen(type)) == 0;
}

/* Call for each line of the capture that is a record. */
static void each_line(void (*call)(const char *line, size_t bytes))
{
	for (const char *line = capture.bytes; *line;) {
		size_t bytes = strcspn(line, "\r\n");

		if (strncmp(line, LINE_MARK, strlen(LINE_MARK)) == 0)
			call(line, bytes);
		line += bytes + strspn(line + bytes, "\r\n");
	}
}

static unsigned taken, left;

static void agree(const char *line, size_t bytes)
{
	enum agreement a = agrees(line, bytes);

	if (a == AGREES_NOT)
		fail_msg("the parser does not agree on %.*s", (int)bytes, line);
	taken += a == AGREES_TAKEN;
	left += a == AGREES_LEFT;
}

static void expect_taken(const char *line, size_t bytes)
{
	if (!is_of(line, bytes, "gap") && !is_of(line, bytes, "event"))
		return;
	if (agrees(line, bytes) != AGREES_TAKEN)
		fail_msg("not taken: %.*s", (int)bytes, line);
	taken++;
}

/* What the probe writes is read quickly: else all would still be right, and slow. */
static void test_taken(void **state)
{
	(void)state;
	load_all();
	taken = 0;
	each_line(expect_taken);
	assert_true(taken > 300);
}

static const char bytes_tried[] = "\"\\,:{}[]0129-+.eEtfn \t\x1f\x7f\x80";

/* With a checksum that is right for it. */
static void agree_signed(const char *text, size_t bytes)
{
	static char line[4096];

	agree(line, signed_lines(text, bytes, line) - 1);
}

static void change_each_byte(const char *line, size_t bytes)
{
	static char text[2048];
	size_t count = bytes - 18; /* the checksum and what closes it */

	if (bytes + 20 > sizeof(text))
		return;
	for (size_t at = 0; at < count; at++) {
		for (const char *byte = bytes_tried; *byte; byte++) {
			memcpy(text, line, count);
			text[at] = *byte;
			agree_signed(text, count);
			memcpy(text + at + 1, line + at, count - at);
			agree_signed(text, count + 1);
		}
		memcpy(text, line, count);
		memmove(text + at, text + at + 1, count - at - 1);
		agree_signed(text, count - 1);
		/* A number of another size, and what stands there twice. */
		memcpy(text, line, at);
		memcpy(text + at, "1844674407370955161", 19);
		memcpy(text + at + 19, line + at, count - at);
		agree_signed(text, count + 19);
	}
}

static void test_changed(void **state)
{
	(void)state;
	write_records();
	taken = left = 0;
	each_line(change_each_byte);
	print_message("%u changed lines taken, %u left\n", taken, left);
	/* Other digits and letters are as good; most else is not. */
	assert_true(taken > 1000 && left > taken);
}

/* Fields in another order, twice, or unknown: right, and left to the parser. */
static void test_left(void **state)
{
	static const char *const lines[] = {
		"{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":1,\"type\":\"gap\",\"cpu\":1,"
		"\"stage\":\"a\",\"start_tsc\":1,\"ticks\":2,\"t_ns\":3,\"len_ns\":4,\"cause\":"
		"\"smi\"",
		"{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":1,\"type\":\"gap\",\"stage\":\"a\","
		"\"cpu\":1,\"start_tsc\":1,\"ticks\":2,\"t_ns\":3,\"len_ns\":4,\"cause\":\"smi\","
		"\"new\":1",
		"{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":1,\"type\":\"gap\",\"stage\":\"a\","
		"\"cpu\":1,\"start_tsc\":1,\"ticks\":2,\"t_ns\":3,\"len_ns\":4,\"len_ns\":5,"
		"\"cause\":\"smi\"",
		"{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":1,\"type\":\"gap\",\"stage\":\"a\","
		"\"cpu\":1,\"start_tsc\":1,\"ticks\":2,\"t_ns\":3,\"len_ns\":9223372036854775808,"
		"\"cause\":\"smi\"",
		"{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":1,\"type\":\"gap\",\"stage\":"
		"\"\xc3\xa4\",\"cpu\":1,\"start_tsc\":1,\"ticks\":2,\"t_ns\":3,\"len_ns\":4,"
		"\"cause\":\"smi\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char line[400];
		size_t bytes = signed_lines(lines[i], strlen(lines[i]), line) - 1;

		assert_int_equal(agrees(line, bytes), AGREES_LEFT);
	}
}

/* ---- In the reader ---- */

/* All that a record's struct says, added up, and what was complained of. */
static struct {
	uint64_t sum, records, complaints;
} heard;

static void mix(uint64_t value)
{
	heard.sum = (heard.sum ^ value) * UINT64_C(1099511628211);
}

static void on_record(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	const struct record_gap *gap = &record->record->gap;

	(void)ctx, (void)run;
	heard.records++;
	mix(record->line);
	mix(record->seq);
	mix(record->type);
	if (record->type != RECORD_GAP)
		return;
	mix(gap->cpu);
	mix(gap->start_tsc);
	mix(gap->len_ns);
	mix((uint64_t)gap->cause_id);
	mix(crc32c(gap->stage, strlen(gap->stage)));
}

static void on_complaint(void *ctx, uint64_t line, const char *text)
{
	(void)ctx;
	heard.complaints++;
	mix(line);
	mix(crc32c(text, strlen(text)));
}

static void hear(uint32_t bare)
{
	const struct reader_hooks hooks = {
		.wanted = UINT32_MAX, .bare = bare, .record = on_record, .complain = on_complaint
	};
	struct reader *r = reader_new(&hooks);

	memset(&heard, 0, sizeof(heard));
	assert_non_null(r);
	reader_feed(r, capture.bytes, capture.count);
	reader_finish(r);
	for (size_t n = 0; reader_run(r, n); n++) {
		mix((uint64_t)reader_run_whole(reader_run(r, n)));
		mix(reader_run(r, n)->duplicates);
		mix(reader_run(r, n)->records[RECORD_GAP]);
	}
	reader_free(r);
}

/* Damage, doubles and parts included, a capture reads the same with and without it. */
static void test_reader(void **state)
{
	uint64_t sum, records, complaints;
	char *gap;

	(void)state;
	load("tests/data/runs/quiet.log");
	load("tests/data/runs/smis.log");
	gap = strstr(capture.bytes, "\"type\":\"gap\"");
	gap[20] ^= 1;
	load("tests/data/runs/quiet.log");
	hear(0);
	sum = heard.sum;
	records = heard.records;
	complaints = heard.complaints;
	assert_true(records > 300 && complaints == 1);
	hear(UINT32_MAX);
	assert_int_equal(heard.sum, sum);
	assert_int_equal(heard.records, records);
	assert_int_equal(heard.complaints, complaints);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_taken),
		TEST(test_changed),
		TEST(test_left),
		TEST(test_reader),
	};

	return cmocka_run_group_tests_name("quick", tests, NULL, NULL);
}
