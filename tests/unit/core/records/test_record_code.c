/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of the code on the screen: written, read back, and refused when it is not whole. */
#include "core/lib/crc32c.h"
#include "core/records/record_code_read.h"

#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/some_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SID  UINT64_C(0x0123456789abcdef)
#define ROOM (RECORD_CODE_READ_MAX + 100)

/* Members that are strings: where they are. */
#define AT(member) offsetof(struct record_summary, member)
static const size_t strings[] = {
	AT(version),
	AT(arch),
	AT(began),
	AT(machine.vendor),
	AT(machine.product),
	AT(machine.board),
	AT(machine.bios_vendor),
	AT(machine.bios_version),
	AT(machine.bios_date),
	AT(machine.uuid),
	AT(cpu),
	AT(hypervisor),
	AT(os),
	AT(stages),
	AT(limits),
	AT(verdict),
	AT(longest_stage),
	AT(longest_cause),
};

#define STRINGS (sizeof(strings) / sizeof(strings[0]))

static const char **string_at(const struct record_summary *s, size_t i)
{
	return (const char **)(void *)((char *)(uintptr_t)s + strings[i]);
}

static char line[ROOM], reason[300];
static struct text text, why;
static struct record_code code;

static int set_up(void **state)
{
	(void)state;
	text_init(&text, line, sizeof(line));
	text_init(&why, reason, sizeof(reason));
	return 0;
}

/* With the right checksum. */
static void close_line(void)
{
	text_add(&text, ";crc=%08x", crc32c(text.buf, text.len));
}

static bool read_back(void)
{
	text_reset(&why);
	memset(&code, 0xa5, sizeof(code));
	return record_code_read(&code, text.buf, text.len, &why);
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
		.exposure_ns = UINT64_C(7679744000000),
		.gaps = 1920,
		.noise_ns = UINT64_C(345600000),
		.smi = { 30, true },
		.nmi = { 0, true },
		.mce = { 0, true },
		.longest_ns = 181200,
		.longest_cpu = 17,
		.longest_stage = "handoff",
		.longest_cause = "smi",
		.cause[CAUSE_SMI] = { 1910, UINT64_C(345500000) },
		.cause[CAUSE_UNKNOWN] = { 10, 100000 },
		.longest[CAUSE_SMI] = { 181200, true },
		.longest[CAUSE_UNKNOWN] = { 12345, true },
	};
}

TEST_F(set_up, NULL, test_text)
{
	static const char expected[] =
		"NF1;sid=0123456789abcdef;verdict=fail;sampled_ns=59998000000;"
		"version=0.1.0;arch=x86_64;"
		"began=2026-11-24T10:31:07+01:00;machine.vendor=Dell Inc.;.product=PowerEdge R760;"
		".board=0HJYFX;.bios_vendor=Dell Inc.;.bios_version=2.1.5;.bios_date=07/19/2026;"
		".uuid=4c4c4544-0042-3610-8051-b7c04f4d3533;cpu=Intel(R) Xeon(R) Gold 6438N;"
		"microcode=721421827;found=64;measured=64;stages=bare,handoff;"
		"limits=max=20us max_smi=0;threshold_ns=1000;"
		"exposure_ns=7679744000000;gaps=1920;noise_ns=345600000;smi=30;nmi=0;mce=0;"
		"longest_ns=181200;longest_cpu=17;longest_stage=handoff;longest_cause=smi;"
		"cause=smi:1910:345500000,unknown:10:100000;longest.smi=181200;.unknown=12345";
	struct record_summary s = server();

	record_code_write(&text, SID, &s);
	assert_int_equal(text.len, sizeof(expected) - 1 + strlen(";crc=01234567"));
	assert_memory_equal(line, expected, sizeof(expected) - 1);
	text.len = sizeof(expected) - 1;
	close_line();
	assert_string_equal(line, text.buf);
}

TEST_F(set_up, NULL, test_escapes)
{
	struct record_summary s = { .version = "a;b%c=d", .arch = "\x01\x7f\xff \n", .cpu = "" };

	record_code_write(&text, SID, &s);
	assert_non_null(strstr(line, ";version=a%3Bb%25c=d;arch=%01%7F%FF %0A;cpu=;"));
	assert_true(read_back());
	assert_string_equal(code.summary.version, s.version);
	assert_string_equal(code.summary.arch, s.arch);
	assert_string_equal(code.summary.cpu, "");
	assert_null(code.summary.began);
}

/* ---- There and back ---- */

/* What may be absent is so in four of `eight` cases. */
static void some_optional(struct some *some, struct record_summary *s, size_t most, unsigned eight)
{
	struct maybe *maybe[] = { &s->microcode, &s->smi, &s->nmi, &s->mce, &s->stretch };

	for (size_t i = 0; i < STRINGS; i++)
		if (some_bits(some) % eight >= 4)
			*string_at(s, i) = some_text(some, some_bits(some) % (most + 1));
	for (size_t i = 0; i < sizeof(maybe) / sizeof(maybe[0]); i++)
		if (some_bits(some) % eight >= 4)
			*maybe[i] = (struct maybe){ some_u64(some), true };
	for (unsigned i = 0; i < CAUSES; i++) {
		if (some_bits(some) % eight < 4 || some_bits(some) % 4)
			continue;
		s->cause[i] = (struct cause_sum){ some_u32(some), some_u64(some) >> 8 };
		s->longest[i] = (struct maybe){ some_u32(some), true };
	}
}

static void some_short_summary(struct some *some, struct record_summary *s, size_t most,
			       unsigned eight)
{
	*s = (struct record_summary){
		.found = some_u32(some),
		.measured = some_u32(some),
		.threshold_ns = some_u32(some),
		.sampled_ns = { some_u64(some) >> 8, true },
		.exposure_ns = some_u64(some) >> 8,
		.gaps = some_u64(some) >> 8,
		.noise_ns = some_u64(some) >> 8,
		.longest_ns = some_u64(some) >> 8,
		.longest_cpu = some_u32(some),
	};
	some_optional(some, s, most, eight);
}

static void assert_maybe(struct maybe was, struct maybe is, bool whole)
{
	if (whole || is.known)
		assert_int_equal(was.known, is.known);
	if (is.known)
		assert_int_equal(was.value, is.value);
}

/* A string that is read back is the one that was written, or its beginning. */
static void assert_string(const char *was, const char *is, bool whole)
{
	if (whole)
		assert_int_equal(!was, !is);
	if (!is)
		return;
	assert_non_null(was);
	if (whole)
		assert_string_equal(was, is);
	else
		assert_memory_equal(was, is, strlen(is));
}

/* whole: what may be left out is there, too. */
static void assert_read(const struct record_summary *was, bool whole)
{
	const struct record_summary *is = &code.summary;

	for (size_t i = 0; i < STRINGS; i++)
		assert_string(*string_at(was, i), *string_at(is, i), whole);
	for (unsigned i = 0; i < CAUSES; i++) {
		assert_int_equal(was->cause[i].gaps, is->cause[i].gaps);
		assert_int_equal(was->cause[i].ns, is->cause[i].ns);
		assert_maybe(was->longest[i], is->longest[i], whole);
	}
	assert_maybe(was->microcode, is->microcode, whole);
	assert_int_equal(was->found, is->found);
	assert_int_equal(was->measured, is->measured);
	assert_int_equal(was->threshold_ns, is->threshold_ns);
	assert_true(was->sampled_ns.known && is->sampled_ns.known);
	assert_int_equal(was->sampled_ns.value, is->sampled_ns.value);
	assert_int_equal(was->exposure_ns, is->exposure_ns);
	assert_int_equal(was->gaps, is->gaps);
	assert_int_equal(was->noise_ns, is->noise_ns);
	assert_maybe(was->smi, is->smi, whole);
	assert_maybe(was->nmi, is->nmi, whole);
	assert_maybe(was->mce, is->mce, whole);
	assert_int_equal(was->longest_ns, is->longest_ns);
	assert_int_equal(was->longest_cpu, is->longest_cpu);
	assert_maybe(was->stretch, is->stretch, whole);
}

static void there_and_back(uint64_t seed, size_t most, unsigned eight, bool whole)
{
	static struct some some;
	struct record_summary s;

	some_start(&some, seed);
	some_short_summary(&some, &s, most, eight);
	record_code_write(&text, seed, &s);
	assert_true(text.len <= RECORD_CODE_BYTES_MAX && text.len == strlen(line));
	if (!read_back())
		fail_msg("%s\n%s", reason, line);
	assert_int_equal(code.sid, seed);
	assert_read(&s, whole);
}

TEST_F(set_up, NULL, test_there_and_back)
{
	for (uint64_t seed = 1; seed <= rounds(2000, 20000); seed++) {
		/* Fewer and shorter than there is room for. */
		there_and_back(seed, 5, 7, true);
		there_and_back(seed, 200, 32, false);
	}
}

/* ---- Length ---- */

/* As long as strings get, without a byte that is escaped, or of nothing else. */
static void lengthen(struct record_summary *s, char c)
{
	static char longest[200];

	memset(longest, c, sizeof(longest) - 1);
	for (size_t i = 0; i < STRINGS; i++)
		*string_at(s, i) = longest;
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
		.exposure_ns = ns,
		.gaps = gaps,
		.noise_ns = ns,
		.smi = { gaps, true },
		.nmi = { gaps, true },
		.mce = { gaps, true },
		.longest_ns = 30 * DAY_NS,
		.longest_cpu = 254,
		.stretch = { UINT64_MAX, true },
	};

	lengthen(&s, c);
	s.verdict = "incomplete";
	for (unsigned i = 0; i < count; i++) {
		s.cause[causes[i]] = (struct cause_sum){ gaps, ns };
		s.longest[causes[i]] = (struct maybe){ 30 * DAY_NS, true };
	}
	return s;
}

static const enum cause of_x86_64[] = { CAUSE_SMI,     CAUSE_NMI,   CAUSE_MCE,    CAUSE_STEAL,
					CAUSE_STOPPED, CAUSE_STALL, CAUSE_UNKNOWN };
static const enum cause of_aarch64[] = { CAUSE_EL3,     CAUSE_HYPERVISOR, CAUSE_SERROR, CAUSE_STEAL,
					 CAUSE_STOPPED, CAUSE_STALL,      CAUSE_UNKNOWN };

TEST_F(set_up, NULL, test_longest)
{
	static const struct {
		const enum cause *causes;
		unsigned count;
	} sets[] = { { of_x86_64, 7 }, { of_aarch64, 7 } };

	for (unsigned i = 0; i < 6; i++) {
		struct record_summary s = worst(sets[i % 2].causes, sets[i % 2].count,
						";\xff~"[i / 2]);

		record_code_write(&text, SID, &s);
		assert_true(text.len <= RECORD_CODE_BYTES_MAX);
		assert_true(read_back());
		assert_read(&s, false);
		assert_string_equal(code.summary.verdict, "incomplete");
	}
}

/* Strings are cut before a field is left out, and fields from the last one up. */
TEST_F(set_up, NULL, test_left_out)
{
	struct record_summary s = server();

	lengthen(&s, 'a');
	record_code_write(&text, SID, &s);
	assert_true(text.len > RECORD_CODE_BYTES_MAX - STRINGS);
	assert_true(read_back());
	assert_true(strlen(code.summary.version) < RECORD_CODE_STRING_MAX);
	assert_true(strlen(code.summary.version) > RECORD_CODE_STRING_MIN);
	assert_true(code.summary.longest[CAUSE_UNKNOWN].known);

	s = worst(of_x86_64, 7, 'a');
	record_code_write(&text, SID, &s);
	assert_true(read_back());
	assert_int_equal(strlen(code.summary.version), RECORD_CODE_STRING_MIN);
	assert_false(code.summary.stretch.known || code.summary.longest[CAUSE_SMI].known);
	assert_non_null(code.summary.machine.uuid);
}

/* Nothing is cut of what machines really have. */
TEST_F(set_up, NULL, test_not_cut)
{
	struct record_summary s = server();

	s.cpu = "Intel(R) Xeon(R) Platinum 8592+ CPU @ 1.90GHz  ";
	s.limits = "max=20us max_smi=0 max_noise=100 max_stretch=1.2";
	record_code_write(&text, SID, &s);
	assert_true(read_back());
	for (size_t i = 0; i < STRINGS; i++)
		if (*string_at(&s, i))
			assert_string_equal(*string_at(&code.summary, i), *string_at(&s, i));
}

/* All numbers that there are, and all causes. */
TEST_F(set_up, NULL, test_largest_numbers)
{
	struct record_summary s = worst(of_x86_64, 7, 'a');

	for (unsigned i = 0; i < CAUSES; i++)
		s.cause[i] = (struct cause_sum){ UINT64_MAX, UINT64_MAX };
	s.gaps = s.noise_ns = s.exposure_ns = UINT64_MAX;
	s.threshold_ns = s.longest_ns = UINT64_MAX;
	s.found = s.measured = s.longest_cpu = UINT32_MAX;
	record_code_write(&text, SID, &s);
	assert_true(text.len <= RECORD_CODE_BYTES_MAX);
	assert_true(read_back());
	assert_read(&s, false);
	assert_string_equal(code.summary.verdict, "incomplete");
}

/* ---- What is refused ---- */

static const char least[] =
	"NF1;sid=0123456789abcdef;found=4;measured=4;threshold_ns=1000;"
	"sampled_ns=1;exposure_ns=4;gaps=0;noise_ns=0;longest_ns=0;longest_cpu=0";

static void read_least(const char *more)
{
	text_reset(&text);
	text_add(&text, "%s%s", least, more);
	close_line();
}

TEST_F(set_up, NULL, test_accepted)
{
	static const char *const more[] = {
		"",
		";verdict=pass",
		";later=1;machine.later=%zz;.also=",
		";machine.uuid=a;.vendor=b",
		";cause=smi:1:2",
		";cause=smi:1:2,unknown:18446744073709551615:0",
		";arch=%c3%C3",
		";longest.smi=1;.nmi=2;smi=3",
		";",
	};

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		read_least(more[i]);
		if (!read_back())
			fail_msg("%s: %s", more[i], reason);
		assert_int_equal(code.summary.found, 4);
	}
	read_least(";smi=7;longest.smi=1;.nmi=2;nmi=3");
	assert_true(read_back());
	assert_int_equal(code.summary.smi.value, 7);
	assert_int_equal(code.summary.longest[CAUSE_SMI].value, 1);
	assert_int_equal(code.summary.longest[CAUSE_NMI].value, 2);
	assert_int_equal(code.summary.nmi.value, 3);
}

TEST_F(set_up, NULL, test_fields_refused)
{
	static const struct {
		const char *more, *reason;
	} wrong[] = {
		{ ";found=5", "at byte 135: found occurs twice" },
		{ ";smi=", "at byte 139: smi is not a whole number below 2^64 (found: )" },
		{ ";smi=0x10", "smi is not a whole number" },
		{ ";smi=-1", "smi is not a whole number" },
		{ ";smi=18446744073709551616", "smi is not a whole number below 2^64" },
		{ ";verdict=%", "verdict is not a text with %XX" },
		{ ";verdict=%4", "verdict is not a text" },
		{ ";verdict=%0g", "verdict is not a text" },
		{ ";verdict=a%00", "verdict is not a text" },
		{ ";cause=", "cause is not CAUSE:GAPS:NS" },
		{ ";cause=smi", "cause is not CAUSE:GAPS:NS" },
		{ ";cause=smi:1", "cause is not CAUSE:GAPS:NS" },
		{ ";cause=smi:1:2:3", "cause is not CAUSE:GAPS:NS" },
		{ ";cause=smi:1:2,", "cause is not CAUSE:GAPS:NS" },
		{ ";cause=smi:1:2,smi:1:2", "cause is not CAUSE:GAPS:NS" },
		{ ";cause=gremlin:1:2", "cause is not CAUSE:GAPS:NS" },
		{ ";verdict", "at byte 135: a field has no value" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		read_least(wrong[i].more);
		assert_false(read_back());
		if (!strstr(reason, wrong[i].reason))
			fail_msg("%s: %s", wrong[i].more, reason);
	}
}

TEST_F(set_up, NULL, test_missing)
{
	text_add(&text, "NF1;sid=0123456789abcdef;found=4;measured=4");
	close_line();
	assert_false(read_back());
	assert_non_null(strstr(reason, "threshold_ns is missing"));
	text_reset(&text);
	text_add(&text, "NF1;sid=0123456789abcde;found=4;measured=4");
	close_line();
	assert_false(read_back());
	assert_non_null(strstr(reason, "sid is not 16 hexadecimal digits"));
	text_reset(&text);
	text_add(&text, "NF1;sid=0123456789abcde;measured=4;found=4294967296");
	close_line();
	assert_false(read_back());
}

TEST_F(set_up, NULL, test_foreign)
{
	static const struct {
		const char *text, *reason;
	} wrong[] = {
		{ "", "does not begin with NF1;sid=" },
		{ "https://example.org/", "does not begin with NF1;sid=" },
		{ "NF", "does not begin with NF1;sid=" },
		{ "NF1;sid=", "cut off after byte 8" },
		{ "NF2;sid=0123456789abcdef;crc=00000000",
		  "it is of format NF2, and this program reads NF1" },
		{ "NF1;sid=0123456789abcdef\n;crc=00000000", "byte 25: 0x0a" },
		{ "NF1;sid=0123456789abcdef;crc=0000000", "cut off" },
		{ "NF1;sid=0123456789abcdef;crc=0000000g", "cut off" },
		{ "NF1;sid=0123456789abcdef;crc=00000000",
		  "damaged: the checksum of its first 24" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		text_reset(&text);
		text_add(&text, "%s", wrong[i].text);
		assert_false(read_back());
		if (!strstr(reason, wrong[i].reason))
			fail_msg("%s: %s", wrong[i].text, reason);
	}
	memset(line, 'a', sizeof(line) - 1);
	text.len = RECORD_CODE_READ_MAX + 1;
	assert_false(read_back());
	assert_non_null(strstr(reason, "2954 bytes"));
}

/* No byte can be changed, and none left out, at the end or elsewhere. */
TEST_F(set_up, NULL, test_damaged)
{
	static char whole[ROOM];
	struct record_summary s = server();
	size_t bytes;

	record_code_write(&text, SID, &s);
	bytes = text.len;
	memcpy(whole, line, bytes);
	for (size_t i = 0; i < bytes; i++) {
		text.len = bytes;
		memcpy(line, whole, bytes);
		line[i] = line[i] == 'x' ? 'y' : 'x';
		assert_false(read_back());
		memcpy(line, whole, bytes);
		text.len = i;
		assert_false(read_back());
		memmove(line + i, whole + i + 1, bytes - i - 1);
		text.len = bytes - 1;
		assert_false(read_back());
	}
}
