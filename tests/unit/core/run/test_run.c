/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run and its report on a platform where every gap is known beforehand: what no whole run of
 * tests/unit/whole has, such as many windows, other clocks, counters read from outside, and a core
 * without a counter.
 */
#include "core/lib/splitmix.h"
#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"
#include "core/lib/ticks.h"
#include "tests/unit/kept_run.h"
#include "tests/unit/rounds.h"

#include <stdio.h>

#define SECOND MOCK_HZ
#define MS     (MOCK_HZ / 1000)

static struct kept *heard; /* the link that listen_to() chose */

/* Make a link the one under test, and check that its end record counted all its records. */
static void listen_to(unsigned link)
{
	heard = &links[link];
	assert_int_equal(heard->count[RECORD_END], 1);
	for (unsigned type = 0; type < RECORD_TYPES; type++)
		assert_int_equal(heard->end->records[type], heard->count[type]);
}

/* The gaps that a test has played so far, on all measured cores. */
static struct {
	unsigned window; /* from 1 */
	uint64_t gaps, noise, smi, nmi;
} played;

static void play(struct cpu *cpu, struct platform_window *plan, uint64_t at, uint64_t ticks,
		 uint32_t smi, uint32_t nmi)
{
	struct gap_evidence evidence = { .smi = smi, .nmi = nmi };

	mock_gap(cpu, plan, plan->start + at, ticks, &evidence);
	played.gaps++;
	played.noise += ticks;
	played.smi += smi;
	played.nmi += nmi;
}

static void lay(uint32_t n)
{
	lay_run(n);
	memset(&played, 0, sizeof(played));
	draw_seed = 0;
	config.duration_ns = 10 * SECOND;
}

static void write_logs(struct cpu *cpu)
{
	cpu->throttled = cpu->index ? THROTTLE_PROCHOT | THROTTLE_POWER : 0;
	cpu->mce_banks = cpu->index ? 0 : 1u << 4;
}

/* The boot core chooses the start, and still knows the events before it. */
TEST(test_boot_core_reads_its_counters)
{
	lay(1);
	mock.nmi[0] = 7;
	mock_run(&run);
	assert_int_equal(mock.cpu[0].nmi.last, 7);
}

/* Play a few gaps of all kinds; their number and lengths vary by window. */
static void some_gaps(struct cpu *cpu, struct platform_window *plan)
{
	uint64_t at = 1000;

	if (platform->cpus > 1 || draw(3) == 0) {
		play(cpu, plan, at, 5000 + 10 * plan->start % 7919, 1, 0);
		at += 100000;
	}
	play(cpu, plan, at, 2000 + plan->start % 997, 0, 0);
	play(cpu, plan, at + 50000, 3000 + plan->start % 1009, 0, 1);
	cpu->window.slow = 300;
	cpu->smi.moved = true;
}

static void assert_windows_add_up(uint64_t windows)
{
	struct record_window sum = { .n = 1 };
	uint64_t longest = 0;

	for (unsigned i = 0; i < heard->count[RECORD_WINDOW]; i++) {
		const struct record_window *w = &heard->window[i];

		assert_int_equal(w->n, sum.n);
		assert_true(w->windows > 0);
		if (i)
			assert_true(w->start_ns >=
				    heard->window[i - 1].start_ns + heard->window[i - 1].len_ns);
		sum.n += w->windows;
		sum.gaps += w->gaps;
		sum.noise_ns += w->noise_ns;
		sum.smi.value += w->smi.value;
		sum.nmi.value += w->nmi.value;
		assert_true(w->smi.known);
		if (w->max_ns > longest)
			longest = w->max_ns;
	}
	assert_int_equal(sum.n - 1, windows);
	assert_int_equal(sum.gaps, played.gaps);
	assert_int_equal(sum.noise_ns, played.noise);
	assert_int_equal(sum.smi.value, played.smi);
	assert_int_equal(sum.nmi.value, played.nmi);
	for (unsigned i = 0; i < heard->count[RECORD_CPU]; i++)
		assert_true(heard->cpu[i].max_ns <= longest);
}

/* In runs with more windows than the log holds, neighbours are paired up, and nothing is lost. */
TEST(test_window_log)
{
	static const uint64_t windows[] = { 1, 512, 513, 1024, 1025, 3000, 9999 };

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		lay(1);
		config.live = false;
		config.gaps = (struct config_limit){ true, 0 };
		config.duration_ns = windows[i] * SECOND;
		mock.on_window = some_gaps;
		mock_run(&run);
		listen_to(0);
		assert_true(heard->count[RECORD_WINDOW] <= REPORT_WINDOWS);
		if (windows[i] <= REPORT_WINDOWS)
			assert_int_equal(heard->count[RECORD_WINDOW], windows[i]);
		else
			assert_in_range(heard->count[RECORD_WINDOW], REPORT_WINDOWS / 2,
					REPORT_WINDOWS);
		assert_windows_add_up(windows[i]);
		/* Entries have the same power of two of windows; the last may have fewer. */
		for (unsigned n = 0; n < heard->count[RECORD_WINDOW]; n++) {
			assert_int_equal(heard->window[0].windows & (heard->window[0].windows - 1),
					 0);
			assert_in_range(
				heard->window[n].windows,
				n + 1 < heard->count[RECORD_WINDOW] ? heard->window[0].windows : 1,
				heard->window[0].windows);
		}
	}
}

static const struct record_cpu *heard_cpu(uint32_t index)
{
	for (unsigned i = 0; i < heard->count[RECORD_CPU]; i++)
		if (heard->cpu[i].cpu == index)
			return &heard->cpu[i];
	fail_msg("no record of cpu %u", (unsigned)index);
	return NULL;
}

/* The SMI counter stands still on one core, so the sum of all cores is not known. */
static void one_counter_moves(struct cpu *cpu, struct platform_window *plan)
{
	play(cpu, plan, 1000, 5000, cpu->index == 0, 0);
	cpu->smi.moved = cpu->index == 0;
}

TEST(test_smi_counter_of_one_core)
{
	lay(2);
	mock.on_window = one_counter_moves;
	mock_run(&run);
	listen_to(0);
	assert_false(heard->window[0].smi.known);
	assert_false(heard->window[0].smi_out.known);
	assert_true(heard->window[0].nmi.known);
	assert_true(heard_cpu(0)->smi.known);
	assert_int_equal(heard_cpu(0)->smi.value, 10);
	assert_false(heard_cpu(1)->smi.known);
	for (unsigned i = 0; i < heard->count[RECORD_GAP]; i++)
		assert_int_equal(heard->gap[i].smi.known, heard->gap[i].cpu == 0);
}

/* Events before a stage's first window do not count as events between its windows. */
static void outside(struct cpu *cpu, struct platform_window *plan)
{
	(void)plan;
	played.window++;
	cpu->window.smi_out = 1000 + played.window;
	cpu->window.nmi_out = 100;
	cpu->smi.moved = true;
}

TEST(test_outside_of_windows)
{
	lay(1);
	config.duration_ns = 3 * SECOND;
	mock.on_window = outside;
	run_prepare(&run);
	run_stage(&run, "bare");
	run_stage(&run, "handoff");
	run_finish(&run);
	report_end(&report, &run.reasons);
	listen_to(0);
	assert_int_equal(heard->count[RECORD_WINDOW], 6);
	assert_int_equal(heard->count[RECORD_CPU], 2);
	assert_int_equal(heard->window[0].smi_out.value, 0);
	assert_int_equal(heard->window[0].nmi_out.value, 0);
	assert_int_equal(heard->window[1].smi_out.value, 1002);
	assert_int_equal(heard->window[2].smi_out.value, 1003);
	assert_int_equal(heard->window[3].smi_out.value, 0);
	assert_int_equal(heard->cpu[0].smi_out.value, 2005);
	assert_int_equal(heard->cpu[0].nmi_out.value, 200);
	assert_int_equal(heard->cpu[1].smi_out.value, 1005 + 1006);
	assert_int_equal(heard->cpu[0].smi.value, 0);
}

/* The sampled time is the sum of the windows of the shortest stage, without pauses between. */
TEST(test_sampled)
{
	static const struct {
		uint64_t first_s, second_s;
		bool is_short;
	} rows[] = { { 15, 16, false }, { 16, 14, true }, { 14, 16, true }, { 16, 15, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct config_source source = { "test", true };
		const char keys[] = "preset=bits";
		uint64_t sampled;

		lay(2);
		assert_int_equal(config_apply(&config, &source, keys, strlen(keys), NULL, NULL), 0);
		run_prepare(&run);
		config.duration_ns = rows[i].first_s * SECOND;
		run_stage(&run, "bare");
		config.duration_ns = rows[i].second_s * SECOND;
		run_stage(&run, "handoff");
		run_finish(&run);
		run_judge(&run);
		assert_int_equal(run.reasons.verdict, VERDICT_PASS);
		sampled = report_sampled(&report).value;
		assert_in_range(sampled, (rows[i].is_short ? 14 : 15) * SECOND,
				(rows[i].is_short ? 14 : 15) * SECOND + SECOND / 100);
		report_end(&report, &run.reasons);
		assert_int_equal(
			lines_with("verdict: pass, but 14 s of sampling is short of the 15 "
				   "s that preset bits requires"),
			rows[i].is_short);
		assert_int_equal(lines_with("verdict: pass"), 1);
	}
}

/* Play ten gaps, in us as in this list. */
static void ten_gaps(struct cpu *cpu, struct platform_window *plan)
{
	static const uint64_t us[] = { 5, 90, 4, 80, 3, 70, 2, 60, 1, 6 };

	for (unsigned i = 0; i < 10; i++)
		play(cpu, plan, 1000000 * (i + 1), 1000 * us[i], 0, 0);
}

/* Play SMIs every 64 ms on all cores, and gaps without a cause on each core by itself. */
static void smi_train(struct cpu *cpu, struct platform_window *plan)
{
	const uint64_t period = 64000000;
	uint64_t length = atomic_load(&plan->end) - plan->start;
	uint64_t first = period - (plan->start - MOCK_BEGIN) % period;

	cpu->smi.moved = true;
	for (uint64_t at = first; at + 100000 < length; at += period) {
		uint64_t random = splitmix_mix(plan->start + at + cpu->index);

		play(cpu, plan, at + 300 * cpu->index, 40000, 1, 0);
		play(cpu, plan, at + 100000 + (random >> 33) % (period - 200000), 3000, 0, 0);
	}
}

static void enable_swsmi(struct platform *p, struct record_stage *stage)
{
	(void)p;
	stage->timers[0] = (struct period_timer){ "SWSMI timer 64 ms", 64000000 };
}

/* If there are more windows than are kept, the first ones are searched, which is logged. */
TEST(test_source_in_many_windows)
{
	lay(1);
	config.live = false;
	config.window_ns = SECOND / 10;
	config.duration_ns = (REPORT_EXPOSURE + 500) * config.window_ns;
	mock.cpu[0].ring.slot = calloc(1 << 15, sizeof(struct gap));
	mock.cpu[0].ring.capacity = 1 << 15;
	assert_non_null(mock.cpu[0].ring.slot);
	platform->enter = enable_swsmi;
	mock.on_window = smi_train;
	mock_run(&run);
	free(mock.cpu[0].ring.slot);
	listen_to(0);
	assert_int_equal(heard->count[RECORD_SOURCE], 1);
	assert_in_range(heard->source[0].period_ns, 63999000, 64001000);
	assert_in_range(heard->source[0].fill_ppm, 950000, 1000000);
	assert_string_equal(heard->source[0].origin, "SWSMI timer 64 ms");
	assert_true(heard->source[0].chance_milli < -100000);
	assert_int_equal(lines_with("PERIOD"), 1);
	assert_int_equal(lines_with("sources were looked for among the first"), 2);
}

/* The report's areas follow each other, aligned. ASan would detect memory past the last one. */
TEST(test_room)
{
	const uint32_t n = 255;
	uint8_t *room = malloc(report_room(n));
	const struct report_scratch *s = &report.scratch;
	const struct exposure *e = &report.search.exposure;

	assert_non_null(room);
	lay(1);
	memset(&report, 0, sizeof(report));
	report_lay(&report, room, n);

	const struct {
		void *at;
		size_t bytes;
	} areas[] = {
		{ e->window, e->capacity * sizeof(*e->window) },
		{ s->pairs, HIST_BUCKETS * sizeof(*s->pairs) },
		{ s->times, REPORT_TIMES * sizeof(*s->times) },
		{ s->cpus, n * sizeof(*s->cpus) },
		{ s->order, n * sizeof(*s->order) },
		{ s->heads, CAUSES * n * sizeof(*s->heads) },
		{ s->event_cpus, CAUSES * n * sizeof(*s->event_cpus) },
	};

	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++) {
		memset(areas[i].at, 0, areas[i].bytes);
		assert_int_equal((uintptr_t)areas[i].at % 8, 0);
		if (i)
			assert_true((uintptr_t)areas[i - 1].at + areas[i - 1].bytes <=
				    (uintptr_t)areas[i].at);
	}
	free(room);
}

/* A clock of 100 MHz that falls behind the TSC by ns_each per reading, or gets ahead of it. */
static struct {
	int64_t ns_each, behind;
} crooked;

static bool read_crooked(struct platform *p, unsigned n, struct clockwatch_reading *reading)
{
	(void)n;
	crooked.behind += crooked.ns_each;
	reading->before = p->now();
	reading->value = (reading->before - (uint64_t)crooked.behind) / 10;
	reading->after = p->now();
	return true;
}

static void run_crooked(int64_t ns_each)
{
	crooked.ns_each = ns_each;
	platform->clock[0] = (struct clockwatch_clock){ "pmtimer", 100000000, 64 };
	platform->clocks = 1;
	platform->read_clock = read_crooked;
	config.duration_ns = 20 * SECOND;
	mock_run(&run);
	listen_to(1);
}

/* A clock that is wrong in every window does not flood the report. */
TEST(test_pauses_again_and_again)
{
	const struct record_pause *sum;

	lay(1);
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 10 * MS };
	run_crooked(4 * MS);
	sum = &heard->pause[0];
	assert_int_equal(heard->count[RECORD_WINDOW], 20);
	assert_int_equal(heard->count[RECORD_PAUSE], 1);
	assert_true(sum->forward);
	assert_int_equal(sum->pauses, 20);
	assert_in_range(sum->least_ns, 60 * MS, 80 * MS);
	assert_in_range(sum->most_ns, 80 * MS, 100 * MS);
	assert_in_range(sum->worst_ns, 3 * MS, 4 * MS);
	assert_in_range(sum->from_ns, 0, SECOND);
	assert_in_range(sum->until_ns, 20 * SECOND - 10 * MS, 21 * SECOND);
	assert_string_equal(heard->end->verdict, "incomplete");
	assert_non_null(strstr(heard->end->reasons[0], "the TSC ran ahead of another clock"));
	/*
	 * The fault is printed after the last window: between windows it would cost watched time.
	 */
	assert_true(strstr(kept_text, "the TSC ran ahead") > strstr(kept_text, "20/20 "));
}

/* Hidden pauses of 4 ms each, none of them longer than the limit, are no failure. */
TEST(test_hidden_pauses_again_and_again)
{
	lay(1);
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 10 * MS };
	run_crooked(-4 * (int64_t)MS);
	assert_int_equal(heard->count[RECORD_PAUSE], RUN_PAUSES_SINGLE + 1);
	assert_false(heard->pause[RUN_PAUSES_SINGLE].forward);
	assert_string_equal(heard->end->verdict, "incomplete");
	assert_non_null(strstr(heard->end->reasons[0], "a hidden pause of at least 3"));
	assert_true(strstr(kept_text, "hidden pause of") < strstr(kept_text, " 1/20 "));
}

/* Measuring inside an OS: its core numbers, interrupts on, counters read around the windows. */
#define FROM_INSIDE 2
#define BEFORE      7 /* NMIs between windows */

static struct {
	unsigned before, after, in_window;
} counted;

static void gap_from_inside(struct cpu *cpu, struct platform_window *plan)
{
	counted.in_window++;
	play(cpu, plan, 1000, 5000, 0, 0);
	cpu->unmasked = true;
}

static void count_around(struct platform *p, bool after)
{
	assert_int_equal(counted.before, counted.after + after);
	assert_int_equal(counted.in_window, FROM_INSIDE * (counted.after + after));
	counted.before += !after;
	counted.after += after;
	for (uint32_t i = 0; after && i < p->cpus; i++) {
		p->cpu[i].window.nmi = 1;
		p->cpu[i].window.nmi_out = BEFORE;
		p->cpu[i].window.smi = 3;
		p->cpu[i].smi.moved = true;
	}
}

static void lay_inside(void)
{
	lay(FROM_INSIDE);
	memset(&counted, 0, sizeof(counted));
	platform->unmasked = true;
	platform->count = count_around;
	for (unsigned i = 0; i < FROM_INSIDE; i++) {
		mock.cpu[i].index = 3 + 2 * i;
		mock.cpu[i].blind.gaps = true;
	}
	mock.on_window = gap_from_inside;
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 50000 };
}

TEST(test_from_inside)
{
	lay_inside();
	mock_run(&run);
	listen_to(0);
	assert_string_equal(heard->end->verdict, "pass");
	assert_int_equal(counted.after, 10);
	assert_int_equal(heard->count[RECORD_WINDOW], 10);
	assert_int_equal(heard->window[1].nmi.value, FROM_INSIDE);
	assert_int_equal(heard->window[1].nmi_out.value, FROM_INSIDE * BEFORE);
	assert_int_equal(heard->window[1].smi.value, FROM_INSIDE * 3);
	assert_int_equal(heard_cpu(3)->nmi.value, 10);
	assert_int_equal(heard_cpu(5)->smi.value, 30);
	/* The gap in which an event was counted is not known: neither 0 nor 1 is reported. */
	assert_int_equal(heard->count[RECORD_GAP], FROM_INSIDE * 10);
	for (unsigned i = 0; i < heard->count[RECORD_GAP]; i++) {
		assert_false(heard->gap[i].smi.known);
		assert_false(heard->gap[i].nmi.known);
		assert_false(heard->gap[i].mce.known);
	}
}

/* Without a counter, values are not known; they are never 0. */
TEST(test_uncounted)
{
	lay_inside();
	platform->count = NULL;
	for (unsigned i = 0; i < FROM_INSIDE; i++)
		mock.cpu[i].blind.nmi = mock.cpu[i].blind.mce = true;
	mock_run(&run);
	listen_to(0);
	assert_int_equal(heard->count[RECORD_WINDOW], 10);
	assert_false(heard->window[0].nmi.known);
	assert_false(heard->window[0].nmi_out.known);
	assert_false(heard_cpu(3)->nmi.known);
	assert_false(heard_cpu(3)->mce.known);
	assert_false(heard_cpu(5)->nmi_out.known);
	assert_false(heard_cpu(5)->smi.known);
}

/* Make all of core 0's window slow, and half of the other core's. */
static void half_is_slow(struct cpu *cpu, struct platform_window *plan)
{
	(void)plan;
	cpu->window.slow = cpu->index ? cpu->window.length / 2 : cpu->window.length;
}

static bool a_second_of_report(void)
{
	mock_pass(mock_clock() + SECOND);
	return false;
}

static void assert_watched(uint64_t least, uint64_t most)
{
	mock_run(&run);
	listen_to(0);
	assert_true(heard->end->watched_ppm.known);
	assert_in_range(heard->end->watched_ppm.value, least, most);
	assert_int_equal(lines_with("watched "), 1);
}

TEST(test_watched)
{
	/* Between the windows there is only the lead. */
	lay(1);
	assert_watched(999900, 1000000);
	/*
	 * Ten of nineteen seconds are watched. There are nine reports, as the last is made after
	 * all windows.
	 */
	lay(1);
	mock.on_stop = a_second_of_report;
	assert_watched(526000, 526316);
	/* One core watches nothing, the other half: a quarter in all. */
	lay(2);
	mock.on_window = half_is_slow;
	assert_watched(249000, 250000);
	/* A run of one window is watched wholly, however short it is. */
	for (uint64_t ns = 1000000; ns < 4000000; ns += 333333) {
		lay(1);
		config.duration_ns = ns;
		assert_watched(1000000, 1000000);
	}
}

static uint64_t lead; /* ticks from a window's plan to its start */

static void see_lead(struct cpu *cpu, struct platform_window *plan)
{
	if (cpu->index == 0)
		lead = plan->start - mock_clock();
}

/*
 * The plan of a window reaches one core after the other, at 160 ns each on two sockets. No core may
 * get it after the start, or each window would begin with a gap.
 */
TEST(test_lead_of_many_cores)
{
	uint64_t one = 0;

	for (uint32_t cores = 1; cores <= MOCK_CPUS; cores += rounds(MOCK_CPUS - 1, 1)) {
		lay(cores);
		mock.on_window = see_lead;
		mock_run(&run);
		assert_true(ticks_to_ns(lead, MOCK_HZ) >= 50000);
		one = cores == 1 ? lead : one;
		assert_true(ticks_to_ns(lead - one, MOCK_HZ) >= (cores - 1) * UINT64_C(160));
	}
}

/* Play a gap across the window's end, which holds one core longer than the others. */
static void one_core_is_late(struct cpu *cpu, struct platform_window *plan)
{
	uint64_t end = atomic_load(&plan->end);

	if (cpu->index != 1)
		return;
	cpu->window_end += 2 * SECOND;
	cpu->window.length += 2 * SECOND;
	play(cpu, plan, SECOND - 1000, 2 * SECOND + 1000, 0, 0);
	mock_pass(end + 2 * SECOND);
}

TEST(test_never_more_watched_than_passed)
{
	lay(2);
	config.duration_ns = SECOND;
	mock.on_window = one_core_is_late;
	mock_run(&run);
	listen_to(0);
	assert_int_equal(heard_cpu(1)->exposure_ns, 3 * SECOND);
	assert_int_equal(heard->window[0].len_ns, 3 * SECOND);
	assert_in_range(heard->end->watched_ppm.value, 600000, 1000000);
}

/* Core 1 faults in its second window, with gaps in its ring that are in no window's sum. */
static void fault_in_second(struct cpu *cpu, struct platform_window *plan)
{
	play(cpu, plan, 1000, 5000, 0, 0);
	play(cpu, plan, 50000, 6000, 0, 0);
	if (cpu->index == 1 && cpu->stage.gaps) {
		atomic_store(&cpu->state, CPU_FAULTED);
		mock_leave();
	}
}

/* The logs of a core from before it was lost are reported once, not with every stage. */
TEST(test_logs_of_a_lost_core)
{
	lay(2);
	platform->logs = write_logs;
	run_prepare(&run);
	run_stage(&run, "bare");
	platform->logs = NULL;
	mock.on_window = fault_in_second;
	run_stage(&run, "acpi");
	mock.on_window = NULL;
	platform->logs = write_logs;
	run_stage(&run, "handoff");
	run_finish(&run);
	report_end(&report, &run.reasons);
	listen_to(0);
	assert_int_equal(heard->count[RECORD_LOG], 4);
	assert_string_equal(heard->log[0].text, "cpu 0: machine-check bank 4 holds a new error");
	assert_string_equal(heard->log[1].text, "cpu 1 throttled: PROCHOT, power limit");
	assert_non_null(strstr(heard->log[2].text, "cpu 1 (APIC id 2) was lost"));
	assert_string_equal(heard->log[3].text, "cpu 0: machine-check bank 4 holds a new error");
}

/* Play oddities, each of which must be reported once, and only in its own stage. */
static void odd(struct cpu *cpu, struct platform_window *plan)
{
	(void)plan;
	cpu->rewinds += cpu->index == 0;
	cpu->queue_full += 2 * (cpu->index == 1);
	cpu->unmasked |= cpu->index == 1;
}

TEST(test_oddities_of_one_stage)
{
	lay(2);
	run_prepare(&run);
	mock.on_window = odd;
	run_stage(&run, "bare");
	mock.on_window = NULL;
	run_stage(&run, "handoff");
	run_finish(&run);
	report_end(&report, &run.reasons);
	listen_to(0);
	assert_null(heard->end->reasons[1]);
	assert_string_equal(heard->end->reasons[0],
			    "interrupts were enabled while cpu 1 measured stage bare");
	assert_int_equal(heard->count[RECORD_STAGE], 2);
	assert_int_equal(heard->count[RECORD_LOG], 2);
	assert_non_null(strstr(heard->log[0].text, "the TSC of cpu 0 stepped back 10 times"));
	assert_non_null(strstr(heard->log[1].text, "on 1 cores"));
	assert_non_null(strstr(heard->log[1].text, "20 times"));
}

/* TSCs that are an hour apart: times of gaps are by the boot core's clock. */
TEST(test_skewed_core)
{
	lay(2);
	config.duration_ns = SECOND;
	mock.skew[1] = 3600 * SECOND;
	mock.on_window = ten_gaps;
	mock_run(&run);
	listen_to(1);
	assert_int_equal(heard->count[RECORD_GAP], 20);
	assert_in_range(heard->window[0].len_ns, SECOND - 100000, SECOND + 100000);
	for (unsigned i = 0; i < heard->count[RECORD_GAP]; i++)
		assert_true(heard->gap[i].t_ns < 3600 * SECOND);
}
