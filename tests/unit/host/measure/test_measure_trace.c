/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Linux traced around the gap that ended a run: in a tree of plain files, with a trace as
 * Linux 6.12 writes it by the TSC.
 */
#include "host/measure/linux_trace.h"

#include "tests/unit/common/test.h"
#include "tests/unit/tree.h"

#define HZ    UINT64_C(1000000000) /* a tick is 1 ns */
#define START UINT64_C(6127492000) /* of the gap, on core 1 */
#define TICKS 60000

/* Core 1 is 5 us ahead of core 0, which is the boot core; core 2 is not measured. */
static const char trace[] =
	"# tracer: nop\n"
	"#\n"
	"# entries-in-buffer/entries-written: 9/9   #P:3\n"
	"#\n"
	"#                                _-----=> irqs-off/BH-disabled\n"
	"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
	"          <idle>-0       [001] d.h1. 6127391999: local_timer_entry: vector=236\n"
	"      noisefloor-112     [000] d.h1. 6127488000: softirq_raise: vec=1 [action=TIMER]\n"
	"      noisefloor-113     [001] d.h1. 6127490750: local_timer_entry: vector=236\n"
	"      noisefloor-113     [001] d.h1. 6127500001: local_timer_exit: vector=236\n"
	"       rcuc/1-2 [x-21    [001] d..2. 6127551999: sched_switch: prev_comm=rcuc/1 ==> y\n"
	"CPU:1 [LOST 2 EVENTS]\n"
	"            bash-99      [002] d..2. 6127500000: sched_switch: prev_comm=bash\n"
	"      noisefloor-112     [000] d.h1. 6127647000: irq_handler_entry: irq=4 name=ttyS0\n"
	"      noisefloor-112     [000] d.h1. 6127647001: irq_handler_exit: irq=4 ret=handled\n"
	"      noisefloor-113     [001] d.h1. 6127652001: local_timer_entry: vector=236\n";

static const char *const files[][2] = {
	{ "available_tracers", "nop\n" },
	{ "current_tracer", "nop\n" },
	{ "trace_clock", "[local] global counter uptime perf mono mono_raw boot tai x86-tsc\n" },
	{ "tracing_on", "1\n" },
	{ "events/irq/enable", "0\n" },
	{ "events/irq_vectors/enable", "0\n" },
	{ "events/sched/sched_switch/enable", "0\n" },
	{ "trace", trace },
};

#define FILES (sizeof(files) / sizeof(files[0]))

static struct {
	struct gap slot[3];
	struct cpu cpu[2];
	struct platform platform;
	struct config config;
	struct report report;
	struct run run;
	struct linux_trace trace;
	char text[40000];
} test;

static void keep_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx;
	snprintf(test.text + strlen(test.text), sizeof(test.text) - strlen(test.text), "%.*s\n",
		 (int)bytes, line);
}

/* A run that a gap on core 1 ended, after a longer one of another window. */
static int lay(void **state)
{
	memset(&test, 0, sizeof(test));
	if (tree_make(state) != 0)
		return -1;
	for (size_t i = 0; i < FILES; i++)
		tree_write(files[i][0], files[i][1]);
	test.slot[0] = (struct gap){ .start = 1000, .ticks = 90000 };
	test.slot[1] = (struct gap){ .start = START, .ticks = TICKS };
	test.slot[2] = (struct gap){ .start = START + 200000, .ticks = 2000 };
	test.cpu[1] = (struct cpu){
		.index = 1,
		.position = 1,
		.tsc_offset = 5000,
		.window_start = 2000000,
		.window = { .max = TICKS, .noise = TICKS + 2000 },
		.worst = test.slot[0],
		.ring = { .slot = test.slot, .capacity = 3, .used = 3 },
	};
	test.platform = (struct platform){ .cpu = test.cpu, .cpus = 2, .hz = HZ };
	test.config.stop_ns = (struct config_limit){ true, 50000 };
	test.report = (struct report){ .platform = &test.platform, .line = keep_line };
	test.run.platform = &test.platform;
	test.run.report = &test.report;
	test.run.plan.stop = 50000;
	test.run.plan.stop_total = UINT64_MAX;
	return 0;
}

static void open_it(void)
{
	linux_trace_open(&test.trace, &test.config, tree, &test.report);
}

static void assert_file(const char *name, const char *with)
{
	assert_memory_equal(tree_read(name), with, strlen(with));
}

static void assert_restored(void)
{
	assert_true(linux_trace_close(&test.trace));
	assert_file("tracing_on", "1");
	assert_file("trace_clock", "local");
	assert_file("events/irq/enable", "0");
	assert_file("events/sched/sched_switch/enable", "0");
}

static void assert_lines(const char *expected)
{
	assert_string_equal(test.text, expected);
}

/* 5 us less on core 1: times are those of the boot core, from the gap's begin on. */
TEST_F(lay, tree_remove, test_lines_of_each_core)
{
	open_it();
	assert_file("trace_clock", "x86-tsc");
	assert_file("tracing_on", "1");
	assert_file("events/irq_vectors/enable", "1");
	linux_trace_window(&test.trace, &test.run);
	assert_file("tracing_on", "0");
	linux_trace_keep(&test.trace, &test.run);
	assert_lines("trace: around the gap of 60.0 us on cpu 1, in us from its begin:\n"
		     "trace: cpu 1 -1.250: noisefloor-113 local_timer_entry: vector=236\n"
		     "trace: cpu 1 8.001: noisefloor-113 local_timer_exit: vector=236\n"
		     "trace: cpu 1 59.999: rcuc/1-2 [x-21 sched_switch: prev_comm=rcuc/1 "
		     "==> y\n"
		     "trace: cpu 0 1.000: noisefloor-112 softirq_raise: vec=1 "
		     "[action=TIMER]\n"
		     "trace: cpu 0 160.000: noisefloor-112 irq_handler_entry: irq=4 "
		     "name=ttyS0\n");
	assert_restored();
}

/* The window goes on while no core has ended it, and tracing with it. */
TEST_F(lay, tree_remove, test_a_limit_that_is_met)
{
	open_it();
	test.run.plan.end = 5;
	test.cpu[1].window.max = test.cpu[1].window.noise = 49999;
	linux_trace_window(&test.trace, &test.run);
	assert_file("tracing_on", "1");
	linux_trace_keep(&test.trace, &test.run);
	assert_lines("");
	assert_restored();
}

/* The sum of a window: its longest gap is the one. */
TEST_F(lay, tree_remove, test_noise_of_a_window)
{
	test.config.stop_ns.set = false;
	test.config.stop_total_ns = (struct config_limit){ true, 61000 };
	test.run.plan.stop = UINT64_MAX;
	test.run.plan.stop_total = 61000;
	open_it();
	linux_trace_keep(&test.trace, &test.run);
	assert_non_null(strstr(test.text, "the gap of 60.0 us on cpu 1"));
	assert_restored();
}

/* Its gap is not in the ring, which was full; of two cores the first is the one. */
TEST_F(lay, tree_remove, test_first_of_two)
{
	test.cpu[0].window.max = 70000;
	test.cpu[0].worst = (struct gap){ .start = START - 5001, .ticks = 70000 };
	open_it();
	linux_trace_keep(&test.trace, &test.run);
	assert_non_null(strstr(test.text, "the gap of 70.0 us on cpu 0"));
	assert_non_null(strstr(test.text, "trace: cpu 0 1.001: "));
	assert_restored();
}

TEST_F(lay, tree_remove, test_nothing_inside)
{
	tree_write("trace", "# tracer: nop\n#\n  x-1  [001] d.h1. 6127491000: a: b\n");
	open_it();
	linux_trace_keep(&test.trace, &test.run);
	assert_non_null(strstr(test.text, "trace: cpu 1 -1.000: x-1 a: b\n"));
	assert_non_null(strstr(test.text, "trace: no event in this gap on cpu 1\n"));
	assert_restored();
}

TEST_F(lay, tree_remove, test_many_lines)
{
	char many[30000] = "";
	unsigned lines = 0;

	for (unsigned i = 0; i < 230; i++)
		sprintf(many + strlen(many), "x-1  [001] d.h1. %llu: a: b\n",
			(unsigned long long)START + 100ull * i);
	tree_write("trace", many);
	open_it();
	linux_trace_keep(&test.trace, &test.run);
	for (const char *at = test.text; (at = strstr(at, "x-1 a: b")); at++)
		lines++;
	assert_int_equal(lines, 200);
	assert_non_null(strstr(test.text, "30 more lines are left out\n"));
	assert_restored();
}

/* Without it the run goes on, and the file has the reason. */
TEST_F(lay, tree_remove, test_what_is_missing)
{
	unlink(tree_path("trace_clock"));
	open_it();
	assert_non_null(strstr(test.text, "what Linux does around a gap is not traced: "));
	assert_non_null(strstr(test.text, " No such file or directory\n"));
	linux_trace_window(&test.trace, &test.run);
	linux_trace_keep(&test.trace, &test.run);
	assert_null(strstr(test.text, "around the gap"));
	assert_true(linux_trace_close(&test.trace));
	test.text[0] = '\0';
	linux_trace_open(&test.trace, &test.config, "/nowhere", &test.report);
	assert_lines("info: what Linux does around a gap is not traced: "
		     "/nowhere/available_tracers:\n"
		     "      No such file or directory\n");
	assert_true(linux_trace_close(&test.trace));
}

/* Without instances, the root's buffer is left to the tracer that uses it. */
TEST_F(lay, tree_remove, test_in_use)
{
	tree_write("current_tracer", "osnoise\n");
	open_it();
	assert_non_null(strstr(test.text, "its own buffer is used by tracer osnoise\n"));
	assert_true(linux_trace_close(&test.trace));
	assert_string_equal(tree_read("tracing_on"), "1\n");
	assert_string_equal(tree_read("trace_clock"), files[2][1]);
}

/* A setting that cannot be restored is an error; all others are restored. */
TEST_F(lay, tree_remove, test_not_restored)
{
	open_it();
	unlink(tree_path("events/irq/enable"));
	assert_false(linux_trace_close(&test.trace));
	assert_file("tracing_on", "1");
	assert_file("trace_clock", "local");
	assert_file("events/irq_vectors/enable", "0");
	assert_file("events/sched/sched_switch/enable", "0");
}

/* Without a limit that stops it, nothing is touched. */
TEST_F(lay, tree_remove, test_no_limit)
{
	test.config.stop_ns.set = false;
	open_it();
	assert_false(test.trace.on);
	assert_file("tracing_on", "1");
	assert_lines("");
	assert_true(linux_trace_close(&test.trace));
	assert_string_equal(tree_read("trace_clock"), files[2][1]);
}
