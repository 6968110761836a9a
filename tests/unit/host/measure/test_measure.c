/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions of `noisefloor measure` before it measures: may the clock be used, which keys mean
 * something, how long windows may be; and what it reads of Linux's files.
 */
#include "host/measure/linux.h"

#include "core/config/config_keys.h"

#include "tests/unit/common/test.h"
#include "tests/unit/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

/* ---- Clock ---- */

static const struct linux_clock_facts good = { .invariant = true,
					       .cpuid = { { "cpuid15", 2700000000,
							    TSC_RATE_EXACT } },
					       .cpuids = 1,
					       .raw_hz = { 2700100000, 2700110000 } };
static char why[400];

static bool judge(const struct linux_clock_facts *facts, struct linux_clock *clock)
{
	struct text t;

	text_init(&t, why, sizeof(why));
	return linux_clock_judge(facts, clock, &t);
}

TEST(test_clock)
{
	struct linux_clock_facts facts = good;
	struct linux_clock clock;

	assert_true(judge(&facts, &clock));
	assert_int_equal(clock.rate.hz, 2700000000);
	assert_string_equal(clock.rate.source, "cpuid15");
	assert_string_equal(clock.rate.audited_by, "monotonic-raw");
	facts.cpuids = 0;
	assert_true(judge(&facts, &clock));
	assert_int_equal(clock.rate.hz, 2700110000);
	assert_string_equal(clock.rate.source, "monotonic-raw");
}

/* A hypervisor may keep the rate although the processor does not report it; that is logged. */
TEST(test_clock_of_a_guest)
{
	struct linux_clock_facts facts = good;
	struct linux_clock clock;

	facts.invariant = false;
	assert_false(judge(&facts, &clock));
	assert_non_null(strstr(why, "not invariant"));
	facts.hypervisor = true;
	assert_true(judge(&facts, &clock));
	assert_false(clock.invariant);
}

TEST(test_clock_is_refused)
{
	static const uint64_t rates[][LINUX_CLOCK_ROUNDS] = {
		{ 0, 0 },
		{ 2700000000, 0 },
		{ 2700000000, 2705000000 },
		{ 2705000000, 2700000000 },
		{ UINT64_MAX, UINT64_MAX },
		{ 999, 999 },
	};
	struct linux_clock_facts facts = good;
	struct linux_clock clock;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		memcpy(facts.raw_hz, rates[i], sizeof(facts.raw_hz));
		assert_false(judge(&facts, &clock));
		assert_non_null(strstr(why, "does not keep a rate"));
	}
}

/* ---- Options ---- */

#define MISTAKE "measure: command line: "

static struct config options;
static char *printed; /* on standard error, by the latest call */

/* Read or, without arguments, check the options: the number of mistakes that are printed. */
static unsigned read_options(const char *const *args, const struct cpulist *allowed, uint32_t found)
{
	FILE *terminal = stderr;
	unsigned mistakes = 0;
	size_t bytes;
	int count = 0;
	bool taken;

	free(printed);
	stderr = open_memstream(&printed, &bytes);
	while (args && args[count])
		count++;
	taken = args ? linux_options_read(&options, (char **)args, count)
		     : linux_options_check(&options, allowed, found);
	fclose(stderr);
	stderr = terminal;
	for (const char *at = printed; (at = strchr(at, '\n')); at++)
		mistakes++;
	assert_int_equal(taken, !mistakes);
	assert_true(taken || strncmp(printed, MISTAKE, strlen(MISTAKE)) == 0);
	return mistakes;
}

#define READ(...)    read_options((const char *const[]){ __VA_ARGS__, NULL }, NULL, 0)
#define CHECK(found) read_options(NULL, &allowed, found)

TEST(test_options)
{
	char buffer[800];
	struct text t;

	assert_int_equal(READ("duration=3s threshold=2us", "cpus=1"), 0);
	assert_int_equal(options.duration_ns, 3 * S);
	assert_int_equal(options.threshold_ns, 2000);
	text_init(&t, buffer, sizeof(buffer));
	config_print(&options, &t);
	assert_non_null(strstr(buffer, "duration=3s window=1s quiet=no threshold=2us cpus=1 "
				       "services=all service_calls=100 max="));
	assert_null(strstr(buffer, "stages"));
	assert_null(strstr(buffer, "serial"));
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
	while (count--)
		if (strcmp(names[count], name) == 0)
			return true;
	return false;
}

/* Each key that needs a machine of its own is refused by name, and no other. */
TEST(test_refused_keys)
{
	static const char *const taken[] = {
		"mode",       "duration", "window",        "quiet",       "threshold",
		"cpus",       "services", "service_calls", "preset",      "stop",
		"stop_total", "records",  "gaps",          "live",        "selftest",
		"max",        "max_smi",  "max_noise",     "service_max",
	};
	size_t accepted = 0;
	char arg[80];

	for (const struct config_key *key = config_keys; key < config_keys + CONFIG_KEYS; key++) {
		size_t name = (size_t)snprintf(arg, sizeof(arg), "%s=", key->name);

		snprintf(arg + name, sizeof(arg) - name, "%s", key->fallback);
		if (is_among(key->name, taken, sizeof(taken) / sizeof(taken[0]))) {
			assert_int_equal(READ(arg), 0);
			accepted++;
			continue;
		}
		if (READ(arg) != 1)
			fail_msg("%s is accepted", arg);
		assert_memory_equal(printed + strlen(MISTAKE), arg, name);
		assert_non_null(strstr(printed, "does not apply from inside an OS: "));
	}
	assert_int_equal(accepted, sizeof(taken) / sizeof(taken[0]));
	/* A preset's limits are no such key. */
	assert_int_equal(READ("preset=rhel-rt"), 0);
	assert_int_equal(options.limit[LIMIT_MAX].value, 10000);
}

/* Services are called in a mode of their own. */
TEST(test_services)
{
	assert_int_equal(READ("services=rtc,port_80"), 0);
	assert_int_equal(options.mode, MODE_SERVICES);
	assert_int_equal(options.services, 1u << SERVICE_RTC | 1u << SERVICE_PORT_80);
	assert_int_equal(READ("mode=services"), 0);
	assert_true(options.services_all);
	/* A mode that is named is that mode. */
	assert_int_equal(READ("services=rtc", "mode=gaps"), 0);
	assert_int_equal(options.mode, MODE_GAPS);
	assert_int_equal(READ("service_calls=5"), 0);
	assert_int_equal(options.mode, MODE_GAPS);
	assert_int_equal(READ("services=none"), 1);
	assert_int_equal(READ("smi=1"), 1);
	assert_int_equal(READ("service_writes=1"), 1);
}

/* Cores that may be measured; these modes are the probe's alone. */
TEST(test_cores)
{
	struct cpulist allowed;

	assert_true(cpulist_parse(&allowed, "0", 1));
	READ("mode=survey");
	assert_int_equal(CHECK(1), 1);
	READ("mode=stretch");
	assert_int_equal(CHECK(1), 1);
	assert_string_equal(printed,
			    MISTAKE "mode=stretch has no machine to itself; accepted: mode=gaps\n");
	assert_true(cpulist_parse(&allowed, "2-3,5", 5));
	READ("cpus=all");
	assert_int_equal(CHECK(8), 0);
	assert_memory_equal(&options.cpus, &allowed, sizeof(allowed));
	READ("cpus=1-3");
	assert_int_equal(CHECK(8), 1);
	assert_string_equal(printed,
			    MISTAKE "cpus: this process may not run on 1; accepted: 2-3,5\n");
	READ("cpus=8");
	assert_int_equal(CHECK(8), 1);
	assert_non_null(strstr(printed, "this machine has cores 0-7"));
}

/* ---- Room for others ---- */

/*
 * The most that windows of `window` with `rest` between take of any stretch of a period:
 * it begins with a window.
 */
static uint64_t most_of(uint64_t period, uint64_t window, uint64_t rest)
{
	uint64_t whole = period / (window + rest), left = period % (window + rest);

	return whole * window + (left < window ? left : window);
}

/* By default SCHED_FIFO may run for 950 ms of each second. */
TEST(test_windows_leave_room)
{
	static const uint64_t windows[] = { 60 * S, S, 900 * MS, 855 * MS, 500 * MS, 400 * MS };

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct config c;
		uint64_t rest;

		config_defaults(&c);
		c.window_ns = windows[i];
		rest = linux_options_rest(&c);
		assert_true(c.window_ns <= 855 * MS);
		/* An allowed window that was requested is not shortened. */
		assert_true(c.window_ns == windows[i] || windows[i] > 855 * MS);
		assert_true(most_of(S, c.window_ns, rest) < 950 * MS);
		assert_true(rest > 0 && rest < c.window_ns / 4);
		c.window_ns = windows[i];
		c.quiet = true;
		assert_int_equal(linux_options_rest(&c), 0);
		assert_int_equal(c.window_ns, windows[i]);
	}
}

/* ---- Counters ---- */

static const char interrupts[] =
	"           CPU0       CPU2       CPU3       \n"
	"  0:         40          0          1   IO-APIC   2-edge      timer\n"
	"NMI:          5          6          7   Non-maskable interrupts\n"
	"LOC:        100        200        300   Local timer interrupts\n"
	"ERR:          9\n"
	"MIS:          8\n"
	"MCE:          1          0          2   Machine check exceptions\n"
	"MCP:         11         11         11   Machine check polls\n";

TEST(test_interrupts)
{
	struct linux_counts counts;

	linux_counters_parse(interrupts, 3, &counts);
	assert_true(counts.nmi.known && counts.mce.known);
	assert_int_equal(counts.nmi.value, 7);
	assert_int_equal(counts.mce.value, 2);
	linux_counters_parse(interrupts, 0, &counts);
	assert_int_equal(counts.nmi.value, 5);
	/* Without a column nothing is known; least of all 0. */
	linux_counters_parse(interrupts, 1, &counts);
	assert_false(counts.nmi.known || counts.mce.known);
}

TEST(test_hostile_interrupts)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"CPU",
		"CPU0",
		"CPU0 CPU1\nNMI:\n",
		"CPU0 CPU1\nNMI: 5\nMCE: 6",
		"CPU0 CPU1\nNMI: 5 x\n",
		"CPU0 CPU1\nNMI 5 6\n",
		"NMI: 5 6\nCPU0 CPU1\n",
		"CPU0 CPU1\nNMI: 5 99999999999999999999999\n",
	};
	struct linux_counts counts;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		linux_counters_parse(texts[i], 1, &counts);
		assert_false(counts.nmi.known);
		assert_false(counts.mce.known);
	}
}

/* Two cores, of which the second has a register of SMIs. */
static struct cpu cpus[2];
static struct platform platform;
static struct linux_counters counters;

static void set_smi(const char *name, uint64_t value)
{
	char bytes[0x34 + sizeof(value)] = { 0 };

	memcpy(bytes + 0x34, &value, sizeof(value));
	tree_write_bytes(name, bytes, sizeof(bytes));
}

static void set_interrupts(unsigned nmi0, unsigned nmi3)
{
	char text[300];

	snprintf(text, sizeof(text), "  CPU0 CPU3\n 1: 7 8 x\nNMI: %u %u y\n", nmi0, nmi3);
	tree_write("proc/interrupts", text);
}

static void open_counters(void)
{
	memset(cpus, 0, sizeof(cpus));
	cpus[1].index = 3;
	cpus[1].position = 1;
	platform = (struct platform){ .cpu = cpus, .cpus = 2 };
	assert_true(linux_counters_open(&counters, &platform, tree));
}

TEST_F(tree_make, tree_remove, test_steps)
{
	set_interrupts(10, 20);
	set_smi("dev/cpu/3/msr", 0xfffffffe);
	open_counters();
	assert_true(cpus[0].blind.gaps && cpus[1].blind.gaps);
	assert_false(cpus[0].blind.nmi || cpus[1].blind.nmi);
	assert_true(cpus[0].blind.mce && cpus[1].blind.mce);
	set_interrupts(11, 20);
	linux_counters_step(&counters, false);
	set_interrupts(13, 20);
	/* The count has 32 bits, and wraps. */
	set_smi("dev/cpu/3/msr", 3);
	linux_counters_step(&counters, true);
	assert_int_equal(cpus[0].window.nmi, 2);
	assert_int_equal(cpus[0].window.nmi_out, 1);
	assert_int_equal(cpus[1].window.nmi, 0);
	assert_false(cpus[0].smi.moved);
	assert_true(cpus[1].smi.moved);
	assert_int_equal(cpus[1].window.smi, 5);
	assert_int_equal(cpus[1].window.smi_out, 0);
	assert_int_equal(linux_counters_smi(&counters, 1), 3);
	assert_int_equal(linux_counters_smi(&counters, 0), 0);
	linux_counters_close(&counters);
}

/* A guest's register reads 0: that shows nothing, until it counts. */
TEST_F(tree_make, tree_remove, test_smi_that_never_moved)
{
	set_interrupts(0, 0);
	set_smi("dev/cpu/3/msr", 0);
	open_counters();
	linux_counters_step(&counters, false);
	linux_counters_step(&counters, true);
	assert_false(cpus[1].smi.moved);
	linux_counters_step(&counters, false);
	set_smi("dev/cpu/3/msr", 2);
	linux_counters_step(&counters, true);
	assert_true(cpus[1].smi.moved);
	assert_int_equal(cpus[1].window.smi, 2);
	linux_counters_close(&counters);
}

/* Once a reading has failed, the sum is incomplete for good. */
TEST_F(tree_make, tree_remove, test_counter_that_goes_away)
{
	set_interrupts(1, 1);
	set_smi("dev/cpu/3/msr", 7);
	open_counters();
	linux_counters_step(&counters, false);
	tree_write("proc/interrupts", "CPU0 CPU3\n");
	tree_write("dev/cpu/3/msr", "short");
	linux_counters_step(&counters, true);
	set_interrupts(2, 2);
	set_smi("dev/cpu/3/msr", 8);
	linux_counters_step(&counters, false);
	linux_counters_step(&counters, true);
	assert_true(cpus[0].blind.nmi);
	assert_false(cpus[1].smi.moved);
	linux_counters_close(&counters);
}

TEST(test_no_counters)
{
	struct linux_counters none;

	memset(cpus, 0, sizeof(cpus));
	platform = (struct platform){ .cpu = cpus, .cpus = 2 };
	assert_true(linux_counters_open(&none, &platform, "/nowhere"));
	linux_counters_step(&none, false);
	linux_counters_step(&none, true);
	assert_true(cpus[0].blind.nmi && cpus[0].blind.mce);
	assert_false(cpus[0].smi.moved);
	linux_counters_close(&none);
}

/* ---- Machine ---- */

static const char cpuinfo[] =
	"processor\t: 0\nmodel name\t: X\nmicrocode\t: 0x2b\napicid\t\t: 4\n\n"
	"processor\t: 12\nmicrocode\t: 0x2b\napicid\t\t: 38\n"
	"initial apicid\t: 39\n\n"
	"processor\t: 13\n\nprocessor\t: 14\napicid\t: 41\n";

TEST_F(tree_make, tree_remove, test_machine)
{
	static struct linux_machine m;
	struct record_begin b = { 0 };

	memset(cpus, 0, sizeof(cpus));
	cpus[1].index = 12;
	platform = (struct platform){ .cpu = cpus, .cpus = 2 };
	tree_write("proc/cpuinfo", cpuinfo);
	tree_write("sys/class/dmi/id/sys_vendor", "Forge  \n");
	tree_write("sys/class/dmi/id/product_uuid", "abc\n");
	/* Older kernels print blanks for a string that firmware left empty. */
	tree_write("sys/class/dmi/id/product_name", "        \n");
	linux_machine_describe(&m, &b, &platform, tree);
	assert_string_equal(b.machine.vendor, "Forge");
	assert_string_equal(b.machine.uuid, "abc");
	assert_null(b.machine.product);
	assert_int_equal(b.cpu.microcode.value, 0x2b);
	assert_string_equal(b.cpus.apic_ids, "4,38");
	assert_int_equal(cpus[1].apic_id, 38);
	assert_memory_equal(b.os, "Linux ", 6);
	/* Core 13 has no APIC id: neither the next core's, nor the one that it had before. */
	cpus[0].index = 13;
	linux_machine_describe(&m, &b, &platform, tree);
	assert_null(b.cpus.apic_ids);
	tree_write("proc/cpuinfo", "processor\t:\napicid\t:\nprocessor");
	linux_machine_describe(&m, &b, &platform, tree);
	assert_null(b.cpus.apic_ids);
}
