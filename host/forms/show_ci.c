/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs as lists of checks. */
#include "show_ci.h"

#include "checks.h"
#include "ci.h"
#include "host/capture/run.h"

#include <inttypes.h>
#include <stdio.h>

#define PROPERTIES 10

static void put_run(enum ci_form form, const struct capture *in, const struct run *run,
		    const struct checks *c)
{
	static const struct record_begin none;
	const struct record_begin *b = run ? &run->begin : &none;
	const char *property[PROPERTIES][2] = {
		{ "file", in->name },
		{ "version", b->version },
		{ "machine.vendor", b->machine.vendor },
		{ "machine.product", b->machine.product },
		{ "machine.bios_version", b->machine.bios_version },
		{ "machine.bios_date", b->machine.bios_date },
		{ "machine.uuid", b->machine.uuid },
		{ "cpu.brand", b->cpu.brand },
		{ "hypervisor", b->hypervisor },
		{ "config", b->config },
	};
	char name[40], comment[4200];
	const struct ci_suite suite = { name, comment, property, PROPERTIES, c };

	snprintf(name, sizeof(name), "noisefloor %016" PRIx64, run ? run->sid : 0);
	snprintf(comment, sizeof(comment), "%s, run %016" PRIx64, in->name, run ? run->sid : 0);
	ci_suite(form, &suite);
}

/* Each run of the capture; once with NULL where there is none. */
static bool put_capture(enum ci_form form, const struct show_options *o, const struct capture *in)
{
	struct checks c;
	size_t n = 0;

	do {
		const struct run *run = in->runs ? in->run[n] : NULL;

		checks_read(&c, run, o);
		put_run(form, in, run, &c);
		checks_free(&c);
	} while (++n < in->runs);
	return true;
}

void show_junit_start(void)
{
	ci_open(CI_JUNIT);
}

bool show_junit_capture(const struct show_options *o, const struct capture *c)
{
	return put_capture(CI_JUNIT, o, c);
}

void show_junit_finish(void)
{
	ci_close(CI_JUNIT);
}

void show_tap_start(void)
{
	ci_open(CI_TAP);
}

bool show_tap_capture(const struct show_options *o, const struct capture *c)
{
	return put_capture(CI_TAP, o, c);
}

void show_tap_finish(void)
{
	ci_close(CI_TAP);
}
