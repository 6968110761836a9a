/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points: their form, that none is cut, that none takes another's place in a database, and
 * that the probe's own are those that `noisefloor show` makes of the same run's capture.
 */
#include "core/report/influx_link.h"
#include "core/records/influx.h"
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/some_records.h"

#define RUN_ID UINT64_C(0xfeed)
#define BEGAN  UINT64_C(1700000000250000000)
#define MS     UINT64_C(1000000)
#define S      UINT64_C(1000000000)

static char line_buf[8192];
static struct text line;

static int start_line(void **state)
{
	(void)state;
	text_init(&line, line_buf, sizeof(line_buf));
	return 0;
}

/* ---- One point ---- */

TEST_F(start_line, NULL, test_info)
{
	struct record_begin b = {
		.version = "1.2",
		.machine = { .vendor = "Acme, Inc.",
			     .product = "X = 1\\",
			     .bios_version = "",
			     .bios_date = "tab\there\x7f" },
		.cpu = { .brand = "CPU @ 2 GHz", .microcode = { 0xabc, true } },
		.hypervisor = NULL,
		.cpus = { .measured = 4 },
		.clock = { .hz = UINT64_MAX },
	};

	influx_info(&line, RUN_ID, &b, 17);
	assert_string_equal(line.buf, "noisefloor_info,run=000000000000feed,version=1.2,"
				      "vendor=Acme\\,\\ Inc.,product=X\\ \\=\\ 1/,"
				      "bios_date=tab?here?,cpu=CPU\\ @\\ 2\\ GHz value=1i,"
				      "microcode=2748i,cpus_measured=4i,hz=9223372036854775807i "
				      "17\n");
	text_reset(&line);
	memset(&b, 0, sizeof(b));
	influx_info(&line, RUN_ID, &b, INFLUX_NO_TIME);
	assert_string_equal(line.buf, "noisefloor_info,run=000000000000feed value=1i,"
				      "cpus_measured=0i,hz=0i\n");
}

TEST_F(start_line, NULL, test_cpu_and_gap)
{
	const struct record_cpu cpu = {
		.stage = "bare",
		.cpu = 7,
		.exposure_ns = 5,
		.nmi = { 0, true },
		.cause = { [CAUSE_SMI] = { 2, 30 }, [CAUSE_STALL] = { 0, 9 } }
	};
	const struct record_gap gap = { .stage = "bare", .cpu = 7, .cause = "smi", .len_ns = 12 };

	influx_record(&line, RUN_ID, RECORD_CPU, &cpu, UINT64_MAX - 1);
	assert_string_equal(line.buf, "noisefloor_cpu,run=000000000000feed,stage=bare,cpu=7 "
				      "exposure_ns=5i,noise_ns=0i,max_ns=0i,gaps=0i,dropped=0i,"
				      "nmi=0i,gaps_smi=2i,ns_smi=30i 9223372036854775807\n");
	text_reset(&line);
	influx_record(&line, RUN_ID, RECORD_GAP, &gap, 1);
	assert_string_equal(line.buf, "noisefloor_gap,run=000000000000feed,stage=bare,cpu=7,"
				      "cause=smi len_ns=12i 1\n");
}

/* Buckets below one edge are one point. */
TEST_F(start_line, NULL, test_buckets)
{
	static const uint64_t pairs[][2] = {
		{ 5, 1 }, { 999, 2 }, { 1000, 3 }, { 2000, 10 }, { 4999, UINT64_MAX }
	};
	const struct record_cpu cpu = { .stage = "bare", .histogram = { pairs, 5 } };
	size_t n;

	n = influx_bucket(&line, RUN_ID, &cpu, 0, 1);
	assert_int_equal(n, 2);
	n = influx_bucket(&line, RUN_ID, &cpu, n, 1);
	assert_int_equal(n, 3);
	n = influx_bucket(&line, RUN_ID, &cpu, n, 1);
	assert_int_equal(n, 5);
	assert_string_equal(
		line.buf,
		"noisefloor_hist,run=000000000000feed,stage=bare,cpu=0,below_ns=1000 count=3i 1\n"
		"noisefloor_hist,run=000000000000feed,stage=bare,cpu=0,below_ns=2000 count=3i 1\n"
		"noisefloor_hist,run=000000000000feed,stage=bare,cpu=0,below_ns=5000 "
		"count=9223372036854775807i 1\n");
}

TEST_F(start_line, NULL, test_other_points)
{
	const struct record_window window = { .stage = "acpi",
					      .windows = 2,
					      .len_ns = 9,
					      .gaps = 1,
					      .noise_ns = 3,
					      .max_ns = 3,
					      .smi = { 4, true },
					      .nmi_out = { 5, true } };
	const struct record_event event = { .stage = "acpi",
					    .len_ns = 8,
					    .gaps = 2,
					    .cpus = 2,
					    .last = 1,
					    .skew_ns = 4,
					    .end_skew_ns = 5,
					    .cause = "smi" };
	const struct record_pause pause = { .stage = "acpi",
					    .least_ns = 1,
					    .most_ns = 2,
					    .pauses = 3,
					    .worst_ns = 4,
					    .forward = true,
					    .clock = "hpet" };
	const struct record_source source = { .stage = "acpi",
					      .cause = "smi",
					      .period_ns = 64,
					      .jitter_ns = 1,
					      .fill_ppm = 999999,
					      .events = 12,
					      .chance_milli = -4321,
					      .origin = "swsmi timer 64 ms" };

	influx_record(&line, RUN_ID, RECORD_WINDOW, &window, 1);
	assert_string_equal(line.buf, "noisefloor_window,run=000000000000feed,stage=acpi "
				      "windows=2i,len_ns=9i,gaps=1i,noise_ns=3i,max_ns=3i,smi=4i,"
				      "nmi_out=5i 1\n");
	text_reset(&line);
	influx_record(&line, RUN_ID, RECORD_EVENT, &event, 1);
	assert_string_equal(line.buf, "noisefloor_event,run=000000000000feed,stage=acpi,cause=smi "
				      "len_ns=8i,gaps=2i,cpus=2i,first=0i,last=1i,skew_ns=4i,"
				      "end_skew_ns=5i 1\n");
	text_reset(&line);
	influx_record(&line, RUN_ID, RECORD_PAUSE, &pause, 1);
	assert_string_equal(line.buf,
			    "noisefloor_pause,run=000000000000feed,stage=acpi,clock=hpet "
			    "least_ns=1i,most_ns=2i,pauses=3i,worst_ns=4i,forward=1i 1\n");
	text_reset(&line);
	influx_source(&line, RUN_ID, &source, 3, 1);
	assert_string_equal(line.buf, "noisefloor_source,run=000000000000feed,source=3,stage=acpi,"
				      "cause=smi,origin=swsmi\\ timer\\ 64\\ ms period_ns=64i,"
				      "jitter_ns=1i,fill_ppm=999999i,events=12i,"
				      "chance_milli=-4321i 1\n");
}

TEST_F(start_line, NULL, test_end)
{
	const struct record_end record = { .verdict = "fail", .watched_ppm = { 0, true } };
	struct influx_end end = { .exit_code = 3 };

	influx_end(&line, RUN_ID, &end, 1);
	assert_string_equal(line.buf, "noisefloor_end,run=000000000000feed,verdict=incomplete "
				      "exit_code=3i 1\n");
	text_reset(&line);
	end = (struct influx_end){ &record, 1, { 0, true } };
	influx_end(&line, RUN_ID, &end, 1);
	assert_string_equal(line.buf, "noisefloor_end,run=000000000000feed,verdict=fail "
				      "exit_code=1i,whole=0i,watched_ppm=0i,gaps_unsent=0i 1\n");
}

/* Whatever the room, a line that does not fit is marked. */
TEST_F(start_line, NULL, test_cut)
{
	const struct record_begin b = { .version = "1.2", .machine = { .vendor = "A, B" } };
	char room[256];
	struct text cut;

	influx_info(&line, RUN_ID, &b, 17);
	for (size_t cap = 1; cap <= line.len; cap++) {
		text_init(&cut, room, cap);
		influx_info(&cut, RUN_ID, &b, 17);
		assert_true(cut.overflow);
	}
	text_init(&cut, room, line.len + 1);
	influx_info(&cut, RUN_ID, &b, 17);
	assert_false(cut.overflow);
	assert_string_equal(room, line.buf);
}

/* ---- A run's points ---- */

#define SLOTS     8
#define LINES_MAX 40000

/* Where the points of the run arrive. */
static struct arrived {
	struct points points;
	struct points_slot slot[SLOTS];
	struct influx_link influx;
	char text[4 << 20];
	size_t bytes, largest;
	char *line[LINES_MAX];
	size_t lines;
} arrived;

static bool arrive(void *ctx, const char *text, size_t bytes)
{
	(void)ctx;
	assert_true(arrived.bytes + bytes < sizeof(arrived.text));
	memcpy(arrived.text + arrived.bytes, text, bytes);
	arrived.bytes += bytes;
	if (bytes > arrived.largest)
		arrived.largest = bytes;
	return true;
}

static int start_link(void **state)
{
	const struct points_setup setup = { arrived.slot, SLOTS, arrive, NULL };

	(void)state;
	arrived.bytes = arrived.largest = arrived.lines = 0;
	points_start(&arrived.points, &setup);
	influx_link_start(&arrived.influx, SID, &arrived.points);
	arrived.influx.began_ns = BEGAN;
	return start(state);
}

static void give(enum record_type type, const void *data)
{
	record_send(&arrived.influx.link, type, data);
}

static void split_lines(char *text)
{
	arrived.lines = 0;
	for (char *at = text; *at;) {
		char *newline = strchr(at, '\n');

		assert_non_null(newline);
		assert_true(arrived.lines < LINES_MAX);
		*newline = '\0';
		arrived.line[arrived.lines++] = at;
		at = newline + 1;
	}
}

static void finish(void)
{
	points_flush(&arrived.points);
	assert_true(points_work(&arrived.points));
	assert_true(arrived.largest <= 1200);
	arrived.text[arrived.bytes] = '\0';
	split_lines(arrived.text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Where the fields begin: behind the first blank that is not escaped. */
static char *fields_of(char *text)
{
	for (; *text && *text != ' '; text++)
		if (*text == '\\')
			text++;
	return text;
}

/* A database keeps all of them: no two have measurement, tags and time in common. */
static void assert_all_kept(void)
{
	static char identity[LINES_MAX][256];
	static char *sorted[LINES_MAX];

	for (size_t i = 0; i < arrived.lines; i++) {
		char *fields = fields_of(arrived.line[i]);
		const char *time = strrchr(fields, ' ');

		snprintf(identity[i], sizeof(identity[i]), "%.*s%s",
			 (int)(fields - arrived.line[i]), arrived.line[i],
			 time > fields ? time : "");
		assert_true(strlen(identity[i]) < sizeof(identity[i]) - 1);
		sorted[i] = identity[i];
	}
	qsort(sorted, arrived.lines, sizeof(sorted[0]), by_text);
	for (size_t i = 1; i < arrived.lines; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			fail_msg("two points are `%s`", sorted[i]);
}

static size_t count_lines(const char *part)
{
	size_t count = 0;

	for (size_t i = 0; i < arrived.lines; i++)
		count += strstr(arrived.line[i], part) != NULL;
	return count;
}

/* More than the link has entries for. */
#define CPUS (INFLUX_LINK_GAPS + 50)

/* A stage in which as much as can be happens at one moment. */
static void give_stage(const char *stage, uint64_t from)
{
	static const uint64_t pairs[][2] = { { 5, 1 }, { 6, 2 }, { 1006, 3 }, { 2700, 4 } };
	const struct record_stage state = { .stage = stage };
	struct record_window w = { .stage = stage, .windows = 1, .start_ns = from, .len_ns = S };
	struct record_gap gap = { .stage = stage, .len_ns = 5000 };
	struct record_event event = { .stage = stage, .scope = "machine" };
	struct record_pause pause = { .stage = stage, .until_ns = from + 3 * S, .clock = "hpet" };
	struct record_source source = { .stage = stage, .cause = "smi", .period_ns = S };
	struct record_cpu cpu = { .stage = stage, .histogram = { pairs, 4 } };

	give(RECORD_STAGE, &state);
	for (w.n = 1; w.n <= 3; w.n++)
		give(RECORD_WINDOW, &w);
	for (unsigned t = 0; t < 4; t++) {
		gap.t_ns = from + S + t / 2;
		for (gap.cpu = 0; gap.cpu < CPUS; gap.cpu++) {
			gap.cause = gap.cpu % 2 ? "smi" : "nmi";
			give(RECORD_GAP, &gap);
		}
	}
	/* Cause by cause, as the probe sends all of them. */
	for (unsigned c = 0; c < CAUSES; c++) {
		event.cause = cause_name((enum cause)c);
		for (unsigned i = 0; i < 4; i++) {
			event.t_ns = from + S + i / 3 * S;
			give(RECORD_EVENT, &event);
		}
	}
	for (unsigned i = 0; i < 2; i++)
		give(RECORD_PAUSE, &pause);
	for (cpu.cpu = 0; cpu.cpu < 5; cpu.cpu++)
		give(RECORD_CPU, &cpu);
	for (unsigned i = 0; i < 3; i++)
		give(RECORD_SOURCE, &source);
}

static void give_run(void)
{
	const struct record_begin begin = { .version = "1" };
	const struct record_log log = { "info", "a sentence" };
	const struct record_end end = { .verdict = "none" };

	give(RECORD_BEGIN, &begin);
	give(RECORD_LOG, &log);
	give_stage("firmware", 0);
	give_stage("bare", 10 * S);
	give(RECORD_END, &end);
	finish();
}

#define GAPS  (2 * 4 * CPUS)
#define TIMED (GAPS + 2 * (3 + 4 * CAUSES + 2))
#define OTHER (2 + 2 * (5 + 5 * 3 + 3))

TEST_F(start_link, teardown, test_no_point_takes_anothers_place)
{
	give_run();
	assert_int_equal(arrived.lines, TIMED + OTHER);
	assert_int_equal(arrived.points.lines_lost, 0);
	assert_int_equal(count_lines("noisefloor_gap,"), GAPS);
	assert_int_equal(count_lines("noisefloor_event,"), 2 * 4 * CAUSES);
	assert_int_equal(count_lines("noisefloor_source,"), 6);
	assert_int_equal(count_lines("noisefloor_hist,"), 30);
	assert_all_kept();
	/* No time is off by more than it has to be. */
	assert_int_equal(count_lines(",stage=bare,cpu=3,cause=smi len_ns=5000i "
				     "1700000011250000000"),
			 1);
	assert_int_equal(count_lines("stage=bare,cause=unknown,scope=machine len_ns=0i,gaps=0i,"
				     "cpus=0i,first=0i,last=0i,skew_ns=0i,end_skew_ns=0i "
				     "1700000012250000000"),
			 1);
}

TEST_F(start_link, teardown, test_stretch)
{
	struct record_stretch stretch = { .stage = "bare", .kernel = "l2", .phase = "all" };
	struct record_interfere interfere = { .stage = "bare", .kernel = "l2", .ratio = 1200000 };

	for (stretch.cpu = 0; stretch.cpu < 3; stretch.cpu++)
		give(RECORD_STRETCH, &stretch);
	interfere.bound = 1100000;
	for (interfere.victim = 0; interfere.victim < 2; interfere.victim++) {
		interfere.aggressor = 1 - interfere.victim;
		give(RECORD_INTERFERE, &interfere);
	}
	finish();
	assert_int_equal(count_lines("noisefloor_stretch,"), 3);
	assert_int_equal(count_lines(",stage=bare,kernel=l2,phase=all,cpu=2 "), 1);
	assert_int_equal(count_lines(",stage=bare,kernel=l2,victim=1,aggressor=0 ratio=1200000i,"
				     "bound=1100000i 1700000000250000000"),
			 1);
	assert_int_equal(arrived.lines, 5);
	assert_all_kept();
}

/* Then only what tags do not distinguish has a time, since 1970. */
TEST_F(start_link, teardown, test_unknown_wall_time)
{
	unsigned without = 0;

	arrived.influx.began_ns = 0;
	give_run();
	assert_int_equal(arrived.lines, TIMED + OTHER);
	assert_all_kept();
	for (size_t i = 0; i < arrived.lines; i++)
		without += strchr(fields_of(arrived.line[i]) + 1, ' ') == NULL;
	assert_int_equal(without, OTHER);
	assert_int_equal(count_lines(",stage=bare,cpu=3,cause=smi len_ns=5000i 11000000000"), 1);
}

/* Lies about time cost neither lines nor points. */
TEST_F(start_link, teardown, test_wild_times)
{
	static const uint64_t times[] = { UINT64_MAX, 0, 5, UINT64_MAX - 1, 3, 5, INT64_MAX };
	struct record_gap gap = { .stage = "bare", .cause = "smi" };

	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		gap.cpu = i;
		gap.t_ns = times[i];
		give(RECORD_GAP, &gap);
	}
	arrived.influx.began_ns = UINT64_MAX;
	give(RECORD_GAP, &gap);
	finish();
	assert_int_equal(arrived.lines, sizeof(times) / sizeof(times[0]) + 1);
	for (size_t i = 0; i < arrived.lines; i++) {
		const char *time = strrchr(arrived.line[i], ' ') + 1;

		assert_true(strspn(time, "0123456789") == strlen(time));
		assert_true(strtoull(time, NULL, 10) <= INT64_MAX);
	}
}

/* The longest strings that firmware and processor can give, all of it to be escaped. */
TEST_F(start_link, teardown, test_longest_line_fits)
{
	char smbios[65], brand[49], name[13];
	struct record_begin b = {
		.version = "10.20.30",
		.machine = { smbios, smbios, smbios, smbios, smbios, smbios,
			     "00112233-4455-6677-8899-aabbccddeeff" },
		.cpu = { .brand = brand, .microcode = { UINT64_MAX, true } },
		.hypervisor = name,
		.cpus = { .measured = UINT32_MAX },
		.clock = { .hz = UINT64_MAX },
	};
	struct record_cpu cpu = { .stage = "firmware", .cpu = UINT32_MAX };
	struct maybe *counts[] = { &cpu.smi, &cpu.nmi, &cpu.mce };

	memset(smbios, ',', sizeof(smbios));
	memset(brand, ',', sizeof(brand));
	memset(name, ',', sizeof(name));
	smbios[64] = brand[48] = name[12] = '\0';
	give(RECORD_BEGIN, &b);
	cpu.exposure_ns = cpu.noise_ns = cpu.max_ns = cpu.gaps = cpu.dropped = UINT64_MAX;
	for (unsigned i = 0; i < 3; i++)
		*counts[i] = (struct maybe){ UINT64_MAX, true };
	for (unsigned i = 0; i < CAUSES; i++)
		cpu.cause[i] = (struct cause_sum){ UINT64_MAX, UINT64_MAX };
	give(RECORD_CPU, &cpu);
	finish();
	assert_int_equal(arrived.lines, 2);
	assert_int_equal(arrived.points.lines_lost, 0);
}

/* What is longer all the same is left out whole. */
TEST_F(start_link, teardown, test_too_long_line)
{
	static char version[1200];
	struct record_begin b = { .version = version };
	const struct record_end end = { .verdict = "pass" };

	memset(version, 'v', sizeof(version) - 1);
	give(RECORD_BEGIN, &b);
	give(RECORD_END, &end);
	finish();
	assert_int_equal(arrived.points.lines_lost, 1);
	assert_int_equal(arrived.lines, 1);
	assert_int_equal(count_lines("noisefloor_end,run=0123456789abcdef,verdict=pass "
				     "exit_code=0i,gaps_unsent=0i "),
			 1);
}

/* The link counts records as any other does. */
TEST_F(start_link, teardown, test_link_counts)
{
	give_run();
	assert_int_equal(arrived.influx.link.sent[RECORD_GAP], GAPS);
	assert_int_equal(arrived.influx.link.sent[RECORD_LOG], 1);
	assert_int_equal(arrived.influx.link.sent[RECORD_END], 1);
}

/* ---- The probe's points and show's ---- */

static void give_both(enum record_type type, const void *data)
{
	record_send(&capture.link, type, data);
	give(type, data);
}

/* A run of one stage, with numbers of every size. */
static void give_some_run(uint64_t seed)
{
	static const uint64_t one[][2] = { { 1000, 1 } };
	static struct some some;
	union record r;

	some_start(&some, seed);
	some_record(&some, RECORD_BEGIN, &r);
	give_both(RECORD_BEGIN, &r);
	for (unsigned n = 0; n < 3; n++) {
		struct record_window w = { .stage = "bare", .n = n + 1, .windows = 1 };

		w.start_ns = n * S + some_bits(&some) % MS;
		w.len_ns = S - MS;
		give_both(RECORD_WINDOW, &w);
	}
	for (uint64_t t = 0; t < 200; t++) {
		some_record(&some, RECORD_GAP, &r);
		r.gap.stage = "bare";
		r.gap.cpu %= 256;
		r.gap.t_ns = t * MS;
		give_both(RECORD_GAP, &r);
	}
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		some_record(&some, RECORD_CPU, &r);
		r.cpu.stage = "bare";
		r.cpu.cpu = cpu;
		if (!r.cpu.histogram.count)
			r.cpu.histogram = (struct record_pairs){ one, 1 };
		give_both(RECORD_CPU, &r);
	}
	memset(&r, 0, sizeof(r));
	r.end.verdict = "fail";
	r.end.gaps_unsent = some_u64(&some);
	some_maybe(&some, &r.end.watched_ppm);
	give_both(RECORD_END, &r);
}

/* The n-th line that begins so, without its time where that is not wanted. */
static const char *line_of(size_t *n, const char *wanted, bool with_time)
{
	for (; *n < arrived.lines; ++*n) {
		char *text = arrived.line[*n];

		if (strncmp(text, wanted, strlen(wanted)) != 0)
			continue;
		++*n;
		if (!with_time)
			*strrchr(text, ' ') = '\0';
		return text;
	}
	return NULL;
}

/* All lines of a measurement, one after the other. */
static char *lines_of(const char *wanted, bool with_time)
{
	char *all = calloc(1, sizeof(arrived.text));
	size_t n = 0, used = 0;
	const char *text;

	assert_non_null(all);
	while ((text = line_of(&n, wanted, with_time)))
		used += (size_t)sprintf(all + used, "%s\n", text);
	return all;
}

/* Fields that only show can know are taken out. */
static void drop(char *text, const char *part)
{
	char *at = strstr(text, part);

	assert_non_null(at);
	memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

/* An info has the time of the begin there and of the end here. */
static const struct {
	const char *measurement;
	bool with_time;
} agreeing[] = { { "noisefloor_info,", false },
		 { "noisefloor_cpu,", true },
		 { "noisefloor_hist,", true },
		 { "noisefloor_gap,", true },
		 { "noisefloor_end,", true } };

#define AGREEING (sizeof(agreeing) / sizeof(agreeing[0]))

TEST_F(start_link, teardown, test_as_show)
{
	char *ours[AGREEING];

	for (uint64_t seed = 1; seed <= 20; seed++) {
		teardown(state);
		start_link(state);
		give_some_run(seed);
		finish();
		assert_int_equal(arrived.points.lines_lost, 0);
		for (size_t i = 0; i < AGREEING; i++)
			ours[i] = lines_of(agreeing[i].measurement, agreeing[i].with_time);
		save(0);
		assert_int_equal(RUN(&show_subcommand, "show", "--format", "influx", "--began",
				     "1700000000.25", path[0]),
				 1);
		split_lines(out);
		for (size_t i = 0; i < AGREEING; i++) {
			char *theirs = lines_of(agreeing[i].measurement, agreeing[i].with_time);

			if (strcmp(agreeing[i].measurement, "noisefloor_end,") == 0)
				drop(theirs, "whole=1i,");
			assert_true(ours[i][0] != '\0');
			assert_string_equal(ours[i], theirs);
			free(theirs);
			free(ours[i]);
		}
	}
}

TEST_GROUP(make_folder, remove_folder);
