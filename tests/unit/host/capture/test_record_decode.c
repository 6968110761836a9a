/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder of records: on lines of real runs and of core/records/record.c, and on each of them
 * with every byte changed, it agrees with a JSON parser. Other spellings are seeds of
 * tests/fuzz/fuzz_reader.c.
 */
#include "tests/fuzz/agrees.h"
#include "tests/fuzz/signed.h"

#include "tests/unit/common/test.h"
#include "tests/unit/capture.h"
#include "tests/unit/rounds.h"

static struct capture capture;

static void start(void)
{
	capture_start(&capture, UINT64_C(0x0123456789abcdef));
}

static void teardown(void)
{
	capture_free(&capture);
}

/* Records with everything that their types can hold. */
static void write_records(void)
{
	static const uint64_t pairs[][2] = { { 1000, 3 }, { 2000, UINT64_C(1) << 62 } };
	struct record_gap gap = { .stage = "handoff", .cpu = 254, .cause = "smi" };
	struct record_event event = { .stage = "bare", .cause = "nmi", .scope = "core" };
	const struct record_window window = { .stage = "acpi", .smi = { 7, true } };
	const struct record_begin begin = { .version = "1",
					    .machine.uuid = "\xb5 \"\\",
					    .evidence = { "smi", "nmi" } };
	const struct record_stage stage = { .stage = "bare", .timers = { { "tco", 600 } } };
	const struct record_cpu cpu = { .stage = "bare",
					.tsc_offset = -7,
					.histogram = { pairs, 2 } };
	const struct record_end end = { .verdict = "fail", .reasons = { "a", "b" } };

	record_send(&capture.link, RECORD_BEGIN, &begin);
	record_send(&capture.link, RECORD_STAGE, &stage);
	record_send(&capture.link, RECORD_CPU, &cpu);
	record_send(&capture.link, RECORD_END, &end);
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

/* Call the function for each line of the capture that is a record. */
static void each_line(void (*call)(const char *line, size_t bytes))
{
	for (const char *line = capture.bytes; *line;) {
		size_t bytes = strcspn(line, "\r\n");

		if (strncmp(line, LINE_MARK, strlen(LINE_MARK)) == 0)
			call(line, bytes);
		line += bytes + strspn(line + bytes, "\r\n");
	}
}

static unsigned count[AGREES_NOT + 1];

static void count_agreement(const char *line, size_t bytes)
{
	enum agreement a = agrees(line, bytes);

	if (a == AGREES_NOT)
		fail_msg("the parser does not agree on %.*s", (int)bytes, line);
	count[a]++;
}

TEST_F(start, teardown, test_runs)
{
	load_all();
	memset(count, 0, sizeof(count));
	each_line(count_agreement);
	assert_true(count[AGREES_TAKEN] > 300);
	assert_int_equal(count[AGREES_REFUSED], 0);
}

/* With a checksum that is right for it. */
static void agree_signed(const char *text, size_t bytes)
{
	static char line[4096];

	count_agreement(line, signed_lines(text, bytes, line) - 1);
}

static const char bytes_tried[] = "\"\\,:{}[]0129-+.eEtfn \t\x1f\x7f\x80";

static void change_each_byte(const char *line, size_t bytes)
{
	static char text[2048];
	size_t kept = bytes - LINE_CHECKSUM_BYTES;

	if (bytes + 20 > sizeof(text))
		return;
	for (size_t at = 0; at < kept; at += rounds(7, 1)) {
		for (const char *byte = bytes_tried; *byte; byte++) {
			memcpy(text, line, kept);
			text[at] = *byte;
			agree_signed(text, kept);
			memcpy(text + at + 1, line + at, kept - at);
			agree_signed(text, kept + 1);
		}
		memcpy(text, line, kept);
		memmove(text + at, text + at + 1, kept - at - 1);
		agree_signed(text, kept - 1);
		/* Try a number of another size, and repeat a part. */
		memcpy(text, line, at);
		memcpy(text + at, "1844674407370955161", 19);
		memcpy(text + at + 19, line + at, kept - at);
		agree_signed(text, kept + 19);
	}
}

TEST_F(start, teardown, test_changed)
{
	write_records();
	memset(count, 0, sizeof(count));
	each_line(change_each_byte);
	print_message("%u changed lines taken, %u refused, %u open\n", count[AGREES_TAKEN],
		      count[AGREES_REFUSED], count[AGREES_OPEN]);
	/* Other digits and letters are as good; most else is not. */
	assert_true(count[AGREES_TAKEN] > rounds(120, 1000) &&
		    count[AGREES_REFUSED] > count[AGREES_TAKEN]);
}

#define GAP_HEAD "{\"nf\":1,\"sid\":\"0123456789abcdef\",\"seq\":1,\"type\":\"gap\""
#define GAP_TAIL ",\"start_tsc\":1,\"ticks\":2,\"t_ns\":3,\"len_ns\":4,\"cause\":\"smi\",\"cpu\":1"

static enum agreement agrees_signed(const char *fields)
{
	char text[40000], line[40100];
	int bytes = snprintf(text, sizeof(text), "%s%s%s", GAP_HEAD, fields, GAP_TAIL);

	return agrees(line, signed_lines(text, (size_t)bytes, line) - 1);
}

/* Without a header and a checksum, which line_read() looks at. */
static struct line fields_of(const char *text)
{
	return (struct line){ .text = text, .fields = text, .bytes = strlen(text) };
}

/* The fields of a gap, and its smi. */
static bool is_decoded(const char *text, uint64_t *smi)
{
	static struct record_decode decode;
	const struct line line = fields_of(text);
	char reason[200];
	struct text why;
	bool taken;

	text_init(&why, reason, sizeof(reason));
	record_decode_start(&decode, RECORD_GAP);
	taken = record_decode_line(&decode, &line, &why);
	*smi = decode.record.gap.smi.value;
	record_decode_free(&decode);
	return taken;
}

/* Numbers that jansson cannot hold, up to 64 bits. */
TEST(test_64_bits)
{
	static const struct {
		const char *fields;
		uint64_t smi; /* 0: refused */
	} cases[] = {
		{ ",\"smi\":9223372036854775808", UINT64_C(1) << 63 },
		{ ",\"smi\":18446744073709551615", UINT64_MAX },
		{ ",\"smi\":18446744073709551616", 0 },
		{ ",\"smi\":18446744073709551620", 0 },
		{ ",\"smi\":99999999999999999999", 0 },
		{ ",\"smi\":100000000000000000000", 0 },
	};
	uint64_t smi;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(is_decoded(cases[i].fields, &smi), cases[i].smi != 0);
		if (cases[i].smi)
			assert_int_equal(smi, cases[i].smi);
	}
}

/* Brackets in brackets: bounded as the parser bounds them. */
TEST_F(start, teardown, test_depth)
{
	static const struct {
		unsigned depth;
		enum agreement expected;
	} cases[] = { { 2047, AGREES_TAKEN }, { 2048, AGREES_OPEN }, { 15000, AGREES_OPEN } };
	static char fields[40000];
	uint64_t smi;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t at = (size_t)sprintf(fields, ",\"new\":");

		memset(fields + at, '[', cases[i].depth);
		memset(fields + at + cases[i].depth, ']', cases[i].depth);
		fields[at + 2 * cases[i].depth] = '\0';
		assert_int_equal(agrees_signed(fields), cases[i].expected);
		assert_int_equal(is_decoded(fields, &smi), cases[i].expected == AGREES_TAKEN);
	}
}

/* A field that occurs twice does not replace one that is missing. */
TEST(test_missing)
{
	static const char line[] = ",\"verdict\":\"pass\",\"reasons\":[],\"records\":{},%s";
	static const struct {
		const char *last;
		bool whole;
	} cases[] = { { "\"gaps_unsent\":0", true }, { "\"records\":{}", false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_decode decode = { .room = 0 };
		char text[500], reason[200];
		struct line fields;
		struct text why;

		text_init(&why, reason, sizeof(reason));
		snprintf(text, sizeof(text), line, cases[i].last);
		fields = fields_of(text);
		record_decode_start(&decode, RECORD_END);
		assert_true(record_decode_line(&decode, &fields, &why));
		assert_int_equal(record_decode_finish(&decode, &why), cases[i].whole);
		assert_int_equal(strstr(reason, "\"gaps_unsent\" is missing") != NULL,
				 !cases[i].whole);
		record_decode_free(&decode);
	}
}
