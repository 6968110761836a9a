/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of the code on the screen: read back, its lines are those of the summary. */
#include "core/lib/letters.h"
#include "core/records/record_code.h"
#include "core/records/record_field.h"

#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/some_records.h"

#include <stdlib.h>
#include <string.h>

#define SID     UINT64_C(0x0123456789abcdef)
#define HEAD    (sizeof(RECORD_CODE_HEAD) - 1)
#define TAIL    (sizeof(RECORD_CODE_TAIL) - 1)
#define LONGEST 100u

/* Where the summary's strings are. Returns how many there are. */
static unsigned strings_of(struct record_summary *s, const char **string[RECORD_FIELDS_MAX])
{
	unsigned n = 0;

	for (const struct record_field *f = record_fields(RECORD_SUMMARY); f->kind != FIELD_END;
	     f++)
		if (f->kind == FIELD_STRING)
			string[n++] = (const char **)(void *)((char *)s + f->offset);
	return n;
}

static char line[RECORD_CODE_TEXT_MAX + 1], lines[RECORD_CODE_LINES_MAX + 1];
static char sent[RECORD_CODE_LINES_MAX];
static size_t sent_bytes;
static struct text text;
static struct record_code_work work __attribute__((aligned(16)));

static void set_up(void)
{
	text_init(&text, line, sizeof(line));
}

/* The lines that the text has. */
static void read_back(void)
{
	static uint8_t packed[RECORD_CODE_TEXT_MAX];
	static uint8_t deflated[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));
	size_t count = text.len - HEAD - TAIL, bytes;

	assert_false(text.overflow);
	assert_memory_equal(line, RECORD_CODE_HEAD, HEAD);
	assert_string_equal(line + text.len - TAIL, RECORD_CODE_TAIL);
	assert_int_equal(letters_base45_read(packed, line + HEAD, count), count);
	bytes = deflate_unpack(lines, sizeof(lines) - 1, packed, BASE45_BYTES(count), deflated);
	assert_true(bytes);
	lines[bytes] = '\0';
}

static void keep_line(struct record_link *link, const char *at, size_t bytes)
{
	(void)link;
	assert_true(bytes <= sizeof(sent) - sent_bytes);
	memcpy(sent + sent_bytes, at, bytes);
	sent_bytes += bytes;
}

/* True if the lines are those of the summary with strings of at most `most` bytes. */
static bool is_cut_at(const struct record_summary *s, uint64_t sid, size_t most)
{
	struct record_link link = { .write = keep_line, .sid = sid, .string_max = most };

	sent_bytes = 0;
	record_send(&link, RECORD_SUMMARY, s);
	return sent_bytes == strlen(lines) && !memcmp(sent, lines, sent_bytes);
}

/* At what length strings are cut; no number is ever left out. */
static size_t cut_at(const struct record_summary *s, uint64_t sid)
{
	size_t most = RECORD_CODE_STRING_MAX;

	record_code_write(&text, sid, s, &work);
	read_back();
	while (most && !is_cut_at(s, sid, most))
		most--;
	assert_true(most >= RECORD_CODE_STRING_MIN);
	return most;
}

/* A server in the field. */
static struct record_summary server(void)
{
	return (struct record_summary){
		.version = "0.1.0",
		.arch = "x86_64",
		.began = "2026-11-24T10:31:07+01:00",
		.machine = { "Dell Inc.", "PowerEdge R760", "0HJYFX", "Dell Inc.", "2.1.5",
			     "07/19/2026", "4c4c4544-0042-3610-8051-b7c04f4d3533" },
		.cpu = "Intel(R) Xeon(R) Gold 6438N",
		.microcode = { 0x2b000603, true },
		.found = 64,
		.measured = 64,
		.stages = "bare,handoff",
		.limits = "max=20us max_smi=0",
		.threshold_ns = 1000,
		.verdict = "fail",
		.sampled_ns = { UINT64_C(59998000000), true },
		.exposure_ns = { UINT64_C(7679744000000), true },
		.gaps = { 1920, true },
		.noise_ns = { UINT64_C(345600000), true },
		.smi = { 30, true },
		.nmi = { 0, true },
		.mce = { 0, true },
		.longest_ns = { 181200, true },
		.longest_cpu = { 17, true },
		.longest_stage = "handoff",
		.longest_cause = "smi",
		.cause[CAUSE_SMI] = { 1910, UINT64_C(345500000) },
		.cause[CAUSE_UNKNOWN] = { 10, 100000 },
	};
}

TEST_F(set_up, NULL, test_server)
{
	struct record_summary s = server();

	assert_int_equal(cut_at(&s, SID), RECORD_CODE_STRING_MAX);
	/* In version 16 of a QR code: 81 modules to a side. */
	assert_true(text.len <= 854);
	/* Only what the alphanumeric mode of QR codes has. */
	assert_int_equal(strspn(line, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"), text.len);
}

TEST_F(set_up, NULL, test_any)
{
	static struct some some;
	const char **string[RECORD_FIELDS_MAX];
	struct record_summary s;
	union record r;

	for (uint64_t seed = 1; seed <= rounds(60, 300); seed++) {
		some_start(&some, seed);
		some_record(&some, RECORD_SUMMARY, &r);
		s = r.summary;
		for (unsigned n = strings_of(&s, string); n-- > 0;)
			if (*string[n] && strlen(*string[n]) > LONGEST)
				*string[n] += strlen(*string[n]) - LONGEST;
		record_code_write(&text, seed, &s, &work);
		/* All numbers of 20 digits, all strings of noise: that may be too much. */
		if (text.len)
			cut_at(&s, seed);
	}
}

static void lengthen(struct record_summary *s, char c)
{
	static char longest[LONGEST];
	const char **string[RECORD_FIELDS_MAX];

	memset(longest, c, sizeof(longest) - 1);
	for (unsigned n = strings_of(s, string); n-- > 0;)
		*string[n] = longest;
}

#define DAY_NS UINT64_C(86400000000000)

/*
 * 255 cores for thirty days in each of four stages, never without gaps, all causes that a
 * processor can have, all strings too long.
 */
static struct record_summary worst(const enum cause *causes, unsigned count, char c)
{
	const uint64_t ns = 4 * 30 * DAY_NS * 255, gaps = ns / 1000;
	struct record_summary s = {
		.microcode = { UINT64_MAX, true },
		.found = 255,
		.measured = 255,
		.threshold_ns = 999999999,
		.sampled_ns = { 30 * DAY_NS, true },
		.exposure_ns = { ns, true },
		.gaps = { gaps, true },
		.noise_ns = { ns, true },
		.smi = { gaps, true },
		.nmi = { gaps, true },
		.mce = { gaps, true },
		.longest_ns = { 30 * DAY_NS, true },
		.longest_cpu = { 254, true },
		.stretch = { UINT64_MAX, true },
	};

	lengthen(&s, c);
	s.verdict = "incomplete";
	for (unsigned i = 0; i < count; i++)
		s.cause[causes[i]] = (struct cause_sum){ gaps, ns };
	return s;
}

static const enum cause of_x86_64[] = { CAUSE_SMI,     CAUSE_NMI,   CAUSE_MCE,    CAUSE_STEAL,
					CAUSE_STOPPED, CAUSE_STALL, CAUSE_UNKNOWN };
static const enum cause of_aarch64[] = { CAUSE_EL3,     CAUSE_HYPERVISOR, CAUSE_SERROR, CAUSE_STEAL,
					 CAUSE_STOPPED, CAUSE_STALL,      CAUSE_UNKNOWN };

TEST_F(set_up, NULL, test_longest)
{
	for (unsigned i = 0; i < 6; i++) {
		struct record_summary s = worst(i % 2 ? of_aarch64 : of_x86_64, 7, ";\xff~"[i / 2]);

		cut_at(&s, SID);
	}
}

/* Strings are cut where they do not fit, all alike. */
TEST_F(set_up, NULL, test_cut)
{
	static char noise[RECORD_FIELDS_MAX][LONGEST + 1];
	const char **string[RECORD_FIELDS_MAX];
	struct record_summary s = worst(of_x86_64, 7, 'a');
	uint32_t seed = 5;

	for (unsigned i = strings_of(&s, string); i-- > 0;) {
		for (size_t n = 0; n < LONGEST; n++) {
			seed = seed * 1103515245u + 12345;
			noise[i][n] = (char)('!' + (seed >> 16) % 90);
		}
		*string[i] = noise[i];
	}
	assert_in_range(cut_at(&s, SID), RECORD_CODE_STRING_MIN, RECORD_CODE_STRING_MAX - 1);
}
