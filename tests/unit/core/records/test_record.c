/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer of records: form, checksum, escapes, and the limit of a line's length. */
#include "core/lib/crc32c.h"
#include "core/records/record.h"
#include "core/records/record_field.h"

#include "tests/unit/common/test.h"
#include "tests/unit/capture.h"
#include "tests/unit/rounds.h"
#include "tests/unit/some_records.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define SID UINT64_C(0x0123456789abcdef)

static struct capture capture;

static void start(void)
{
	capture_start(&capture, SID);
}

static void teardown(void)
{
	capture_free(&capture);
}

/* The text of a one-line record between its header and its checksum, both checked. */
static const char *body(const char *type)
{
	static char buf[RECORD_LINE_MAX + 1];
	char header[128];
	char *crc = strstr(capture.bytes, ",\"crc\":\"");

	snprintf(header, sizeof(header),
		 "{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":0,\"type\":\"%s\"", type);
	assert_int_equal(capture.lines, 1);
	assert_memory_equal(capture.bytes, header, strlen(header));
	assert_non_null(crc);
	assert_int_equal(strtoul(crc + 8, NULL, 16),
			 crc32c(capture.bytes, (size_t)(crc - capture.bytes)));
	assert_string_equal(crc + 16, "\"}\n");
	snprintf(buf, sizeof(buf), "%.*s", (int)(crc - capture.bytes - (ptrdiff_t)strlen(header)),
		 capture.bytes + strlen(header));
	return buf;
}

/* `text` is `before`, the fields of all counters, none of which is known, and `after`. */
static void assert_around_counts(const char *text, const char *before, const char *after)
{
	static const char *const names[] = { "smi", "nmi", "mce", "smi_out", "nmi_out" };
	const char *at = text + strlen(before), *end = text + strlen(text) - strlen(after);
	char name[32];
	size_t seen = 0;

	assert_memory_equal(text, before, strlen(before));
	assert_string_equal(end, after);
	for (int bytes = 0; at < end; at += bytes, at += *at == ',' && at < end) {
		assert_int_equal(sscanf(at, "\"%31[a-z_]\":null%n", name, &bytes), 1);
		assert_true(bytes > 0);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strcmp(name, names[i]))
				assert_int_equal(seen++, i);
	}
	assert_ptr_equal(at, end);
	assert_int_equal(seen, sizeof(names) / sizeof(names[0]));
}

TEST_F(start, teardown, test_cpu)
{
	static const uint64_t pairs[][2] = { { 1000, 2 }, { 2000, 1 } };
	struct record_cpu cpu = { .stage = "handoff",
				  .proved = "nmi",
				  .tsc_offset = INT64_MIN,
				  .exposure_ns = UINT64_MAX,
				  .gaps = 3,
				  .cause = { [CAUSE_NMI] = { 2, 30 }, [CAUSE_UNKNOWN] = { 1, 4 } },
				  .histogram = { pairs, 2 } };

	record_send(&capture.link, RECORD_CPU, &cpu);
	assert_around_counts(
		body("cpu"),
		",\"stage\":\"handoff\",\"cpu\":0,\"apic_id\":0,\"package\":null,\"core\":null,"
		"\"thread\":null,\"core_type\":null,\"proved\":\"nmi\","
		"\"tsc_offset\":-9223372036854775808,\"tsc_offset_bound\":null,"
		"\"exposure_ns\":18446744073709551615,"
		"\"noise_ns\":0,\"max_ns\":0,\"gaps\":3,\"dropped\":0,",
		",\"cause\":{\"nmi\":{\"gaps\":2,\"ns\":30},\"unknown\":{\"gaps\":1,\"ns\":4}},"
		"\"interval_p50\":0,"
		"\"interval_p999\":0,\"histogram\":[[1000,2],[2000,1]]");
}

/* Without SMIs and NMIs, no record has fields about them; with them, all records have these. */
TEST_F(start, teardown, test_no_smi)
{
	struct record_begin begin = { .arch = "x86_64" };
	union record r;

	memset(&r, 0, sizeof(r));
	for (unsigned there = 2; there-- > 0; begin.arch = "aarch64") {
		capture_free(&capture);
		capture_start(&capture, SID);
		record_send(&capture.link, RECORD_BEGIN, &begin);
		for (unsigned type = RECORD_STAGE; type < RECORD_TYPES; type++)
			record_send(&capture.link, (enum record_type)type, &r);
		assert_int_equal(capture.lines, RECORD_TYPES);
		assert_int_equal(strstr(capture.bytes, "smi") != NULL, there);
		assert_int_equal(strstr(capture.bytes, "nmi") != NULL, there);
		assert_non_null(strstr(capture.bytes, "\"mce\":null"));
	}
}

TEST_F(start, teardown, test_empty_containers)
{
	struct record_cpu cpu = { .stage = "bare" };

	record_send(&capture.link, RECORD_CPU, &cpu);
	assert_non_null(strstr(body("cpu"), "\"cause\":{},\"interval_p50\":0,"));
	assert_non_null(strstr(body("cpu"), "\"histogram\":[]"));
}

TEST_F(start, teardown, test_begin_nests)
{
	struct record_begin begin = { .version = "1",
				      .machine = { .vendor = "v", .uuid = "u" },
				      .evidence = { "nmi", "smi" },
				      .clock = { .hz = 5, .invariant = true } };

	record_send(&capture.link, RECORD_BEGIN, &begin);
	assert_string_equal(
		body("begin"),
		",\"version\":\"1\",\"arch\":null,\"door\":null,"
		"\"machine\":{\"vendor\":\"v\",\"product\":null,"
		"\"board\":null,"
		"\"bios_vendor\":null,\"bios_version\":null,\"bios_date\":null,\"uuid\":\"u\"},"
		"\"cpu\":{\"vendor\":null,\"brand\":null,\"family\":0,\"model\":0,\"stepping\":0,"
		"\"microcode\":null},\"hypervisor\":null,\"serial\":null,\"os\":null,\"cpus\":{"
		"\"found\":0,"
		"\"started\":0,"
		"\"measured\":0,\"apic_ids\":null,\"bringup_ns\":null},\"clock\":{\"hz\":5,"
		"\"source\":null,\"invariant\":true,\"quantum\":null,\"audited_by\":null,"
		"\"audit_ppm\":null},\"evidence\":[\"nmi\",\"smi\"],\"config\":null,"
		"\"begin_tsc\":0,\"began\":null");
}

TEST_F(start, teardown, test_escapes)
{
	struct record_log log = { .level = "", .text = "a\"b\\c\n\x01\x1f ~\x7f\x80\xff" };

	record_send(&capture.link, RECORD_LOG, &log);
	assert_string_equal(body("log"),
			    ",\"level\":\"\",\"text\":\"a\\\"b\\\\c\\u000a\\u0001\\u001f ~"
			    "\\u007f\\u0080\\u00ff\"");
}

/* A timer's name is a key of JSON, and hostile: reports may be read from variables. */
TEST_F(start, teardown, test_escapes_in_keys)
{
	struct record_stage stage = { .timers = { { "a\"\xff", 7 } } };
	char name[2 * RECORD_LINE_MAX];

	record_send(&capture.link, RECORD_STAGE, &stage);
	assert_non_null(strstr(body("stage"), "{\"a\\\"\\u00ff\":7}"));
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	stage.timers[0].name = name;
	record_send(&capture.link, RECORD_STAGE, &stage);
	name[RECORD_KEY_MAX - 2] = '\0';
	assert_non_null(strstr(capture_at(&capture, 1), name));
	assert_non_null(strstr(capture_at(&capture, 1), "\":7}"));
}

TEST_F(start, teardown, test_end_counts_records_not_lines)
{
	static char text[3000];
	struct record_log log = { .level = "info", .text = text };
	struct record_end end = { .verdict = "pass", .records = { [RECORD_GAP] = 99 } };
	const char *last;

	memset(text, 'x', 900);
	log.level = text;
	record_send(&capture.link, RECORD_LOG, &log);
	assert_int_equal(capture.lines, 2);
	record_send(&capture.link, RECORD_END, &end);
	last = capture_at(&capture, 2);
	assert_non_null(last);
	assert_non_null(strstr(last, "\"seq\":2,"));
	assert_non_null(strstr(last,
			       "\"records\":{\"begin\":0,\"stage\":0,\"window\":0,\"gap\":0,"
			       "\"event\":0,\"cpu\":0,\"source\":0,\"pause\":0,\"log\":1,\"end\":1,"
			       "\"stretch\":0,\"interfere\":0,\"summary\":0,"
			       "\"survey\":0,\"fault\":0,"
			       "\"service\":0,\"attest\":0}"));
	assert_int_equal(capture.link.seq, 3);
}

/* Send a log record of `count` times `c` as line `seq`, and put its text as sent into `out`. */
static size_t longest_text(char c, size_t count, uint64_t seq, char *out)
{
	static char text[5000];
	struct record_log log = { .level = NULL, .text = text };
	const char *from, *to;

	memset(text, 0, sizeof(text));
	memset(text, c, count);
	capture_free(&capture);
	start();
	capture.link.seq = seq;
	record_send(&capture.link, RECORD_LOG, &log);
	assert_in_range(capture.longest, 1, RECORD_LINE_MAX);
	from = strstr(capture.bytes, "\"text\":\"");
	assert_non_null(from);
	from += 8;
	to = strchr(from, '"');
	memcpy(out, from, (size_t)(to - from));
	out[to - from] = '\0';
	return (size_t)(to - from);
}

TEST_F(start, teardown, test_long_string_is_cut)
{
	char out[RECORD_LINE_MAX];
	size_t room;

	for (size_t count = 0; count < 1000; count++)
		assert_int_equal(longest_text('x', count, 0, out), count);
	room = longest_text('x', 4000, 0, out);
	assert_true(room > 1000);
	for (size_t i = 0; i < room; i++)
		assert_int_equal(out[i], 'x');
}

/* A text that is cut never ends inside an escape. */
TEST_F(start, teardown, test_cut_spares_escapes)
{
	char out[RECORD_LINE_MAX];

	for (uint64_t seq = 1; seq < 10000000; seq *= 10) {
		size_t count = longest_text('\x01', 4000, seq, out);

		assert_true(count > 900);
		assert_int_equal(count % 6, 0);
		for (size_t i = 0; i < count; i += 6)
			assert_memory_equal(out + i, "\\u0001", 6);
	}
}

/* A link may have shorter strings, as they are written. */
TEST_F(start, teardown, test_string_max)
{
	struct record_log log = { .level = "info", .text = "a b\"cdef" };

	capture.link.string_max = 8;
	record_send(&capture.link, RECORD_LOG, &log);
	assert_string_equal(body("log"), ",\"level\":\"info\",\"text\":\"a b\\\"c\"");
}

/* Sizes around the limit: a record has one line if it fits, and parts otherwise. */
TEST_F(start, teardown, test_split_at_the_limit)
{
	static char text[RECORD_LINE_MAX];
	struct record_log log = { .level = text, .text = text };
	bool was_split = false;

	for (size_t count = 400; count < 700; count++) {
		memset(text, 'y', count);
		text[count] = '\0';
		capture_free(&capture);
		start();
		record_send(&capture.link, RECORD_LOG, &log);
		assert_in_range(capture.longest, 1, RECORD_LINE_MAX);
		assert_in_range(capture.lines, was_split ? 2 : 1, 2);
		was_split = capture.lines == 2;
	}
	assert_true(was_split);
}

TEST_F(start, teardown, test_parts)
{
	static uint64_t pairs[500][2];
	struct record_cpu cpu = { .stage = "bare", .cpu = 7, .histogram = { pairs, 500 } };
	const char *line;
	unsigned n;

	for (unsigned i = 0; i < 500; i++)
		pairs[i][0] = UINT64_MAX;
	record_send(&capture.link, RECORD_CPU, &cpu);
	assert_in_range(capture.lines, 10, 20);
	assert_in_range(capture.longest, RECORD_LINE_MAX - 100, RECORD_LINE_MAX);
	for (n = 0; (line = capture_at(&capture, n)); n++) {
		char expected[160];
		char *end = strchr(line, '\n');
		bool last = n + 1 == capture.lines;

		snprintf(expected, sizeof(expected),
			 "{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":%u,\"type\":\"cpu\","
			 "\"stage\":\"bare\",\"cpu\":7,\"part\":%u,",
			 n, n);
		assert_memory_equal(line, expected, strlen(expected));
		*end = '\0';
		assert_int_equal(strstr(line, "]],\"more\":true,\"crc\":") != NULL, !last);
		assert_int_equal(strstr(line, "]],\"crc\":") != NULL, last);
		*end = '\n';
	}
	assert_int_equal(capture.link.seq, n);
	assert_int_equal(capture.link.sent[RECORD_CPU], 1);
}

/* Any record becomes printable JSON with a right checksum, short lines, and seq without holes. */
TEST_F(start, teardown, test_any_record_is_sound)
{
	static struct some some;
	union record record;
	const char *line;
	unsigned n;

	for (unsigned round = 0; round < rounds(12, 60); round++) {
		for (unsigned type = 0; type < RECORD_TYPES; type++) {
			some_start(&some, round * RECORD_TYPES + type);
			some_record(&some, (enum record_type)type, &record);
			record_send(&capture.link, (enum record_type)type, &record);
		}
	}
	assert_in_range(capture.longest, 1, RECORD_LINE_MAX);
	for (n = 0; (line = capture_at(&capture, n)); n++) {
		size_t bytes = strcspn(line, "\n");
		json_error_t error;
		json_t *json = json_loadb(line, bytes, JSON_DECODE_INT_AS_REAL, &error);

		if (!json)
			fail_msg("%s in %.*s", error.text, (int)bytes, line);
		assert_int_equal(json_real_value(json_object_get(json, "seq")), n);
		json_decref(json);
		for (size_t i = 0; i < bytes; i++)
			assert_in_range(line[i], ' ', '~');
		assert_int_equal(strtoul(line + bytes - 10, NULL, 16), crc32c(line, bytes - 18));
	}
	assert_int_equal(n, capture.lines);
}

static void take_nothing(struct record_link *link, enum record_type type, const void *data)
{
	(void)link, (void)type, (void)data;
}

/* The hash covers all bytes of the lines, on links that take records and on links of lines. */
TEST_F(start, teardown, test_hash)
{
	struct record_link taken = { .take = take_nothing, .sid = SID };
	uint8_t expected[SHA256_BYTES], digest[SHA256_BYTES];
	static struct some some;
	static union record record;

	record_hash(&capture.link);
	record_hash(&taken);
	for (unsigned seed = 0; seed < 10 * RECORD_TYPES; seed++) {
		enum record_type type = (enum record_type)(seed % RECORD_TYPES);

		some_start(&some, seed);
		some_record(&some, type, &record);
		record_send(&capture.link, type, &record);
		record_send(&taken, type, &record);
	}
	sha256(capture.bytes, capture.count, expected);
	sha256_end(&capture.link.lines, digest);
	assert_memory_equal(digest, expected, sizeof(digest));
	sha256_end(&taken.lines, digest);
	assert_memory_equal(digest, expected, sizeof(digest));
}

/* Without a hash nothing is computed, and records that a link takes are not made lines. */
TEST_F(start, teardown, test_no_hash)
{
	struct record_link taken = { .take = take_nothing, .sid = SID };
	const struct record_log log = { .level = "info", .text = "a" };

	record_send(&capture.link, RECORD_LOG, &log);
	record_send(&taken, RECORD_LOG, &log);
	assert_int_equal(capture.link.lines.bytes, 0);
	assert_int_equal(taken.seq, 0);
}

/* A line that is sent again has another sid and number, and is otherwise the same. */
TEST_F(start, teardown, test_resend)
{
	static struct some some;
	static union record record;
	struct capture again, expected;
	const char *line;
	size_t bytes;

	capture_start(&again, ~SID);
	capture_start(&expected, ~SID);
	capture.link.seq = 1000;
	again.link.seq = expected.link.seq = 5000;
	for (unsigned seed = 0; seed < 10 * RECORD_TYPES; seed++) {
		enum record_type type = (enum record_type)(seed % RECORD_TYPES);

		some_start(&some, seed);
		some_record(&some, type, &record);
		record_send(&capture.link, type, &record);
		expected.link.no_smi = capture.link.no_smi;
		record_send(&expected.link, type, &record);
	}
	for (line = capture.bytes; *line; line += bytes) {
		bytes = strcspn(line, "\n") + 1;
		assert_true(record_resend(&again.link, line, bytes));
	}
	assert_int_equal(again.link.seq, 5000 + capture.lines);
	assert_int_equal(again.count, strlen(again.bytes));
	assert_string_equal(capture_at(&again, 0), capture_at(&expected, 0));
	capture_free(&again);
	capture_free(&expected);
}

TEST_F(start, teardown, test_no_line_to_resend)
{
	static const char *const wrong[] = {
		"", "\n", "{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":",
		"{\"nf\":2,\"sid\":\"0123456789abcdef\",\"seq\":0,\"a\":1,\"crc\":\"12345678\"}\n",
		"{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":0,\"12345678\"}\n"
	};
	static char too_long[2 * RECORD_LINE_MAX];

	for (size_t i = 0; i < 5; i++)
		assert_false(record_resend(&capture.link, wrong[i], strlen(wrong[i])));
	memset(too_long, ',', sizeof(too_long));
	memcpy(too_long, wrong[3], 30);
	too_long[6] = '1';
	assert_false(record_resend(&capture.link, too_long, sizeof(too_long)));
	assert_int_equal(capture.lines, 0);
}
