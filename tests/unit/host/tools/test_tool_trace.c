/* SPDX-License-Identifier: BSD-2-Clause */
/* hwlat and osnoise as tracefs and trace-cmd print them; figures are worked out from the lines. */

#include "tests/unit/common/test.h"
#include "tests/unit/tool_text.h"

/*
 * Five records a core in 4.08 s of 1 s windows, of which each core is watched 0.5 s. Each
 * has inner and outer over 10 us, and count - 2 turns more of at least 11 us:
 *   core 0: 4209 + 184 * 11, 4117 + 208 * 11, 1919 + 182 * 11, 5934 + 182 * 11,
 *           1594 + 186 * 11 us = 28135 us
 * The upper bound is count * (inner + outer + 2 * 0.999) us, or the width and a last gap:
 *   500 + 4.025999, 500 + 3.651999, 184 * 1.920998, 500 + 4.030999, 188 * 1.595998 ms
 */
TEST_F(NULL, tool_teardown, test_hwlat_per_cpu)
{
	const struct tool_core *core;

	assert_read(tool_file("hwlat-per-cpu.trace"), 1);
	assert_string_equal(tools.at[0].tool, "hwlat");
	assert_int_equal(tools.at[0].cores, 2);
	assert_exact(tools.at[0].threshold_ns, 11000);
	assert_int_equal(tools.at[0].threshold_from, TOOL_ASSUMED);
	assert_int_equal(tools.at[0].notes, 0);
	core = tool_at(0, 0);
	assert_range(core->events, 952, 1904);
	assert_range(core->sum_ns, 28135000, 2165220253);
	assert_range(core->max_ns, 4030000, 4030999);
	assert_assumed(core, 2500000000);
	/* Sampled with interrupts off. */
	assert_exact(core->cause[TOOL_IRQ].ns, 0);
	assert_exact(core->cause[TOOL_THREAD].ns, 0);
	assert_false(core->cause[TOOL_NMI].ns.known);
	core = tool_at(0, 1);
	/* 181 + 239 + 200 + 181 + 182 */
	assert_range(core->events, 983, 1966);
	assert_range(core->max_ns, 6126000, 6126999);
}

/* One thread on two cores: four windows of 0.5 s, shared. */
TEST_F(NULL, tool_teardown, test_hwlat_round_robin)
{
	assert_read(tool_file("hwlat-round-robin.trace"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_ONE_THREAD);
	assert_exact(tool_at(0, 0)->cause[TOOL_NMI].ns, 0);
	assert_assumed(tool_at(0, 0), 1000000000);
	assert_assumed(tool_at(0, 1), 1000000000);
	/* 3511 + 174 * 11 and 200 + 183 * 11 us */
	assert_int_equal(tool_at(0, 0)->sum_ns.low, 7638000);
	assert_range(tool_at(0, 0)->max_ns, 3462000, 3462999);
	assert_int_equal(tool_file("hwlat-none.trace"), 1);
	assert_range(tool_at(0, 1)->max_ns, 2637000, 2637999);
}

/* The forms of a record: with and without count and NMIs, latency-format, trace-cmd. */
TEST_F(NULL, tool_teardown, test_hwlat_forms)
{
	static const char *const forms[] = {
		"   <...>-1729  [003] d...   863.938932: #10    inner/outer(us):    9/12    "
		"ts:1581527668.970010500 count:1 nmi-total:7 nmi-count:1\n",
		"    <...>-1729    [003] d.... 22855.495526: #3     inner/outer(us):  9/12  "
		"ts:1770937576.805213360 count:1 nmi-total:7 nmi-count:1\r\n",
		"  <...>-3835      3d.... 12608167us : #2     inner/outer(us):  9/12   "
		"ts:1770937629.988530678 count:1 nmi-total:7 nmi-count:1 \n",
		"  hwlatd-1729  [003]   863.938932: hwlat:  cnt:10\tts:1581527668.0970010500\t"
		"inner:9\touter:12\tcount:1\tnmi-ts:7\tnmi-count:1\n",
		"\x1b[1mhwlat d-1 - 2-1729\x1b[0m (-----) [003] d...1.. 863.938932: #10 "
		"inner/outer(us): 9/12 ts:1581527668.970010500 count:1 nmi-total:7 nmi-count:1\n",
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct tool_core *core;

		assert_read(tool_string(forms[i]), 1);
		core = tool_at(0, 3);
		assert_non_null(core);
		/* Only the outer gap is over 10 us, in one turn. */
		assert_exact(core->events, 1);
		assert_range(core->sum_ns, 12000, 12999);
		assert_range(core->max_ns, 12000, 12999);
		assert_exact(core->cause[TOOL_NMI].events, 1);
		assert_range(core->cause[TOOL_NMI].ns, 7000, 7999);
		assert_true(tools.at[0].notes & TOOL_NMI_ANYWHERE);
	}
}

/* Linux before 5.7 does not print how many turns there were. */
TEST_F(NULL, tool_teardown, test_hwlat_without_count)
{
	assert_int_equal(tool_string("           <...>-5820  [001] d... 354016.973699: #1       "
				     "inner/outer(us): 2152/1933    ts:1578801212.559595228\n"),
			 1);
	assert_range(tool_at(0, 1)->events, 2, RANGE_OPEN);
	/* A window is 0.5 s, and its last gap may reach beyond. */
	assert_range(tool_at(0, 1)->sum_ns, 4085000, 502152999);
	/* The option `raw` leaves out what the numbers are. */
	assert_int_equal(tool_string("# tracer: hwlat\n#\n"
				     "5820 1 354016973699 2152 1933 1578801212 559595228 1\n"),
			 0);
	assert_printed("in:3: hwlat: not understood: \"5820 1 354016973699");
}

/* A record below the default proves that the threshold was lower. */
TEST_F(NULL, tool_teardown, test_hwlat_threshold)
{
	tool_string("a-1 [000] d... 1.0: #1 inner/outer(us): 3/1 ts:1.000000000 count:2\n");
	assert_exact(tools.at[0].threshold_ns, 3000);
	/* 3 us, and one turn more of at least 3 us. */
	assert_range(tool_at(0, 0)->sum_ns, 6000, 2 * 3999);

	tool_string("# noisefloor: threshold=1us mode=per-cpu window=2s width=1s cpus=0-1\n"
		    "a-1 [000] d... 1.0: #1 inner/outer(us): 3/1 ts:1.000000000 count:2\n");
	assert_string_equal(tool_reported, "");
	assert_exact(tools.at[0].threshold_ns, 2000);
	assert_int_equal(tools.at[0].threshold_from, TOOL_STATED);
	assert_range(tool_at(0, 0)->sum_ns, 5000, 2 * 3999);
	assert_assumed(tool_at(0, 0), 1000000000);
	assert_exact(tool_at(0, 1)->sum_ns, 0);

	tool_string("# noisefloor: threshold=10us\n"
		    "a-1 [000] d... 1.0: #1 inner/outer(us): 3/1 ts:1.000000000 count:2\n");
	assert_printed(
		"in:2: hwlat: its threshold is given as 10 us, but there is a record of 3 us");
	assert_exact(tools.at[0].threshold_ns, 3000);
}

/* Nothing found is a result only where it is stated what was watched. */
TEST_F(NULL, tool_teardown, test_hwlat_quiet)
{
	static const char quiet[] = "# noisefloor: cpus=0-1 exposure=60s\n# tracer: hwlat\n#\n"
				    "# entries-in-buffer/entries-written: 0/0   #P:2\n";

	assert_read(tool_string(quiet), 1);
	assert_int_equal(tools.at[0].cores, 2);
	assert_exact(tool_at(0, 1)->sum_ns, 0);
	assert_exact(tool_at(0, 1)->events, 0);
	assert_exact(tool_at(0, 1)->exposure_ns, 60000000000);
	assert_int_equal(tool_at(0, 1)->exposure_from, TOOL_STATED);
	assert_false(tools.failed);

	assert_int_equal(tool_string(strchr(quiet, '\n') + 1), 0);
	assert_true(tools.failed);
	assert_printed(
		"no gap was recorded, and the output does not state which cores were watched");
}

/* Sums of four lines a core; each figure in us was cut. */
TEST_F(NULL, tool_teardown, test_osnoise)
{
	const struct tool_core *core;

	assert_read(tool_file("osnoise.trace"), 1);
	assert_string_equal(tools.at[0].tool, "osnoise");
	assert_range(tools.at[0].threshold_ns, 1000, 5000);
	assert_int_equal(tools.at[0].threshold_from, TOOL_ASSUMED);
	core = tool_at(0, 0);
	assert_exact(core->exposure_ns, 4000000000);
	assert_int_equal(core->exposure_from, TOOL_STATED);
	/* 27888 + 14800 + 14431 + 15988 */
	assert_range(core->sum_ns, 73107000, 73107000 + 4 * 999);
	assert_range(core->max_ns, 4751000, 4751999);
	assert_exact(core->cause[TOOL_HARDWARE].events, 375 + 304 + 368 + 384);
	assert_exact(core->cause[TOOL_IRQ].events, 251 + 246 + 250 + 248);
	assert_exact(core->cause[TOOL_THREAD].events, 29 + 22 + 23 + 20);
	assert_false(core->cause[TOOL_IRQ].ns.known);
	assert_exact(core->cause[TOOL_NMI].ns, 0);
	core = tool_at(0, 1);
	assert_range(core->sum_ns, 97904000, 97904000 + 4 * 999);
	assert_exact(core->cause[TOOL_HARDWARE].events, 425 + 327 + 418 + 444);
}

/*
 * Tracepoints alone. Sums by a calculation of its own over the 400 lines; the trace ends
 * with core 0's last sample, and starts in the middle.
 */
TEST_F(NULL, tool_teardown, test_osnoise_events)
{
	const struct tool_core *core;

	assert_read(tool_file("osnoise-events.trace"), 1);
	/* The shortest is 5188 ns: 5 us is as likely as less. */
	assert_range(tools.at[0].threshold_ns, 1000, 5000);
	core = tool_at(0, 0);
	assert_exact(core->events, 181);
	assert_exact(core->sum_ns, 13767390);
	assert_exact(core->max_ns, 4391654);
	assert_exact(core->cause[TOOL_HARDWARE].events, 108);
	assert_exact(core->cause[TOOL_HARDWARE].ns, 2668587);
	assert_exact(core->cause[TOOL_IRQ].events, 73);
	assert_exact(core->cause[TOOL_IRQ].ns, 4243488);
	assert_exact(core->cause[TOOL_THREAD].ns, 915550);
	assert_exact(core->cause[TOOL_SOFTIRQ].ns, 0);
	/* 15.020892320 + 15443 ns - 14.726641098 */
	assert_assumed(core, UINT64_C(15020907763) - UINT64_C(14726641098));
	core = tool_at(0, 1);
	assert_exact(core->sum_ns, 10482694);
	assert_exact(core->cause[TOOL_IRQ].ns, 611844);
	assert_exact(core->cause[TOOL_THREAD].ns, 2592742);
	/* One noise of 6.5 ms is most of it. */
	assert_range(tool_sum_from(&tools.at[0], core, 6000000), 6523095, 6523095);
}

/* 6.12 RT has two flags more, a kernel thread for softirqs and one for RCU. */
TEST_F(NULL, tool_teardown, test_osnoise_6_12)
{
	const struct tool_core *core;

	assert_read(tool_file("osnoise-6.12.trace"), 1);
	core = tool_at(0, 0);
	assert_exact(core->exposure_ns, UINT64_C(10000000000));
	/* 7697 + 5489 + 6326 + 6618 + 6055 + 5322 + 5394 + 6388 + 6345 + 5839 */
	assert_range(core->sum_ns, 61473000, 61473000 + 10 * 999);
	assert_range(core->max_ns, 1596000, 1596999);
	assert_exact(core->cause[TOOL_HARDWARE].events,
		     48 + 46 + 53 + 51 + 43 + 48 + 44 + 49 + 53 + 50);
	assert_exact(core->cause[TOOL_IRQ].events, 251 + 9 * 250);
	assert_exact(core->cause[TOOL_THREAD].events,
		     47 + 26 + 32 + 28 + 27 + 26 + 27 + 29 + 26 + 27);

	assert_read(tool_file("osnoise-events-6.12.trace"), 1);
	core = tool_at(0, 0);
	assert_exact(core->events, 4);
	assert_exact(core->sum_ns, 33096 + 1596546 + 43866 + 30954);
	assert_exact(core->max_ns, 1596546);
	assert_exact(core->cause[TOOL_HARDWARE].events, 0);
	assert_exact(core->cause[TOOL_IRQ].events, 4);
	assert_exact(core->cause[TOOL_IRQ].ns, 7288 + 7946 + 7816 + 7862);
	assert_exact(core->cause[TOOL_THREAD].ns, 7234 + 7490 + 7176 + 7446 + 247474 + 1314910 +
							  10488 + 5940 + 7332 + 7200 + 7216);
	/* 14.392841901 + 30954 ns - 14.380841909 */
	assert_assumed(core, 12030946);
}

/* Tasks without their numbers, interrupts with theirs; the longest sum first. */
TEST_F(NULL, tool_teardown, test_osnoise_names)
{
	const struct tool_offender *o;

	assert_int_equal(tool_file("osnoise-events-6.12.trace"), 1);
	o = tool_at(0, 0)->offender;
	assert_string_equal(o[0].name, "sleep");
	assert_int_equal(o[0].ns, 1314910);
	assert_string_equal(o[1].name, "init");
	assert_string_equal(o[2].name, "rcuc/0");
	assert_int_equal(o[2].cause, TOOL_THREAD);
	assert_int_equal(o[2].ns, 7234 + 7176 + 10488 + 7200);
	assert_string_equal(o[3].name, "local_timer:236");
	assert_int_equal(o[3].cause, TOOL_IRQ);
	assert_int_equal(o[3].events, 4);
	assert_int_equal(o[3].ns, 7288 + 7946 + 7816 + 7862);
	assert_int_equal(o[3].max_ns, 7946);
	for (size_t i = 4; i < tool_at(0, 0)->offenders; i++) {
		assert_int_equal(o[i].cause, TOOL_THREAD);
		assert_null(strchr(o[i].name, ':'));
	}
}

/* The paper's figures 10 and 11: other events between, and the tracer stops at the noise. */
TEST_F(NULL, tool_teardown, test_osnoise_stopped)
{
	const struct tool_core *core;

	assert_read(tool_file("osnoise-figure-10.trace"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_STOPPED);
	core = tool_at(0, 16);
	assert_exact(core->sum_ns, 50946);
	assert_exact(core->cause[TOOL_THREAD].ns, 45816);

	assert_read(tool_file("osnoise-figure-11.trace"), 1);
	assert_int_equal(tools.at[0].notes, TOOL_STOPPED);
	core = tool_at(0, 16);
	assert_exact(core->sum_ns, 30938);
	assert_exact(core->cause[TOOL_IRQ].ns, 3165);
	assert_exact(core->cause[TOOL_THREAD].ns, 25438);
	assert_exact(core->cause[TOOL_SOFTIRQ].ns, 0);
}

#define SAMPLE(start, ns, n) \
	"osnoise/0-9 [000] .... 9.1: sample_threshold: start 9." start " duration " ns " ns " n "\n"

#define IRQ(name, start, ns) \
	"osnoise/0-9 [000] .... 9.1: irq_noise: " name " start 9." start " duration " ns " ns\n"

/* A line of figures closes what the tracepoints before it reported. */
TEST_F(NULL, tool_teardown, test_osnoise_both)
{
	static const char both[] = SAMPLE("000100000", "2500",
					  "interferences 0") IRQ("a b:c:1", "000200100", "900")
		IRQ("early:1", "000199999", "7") IRQ("late:1", "000201800", "5") SAMPLE(
			"000200000", "1800",
			"interference 1") "osnoise/0-9 [000] .... 9.2: 1000000  4 99.99960 2 1 0 1 "
					  "0 0\n" SAMPLE("900200000", "9999", "interference 0");
	const struct tool_core *core;

	assert_read(tool_string(both), 1);
	core = tool_at(0, 0);
	assert_exact(core->events, 2);
	assert_exact(core->sum_ns, 4300); /* and the line has 4 us */
	assert_exact(core->max_ns, 2500);
	assert_exact(core->exposure_ns, 1000000000);
	assert_exact(core->cause[TOOL_HARDWARE].ns, 2500);
	assert_exact(core->cause[TOOL_IRQ].ns, 900);
	assert_exact(core->cause[TOOL_IRQ].events, 1);
	/* A noise of 1.8 us: the threshold is no higher. */
	assert_range(tools.at[0].threshold_ns, 1000, 1800);
	assert_int_equal(tools.at[0].notes, 0);
}

/* Lines with more than their tracepoints: the lines count, and it is reported. */
TEST_F(NULL, tool_teardown, test_osnoise_lost)
{
	static const char lost[] = "# tracer: osnoise\n#\n# osnoise is tainted!\n"
				   "CPU:0 [LOST 123 EVENTS]\n" SAMPLE(
					   "1", "2500",
					   "interference 0") "osnoise/0-9 [000] .... 9.2: 1000000  "
							     "40 99.99600 20 1 0 7 0 0\n";

	assert_int_equal(tool_string(lost), 1);
	assert_int_equal(tools.at[0].notes, TOOL_LOST | TOOL_TAINTED);
	assert_range(tool_at(0, 0)->sum_ns, 40000, 40999);
	assert_exact(tool_at(0, 0)->cause[TOOL_IRQ].events, 7);
	assert_false(tool_at(0, 0)->events.known);
	/* Only in the sums. */
	tool_string(
		SAMPLE("1", "2500",
		       "interference 0") "o-9 [000] .... 9.2: 1000000  40 99.99600 20 1 0 7 0 0\n");
	assert_int_equal(tools.at[0].notes, TOOL_LOST);
	assert_range(tool_at(0, 0)->sum_ns, 40000, 40999);
	/* Written over: of nine entries four are left. */
	tool_string("# entries-in-buffer/entries-written: 4/9 #P:1\n"
		    "o-9 [000] .... 9.2: noise:0 max_sample:0\n");
	assert_int_equal(tools.count, 0);
	tool_string("# tracer: osnoise\n# entries-in-buffer/entries-written: 4/9 #P:1\n"
		    "o-9 [000] .... 9.2: 1000000 0 100.00000 0 0 0 0 0 0\n");
	assert_int_equal(tools.at[0].notes, TOOL_LOST);
}

/* trace-cmd, the new tracepoint: the same period, 190 us of noise. */
TEST_F(NULL, tool_teardown, test_osnoise_forms)
{
	static const char *const forms[] = {
		"cpus=2\n   <...>-859     [000]    81.637220: osnoise:   noise:190\tmax_sample:9\t"
		"hw:18\tnmi:0\tirq:1007\tsoftirq:18\tthread:1\n",
		"  osnoise/0-859   [000] ....1 81.637220: osnoise_sample: runtime=1000000 "
		"noise=190 "
		"max_sample=9 hw_count=18 irq_count=1007 nmi_count=0 softirq_count=18 "
		"thread_count=1\n",
		"# tracer: osnoise\n  <...>-859     [000] ....    81.637220: 1000000        190  "
		"99.98100       9     18      0   1007     18      1\n",
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct tool_core *core;

		assert_read(tool_string(forms[i]), 1);
		core = tool_at(0, 0);
		assert_non_null(core);
		assert_range(core->sum_ns, 190000, 190999);
		assert_exact(core->cause[TOOL_HARDWARE].events, 18);
		assert_exact(core->cause[TOOL_IRQ].events, 1007);
		assert_exact(core->cause[TOOL_SOFTIRQ].events, 18);
		assert_exact(core->cause[TOOL_THREAD].events, 1);
		if (i) {
			assert_exact(core->exposure_ns, 1000000000);
			assert_int_equal(core->exposure_from, TOOL_STATED);
		} else { /* trace-cmd does not have it */
			assert_assumed(core, 1000000000);
		}
	}
}

/* Only noises were traced, not their causes: none of these is known to be zero. */
TEST_F(NULL, tool_teardown, test_osnoise_without_causes)
{
	tool_string(SAMPLE("1", "2500", "interference 3") SAMPLE("2", "2600", "interference 0"));
	assert_exact(tool_at(0, 0)->cause[TOOL_HARDWARE].ns, 2600);
	assert_false(tool_at(0, 0)->cause[TOOL_IRQ].ns.known);
	assert_false(tool_at(0, 0)->cause[TOOL_IRQ].events.known);
}

TEST_F(NULL, tool_teardown, test_osnoise_contradiction)
{
	assert_int_equal(tool_string("# tracer: osnoise\n"
				     "o-9 [000] .... 9.2: 1000 2000 0.00000 3 0 0 0 0 0\n"
				     "o-9 [000] .... 9.2: 1000 20 98.00000 21 0 0 0 0 0\n"
				     "o-9 [000] .... 9.2: 18446744073709551616 0 0.0 0 0 0 0 0 0\n"
				     "o-9 [4096] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n"
				     "o-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n"),
			 0);
	assert_printed("in:2: osnoise: not understood: \"1000 2000");
	assert_printed("in:3: ");
	assert_printed("in:4: ");
	assert_printed("in:5: core 4096: cores are numbered 0 to 4095");
}

/* As in the kernel's documentation, with a user's thread and what else may be traced beside it. */
TEST_F(NULL, tool_teardown, test_timerlat_trace)
{
	static const char text[] =
		"# tracer: timerlat\n#\n"
		"#         TASK-PID      CPU# ||||   TIMESTAMP    ID            CONTEXT            "
		" "
		"   LATENCY\n"
		"        <idle>-0       [000] d.h1    54.029328: #1     context    irq "
		"timer_latency"
		"       932 ns\n"
		"         <...>-867     [000] ....    54.029339: #1     context thread "
		"timer_latency"
		"     11700 ns\n"
		"        <idle>-0       [001] dNh1    54.029346: #1     context    irq "
		"timer_latency"
		"      2833 ns\n"
		"         <...>-868     [001] ....    54.029353: #1     context thread "
		"timer_latency"
		"      9820 ns\n"
		"        <idle>-0       [000] d.h1    54.030328: #2     context    irq "
		"timer_latency"
		"       769 ns\n"
		"          cc1-87882   [000] d..h...  54.030330: irq_noise: local_timer:236 start "
		"548.771102648 duration 7872 ns\n"
		"         <...>-867     [000] ....    54.030340: #2     context thread "
		"timer_latency"
		"      3070 ns\n"
		"       a.out-868       [001] ....    54.030353: #1     context user-ret "
		"timer_latency     12001 ns\n"
		"         <...>-868     [001] ....    54.030360: timerlat_main: stop tracing hit "
		"on "
		"cpu 1\n";

	assert_read(tool_string(text), 1);
	assert_string_equal(tools.at[0].tool, "timerlat");
	assert_int_equal(tools.at[0].notes, TOOL_WAKEUP | TOOL_STOPPED);
	assert_int_equal(tools.at[0].cores, 2);
	assert_exact(tool_at(0, 0)->events, 2);
	assert_exact(tool_at(0, 0)->max_ns, 11700);
	assert_exact(tool_at(0, 1)->events, 1);
	assert_exact(tool_at(0, 1)->max_ns, 12001);
	assert_false(tool_at(0, 0)->sum_ns.known);
	assert_false(tool_at(0, 0)->exposure_ns.known);
}

/* Without its head, and of trace-cmd. */
TEST_F(NULL, tool_teardown, test_timerlat_trace_forms)
{
	static const char *const texts[] = {
		"  <...>-867     [003] ....    54.029339: #7     context thread timer_latency     "
		"11700 ns\n",
		"cpus=4\n  <idle>-0     [003]   54.029328: timerlat:             seq:7\tcontext:0\t"
		"timer_latency:932\n"
		"  <...>-867     [003]   54.029339: timerlat:             seq:7\tcontext:1\t"
		"timer_latency:11700\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		print_message("%s", texts[i]);
		assert_read(tool_string(texts[i]), 1);
		assert_string_equal(tools.at[0].tool, "timerlat");
		assert_exact(tool_at(0, 3)->events, 1);
		assert_exact(tool_at(0, 3)->max_ns, 11700);
	}
}

TEST_F(NULL, tool_teardown, test_timerlat_trace_bad)
{
	assert_int_equal(tool_string("# tracer: timerlat\n"
				     "# entries-in-buffer/entries-written: 4/9   #P:2\n"
				     "x-1 [000] .... 9.2: #1 context thread timer_latency 5 ns\n"
				     "x-1 [000] .... 9.2: #1 context thread timer_latency x ns\n"
				     "x-1 [000] .... 9.2: #1 context nowhere timer_latency 5 ns\n"
				     "x-1 [4096] .... 9.2: #1 context thread timer_latency 5 ns\n"
				     "x-1 [000] .... 9.2: sched_switch: prev_comm=a\n"),
			 0);
	assert_printed("in:4: timerlat: not understood: \"#1 context thread");
	assert_printed("in:5: timerlat: not understood: \"#1 context nowhere");
	assert_printed("in:6: core 4096: cores are numbered 0 to 4095");
	assert_null(strstr(tool_reported, "in:7"));
	assert_int_equal(tool_string("# tracer: timerlat\n#\n"), 0);
	assert_printed("timerlat: no figures in it");
}
