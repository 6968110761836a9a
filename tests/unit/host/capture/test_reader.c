/* SPDX-License-Identifier: BSD-2-Clause */
/* The capture reader: every record comes back equal, and nothing wrong passes in silence. */
#include "core/lib/crc32c.h"

#include "host/capture/result.h"

#include "tests/unit/common/test.h"
#include "tests/unit/capture.h"
#include "tests/unit/some_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SID          UINT64_C(0x0123456789abcdef)
#define REPORTED_MAX 64
#define EVERYTHING   UINT32_MAX

/* Reports of the reader on one capture. */
static struct heard {
	struct reader *reader;
	unsigned complaints;
	struct {
		uint64_t line;
		char text[600];
	} reported[REPORTED_MAX];
	struct capture lines; /* given by the line hook */
} heard;

static void hear_complaint(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file;
	if (heard.complaints < REPORTED_MAX) {
		heard.reported[heard.complaints].line = line;
		snprintf(heard.reported[heard.complaints].text, sizeof(heard.reported[0].text),
			 "%s", text);
	}
	heard.complaints++;
}

static void hear_line(const char *line, size_t bytes)
{
	capture_bytes(&heard.lines, line, bytes);
	capture_text(&heard.lines, "\n");
}

static void forget(void)
{
	reader_free(heard.reader);
	capture_free(&heard.lines);
	memset(&heard, 0, sizeof(heard));
}

static void start_reader(uint32_t wanted, bool forgets)
{
	const struct capture_want want = {
		.keep = wanted, .line = hear_line, .forgets = forgets, .complain = hear_complaint
	};

	forget();
	heard.reader = reader_new("capture", &want);
}

static void read_pieces(const char *bytes, size_t count, size_t piece)
{
	start_reader(EVERYTHING, false);
	for (size_t at = 0; at < count; at += piece)
		reader_feed(heard.reader, bytes + at, count - at < piece ? count - at : piece);
	reader_finish(heard.reader);
}

static void read_all(const struct capture *c)
{
	read_pieces(c->bytes, c->count, c->count ? c->count : 1);
}

static void read_text(const char *text)
{
	read_pieces(text, strlen(text), strlen(text));
}

static struct capture capture;

static void start(void)
{
	forget();
	capture_start(&capture, SID);
}

static void teardown(void)
{
	forget();
	capture_free(&capture);
}

static const struct result *only_run(void)
{
	const struct result *run = reader_run(heard.reader, 0);

	assert_non_null(run);
	assert_null(reader_run(heard.reader, 1));
	return run;
}

/* Number of whole records in all runs. */
static uint64_t records(void)
{
	const struct result *run;
	uint64_t count = 0;

	for (size_t n = 0; (run = reader_run(heard.reader, n)); n++) {
		for (unsigned type = 0; type < RECORD_TYPES; type++)
			count += run->records[type];
	}
	return count;
}

static void assert_reported(unsigned n, uint64_t line, const char *part)
{
	if (n >= heard.complaints)
		fail_msg("complaint %u was not made", n);
	assert_int_equal(heard.reported[n].line, line);
	if (!strstr(heard.reported[n].text, part))
		fail_msg("no `%s` in `%s`", part, heard.reported[n].text);
}

static const struct record_stage a_stage = { .stage = "bare" };
static const struct record_log a_log = { .level = "info", .text = "a text" };
static const struct record_end an_end = { .verdict = "none" };

/* A small run: stage (seq 0), three gaps (1-3), log (4), end (5). */
static void write_run(struct capture *c)
{
	struct record_gap gap = { .stage = "bare", .cause = "unknown" };

	record_send(&c->link, RECORD_STAGE, &a_stage);
	for (unsigned i = 0; i < 3; i++) {
		gap.ticks = i + 1;
		record_send(&c->link, RECORD_GAP, &gap);
	}
	record_send(&c->link, RECORD_LOG, &a_log);
	record_send(&c->link, RECORD_END, &an_end);
}

#define RUN_LINES 6

/* Records are written as they were read, so that no field is lost, nor changed. */
TEST_F(start, teardown, test_round_trip)
{
	static struct some some;
	static union record sent;
	const struct result *run;
	unsigned joined = 0;

	for (unsigned seed = 0; seed < 100 * RECORD_TYPES; seed++) {
		enum record_type type = (enum record_type)(seed % RECORD_TYPES);
		struct capture again;
		uint64_t sid;

		some_start(&some, seed);
		some_record(&some, type, &sent);
		sid = some_bits(&some);
		capture_free(&capture);
		capture_start(&capture, sid);
		capture_start(&again, sid);
		capture.link.seq = again.link.seq = seed;
		record_send(&capture.link, type, &sent);
		read_all(&capture);
		run = only_run();
		record_send(&again.link, type, &run->joint.decode.record);
		assert_int_equal(heard.complaints, 0);
		assert_int_equal(records(), 1);
		assert_int_equal(run->records[type], 1);
		assert_int_equal(run->joint.first_seq, seed);
		assert_int_equal(run->joint.parts, capture.lines);
		assert_int_equal(run->sid, sid);
		assert_string_equal(again.bytes, capture.bytes);
		capture_free(&again);
		joined += capture.lines > 1;
	}
	assert_in_range(joined, 50, 100 * RECORD_TYPES / 3);
}

/* Bytes past ASCII are Latin-1 on the line, UTF-8 when read. */
TEST_F(start, teardown, test_latin1)
{
	const struct record_log log = { .level = "info", .text = "\xb5s \xc3\xa9" };

	record_send(&capture.link, RECORD_LOG, &log);
	read_all(&capture);
	assert_int_equal(heard.complaints, 0);
	assert_int_equal(only_run()->logs, 1);
	assert_string_equal(only_run()->log[0].text, "\xc2\xb5s \xc3\x83\xc2\xa9");
}

/* A cause that this program does not know is no SMI. */
TEST_F(start, teardown, test_foreign_cause)
{
	static const char *const causes[] = { "gremlins", NULL };

	for (size_t i = 0; i < 2; i++) {
		struct record_gap gap = { .stage = "bare", .cause = causes[i] };

		capture_free(&capture);
		capture_start(&capture, SID);
		record_send(&capture.link, RECORD_GAP, &gap);
		read_all(&capture);
		assert_int_equal(records(), 1);
		assert_int_equal(only_run()->stage[0].gap[0].cause, CAUSE_UNKNOWN);
	}
}

/*
 * A real serial line: firmware's text, escapes, CR LF, and records behind other text and each
 * other.
 */
TEST_F(start, teardown, test_chatter_around)
{
	struct capture noisy;

	write_run(&capture);
	capture_start(&noisy, 0);
	capture_text(&noisy, "BdsDxe: loading Boot0001 \"UEFI\"\r\n\x1b[2J\x1b[01;01H\x1b[=3h");
	for (unsigned n = 0; n < RUN_LINES; n++) {
		const char *line = capture_at(&capture, n);
		size_t bytes = strcspn(line, "\n");

		capture_text(&noisy, n % 2 ? "  3/10  no gaps " : "\xff\xfe{\"nf\" {\"\x1b[0m");
		capture_bytes(&noisy, line, bytes);
		capture_text(&noisy, n == 2 ? "" : n == 3 ? "\r\r\n" : " tail\x1b[K\r\n");
		capture_bytes(&noisy, "\0\x80\n", 3);
	}
	read_all(&noisy);
	capture_free(&noisy);
	assert_int_equal(heard.complaints, 0);
	assert_int_equal(records(), RUN_LINES);
	assert_true(result_is_whole(only_run()));
	assert_string_equal(heard.lines.bytes, capture.bytes);
}

/* Escapes that a terminal program puts into a line are removed from a record. */
TEST_F(start, teardown, test_escapes_inside)
{
	static const char *const escapes[] = { "\x1b[0m",        "\x1b[12;40H", "\x1b]0;title\a",
					       "\x1bP1$r\x1b\\", "\x1b(B",      "\x1b=",
					       "\x1b[?25l",      "\r",          "\a\b\t" };

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		struct capture c;
		struct capture noisy;

		capture_start(&c, SID);
		record_send(&c.link, RECORD_LOG, &a_log);
		for (size_t at = strlen("{\"nf\":"); at < c.count - 1; at++) {
			capture_start(&noisy, 0);
			capture_bytes(&noisy, c.bytes, at);
			capture_text(&noisy, escapes[i]);
			capture_bytes(&noisy, c.bytes + at, c.count - at);
			read_all(&noisy);
			capture_free(&noisy);
			assert_int_equal(heard.complaints, 0);
			assert_int_equal(records(), 1);
			assert_string_equal(heard.lines.bytes, c.bytes);
		}
		capture_free(&c);
	}
}

TEST_F(start, teardown, test_no_newline_at_the_end)
{
	write_run(&capture);
	read_pieces(capture.bytes, capture.count - 1, capture.count);
	assert_int_equal(heard.complaints, 0);
	assert_true(result_is_whole(only_run()));
}

/* Every single wrong bit is seen, and costs one record. */
TEST_F(start, teardown, test_every_flipped_bit)
{
	record_send(&capture.link, RECORD_LOG, &a_log);
	record_send(&capture.link, RECORD_STAGE, &a_stage);
	record_send(&capture.link, RECORD_END, &an_end);

	char *line = capture_at(&capture, 1);
	size_t bytes = strcspn(line, "\n");

	for (size_t bit = 0; bit < bytes * 8; bit++) {
		line[bit / 8] ^= (char)(1 << bit % 8);
		read_all(&capture);
		line[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(records(), 2);
		assert_int_equal(only_run()->records[RECORD_STAGE], 0);
		assert_int_equal(seqset_missing(&only_run()->seen), 1);
		assert_false(result_is_whole(only_run()));
		/* Without its mark the line is chatter, and only the missing seq shows it. */
		if (bit / 8 >= strlen("{\"nf\":"))
			assert_in_range(heard.complaints, 1, 2);
	}
}

/* The newline and the begin of the next record were lost: the one before is whole, and read. */
TEST_F(start, teardown, test_rest_of_the_next)
{
	struct capture torn;
	char *next;

	write_run(&capture);
	next = capture_at(&capture, 2);
	capture_start(&torn, 0);
	capture_bytes(&torn, capture.bytes, (size_t)(next - capture.bytes) - 1);
	capture_bytes(&torn, next + 60, capture.count - (size_t)(next + 60 - capture.bytes));
	read_all(&torn);
	capture_free(&torn);
	assert_int_equal(heard.complaints, 0);
	assert_int_equal(reader_totals(heard.reader)->lines, RUN_LINES - 1);
	assert_int_equal(reader_totals(heard.reader)->damaged, 0);
}

/* A record torn off by a reset, and the next one right behind it. */
TEST_F(start, teardown, test_torn)
{
	struct capture torn;
	const char *line;

	write_run(&capture);
	line = capture_at(&capture, 1);
	for (size_t cut = strlen("{\"nf\":"); cut < strcspn(line, "\n"); cut++) {
		capture_start(&torn, 0);
		capture_bytes(&torn, line, cut);
		capture_bytes(&torn, capture.bytes, capture.count);
		read_all(&torn);
		capture_free(&torn);
		assert_int_equal(heard.complaints, 1);
		assert_reported(0, 1, "damaged record: it is truncated");
		assert_true(result_is_whole(only_run()));
	}
}

TEST_F(start, teardown, test_lost_lines)
{
	struct seqset_range hole;

	write_run(&capture);
	capture_lose(&capture, 3);
	capture_lose(&capture, 2);
	capture_lose(&capture, 0);
	read_all(&capture);
	assert_int_equal(heard.complaints, 0);
	assert_int_equal(seqset_missing(&only_run()->seen), 3);
	assert_true(seqset_hole(&only_run()->seen, 0, &hole));
	assert_int_equal(hole.first, 0);
	assert_int_equal(hole.last, 0);
	assert_true(seqset_hole(&only_run()->seen, 1, &hole));
	assert_int_equal(hole.first, 2);
	assert_int_equal(hole.last, 3);
	assert_false(seqset_hole(&only_run()->seen, 2, &hole));
	assert_false(result_is_whole(only_run()));
}

TEST_F(start, teardown, test_end_is_needed)
{
	write_run(&capture);
	capture_lose(&capture, RUN_LINES - 1);
	read_all(&capture);
	assert_int_equal(seqset_missing(&only_run()->seen), 0);
	assert_false(only_run()->ended);
	assert_false(result_is_whole(only_run()));
}

/* Lines in order and without a hole, but one record less than `end` counts. */
TEST_F(start, teardown, test_end_totals)
{
	capture.link.sent[RECORD_GAP] = 1;
	write_run(&capture);
	read_all(&capture);
	assert_int_equal(seqset_missing(&only_run()->seen), 0);
	assert_int_equal(only_run()->records[RECORD_GAP], 3);
	assert_int_equal(only_run()->end_records[RECORD_GAP], 4);
	assert_false(result_is_whole(only_run()));
}

TEST_F(start, teardown, test_duplicates)
{
	size_t once;

	write_run(&capture);
	once = capture.count;
	capture.link = (struct record_link){ .write = capture_line, .sid = SID };
	write_run(&capture);
	read_all(&capture);
	assert_int_equal(records(), RUN_LINES);
	assert_int_equal(only_run()->duplicates, RUN_LINES);
	assert_int_equal(heard.lines.count, once);
	assert_true(result_is_whole(only_run()));
}

/* Late lines fill their holes. */
TEST_F(start, teardown, test_out_of_order)
{
	struct capture mixed;
	static const unsigned order[RUN_LINES] = { 5, 0, 4, 2, 1, 3 };

	write_run(&capture);
	capture_start(&mixed, 0);
	for (unsigned n = 0; n < RUN_LINES; n++) {
		const char *line = capture_at(&capture, order[n]);

		capture_bytes(&mixed, line, strcspn(line, "\n") + 1);
	}
	read_all(&mixed);
	capture_free(&mixed);
	assert_int_equal(heard.complaints, 0);
	assert_true(result_is_whole(only_run()));
}

TEST_F(start, teardown, test_runs_apart)
{
	write_run(&capture);
	capture.link = (struct record_link){ .write = capture_line, .sid = 42 };
	write_run(&capture);
	capture_lose(&capture, RUN_LINES + 2);
	read_all(&capture);
	assert_int_equal(reader_run(heard.reader, 0)->sid, SID);
	assert_int_equal(reader_run(heard.reader, 1)->sid, 42);
	assert_true(result_is_whole(reader_run(heard.reader, 0)));
	assert_false(result_is_whole(reader_run(heard.reader, 1)));
	assert_null(reader_run(heard.reader, 2));
}

/* Write a line with a right checksum, whatever it contains. */
static void sign(struct capture *c, const char *format, ...)
{
	char buf[4096];
	va_list args;
	int count;

	va_start(args, format);
	count = vsnprintf(buf, sizeof(buf), format, args);
	va_end(args);
	assert_in_range(count, 1, sizeof(buf) - 1);
	capture_bytes(c, buf, (size_t)count);
	snprintf(buf + count, sizeof(buf) - (size_t)count, ",\"crc\":\"%08x\"}\n",
		 crc32c(buf, (size_t)count));
	capture_text(c, buf + count);
}

#define HEAD "{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":%u"

TEST_F(start, teardown, test_unknown_is_passed_over)
{
	sign(&capture, HEAD ",\"type\":\"weather\",\"rain\":[1,{\"a\":null}]", 0);
	sign(&capture, HEAD ",\"type\":\"stage\",\"stage\":\"bare\",\"new\":{\"x\":[1.5]}", 1);
	read_all(&capture);
	assert_int_equal(heard.complaints, 0);
	assert_int_equal(records(), 1);
	assert_int_equal(only_run()->unknown, 1);
	assert_int_equal(seqset_missing(&only_run()->seen), 0);
}

/* Every line is JSON, of any type, whether or not anybody wants its record. */
TEST_F(start, teardown, test_lines_are_json)
{
	static const uint32_t wanted[] = { 0, EVERYTHING };
	static const char good[] = HEAD ",\"type\":\"weather\",\"rain\":\"\\u00e4\"";

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		size_t last;

		capture_free(&capture);
		capture_start(&capture, SID);
		sign(&capture, HEAD ",\"type\":\"weather\",\"rain\":", 0);
		sign(&capture, HEAD ",\"type\":\"log\",\"level\":}", 1);
		sign(&capture, HEAD ",\"type\":\"gap\",\"cpu\":01", 2);
		sign(&capture, good, 3);
		start_reader(wanted[i], false);
		reader_feed(heard.reader, capture.bytes, capture.count);
		reader_finish(heard.reader);
		assert_int_equal(heard.complaints, 3);
		assert_reported(0, 1, "type weather: it is not JSON");
		assert_reported(1, 2, "type log: it is not JSON");
		assert_reported(2, 3, "type gap: it is not JSON");
		assert_int_equal(only_run()->unusable, 3);
		/* The last line, and nothing else. */
		last = (size_t)(strstr(capture.bytes, "seq\":3") - capture.bytes);
		while (last && capture.bytes[last - 1] != '\n')
			last--;
		assert_int_equal(heard.lines.count, capture.count - last);
		assert_memory_equal(heard.lines.bytes, capture.bytes + last, capture.count - last);
	}
}

/* A line's number is one of 63 bits. */
TEST_F(start, teardown, test_seq)
{
	static const char line[] = "{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":%s,"
				   "\"type\":\"stage\",\"stage\":\"bare\"";

	sign(&capture, line, "9223372036854775807");
	sign(&capture, line, "9223372036854775808");
	sign(&capture, line, "012");
	read_all(&capture);
	assert_int_equal(records(), 1);
	assert_int_equal(only_run()->joint.first_seq, INT64_MAX);
	assert_int_equal(heard.complaints, 2);
	assert_reported(0, 2, "its header is not nf, sid, seq, type");
	assert_reported(1, 3, "its header is not nf, sid, seq, type");
}

#define PAIRS "\"histogram\" is not an array of pairs"

/* The checksum is right, the contents are not: damage, reported with what was found. */
TEST_F(start, teardown, test_wrong_contents)
{
	static const struct {
		const char *text, *reported;
	} cases[] = {
		{ ",\"type\":\"stage\",\"stage\":7",
		  "\"stage\" is not a string or null (found: a number)" },
		{ ",\"type\":\"stage\",\"stage\":\"x\",\"timers\":[]",
		  "\"timers\" is not an object of at most 4 whole numbers by name" },
		{ ",\"type\":\"stage\",\"stage\":\"x\",\"timers\":"
		  "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5}",
		  "\"timers\" is not" },
		{ ",\"type\":\"stage\",", "not JSON" },
		{ ",\"type\":\"stage\",\"stage\":\"\\u0000\"", "not JSON" },
		{ ",\"type\":\"stage\"}", "not JSON" },
		{ ",\"type\":\"gap\",\"stage\":\"x\"", "\"cpu\" is missing" },
		{ ",\"type\":\"gap\",\"cpu\":-1", "\"cpu\" is not a whole number below 2^32" },
		{ ",\"type\":\"gap\",\"cpu\":1.0", "(found: a real)" },
		{ ",\"type\":\"begin\",\"machine\":[]",
		  "\"machine\" is not an object (found: an array)" },
		{ ",\"type\":\"end\",\"reasons\":[1]",
		  "\"reasons\" is not an array of at most 16 strings" },
		{ ",\"type\":\"end\",\"reasons\":[],\"records\":{\"gap\":\"3\"}",
		  "\"records\" is not" },
		{ ",\"type\":\"cpu\",\"cpu\":1,\"apic_id\":1,\"tsc_offset\":9999999999999999999",
		  "\"tsc_offset\" is not" },
		{ ",\"type\":\"cpu\",\"histogram\":[1]", PAIRS },
		{ ",\"type\":\"cpu\",\"histogram\":[[1]]", PAIRS },
		{ ",\"type\":\"cpu\",\"histogram\":[[1,2,3]]", PAIRS },
		{ ",\"kind\":\"stage\"", "header" },
		{ "x,\"type\":\"stage\"", "header" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		capture_free(&capture);
		capture_start(&capture, SID);
		sign(&capture, HEAD "%s", 0, cases[i].text);
		read_all(&capture);
		assert_int_equal(records(), 0);
		assert_reported(0, 1, cases[i].reported);
		assert_int_equal(heard.complaints, 1);
		assert_int_equal(reader_totals(heard.reader)->damaged, 1);
	}
}

/* A cpu record in many parts, then `end`. */
static void write_parts(struct capture *c)
{
	static uint64_t pairs[300][2];
	struct record_cpu cpu = { .stage = "bare", .histogram = { pairs, 300 } };

	for (unsigned i = 0; i < 300; i++)
		pairs[i][0] = UINT64_MAX - i;
	record_send(&c->link, RECORD_CPU, &cpu);
	record_send(&c->link, RECORD_END, &an_end);
	assert_in_range(c->lines, 6, 30);
}

/* If any one part is lost, there is no half record, but one complaint, and the run is not whole. */
TEST_F(start, teardown, test_lost_part)
{
	unsigned parts;

	write_parts(&capture);
	parts = capture.lines - 1;
	for (unsigned n = 0; n < parts; n++) {
		capture_free(&capture);
		capture_start(&capture, SID);
		write_parts(&capture);
		capture_lose(&capture, n);
		read_all(&capture);
		assert_int_equal(records(), 1);
		assert_int_equal(only_run()->records[RECORD_END], 1);
		assert_int_equal(heard.complaints, 1);
		assert_reported(0, 1,
				n + 1 == parts ? "last part is missing"
				: n            ? "a part of it is missing"
					       : "part before it is missing");
		assert_false(result_is_whole(only_run()));
	}
}

TEST_F(start, teardown, test_parts_cut_short)
{
	write_parts(&capture);
	read_pieces(capture.bytes, (size_t)(capture_at(&capture, 3) - capture.bytes), 4096);
	assert_int_equal(records(), 0);
	assert_int_equal(heard.complaints, 1);
	assert_reported(0, 1, "seq 0, type cpu: its last part is missing");
	assert_int_equal(only_run()->unusable, 1);
}

#define BARE    ",\"type\":\"stage\",\"stage\":\"bare\""
#define PART(n) ",\"part\":" #n
#define MORE    ",\"more\":true"

/*
 * Parts that do not make up a record: they must be numbered one after the other, and have nothing
 * twice but keys.
 */
TEST_F(start, teardown, test_parts_that_contradict)
{
	static const struct {
		const char *line[4]; /* its fields; NULL: it is lost */
		const char *reported[2];
		unsigned records;
	} cases[] = {
		{ { BARE PART(0) MORE, ",\"type\":\"stage\",\"stage\":\"acpi\"" PART(1) },
		  { "occurs twice, with different values" },
		  0 },
		{ { BARE PART(0) ",\"usb\":\"a\"" MORE, BARE PART(1) ",\"usb\":\"a\"",
		    BARE PART(0) ",\"usb\":\"a\"" MORE, BARE PART(1) ",\"chipset\":\"a\"" },
		  { "field \"usb\" occurs twice" },
		  1 },
		{ { BARE MORE, BARE PART(1) },
		  { "its parts have no numbers", "the part before it is missing" },
		  0 },
		{ { BARE PART(0) MORE, BARE PART(2) }, { "a part of it is missing" }, 0 },
		/* An unusable record is reported once, and not with each further part. */
		{ { BARE PART(0) ",\"usb\":7" MORE, BARE PART(1) MORE, BARE PART(2) },
		  { "\"usb\" is not a string" },
		  0 },
		/* The beginning of one record and the end of another. */
		{ { BARE PART(0) MORE, NULL, NULL, BARE PART(1) },
		  { "a part of it is missing" },
		  0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		capture_free(&capture);
		capture_start(&capture, SID);
		for (unsigned n = 0; n < 4; n++)
			if (cases[i].line[n])
				sign(&capture, HEAD "%s", n, cases[i].line[n]);
		read_all(&capture);
		assert_int_equal(records(), cases[i].records);
		assert_int_equal(heard.complaints, cases[i].reported[1] ? 2 : 1);
		for (unsigned n = 0; n < heard.complaints; n++)
			assert_reported(n, n + 1, cases[i].reported[n]);
	}
}

static void send_begins(unsigned parts)
{
	capture_free(&capture);
	capture_start(&capture, SID);
	for (unsigned n = 0; n < parts; n++)
		sign(&capture, HEAD ",\"type\":\"begin\",\"part\":%u,\"x\":1%s", n, n,
		     n + 1 < parts ? ",\"more\":true" : "");
	read_all(&capture);
}

/* The longest `begin` that a collector accepts is also accepted here. */
TEST_F(start, teardown, test_longest_begin)
{
	send_begins(READER_BEGIN_PARTS_MAX);
	assert_int_equal(heard.complaints, 1);
	assert_reported(0, 1, "is missing (expected");
	send_begins(READER_BEGIN_PARTS_MAX + 1);
	assert_int_equal(heard.complaints, 1);
	assert_reported(0, 1, "the run has a begin already");
}

/* Parts without end: bounded. */
TEST_F(start, teardown, test_endless_parts)
{
	for (unsigned n = 0; n < READER_PARTS_MAX + 10; n++)
		sign(&capture, HEAD ",\"type\":\"stage\",\"x\":[1],\"part\":%u,\"more\":true", n,
		     n);
	read_all(&capture);
	assert_int_equal(records(), 0);
	assert_int_equal(heard.complaints, 1);
	assert_reported(0, 1, "too many parts");
}

TEST_F(start, teardown, test_only_wanted_types)
{
	write_run(&capture);
	start_reader(1u << RECORD_LOG, false);
	reader_feed(heard.reader, capture.bytes, capture.count);
	reader_finish(heard.reader);
	assert_int_equal(only_run()->logs, 1);
	assert_true(only_run()->has_end);
	assert_int_equal(only_run()->stages, 0);
	assert_true(result_is_whole(only_run()));

	/* Records in parts count once, whether their type is wanted or not. */
	capture_free(&capture);
	capture_start(&capture, SID);
	write_parts(&capture);
	start_reader(0, false);
	reader_feed(heard.reader, capture.bytes, capture.count);
	reader_finish(heard.reader);
	assert_int_equal(only_run()->records[RECORD_CPU], 1);
	assert_true(result_is_whole(only_run()));
}

static void feed_times(const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		reader_feed(heard.reader, text, strlen(text));
}

/* A record after megabytes without a newline, with more behind it, is found. */
TEST_F(start, teardown, test_overlong_lines)
{
	write_run(&capture);
	start_reader(EVERYTHING, false);
	feed_times("binary \x80\x81 without end {\"nf", 100000);
	reader_feed(heard.reader, capture.bytes, capture.count - 1);
	feed_times("more of it ", 100000);
	feed_times("\n", 1);
	reader_finish(heard.reader);
	assert_int_equal(heard.complaints, 0);
	assert_true(result_is_whole(only_run()));

	/* A record that is longer than any line is damaged, and counts once. */
	start_reader(EVERYTHING, false);
	feed_times("{\"nf\":1,", 1);
	feed_times("xxxxxxxxxxxxxxxx", 1000000 / 16);
	reader_finish(heard.reader);
	assert_int_equal(heard.complaints, 1);
	assert_reported(0, 1, "truncated");
}

static void read_behind(const char *filler, size_t from, size_t to, unsigned complaints)
{
	for (size_t count = from; count <= to; count++) {
		start_reader(EVERYTHING, false);
		reader_feed(heard.reader, filler, count);
		reader_feed(heard.reader, capture.bytes, capture.count);
		reader_finish(heard.reader);
		assert_int_equal(heard.complaints, complaints);
		assert_true(result_is_whole(only_run()));
	}
}

/* A record at every place relative to the buffer's end, behind chatter, and behind damage. */
TEST_F(start, teardown, test_buffer_edge)
{
	static char filler[READER_LINE_MAX + 16];

	memset(filler, 'z', sizeof(filler));
	write_run(&capture);
	read_behind(filler, READER_LINE_MAX - capture.count - 8, READER_LINE_MAX + 8, 0);
	memcpy(filler, "{\"nf\":", 6);
	read_behind(filler, READER_LINE_MAX - 10, READER_LINE_MAX, 1);
}

TEST_F(start, teardown, test_too_many_runs)
{
	for (unsigned n = 0; n < READER_RUNS_MAX + 3; n++)
		sign(&capture, "{\"nf\":1,\"sid\":\"%016x\",\"seq\":0,\"type\":\"stage\"", n);
	read_all(&capture);
	assert_int_equal(records(), READER_RUNS_MAX);
	assert_int_equal(heard.complaints, 3);
	assert_reported(0, READER_RUNS_MAX + 1, "exceeds the maximum of");
	assert_int_equal(reader_totals(heard.reader)->refused, 3);
}

/* The first runs make room; one that comes again is a run of its own. */
TEST_F(start, teardown, test_runs_are_forgotten)
{
	for (unsigned n = 0; n < READER_RUNS_MAX + 3; n++)
		sign(&capture, "{\"nf\":1,\"sid\":\"%016x\",\"seq\":0,\"type\":\"stage\"", n);
	sign(&capture, "{\"nf\":1,\"sid\":\"%016x\",\"seq\":1,\"type\":\"stage\"", 1);
	start_reader(EVERYTHING, true);
	reader_feed(heard.reader, capture.bytes, capture.count);
	reader_finish(heard.reader);
	assert_int_equal(reader_totals(heard.reader)->lines, READER_RUNS_MAX + 4);
	assert_int_equal(records(), READER_RUNS_MAX);
	assert_int_equal(heard.complaints, 0);
	assert_int_equal(reader_totals(heard.reader)->refused, 0);
	for (unsigned n = 0; n < READER_RUNS_MAX - 1; n++)
		assert_int_equal(reader_run(heard.reader, n)->sid, 4 + n);
	assert_int_equal(reader_run(heard.reader, READER_RUNS_MAX - 1)->sid, 1);
	assert_null(reader_run(heard.reader, READER_RUNS_MAX));
}

/* Compare the set of line numbers with a plain array, in random order with repeats. */
TEST_F(start, teardown, test_seqset)
{
	enum { NUMBERS = 200 };
	static struct some some;

	for (unsigned round = 0; round < 100; round++) {
		bool member[NUMBERS] = { false };
		struct seqset set = { 0 };
		uint64_t top = 0, count = 0, missing = 0;
		struct seqset_range hole;

		some_start(&some, round);
		for (unsigned i = 0; i < 150; i++) {
			uint64_t seq = some_bits(&some) % NUMBERS;

			assert_int_equal(seqset_add(&set, seq),
					 member[seq] ? SEQSET_KNOWN : SEQSET_NEW);
			count += !member[seq];
			member[seq] = true;
			top = seq > top ? seq : top;
			assert_int_equal(seqset_missing(&set), top + 1 - count);
		}
		for (size_t n = 0; seqset_hole(&set, n, &hole); n++) {
			for (uint64_t seq = hole.first; seq <= hole.last; seq++)
				assert_false(member[seq]);
			missing += hole.last - hole.first + 1;
		}
		assert_int_equal(missing, top + 1 - count);
		seqset_free(&set);
	}
}

TEST_F(start, teardown, test_seqset_is_bounded)
{
	struct seqset set = { 0 };

	for (uint64_t n = 0; n < SEQSET_RANGES_MAX; n++)
		assert_int_equal(seqset_add(&set, 2 * n), SEQSET_NEW);
	assert_int_equal(seqset_add(&set, 2 * SEQSET_RANGES_MAX + 7), SEQSET_FULL);
	assert_int_equal(seqset_add(&set, 1), SEQSET_NEW);
	assert_int_equal(seqset_add(&set, 2 * SEQSET_RANGES_MAX + 7), SEQSET_NEW);
	seqset_free(&set);
}

TEST_F(start, teardown, test_nothing)
{
	read_text("\n\n");
	assert_null(reader_run(heard.reader, 0));
	read_text("just {\"nf\" text");
	assert_null(reader_run(heard.reader, 0));
	assert_int_equal(heard.complaints, 0);
	assert_int_equal(reader_totals(heard.reader)->bytes, 15);
}
