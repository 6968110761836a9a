/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs as the signals that LAVA (docs.lavasoftware.org, "Recording test case data") reads on a
 * console: a test case per check, as in JUnit, with the longest gap of a core as its measurement.
 */
#include "checks.h"
#include "show_form.h"

#include "core/report/lava.h"

#include <stdio.h>

static void put_check(const struct checks_row *check)
{
	static const enum lava_result results[] = {
		[CHECK_PASS] = LAVA_PASS,
		[CHECK_FAIL] = LAVA_FAIL,
		[CHECK_ERROR] = LAVA_UNKNOWN,
		[CHECK_SKIP] = LAVA_SKIP,
	};
	TEXT_DEFINE(t, LAVA_LINE_MAX);

	lava_signal(&t, check->group, check->name, results[check->status], check->max_ns);
	puts(t.buf);
}

static void put_run(const struct show_options *o, const struct capture *c, struct result *run)
{
	struct checks checks;

	(void)c;
	checks_read(&checks, run, o);
	for (size_t i = 0; i < checks.count; i++)
		put_check(&checks.check[i]);
	checks_free(&checks);
}

const struct show_form show_form_lava = {
	.keep = RESULT_ALL,
	.run = put_run,
	.without_runs = true,
	.flaws_apart = true,
};
