/* SPDX-License-Identifier: BSD-2-Clause */
/* Saved runs: lines come out as they went in; cut, damaged and forged runs are recognized. */
#include "core/keep/saved_run.h"
#include "core/lib/bytes.h"
#include "core/lib/crc32c.h"

#include "tests/unit/common/test.h"
#include "tests/unit/capture.h"
#include "tests/unit/rounds.h"
#include "tests/unit/some_records.h"

#include <stdlib.h>
#include <string.h>

#define SID  UINT64_C(0x0123456789abcdef)
#define PAGE 64u

static const struct saved_run_head head = {
	.page_bytes = PAGE,
	.sid = SID,
	.began = 20261121190501,
	.delivered = 1,
	.verdict = 2,
};

static uint8_t room[1 << 18], contents[1 << 19], packed[1 << 18], out[1 << 19];
static uint8_t inflating[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));
static struct saved_run_work work = { .contents = contents, .cap = sizeof(contents) };
static struct saved_run run;
static struct saved_contents got;
static struct capture expected;

static void start(void)
{
	saved_run_start(&run, SID, room, sizeof(room));
	capture_start(&expected, SID);
}

static void finish(void)
{
	capture_free(&expected);
}

static void add(enum record_type type, const void *record)
{
	record_send(&run.link, type, record);
	record_send(&expected.link, type, record);
}

static enum saved_state read_packed(size_t bytes)
{
	uint8_t *exact = malloc(bytes);
	enum saved_state state;

	assert_non_null(exact);
	memcpy(exact, packed, bytes);
	state = saved_run_open(&got, exact, bytes);
	if (state == SAVED_STATE_OK && got.head.page_bytes + got.head.lines_bytes <= sizeof(out) &&
	    !saved_run_inflate(&got, out, inflating))
		state = SAVED_STATE_DAMAGED;
	free(exact);
	return state;
}

static size_t pack(size_t cap)
{
	size_t bytes;

	memset(contents, 0x55, PAGE);
	bytes = saved_run_pack(&run, &head, &work, packed, cap);
	assert_true(bytes <= cap);
	if (bytes)
		assert_int_equal(read_packed(bytes), SAVED_STATE_OK);
	return bytes;
}

/* The records that were read, as one text; *text counts the lines for people. */
static const char *records(unsigned *text)
{
	static char all[sizeof(out)];
	struct saved_line line;
	size_t used = 0;

	*text = 0;
	for (size_t at = 0; saved_run_line(&got, &at, &line);) {
		*text += !line.is_record;
		if (!line.is_record)
			continue;
		memcpy(all + used, line.at, line.bytes);
		used += line.bytes;
	}
	all[used] = '\0';
	return all;
}

static unsigned count(const char *type)
{
	unsigned text, n = 0;
	char name[40];

	snprintf(name, sizeof(name), "\"type\":\"%s\"", type);
	for (const char *at = records(&text); (at = strstr(at, name)) != NULL; at++)
		n++;
	return n;
}

TEST_F(start, finish, test_any_records)
{
	static struct some some;
	static union record record;
	unsigned text;

	for (uint64_t seed = 1; seed <= rounds(5, 200); seed++) {
		saved_run_start(&run, SID, room, sizeof(room));
		capture_free(&expected);
		capture_start(&expected, SID);
		for (unsigned n = 0; n < 12; n++) {
			enum record_type type = (enum record_type)((seed + n) % RECORD_TYPES);

			some_start(&some, seed * 100 + n);
			some_record(&some, type, &record);
			if (type == RECORD_END)
				continue;
			record.cpu.histogram.count = type == RECORD_CPU
							     ? record.cpu.histogram.count % 50
							     : record.cpu.histogram.count;
			add(type, &record);
			saved_run_text(&run, "a \x7f line", 8);
		}
		add(RECORD_END, &(struct record_end){ .verdict = "pass", .reasons = { "a" } });
		assert_true(pack(sizeof(packed)));
		assert_string_equal(records(&text), expected.bytes);
		assert_true(text > 0);
		assert_int_equal(got.head.sid, SID);
		assert_int_equal(got.head.began, head.began);
		assert_int_equal(got.head.delivered, head.delivered);
		assert_int_equal(got.head.verdict, head.verdict);
		assert_int_equal(got.head.page_bytes, PAGE);
		assert_int_equal(got.page[PAGE - 1], 0x55);
	}
}

static void add_run(void)
{
	const struct record_begin begin = { .version = "1" };
	struct record_end end = { .verdict = "none", .events_unsent = { 3, true } };

	add(RECORD_BEGIN, &begin);
	for (uint64_t n = 0; n < 100; n++) {
		struct record_log log = { .level = "info", .text = "something" };
		struct record_gap gap = { .stage = "bare", .start_tsc = n * n * 977, .why = "x" };
		struct record_event event = { .stage = "bare", .t_ns = n * n * 1277 };
		struct record_window window = { .stage = "bare", .n = n, .noise_ns = n * n * 331 };
		struct record_cpu cpu = { .stage = "bare",
					  .cpu = (uint32_t)n,
					  .noise_ns = n * n * 7919 };

		add(RECORD_LOG, &log);
		add(RECORD_GAP, &gap);
		add(RECORD_EVENT, &event);
		add(RECORD_WINDOW, &window);
		add(RECORD_CPU, &cpu);
		saved_run_text(&run, "text", 4);
	}
	add(RECORD_SUMMARY, &(struct record_summary){ .version = "1" });
	add(RECORD_END, &end);
}

/* Check that records are numbered without a gap, and that the end record counts each type. */
static void check_sound(void)
{
	static const char *const types[] = { "log", "gap", "event", "window", "cpu" };
	unsigned text, n = 0;
	const char *all = records(&text);
	char part[80];

	for (const char *at = all; *at; at = strchr(at, '\n') + 1) {
		const char *end = strchr(at, '\n');

		snprintf(part, sizeof(part), "\"seq\":%u,", n++);
		assert_ptr_equal(strstr(at, part), at + 33);
		assert_int_equal(strtoul(end - 10, NULL, 16), crc32c(at, (size_t)(end - at) - 18));
	}
	for (size_t i = 0; i < 5; i++) {
		snprintf(part, sizeof(part), "\"%s\":%u", types[i], count(types[i]));
		assert_non_null(strstr(strstr(all, "\"type\":\"end\""), part));
	}
	snprintf(part, sizeof(part), "\"gaps_unsent\":%u,", 100 - count("gap"));
	assert_non_null(strstr(all, part));
	snprintf(part, sizeof(part), "\"events_unsent\":%u", 103 - count("event"));
	assert_non_null(strstr(all, part));
	assert_int_equal(count("begin") + count("summary") + count("end"), 3);
}

/* Types are left out one after the other; only the last of them is left out in part. */
TEST_F(start, finish, test_what_is_left_out)
{
	static const char *const order[] = { "window", "event", "log", "gap", "cpu" };
	size_t whole, least = 0;
	unsigned text, partly = 0;

	add_run();
	whole = pack(sizeof(packed));
	assert_true(whole);
	assert_string_equal(records(&text), expected.bytes);
	assert_int_equal(text, 100);
	/* The page goes before the first log record, and after the last event. */
	for (size_t cap = whole - 1; cap > 100 && pack(cap); cap -= whole / 30) {
		const char *all = records(&text);
		unsigned before = text, note = strstr(all, "lack of space") != NULL;

		check_sound();
		assert_true(got.head.page_bytes == 0 || got.head.page_bytes == PAGE);
		assert_true(got.head.page_bytes ? count("log") - note == 100 : !count("event"));
		for (size_t i = 0; i < 5; i++) {
			unsigned n = count(order[i]) - (i == 2 ? note : 0);

			assert_true(n == 0 || n == 100 || before == 0);
			assert_true(before == 0 || n == 100);
			partly += n > 0 && n < 100;
			before = n;
		}
		least = cap;
	}
	assert_true(partly > 5);
	assert_true(least < whole / 6);
	assert_int_equal(pack(100), 0);
	assert_int_equal(pack(0), 0);
}

/* One byte too few for the page costs no record besides. */
TEST_F(start, finish, test_the_page_alone)
{
	size_t with, without = 100, cap;

	add_run();
	for (with = pack(sizeof(packed)); with - without > 1;) {
		cap = without + (with - without) / 2;
		if (pack(cap) && (records(&(unsigned){ 0 }), got.head.page_bytes))
			with = cap;
		else
			without = cap;
	}
	assert_true(pack(without));
	assert_non_null(strstr(records(&(unsigned){ 0 }), "lack of space"));
	assert_int_equal(got.head.page_bytes, 0);
	assert_int_equal(count("log"), 101);
}

/* The log record counts the missing records of each type. */
TEST_F(start, finish, test_the_note)
{
	unsigned text;
	char part[120];

	add_run();
	assert_true(pack(pack(sizeof(packed)) * 2 / 3));
	assert_in_range(count("event"), 0, 99);
	snprintf(part, sizeof(part),
		 "left out of the saved report for lack of space: 100 of type window, %u of type "
		 "event\"",
		 100 - count("event"));
	assert_non_null(strstr(records(&text), part));
}

/* A log record reports that memory was short; the last records have reserved memory. */
TEST_F(start, finish, test_memory_is_short)
{
	const struct record_log log = { .level = "info", .text = "x" };

	saved_run_start(&run, SID, room, 65536);
	for (unsigned n = 0; n < 2000; n++)
		record_send(&run.link, RECORD_LOG, &log);
	saved_run_text(&run, "y", 1);
	record_send(&run.link, RECORD_SUMMARY, &(struct record_summary){ .version = "1" });
	record_send(&run.link, RECORD_END, &(struct record_end){ .verdict = "none" });
	assert_true(pack(sizeof(packed)));
	assert_in_range(count("log"), 200, 1999);
	assert_int_equal(count("summary") + count("end"), 2);
	assert_non_null(strstr((const char *)out + PAGE, "memory was short"));
}

static void mend(size_t bytes)
{
	bytes_put_le32(packed + bytes - 4, crc32c(packed, bytes - 4));
}

TEST_F(start, finish, test_damaged)
{
	size_t bytes;

	add_run();
	bytes = pack(sizeof(packed));
	for (size_t at = 4; at < bytes; at += 1 + at / 16) {
		packed[at] ^= 0x10;
		assert_int_equal(read_packed(bytes), SAVED_STATE_DAMAGED);
		packed[at] ^= 0x10;
	}
	for (size_t cut = 0; cut < bytes; cut += 1 + cut / 16)
		assert_int_not_equal(read_packed(cut), SAVED_STATE_OK);
	packed[3]++;
	mend(bytes);
	assert_int_equal(read_packed(bytes), SAVED_STATE_FOREIGN);
}

/* Forged runs with a right checksum: sizes that differ from the contents', bytes no line has. */
TEST_F(start, finish, test_forged)
{
	static const char *const wrong[] = { "no newline", "\x1b[2J\n", "\x80\n" };
	size_t bytes;

	add_run();
	bytes = pack(sizeof(packed));
	for (unsigned at = 4; at < 12; at++) {
		packed[at] ^= 1;
		mend(bytes);
		if (saved_run_open(&got, packed, bytes) == SAVED_STATE_OK)
			assert_int_equal(read_packed(bytes), SAVED_STATE_DAMAGED);
		packed[at] ^= 1;
	}
	for (size_t i = 0; i < 3; i++) {
		bytes = deflate_pack(packed + sizeof(head), 1000, wrong[i], strlen(wrong[i]),
				     work.deflate) +
			sizeof(head) + SAVED_RUN_CRC;
		bytes_put_le32(packed + 4, 0);
		bytes_put_le32(packed + 8, (uint32_t)strlen(wrong[i]));
		mend(bytes);
		assert_int_equal(read_packed(bytes), SAVED_STATE_DAMAGED);
	}
}

static const char *name(uint64_t began, const char *product, const char *uuid)
{
	static char buffer[128];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	saved_run_name(&t, began, product, uuid);
	assert_false(t.overflow);
	return buffer;
}

/* No name leads out of the folder, whether it comes from the firmware or from its store. */
TEST(test_names)
{
	char longer[200];

	assert_string_equal(name(20261121190501, "X11DPH-T", "4c4c-55"),
			    "20261121-190501-X11DPH-T-4c4c-55");
	assert_string_equal(name(0, "X11DPH-T", ""), "X11DPH-T");
	assert_string_equal(name(20261121000009, NULL, "4c4c-55"), "20261121-000009-4c4c-55");
	assert_string_equal(name(0, NULL, NULL), "noisefloor");
	assert_string_equal(name(99991231235959, NULL, NULL), "99991231-235959");
	assert_string_equal(name(100000000000000, NULL, NULL), "noisefloor");
	assert_string_equal(name(0, "..\\..\\EFI/BOOT", "a:b*c"), "_._.._EFI_BOOT-a_b_c");
	assert_string_equal(name(0, "Pro<du>ct|\"?\x01\xff ", NULL), "Pro_du_ct______");
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(strlen(name(20261121190501, longer, longer)), 15 + 1 + 48 + 1 + 48);
}
