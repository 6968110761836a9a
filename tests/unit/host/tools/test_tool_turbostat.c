/* SPDX-License-Identifier: BSD-2-Clause */
/* turbostat's count of SMIs by core, over all tables, and the tables' total time. */
#include "tests/unit/common/test.h"
#include "tests/unit/tool_text.h"

#define HEAD "Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tIRQ\tSMI\tC1\n"

static void assert_smi(uint32_t cpu, uint64_t count)
{
	const struct tool_core *core = tool_at(0, cpu);

	assert_non_null(core);
	assert_true(core->smi.known);
	assert_int_equal(core->smi.value, count);
}

/* No SMI was counted, which means nothing for gaps. */
TEST_F(NULL, tool_teardown, test_none)
{
	assert_read(tool_file("turbostat-20.09.30.txt"), 1);
	assert_string_equal(tools.at[0].tool, "turbostat");
	assert_int_equal(tools.at[0].notes, 0);
	assert_int_equal(tools.at[0].cores, 7);
	assert_smi(36, 0);
	assert_exact(tool_at(0, 36)->exposure_ns, 5011506000);
	assert_int_equal(tool_at(0, 36)->exposure_from, TOOL_STATED);
	assert_false(tool_at(0, 36)->events.known);
	assert_false(tool_at(0, 36)->max_ns.known);
	assert_false(tool_at(0, 36)->sum_ns.known);
}

/* The tables are added up. Their times are used only if each table has one. */
TEST_F(NULL, tool_teardown, test_tables)
{
	static const char first[] = HEAD "-\t-\t63\t4.06\t1562\t2808\t8637\t70\t1603\n"
					 "0\t0\t73\t4.00\t1816\t2808\t916\t35\t235\n"
					 "0\t4\t63\t4.20\t1509\t2808\t1024\t35\t212\n";
	static const char second[] = HEAD "-\t-\t63\t4.06\t1562\t2808\t8637\t3\t1603\n"
					  "0\t0\t73\t4.00\t1816\t2808\t916\t2\t235\n"
					  "0\t4\t63\t4.20\t1509\t2808\t1024\t1\t212\n";
	char text[2000];

	snprintf(text, sizeof(text), "# turbostat\n5.000100 sec\n%s5.000200 sec\n%s", first,
		 second);
	assert_read(tool_string(text), 1);
	assert_int_equal(tools.at[0].notes, 0);
	assert_smi(0, 37);
	assert_smi(4, 36);
	assert_exact(tool_at(0, 4)->exposure_ns, 10000300000);
	/* Where one table has no interval, the default is assumed. */
	snprintf(text, sizeof(text), "# turbostat\n5.000100 sec\n%s%s", first, second);
	assert_int_equal(tool_string(text), 1);
	assert_assumed(tool_at(0, 4), 10000000000);
	/* The interval comes from the command, or is the default. */
	snprintf(text, sizeof(text), "# turbostat --quiet --interval 10\n%s%s", first, second);
	assert_int_equal(tool_string(text), 1);
	assert_assumed(tool_at(0, 4), 20000000000);
	snprintf(text, sizeof(text), "%s%s", first, second);
	assert_int_equal(tool_string(text), 1);
	assert_assumed(tool_at(0, 4), 10000000000);
	/* A command line ends the output: another machine's may follow. */
	snprintf(text, sizeof(text), "# turbostat\n%sroot@rack8:~# turbostat\n%s", first, second);
	assert_int_equal(tool_string(text), 2);
	assert_smi(4, 35);
}

/* The row of sums shows that a core's row is missing. A malformed row is refused. */
TEST_F(NULL, tool_teardown, test_cut)
{
	assert_int_equal(tool_string(HEAD "-\t-\t63\t4.06\t1562\t2808\t8637\t70\t1603\n"
					  "0\t0\t73\t4.00\t1816\t2808\t916\t35\t235\n"),
			 1);
	assert_int_equal(tools.at[0].notes, TOOL_PART_LISTED);
	assert_int_equal(tool_string(HEAD "-\t-\t63\t4.06\t1562\t2808\t8637\t70\t1603\n"
					  "0\t0\t73\t4.00\t1816\t2808\n916\t35\t235\n"),
			 0);
	assert_printed("in:3: turbostat: not understood");
	assert_int_equal(tool_string(HEAD "0\t0\t73\t400\t1816\t2808\t916\t35\t235\n"), 0);
	assert_printed("in:2: turbostat: not understood");
	assert_int_equal(tool_string(HEAD "0\t-3\t73\t4.00\t1816\t2808\t916\t35\t235\n"), 0);
	assert_printed("in:2: turbostat: not understood");
	assert_int_equal(tool_string(HEAD), 0);
	assert_printed("turbostat: no figures in it");
}

/* Sentences with these words, and tables without the column SMI, are not turbostat's output. */
TEST_F(NULL, tool_teardown, test_others)
{
	assert_int_equal(tool_string("CPU 3 had an SMI\nCore CPU Avg_MHz Busy% IRQ C1\n"
				     "0 0 73 4.00 916 235\nAvg_MHz Busy% SMI\n4 4.00 2\n"),
			 0);
	assert_printed("no known output");
}
