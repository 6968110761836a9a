/* SPDX-License-Identifier: BSD-2-Clause */
/* mode=stretch on a platform whose quanta are numbers: who works when, and what is made of it. */
#include "core/run/run.h"
#include "core/gaps/hist.h"
#include "core/config/mode.h"
#include "core/work/work.h"
#include "core/modes/stretch/stretch_kept.h"

#define MOCK_CPUS 255
#define MOCK_GAPS 1
#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"
#include "tests/unit/kept_run.h"

#include <stdio.h>
#include <stdlib.h>

#define BEST 100000

static struct work_room room;
static struct stretch_core *core; /* data that the mode stores */
static struct topology topology[MOCK_CPUS];
static bool uneven;      /* a core's first quantum is its best, others take up to three times it */
static uint64_t late;    /* ticks in which a core got no processor, of each quantum */
static bool lucky;       /* the first is its best, others take a tenth longer */
static uint64_t written; /* bytes of records, by a link that writes them */

static const struct kept *const heard = &links[1]; /* the one without a limit */

/* Clocks, if they are counted: a quarter above nominal in SWIFT turns, then a fifth below. */
#define SWIFT 12

static bool counted;
static unsigned logged; /* times that logs were read: before the first turn, and after each */

static void count_clock(struct work_quantum *q)
{
	q->counts.have = EVIDENCE(MPERF) | EVIDENCE(APERF);
	q->counts.step[EVIDENCE_MPERF] = q->ticks;
	q->counts.step[EVIDENCE_APERF] = q->ticks / 20 * (logged <= SWIFT ? 25 : 16);
}

/* Core 1 throttles in the first of the slow ones. */
static void read_logs(struct cpu *cpu)
{
	logged += !cpu->position;
	cpu->throttled = cpu->position && logged == SWIFT + 2 ? THROTTLE_THERMAL | THROTTLE_POWER
							      : 0;
}

/* Phases in their order, by how many cores work and how many of these are measured. */
static bool watches;
static unsigned seen[64], seen_count;

static void see(void)
{
	unsigned works = 0, measures = 0, slot;

	for (uint32_t i = 0; i < platform->cpus; i++) {
		works += core[i].role != 0;
		measures += core[i].role == STRETCH_MEASURES;
	}
	slot = works * 10 + measures;
	if (seen_count < 64 && (!seen_count || seen[seen_count - 1] != slot))
		seen[seen_count++] = slot;
}

/* Additions always take the same time; memory is slower for all others while core 2 works. */
static void quantum(struct cpu *cpu, enum config_kernel kernel, uint64_t best, uint64_t threshold,
		    struct work_quantum *q)
{
	bool beside = kernel == KERNEL_DRAM && platform->cpus > 2 && cpu->position != 2 &&
		      core[2].role;

	assert_true(cpu->measured && core[cpu->position].role);
	assert_true(!best || best == BEST);
	assert_int_equal(threshold, 1000);
	if (best && watches)
		see();
	memset(q, 0, sizeof(*q));
	q->ticks = BEST + (beside ? BEST / 4 : 0);
	if (uneven && best)
		q->ticks += draw(UINT64_C(1) << (1 + draw(17)));
	if (lucky && best)
		q->ticks += BEST / 10;
	if (counted)
		count_clock(q);
	mock_work(q->ticks + late);
}

static const struct work_unit units[KERNELS] = {
	[KERNEL_ADDS] = { 7, "adds" },
	[KERNEL_DRAM] = { 9, "lines" },
};

/* Allocate exactly the memory that the mode requests. */
static void keep(uint32_t cpus)
{
	static struct stretch_kept *kept;

	free(kept);
	kept = calloc(1, mode_stretch.kept + (size_t)cpus * mode_stretch.kept_of_core);
	assert_non_null(kept);
	room.kept = kept;
	core = (struct stretch_core *)(void *)(kept + 1);
}

static void lay(uint32_t cpus, const char *keys)
{
	static const struct config_source source = { "test", true };

	lay_run(cpus);
	memset(&room, 0, sizeof(room));
	memset(topology, 0, sizeof(topology));
	counted = uneven = lucky = watches = false;
	logged = seen_count = 0;
	written = late = 0;
	config_apply(&config, &source, keys, strlen(keys), NULL, NULL);
	config.duration_ns = 1000000;
	config.selftest = false;
	room.quantum = quantum;
	room.unit = units;
	room.kernels = 1u << KERNEL_ADDS | 1u << KERNEL_DRAM;
	keep(cpus);
	platform->work = &room;
	platform->topology = topology;
}

static unsigned count(const char *kernel, const char *phase)
{
	unsigned n = 0;

	for (unsigned i = 0; i < heard->count[RECORD_STRETCH]; i++) {
		const struct record_stretch *r = &heard->stretch[i];

		n += !strcmp(r->kernel, kernel) && !strcmp(r->phase, phase);
	}
	return n;
}

/* Three cores, two of them threads of one. */
TEST(test_phases)
{
	lay(3, "mode=stretch max_stretch=1.3");
	for (unsigned i = 0; i < 3; i++)
		topology[i] = (struct topology){ .known = true, .core = i / 2, .thread = i % 2 };
	mock_run_untested(&run);
	assert_int_equal(count("adds", "alone"), 3);
	assert_int_equal(count("adds", "all"), 3);
	assert_int_equal(count("adds", "siblings"), 2);
	assert_int_equal(count("adds", "victims"), 3);
	assert_int_equal(heard->count[RECORD_STRETCH], 22);
	assert_int_equal(links[0].count[RECORD_STRETCH], 22);
	for (unsigned i = 0; i < heard->count[RECORD_STRETCH]; i++) {
		const struct record_stretch *r = &heard->stretch[i];
		bool dram = !strcmp(r->kernel, "dram");
		bool slow = dram && r->cpu != 2 &&
			    (!strcmp(r->phase, "all") || !strcmp(r->phase, "victims"));

		assert_int_equal(r->best, BEST);
		assert_int_equal(r->work, dram ? 9 : 7);
		assert_true(r->quanta >= 4 * INTERFERE_TURNS);
		assert_int_equal(r->max, slow ? 250000 : 0);
		assert_int_equal(r->p50 != 0, slow && !strcmp(r->phase, "all"));
		assert_int_equal(r->gaps.value, 1000000);
		assert_false(r->clock.known || r->cpi.known);
		assert_int_equal(r->course.count + r->throttled.count, 0);
	}
	assert_int_equal(heard->count[RECORD_WINDOW] + heard->count[RECORD_CPU], 0);
	assert_string_equal(heard->end->verdict, "pass");
	assert_no_text("warning");
}

/* One that was met once is the least, but not the best. */
TEST(test_lucky_best)
{
	lay(2, "mode=stretch kernel=adds");
	lucky = true;
	mock_run_untested(&run);
	for (unsigned i = 0; i < heard->count[RECORD_STRETCH]; i++) {
		assert_int_equal(heard->stretch[i].best, BEST + BEST / 10);
		assert_int_equal(heard->stretch[i].min.value, BEST);
		if (strcmp(heard->stretch[i].phase, "alone") == 0)
			assert_int_equal(heard->stretch[i].p999, 0);
	}
}

/* The order of phases is alone, all, siblings, pairs; each second turn goes backwards. */
TEST(test_order)
{
	static const unsigned turns[] = { 11, 33, 22, 21, 22, 33, 11, 33, 22, 21, 22, 33, 11 };

	lay(3, "mode=stretch kernel=adds");
	watches = true;
	for (unsigned i = 0; i < 3; i++)
		topology[i] = (struct topology){ .known = true, .core = i / 2, .thread = i % 2 };
	mock_run_untested(&run);
	assert_true(seen_count > sizeof(turns) / sizeof(turns[0]));
	for (unsigned i = 0; i < sizeof(turns) / sizeof(turns[0]); i++)
		assert_int_equal(seen[i], turns[i]);
}

TEST(test_matrix)
{
	lay(3, "mode=stretch kernel=dram,adds max_stretch=1.2");
	mock_run_untested(&run);
	assert_int_equal(heard->count[RECORD_INTERFERE], 12);
	for (unsigned i = 0; i < heard->count[RECORD_INTERFERE]; i++) {
		const struct record_interfere *r = &heard->interfere[i];
		bool slow = !strcmp(r->kernel, "dram") && r->aggressor == 2;

		assert_true(r->victim != r->aggressor);
		assert_null(r->group);
		assert_int_equal(r->ratio, slow ? 1250000 : 1000000);
		assert_int_equal(r->bound, 1000000);
	}
	assert_text("adds: 0 of 6 pairs slow each other significantly");
	assert_text("dram: 2 of 6 pairs slow each other significantly");
	assert_text("cpu 1 beside cpu 2: 1.250000 times (dram; chance: up to 1.0");
	assert_no_text("cpu 2 beside");
	assert_string_equal(heard->end->verdict, "fail");
	assert_string_equal(heard->end->reasons[0],
			    "max_stretch: p99.9 of stretch 1.250000 on cpu 0 "
			    "exceeds the limit of 1.200000");
}

TEST(test_one_core)
{
	lay(1, "mode=stretch");
	mock_run_untested(&run);
	assert_int_equal(heard->count[RECORD_STRETCH], 2);
	assert_int_equal(heard->count[RECORD_INTERFERE], 0);
	assert_string_equal(heard->end->verdict, "none");
	/* Kernels left out are reported. */
	assert_text("info: kernel l2: not on this machine");
}

TEST(test_missing_kernel)
{
	lay(1, "mode=stretch kernel=fma,adds max_stretch=2");
	mock_run_untested(&run);
	assert_int_equal(heard->count[RECORD_STRETCH], 1);
	assert_string_equal(heard->end->verdict, "incomplete");
	assert_string_equal(heard->end->reasons[0], "kernel fma was not measured");
	lay(1, "mode=stretch kernel=fma max_stretch=2");
	mock_run_untested(&run);
	assert_int_equal(heard->count[RECORD_STRETCH], 0);
	assert_string_equal(heard->end->verdict, "incomplete");
}

/* A kernel that the processor could run, without memory for it. */
TEST(test_kernel_without_memory)
{
	lay(1, "mode=stretch max_stretch=2");
	room.kernels = 1u << KERNEL_ADDS;
	room.lacks[KERNEL_DRAM] = "no memory";
	mock_run_untested(&run);
	assert_text("info: kernel dram: no memory\n");
	assert_text("info: kernel l2: not on this machine");
	assert_string_equal(heard->end->verdict, "pass");
	lay(1, "mode=stretch kernel=adds,dram max_stretch=2");
	room.kernels = 1u << KERNEL_ADDS;
	room.lacks[KERNEL_DRAM] = "no memory";
	mock_run_untested(&run);
	assert_text("warning: kernel dram: no memory\n");
	assert_string_equal(heard->end->verdict, "incomplete");
	assert_string_equal(heard->end->reasons[0], "kernel dram was not measured");
}

/* The clock of each turn, and the turn in which the reason for a slow clock was logged. */
TEST(test_course)
{
	lay(2, "mode=stretch kernel=adds");
	counted = true;
	platform->logs = read_logs;
	mock_run_untested(&run);
	assert_int_equal(heard->count[RECORD_STRETCH], 6);
	for (unsigned n = 0; n < heard->count[RECORD_STRETCH]; n++) {
		const struct record_stretch *r = &heard->stretch[n];

		assert_int_equal(r->course.count, STRETCH_TURNS);
		for (unsigned i = 0; i < STRETCH_TURNS; i++) {
			assert_true(r->course.at[i][0] > (i ? r->course.at[i - 1][0] : 0));
			assert_int_equal(r->course.at[i][1], i < SWIFT ? 1250000 : 800000);
		}
		assert_int_equal(r->throttled.count, r->cpu);
		if (!r->cpu)
			continue;
		assert_int_equal(r->throttled.at[0][0], r->course.at[SWIFT][0]);
		assert_int_equal(r->throttled.at[0][1], THROTTLE_THERMAL | THROTTLE_POWER);
	}
	assert_text("cpu 1 throttled: thermal, power limit");
	assert_no_text("cpu 0 throttled");
}

static bool at_once(void)
{
	return true;
}

/* Medians of fewer turns are not compared. */
TEST(test_stopped)
{
	lay(2, "mode=stretch max_stretch=2");
	mock.on_stop = at_once;
	mock_run_untested(&run);
	assert_true(run.over);
	assert_int_equal(count("adds", "alone"), 2);
	assert_int_equal(count("dram", "alone"), 0);
	assert_int_equal(heard->count[RECORD_INTERFERE], 0);
	assert_string_equal(heard->end->verdict, "incomplete");
}

/* A guest on a host that has other work: a core that is slow is not lost. */
TEST(test_slow)
{
	lay(2, "mode=stretch kernel=adds");
	late = MOCK_HZ;
	mock_run_untested(&run);
	assert_int_equal(count("adds", "alone"), 2);
	assert_int_equal(count("adds", "all"), 2);
	assert_string_equal(heard->end->verdict, "none");
}

/* More cores than a matrix of all may have: two packages, and a link that is slow. */
TEST(test_groups)
{
	lay(34, "mode=stretch kernel=adds");
	for (unsigned i = 0; i < 34; i++)
		topology[i] = (struct topology){ .known = true, .package = i % 2, .core = i };
	mock_run_untested(&run);
	assert_int_equal(heard->count[RECORD_INTERFERE], 2);
	assert_string_equal(heard->interfere[0].group, "package");
	assert_int_equal(heard->interfere[0].victim, 0);
	assert_int_equal(heard->interfere[0].aggressor, 1);
	assert_int_equal(count("adds", "alone"), 34);
	assert_int_equal(count("adds", "all"), 34);
	assert_int_equal(count("adds", "victims"), 2);
	assert_int_equal(links[0].count[RECORD_STRETCH], 16 + 16 + 2);
	assert_text("adds, all: the 16 worst of 34 cores, by P99.9");
}

/* ---- As many cores as there may be: 4 packages of 4 caches, of 8 cores with 2 threads ---- */

#define MANY       255
#define MANY_SLOTS (MANY + 1 + MANY / 2 + INTERFERE_GROUPS * (INTERFERE_GROUPS - 1))
#define WARM_UPS   64

static void count_bytes(struct record_link *link, const char *line, size_t bytes)
{
	(void)link;
	(void)line;
	written += bytes;
}

static void lay_many(const char *keys)
{
	lay(MANY, keys);
	for (uint32_t i = 0; i < MANY; i++) {
		platform->cpu[i].apic_id = i;
		topology[i] = (struct topology){
			.known = true, .package = i / 64, .core = i % 64 / 2, .thread = i % 2
		};
	}
	room.cache_bits = 4;
}

/*
 * However short the duration is, a slot takes one quantum to begin with, four that are measured,
 * and at each of its two waits the rest of one more, and of a look at what is waited for.
 */
TEST(test_time_of_many)
{
	const uint64_t slot = 7 * BEST + 8 * MOCK_RELAX, warm = MANY * WARM_UPS * BEST;
	uint64_t ticks;

	lay_many("mode=stretch kernel=adds");
	mock_run_untested(&run);
	ticks = mock.clock[0] - MOCK_BEGIN;
	print_message("%u cores: %.1f s a kernel of %u us\n", MANY, (double)ticks / MOCK_HZ,
		      BEST / 1000);
	assert_true(ticks < INTERFERE_TURNS * MANY_SLOTS * slot + warm);
	assert_int_equal(count("adds", "alone"), MANY);
	assert_int_equal(count("adds", "all"), MANY);
	assert_int_equal(count("adds", "siblings"), MANY - 1);
	assert_int_equal(count("adds", "victims"), INTERFERE_GROUPS);
	assert_int_equal(heard->count[RECORD_INTERFERE], INTERFERE_GROUPS * (INTERFERE_GROUPS - 1));
	for (unsigned i = 0; i < heard->count[RECORD_INTERFERE]; i++)
		assert_string_equal(heard->interfere[i].group, "cache");
}

/* On a serial line at 115200 baud, with histograms as wide as quanta can make them. */
TEST(test_bytes_of_many)
{
	lay_many("mode=stretch kernel=adds");
	config.duration_ns = UINT64_C(5000000000);
	uneven = true;
	links[0].link.take = NULL;
	links[0].link.write = count_bytes;
	mock_run_untested(&run);
	print_message("%u cores: %llu bytes of records and %zu of text a kernel\n", MANY,
		      (unsigned long long)written, kept_bytes);
	assert_int_equal(links[0].link.sent[RECORD_STRETCH], 4 * 16);
	assert_true(written + kept_bytes < 20 * 11520);
}
