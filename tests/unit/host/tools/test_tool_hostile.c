/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are not the whole output of a tool: each is reported, and none is taken for zero. */
#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/tool_text.h"

#define TEXT_MAX (1 << 19)

static char text[1 << 21];

TEST_F(NULL, tool_teardown, test_empty)
{
	assert_int_equal(tool_string(""), 0);
	assert_string_equal(tool_reported, "in:0: empty\n");
	assert_true(tools.failed);
	assert_int_equal(tool_string("\n  \n"), 0);
	assert_printed("in:0: no known output in 4 bytes");
	assert_int_equal(tool_string("Lorem ipsum\ndolor sit amet: 3\n"), 0);
	assert_printed("which begin \"Lorem ipsum\"");
	assert_int_equal(tool_file("nonexistent"), 0);
	assert_printed("tests/data/peers/nonexistent:0: No such file");
	assert_true(tools.failed);
}

TEST_F(NULL, tool_teardown, test_binary)
{
	for (size_t i = 0; i < 4096; i++)
		text[i] = (char)(i * 131 + i / 256);
	assert_int_equal(tool_bytes("in", text, 4096), 0);
	assert_printed("binary data; outputs of tools are text");
	for (const char *at = tool_reported; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at <= '~') || *at < 0);
}

/* A line of 1,100,000 bytes is no tool's: nothing around it is read. */
TEST_F(NULL, tool_teardown, test_overlong)
{
	static const char row[] = "o-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n";
	size_t used = (size_t)sprintf(text, "# tracer: osnoise\n%s", row);

	memset(text + used, 'x', 1100000);
	sprintf(text + used + 1100000, "\n%s", row);
	assert_int_equal(tool_string(text), 0);
	assert_true(tools.failed);
	assert_printed("in:3: a line of more than a mebibyte\nin:3: this line cannot be read");
}

/* A file that is cut anywhere never has more than the whole, and a torn row is reported. */
TEST_F(NULL, tool_teardown, test_truncated)
{
	static const char *const names[] = { "osnoise.trace",
					     "hwlat-per-cpu.trace",
					     "oslat.txt",
					     "oslat.json",
					     "cyclictest.json",
					     "rtla-osnoise-top.txt",
					     "rtla-osnoise-hist.txt",
					     "sysjitter-1.4.summary.verbose.txt" };

	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		char path[100];
		size_t bytes;
		FILE *f;

		snprintf(path, sizeof(path), "%s%s", TOOL_DATA, names[n]);
		f = fopen(path, "rb");
		assert_non_null(f);
		bytes = fread(text, 1, TEXT_MAX, f);
		fclose(f);
		for (size_t cut = 0; cut < bytes; cut += rounds(29, 7)) {
			size_t pieces = tool_bytes("in", text, cut);

			assert_true(pieces || (tools.failed && tool_reported[0]));
		}
	}
	/* The file ends in the middle of a row. */
	tool_string("# tracer: osnoise\no-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n"
		    "o-9 [001] .... 9.3: 1000 20 98.00");
	assert_printed("in:3: osnoise: not understood");
	tool_string("# tracer: osnoise\no-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n"
		    "o-9 [0");
	assert_printed("in:3: osnoise: not understood: \"o-9 [0\"");
	tool_string("{\n\"cmdline:\": \"oslat\",\n\"file_ver");
	assert_printed("in:3: not JSON");
}

/* Output that has an end line is incomplete without it, and complete if it is cut after it. */
TEST_F(NULL, tool_teardown, test_cut_before_the_end)
{
	static const struct {
		const char *name, *end;
	} ends[] = {
		{ "stress-ng-0.15.06.txt", "ns\nstress-ng: info:  [26349] cyclic: latency dist" },
		{ "jitterdebugger-0.3.json", "}\n" },
		{ "oslat-0.1.0.txt", "(sec)" },
		{ "by-hand/rtla-timerlat-hist-no-summary.txt", "3\n" },
		{ "by-hand/rteval-stop-trace.txt", "us (100 %)" },
	};

	for (size_t n = 0; n < sizeof(ends) / sizeof(ends[0]); n++) {
		char path[100];
		const char *end = NULL;
		FILE *f;

		snprintf(path, sizeof(path), "%s%s", TOOL_DATA, ends[n].name);
		f = fopen(path, "rb");
		assert_non_null(f);
		text[fread(text, 1, TEXT_MAX, f)] = '\0';
		fclose(f);
		for (const char *at = text; (at = strstr(at, ends[n].end)); at++)
			end = at;
		if (!end)
			fail_msg("%s: no %s", ends[n].name, ends[n].end);
		for (const char *cut = text; cut <= end; cut += 1 + (end - text) / 500) {
			bool whole = tool_bytes("in", text, (size_t)(cut - text)) &&
				     !tools.failed && !(tools.at[0].notes & TOOL_CUT);

			if (whole)
				fail_msg("%s, cut at %td of %td", ends[n].name, cut - text,
					 end - text);
		}
		assert_int_equal(tool_bytes("in", text, strlen(text)), 1);
		assert_false(tools.failed);
	}
}

/* Sums stop at the largest number; a number past it is no number. */
TEST_F(NULL, tool_teardown, test_wrap)
{
	tool_string("core_i: 0\nthreshold(ns): 1\nruntime(ns): 18446744073709551615\nint_n: 1\n"
		    "int_max(ns): 18446744073709551615\nint_total(ns): 18446744073709551615\n");
	assert_exact(tool_at(0, 0)->exposure_ns, UINT64_MAX);
	tool_string("core_i: 0\nthreshold(ns): 1\nruntime(ns): 18446744073709551616\nint_n: 1\n"
		    "int_max(ns): 1\nint_total(ns): 1\n");
	assert_int_equal(tools.count, 0);
	assert_printed("in:3: sysjitter: not understood");
	/* One MHz more than this is none. */
	tool_string("core_i: 0\nthreshold(ns): 1\ncpu_mhz: 18446744073709551615\nruntime(ns): 9\n"
		    "int_n: 1\nint_max(ns): 5\nint_total(ns): 5\n");
	assert_range(tool_at(0, 0)->sum_ns, 4, 5);
	tool_string("# cpu_mhz: 18446744073709551615\n1 2 3 4\n");
	assert_range(tool_at(0, TOOL_ANY_CPU)->sum_ns, 0, 1);
	/* 2^64 us of runtime do not wrap to little. */
	tool_string(
		"# tracer: osnoise\n"
		"o-9 [001] .... 9.2: 18446744073709551615 9223372036854775808 50.0 1 0 0 0 0 0\n"
		"o-9 [001] .... 9.3: 18446744073709551615 9223372036854775808 50.0 1 0 0 0 0 0\n");
	assert_exact(tool_at(0, 1)->exposure_ns, UINT64_MAX);
	assert_int_equal(tool_at(0, 1)->sum_ns.low, UINT64_MAX);
	tool_string("a-1 [000] d... 1.0: #1 inner/outer(us): 18446744073709551615/1 "
		    "ts:18446744073709551615.999999999 count:18446744073709551615\n");
	assert_int_equal(tool_at(0, 0)->sum_ns.low, UINT64_MAX);
	tool_string("oslat V 2.40\nCore: 0\n001 (us): 1\n002 (us): 18446744073709551615\n"
		    "Maximum: 18446744073709551 (us)\nDuration: 1.0 (sec)\n");
	assert_int_equal(tool_at(0, 0)->sum_ns.high, RANGE_OPEN);
}

/* Each piece has twenty complaints, then one that there are more. */
TEST_F(NULL, tool_teardown, test_complaints_are_bounded)
{
	size_t used = (size_t)sprintf(text, "# tracer: hwlat\n");
	unsigned lines = 0;

	for (unsigned i = 0; i < 500; i++)
		used += (size_t)sprintf(text + used, "x-1 [000] nonsense %u\n", i);
	assert_int_equal(tool_string(text), 0);
	for (const char *at = tool_reported; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 22);
	assert_printed("in:21: hwlat: not understood: \"x-1 [000] nonsense 19\"");
	assert_printed("in:0: further lines could not be read");
}

/* Nothing in a file reaches the terminal as anything but text. */
TEST_F(NULL, tool_teardown, test_hostile_text)
{
	tool_string("# tracer: hwlat\nbad-1 [000] \x1b]0;title\a \xc2\x9b 2J\n");
	assert_printed("in:2: hwlat: not understood: \"bad-1 [000]  ?? 2J\"");
}

TEST_F(NULL, tool_teardown, test_stated)
{
	assert_int_equal(tool_string("# noisefloor: threshold=1 colour=red cpus=3-1\n"), 0);
	assert_printed("in:1: # noisefloor:: not understood: \"threshold=1\"; wanted: a time");
	assert_printed("unknown key in \"colour=red\"; known: threshold exposure");
	assert_printed("not understood: \"cpus=3-1\"; wanted: a list of cores");
	tool_string("# noisefloor: threshold=1us; exposure=5s\n");
	assert_printed("not understood: \"; exposure=5s\"; wanted: keys with values");
	assert_true(tools.failed);
	tool_string("# noisefloor: exposure=1s\n");
	assert_printed("in:1: no output follows that this line could describe");
	/* What the tool itself prints is used. */
	tool_string("# noisefloor: threshold=5us exposure=9s\ncore_i: 0\nthreshold(ns): 1000\n"
		    "runtime(ns): 2000\nint_n: 1\nint_max(ns): 1100\nint_total(ns): 1100\n");
	assert_printed(
		"its threshold is given as 5000 ns; the output itself has 1000 ns, which is used");
	assert_exact(tools.at[0].threshold_ns, 1000);
	assert_exact(tool_at(0, 0)->exposure_ns, 2000);
}

TEST_F(NULL, tool_teardown, test_many_pieces)
{
	size_t used = 0;

	for (unsigned i = 0; i < 70; i++)
		used += (size_t)sprintf(text + used,
					"# tracer: osnoise\n"
					"o-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n");
	assert_int_equal(tool_string(text), TOOL_PIECES_MAX);
	assert_printed("more than 64 outputs in one file: the rest is left out");
	assert_true(tools.failed);
}

#define OSLAT                                                                             \
	"{\"file_version\": 1, \"cmdline:\": \"oslat\", \"rt_test_version:\": \"2.40\", " \
	"\"thread\": {\"0\": {\"cpu\": 0, \"min\": 1, \"max\": 9, \"duration\": 1.5, "    \
	"\"histogram\": "                                                                 \
	"{\"1\": 5, \"2\": 1}}}}"

/*
 * A document ends where its brackets close, whatever follows in the line; a torn one spoils no
 * other.
 */
TEST_F(NULL, tool_teardown, test_documents)
{
	tool_string("[" OSLAT "," OSLAT "]\nlog: " OSLAT "; err: exit status 1\n");
	assert_int_equal(tools.count, 3);
	assert_string_equal(tool_reported, "");
	tool_string("{\n  \"file_version\": 1,\n  \"cmdline:\": \"oslat\",\n" OSLAT "\n");
	assert_int_equal(tools.count, 1);
	assert_true(tools.failed);
	assert_printed("in:4: not JSON: string");
	/* Another's JSON, a program, and a string with brackets are no documents. */
	tool_string("{\"log\": \"start {\"}\nint main(void) {\n" OSLAT "\n}\n");
	assert_int_equal(tools.count, 1);
	assert_false(tools.failed);
}

/* Torn lines of what is being read are reported; another's lines are not. */
TEST_F(NULL, tool_teardown, test_torn)
{
	tool_string("# tracer: osnoise\no-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n"
		    "o-9 [001] .... 9.3: 1000 20 98.00\nroot@rack-7:~# ls\n"
		    "o-9 [001] .... 9.3: sched_switch: prev_comm=a prev_pid=3 ==> next_comm=b\n"
		    "o-9 [001] .... 9.3: sample_threshold: start 9.1 dura\n");
	assert_int_equal(tools.count, 0);
	assert_printed("in:3: osnoise: not understood");
	assert_printed("in:6: osnoise: not understood");
	assert_printed("in:3: this line cannot be read, so that nothing of the file is");
	tool_string("[445283.508877] Softirq: CPU: 20   Pid: 748187 [allr\n"
		    "[445284.508877] Softirq: CPU: 20 Pid: 7 [a] Duration: 349933 SIRQ: 1 [TIMER]\n"
		    "[445285.508877] usb 1-1: new high-speed USB device number 7 using xhci_hcd\n");
	assert_int_equal(tools.count, 0);
	assert_printed("in:1: detect-detour: not understood");
}

/* Two whole lines of 80 columns each are both read. */
TEST_F(NULL, tool_teardown, test_not_broken)
{
	static const char row[] = "osnoise/000000000000000000000000-9 [001] .... 9.2: "
				  "1000 20 98.00000 20 0 0 0 0 0\n";

	assert_int_equal(strlen(row), 81);
	strcpy(text, "# tracer: osnoise\n");
	for (unsigned i = 0; i < 70; i++)
		strcat(text, row);
	tool_string(text);
	assert_string_equal(tool_reported, "");
	assert_exact(tools.at[0].core[0].exposure_ns, 70 * 1000000);
}
