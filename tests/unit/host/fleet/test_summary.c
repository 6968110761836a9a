/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Identity of a run: the summary, line by line, and the reader, record by record, name one machine.
 */
#include "host/capture/capture.h"
#include "host/summary/summary.h"

#include "tests/unit/common/test.h"
#include "tests/unit/run_lines.h"
#include "tests/unit/some_records.h"

#include <stdlib.h>
#include <string.h>

#define SID  UINT64_C(0x5eed)
#define ROOM 16384

#define WHO(uuid) ",\"machine\":{\"uuid\":\"" uuid "\"}"
#define MINE      WHO("mine") RUN_BEGIN
#define OTHER     WHO("other") RUN_BEGIN
#define PART(n)   ",\"part\":" #n
#define MORE      ",\"more\":true"
#define EIGHT     "\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\""
/* The rest of a `begin`, without machine and evidence. */
#define REST                                                              \
	",\"cpu\":{\"family\":6,\"model\":1,\"stepping\":1}"              \
	",\"cpus\":{\"found\":1,\"started\":1,\"measured\":1}"            \
	",\"clock\":{\"hz\":1000000000,\"invariant\":true,\"quantum\":1}" \
	",\"begin_tsc\":0"

/* A line of type `begin`, or else a gap. */
struct start {
	const char *line[5];
	const char *uuid; /* machine of the run; "": none */
	unsigned bad;     /* lines of these */
};

static const char gap[] = "";

static const struct start starts[] = {
	{ { MINE }, "mine", 0 },
	/* The network's log comes first. */
	{ { gap, MINE }, "mine", 0 },
	{ { PART(0) WHO("mine") MORE, PART(1) RUN_BEGIN }, "mine", 0 },
	{ { PART(0) ",\"evidence\":[" EIGHT "]" MORE, PART(1) WHO("mine") MORE,
	    PART(2) REST ",\"evidence\":[" EIGHT "]" },
	  "mine",
	  0 },
	{ { PART(0) MINE }, "mine", 0 },
	/* The first one is not whole, and there is no second. */
	{ { WHO("mine"), OTHER }, "", 2 },
	{ { PART(0) MINE MORE, OTHER }, "", 2 },
	{ { PART(0) WHO("mine") MORE, PART(0) OTHER }, "", 2 },
	{ { PART(0) WHO("mine") MORE, gap, PART(1) RUN_BEGIN, OTHER }, "", 3 },
	{ { PART(0) WHO("mine") MORE, PART(2) RUN_BEGIN }, "", 2 },
	{ { PART(0) WHO("mine") MORE, PART(1) OTHER }, "", 2 },
	{ { PART(0) RUN_BEGIN MORE, PART(1) WHO("mine") MORE, PART(2) WHO("other") }, "", 3 },
	{ { PART(0) WHO("mine") MORE, PART(1) ",\"begin_tsc\":1" MORE,
	    PART(2) ",\"begin_tsc\":1" REST },
	  "",
	  3 },
	{ { PART(0) WHO("mine") MORE }, "", 1 },
	{ { PART(0) WHO("mine") MORE, PART(1) ",\"evidence\":[]" }, "", 2 },
	{ { PART(0) WHO("mine") ",\"evidence\":[" EIGHT "]" MORE,
	    PART(1) ",\"evidence\":[" EIGHT "]" MORE, PART(2) REST ",\"evidence\":[\"i\"]" },
	  "",
	  3 },
	{ { PART(1) MINE }, "", 1 },
	{ { MINE MORE }, "", 1 },
	{ { PART(1) MINE, OTHER }, "", 2 },
	{ { "x", OTHER }, "", 2 },
	/* A whole `begin` is the run's, whatever follows. */
	{ { MINE, OTHER }, "mine", 1 },
	{ { MINE, MINE }, "mine", 1 },
	{ { MINE, PART(1) }, "mine", 1 },
	{ { MINE, gap, PART(0) OTHER MORE, PART(1) WHO("other"), OTHER }, "mine", 3 },
};

static char text[ROOM];

static size_t write_run(const struct start *start)
{
	unsigned begins = 0, gaps = 0;
	uint64_t seq = 0;
	char rest[200];
	size_t n = 0;

	for (; seq < 5 && start->line[seq]; seq++) {
		bool is_gap = start->line[seq] == gap;

		gaps += is_gap;
		begins += !is_gap && !strstr(start->line[seq], MORE);
		n += run_line(text + n, SID, seq, is_gap ? "gap" : "begin",
			      is_gap ? ",\"stage\":\"bare\",\"cpu\":0,\"start_tsc\":0,\"ticks\":9,"
				       "\"t_ns\":1,\"len_ns\":2"
				     : start->line[seq]);
	}
	snprintf(rest, sizeof(rest),
		 ",\"verdict\":\"pass\",\"reasons\":[],\"gaps_unsent\":0,"
		 "\"records\":{\"begin\":%u,\"gap\":%u,\"end\":1}",
		 begins, gaps);
	return n + run_line(text + n, SID, seq, "end", rest);
}

static void summarize(size_t bytes, struct summary *s)
{
	TEXT_DEFINE(why, 256);

	*s = (struct summary){ .lines = 0 };
	for (const char *at = text; at < text + bytes; at = strchr(at, '\n') + 1) {
		struct line line;

		assert_int_equal(line_read(at, strcspn(at, "\n"), &line, &why), LINE_OK);
		summary_line(s, &line);
	}
}

static void leave_out(void *ctx, const char *file, uint64_t line, const char *what)
{
	(void)file, (void)line, (void)what;
	++*(unsigned *)ctx;
}

/* Read the run in `text` both ways: line by line and record by record. Both must agree. */
static void read_both(size_t bytes, struct summary *all, enum verdict *by_records)
{
	unsigned complaints = 0;
	const struct capture_want want = { .keep = RESULT_ALL,
					   .complain = leave_out,
					   .ctx = &complaints };
	struct capture c;
	const char *uuid;

	summarize(bytes, all);

	capture_begin(&c, "run", &want);
	capture_feed(&c, text, bytes);
	capture_end(&c);
	assert_int_equal(c.runs, 1);
	uuid = c.run[0]->has_begin ? c.run[0]->begin.machine.uuid : "";
	assert_string_equal(uuid, all->uuid);
	assert_int_equal(c.run[0]->unusable > 0, all->begin.bad > 0);
	assert_int_equal(complaints > 0, all->begin.bad > 0);
	*by_records = result_outcome(c.run[0]);
	capture_close(&c);
}

TEST(test_one_machine)
{
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const struct start *start = &starts[i];
		enum verdict by_records;
		struct summary all;

		print_message("%zu\n", i);
		read_both(write_run(start), &all, &by_records);
		assert_string_equal(all.uuid, start->uuid);
		assert_int_equal(all.lost, start->bad);
		assert_int_equal(summary_outcome(&all),
				 start->bad ? VERDICT_INCOMPLETE : VERDICT_PASS);
		assert_int_equal(by_records, summary_outcome(&all));
	}
}

/* Machines are compared by the stage measured last, whatever was seen before. */
TEST(test_figures)
{
	static const char *const cpus[] = {
		",\"stage\":\"bare\",\"cpu\":0,\"exposure_ns\":1000,\"noise_ns\":90,\"max_ns\":90",
		",\"stage\":\"handoff\",\"cpu\":0,\"exposure_ns\":1000,\"noise_ns\":5,\"max_ns\":5",
	};
	struct summary s;
	size_t bytes = 0;

	for (unsigned i = 0; i < 2; i++)
		bytes += run_line(text + bytes, SID, i, "cpu", cpus[i]);
	summarize(bytes, &s);
	assert_string_equal(s.figures.stage, "handoff");
	assert_int_equal(s.figures.cores, 2);
	assert_true(s.figures.value[FIGURE_LONGEST] == 5);
	assert_true(s.figures.value[FIGURE_NOISE] == 5000);
	assert_false(s.figures.known[FIGURE_SMI]);
}

static struct some dice;

static unsigned any(unsigned below)
{
	return (unsigned)(some_bits(&dice) % below);
}

/* Write a part of a `begin`, with a share of the fields, or nearly. */
static void write_part(char *rest, unsigned part, unsigned parts)
{
	static const char *const fields[] = {
		WHO("mine"),
		",\"cpu\":{\"family\":6,\"model\":1,\"stepping\":1}",
		",\"cpus\":{\"found\":1,\"started\":1,\"measured\":1}",
		",\"clock\":{\"hz\":1000000000,\"invariant\":true,\"quantum\":1}",
		",\"evidence\":[" EIGHT "]",
		",\"begin_tsc\":0",
	};
	unsigned count = sizeof(fields) / sizeof(fields[0]);
	unsigned first = part * count / parts, end = (part + 1) * count / parts;
	unsigned number = part + !any(24) - !any(24);

	*rest = '\0';
	if (parts > 1 || !any(4))
		sprintf(rest, ",\"part\":%u", number);
	for (unsigned i = first; i < end; i++)
		strcat(rest, any(40) ? fields[i] : WHO("other"));
	if (!any(12))
		strcat(rest, fields[any(count)]);
	if (part + 1 < parts ? any(24) > 0 : !any(24))
		strcat(rest, MORE);
}

/* Some begins in parts, between some gaps, lines of which some are lost; an end. */
static size_t write_any(void)
{
	uint64_t seq = 0;
	size_t n = 0;

	for (unsigned begins = 1 + any(2); begins; begins--) {
		unsigned parts = 1 + any(4);

		for (unsigned part = 0; part < parts; part++, seq++) {
			char rest[1000];

			if (!any(16))
				n += run_line(text + n, SID, seq++, "gap",
					      ",\"stage\":\"bare\",\"cpu\":0,\"start_tsc\":0,"
					      "\"ticks\":9,\"t_ns\":1,\"len_ns\":2");
			write_part(rest, part, parts);
			if (any(24))
				n += run_line(text + n, SID, seq, "begin", rest);
		}
	}
	return n + run_line(text + n, SID, seq, "end",
			    ",\"verdict\":\"pass\",\"reasons\":[],\"gaps_unsent\":0,"
			    "\"records\":{\"begin\":1,\"end\":1}");
}

/* Any sequence of `begin` lines: all readers find the same machine, or none. */
TEST(test_any_begins)
{
	unsigned named = 0, good = 0;

	some_start(&dice, 7);
	for (unsigned round = 0; round < 4000; round++) {
		enum verdict by_records;
		struct summary all;

		read_both(write_any(), &all, &by_records);
		named += *all.uuid != '\0';
		good += by_records == VERDICT_PASS;
		if (by_records == VERDICT_PASS)
			assert_int_equal(summary_outcome(&all), VERDICT_PASS);
		if (all.begin.bad)
			assert_int_equal(summary_outcome(&all), VERDICT_INCOMPLETE);
	}
	assert_in_range(named, 500, 3500);
	assert_in_range(good, 200, named);
}
