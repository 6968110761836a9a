/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor measure`, step by step: options, clock, cores, windows, all records in one file. */
#define _GNU_SOURCE /* calls of Linux that are not in POSIX */
#include "host/lib/exit.h"
#include "host/lib/output_file.h"
#include "linux.h"
#include "host/subcommands.h"
#include "host/tools/tool.h"
#include "host/lib/signals.h"

#include "arch/arch.h"
#include "arch/probe.h"
#include "core/run/run.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct measure {
	struct config config;
	const char *path; /* argument of -o */
	FILE *file, *people;
	struct linux_clock clock;
	struct linux_platform platform;
	struct linux_services services;
	struct linux_machine machine;
	struct record_link link;
	struct report report;
	struct run run;
	struct record_begin begin;
	char config_text[800];
	char began[40];
};

/* Too big for a stack, and one is enough. */
static struct measure measurement;

/* ---- Output ---- */

static void write_record(struct record_link *link, const char *line, size_t bytes)
{
	struct measure *in = (struct measure *)(void *)((char *)link -
							offsetof(struct measure, link));

	/* close_output() finds out by ferror() if it fails. */
	fwrite(line, 1, bytes, in->file);
}

static void write_text(void *ctx, const char *line, size_t bytes)
{
	struct measure *in = ctx;

	fprintf(in->people, "%.*s\n", (int)bytes, line);
	fflush(in->people);
}

static bool open_output(struct measure *in)
{
	bool standard = strcmp(in->path, "-") == 0;

	in->file = standard ? stdout : output_file_stream(in->path);
	in->people = standard ? stderr : stdout;
	if (!in->file) {
		fprintf(stderr, "measure: %s: %s\n", in->path, strerror(errno));
		return false;
	}
	in->link = (struct record_link){ .write = write_record, .sid = arch_entropy() };
	in->report.config = &in->config;
	in->report.platform = &in->platform.platform;
	in->report.line = write_text;
	in->report.ctx = in;
	in->report.link[0] = (struct report_link){ .to = &in->link, .gaps_default = UINT64_MAX };
	in->report.links = 1;
	return true;
}

static int close_output(struct measure *in)
{
	bool failed = ferror(in->file);

	failed = (in->file == stdout ? fflush(in->file) : fclose(in->file)) != 0 || failed;
	if (failed)
		fprintf(stderr, "measure: %s: not all of it could be written\n", in->path);
	return failed ? EXIT_ERROR : EXIT_PASS;
}

/* ---- Before the run ---- */

static bool check_cores(struct measure *in)
{
	struct cpulist allowed;
	uint32_t found;

	if (!linux_allowed(&allowed, &found)) {
		fprintf(stderr, "measure: the cores this process may run on: %s\n",
			strerror(errno));
		return false;
	}
	return linux_options_check(&in->config, &allowed, found);
}

/* Below the loop's own interval each sample would be a gap. */
static bool check_threshold(struct measure *in)
{
	static uint64_t scratch[CALIBRATE_INTERVALS];
	static struct cpu cpu;
	uint64_t ns = in->config.threshold_ns;
	uint64_t wanted = ticks_from_ns(ns, in->clock.rate.hz);
	uint64_t least = calibrate_floor(&cpu, scratch, wanted);
	TEXT_DEFINE(given, 40);

	if (wanted > least)
		return true;
	units_print_ns(&given, ns);
	fprintf(stderr,
		"measure: threshold=%s is not above the sampling loop's own interval; accepted: "
		"more "
		"than %lluns, its 99.9th percentile on this machine and a step of the clock\n",
		given.buf, (unsigned long long)ticks_to_ns(least, in->clock.rate.hz));
	return false;
}

static bool check_clock(struct measure *in)
{
	struct linux_clock_facts facts;
	TEXT_DEFINE(why, 400);

	linux_clock_look(&facts);
	if (linux_clock_judge(&facts, &in->clock, &why))
		return true;
	fprintf(stderr, "measure: %s\n", why.buf);
	return false;
}

/* Find all mistakes before the file is touched. */
static bool measure_check(struct measure *in)
{
	return check_cores(in) && check_clock(in) && check_threshold(in);
}

/* ---- The begin record ---- */

static void name_evidence(const struct cpu *cpu, const char *names[RECORD_STRINGS])
{
	size_t n = 0;

#define COUNTED(id, name, ...)             \
	if (cpu_knows(cpu) & EVIDENCE(id)) \
		names[n++] = #name "_count";
#include "core/cause/counted_rows.h"
	names[n] = NULL;
}

static void describe_time(struct measure *in)
{
	time_t now = time(NULL);
	size_t end;
	struct tm tm;

	/* A clock that was never set has no date. */
	if (!localtime_r(&now, &tm) || tm.tm_year < 100)
		return;
	end = strftime(in->began, sizeof(in->began) - 1, "%FT%T%z", &tm);
	/* The zone's minutes follow a colon: ISO 8601, as records have it. */
	memmove(in->began + end - 1, in->began + end - 2, 3);
	in->began[end - 2] = ':';
	in->begin.began = in->began;
}

static void measure_describe(struct measure *in)
{
	const struct platform *p = &in->platform.platform;
	struct record_begin *b = &in->begin;
	struct text t;

	b->version = NF_VERSION;
	b->arch = ISA_NAME;
	b->cpus.found = p->cpus;
	for (uint32_t i = 0; i < p->cpus; i++) {
		b->cpus.started += p->cpu[i].state == CPU_READY;
		b->cpus.measured += p->cpu[i].measured;
	}
	b->clock.hz = in->clock.rate.hz;
	b->clock.source = in->clock.rate.source;
	b->clock.invariant = in->clock.invariant;
	b->clock.quantum = (struct maybe){ p->cpu[0].quantum, p->cpu[0].quantum };
	b->clock.audited_by = in->clock.rate.audited_by;
	b->clock.audit_ppm = in->clock.rate.audit_ppm;
	name_evidence(&p->cpu[0], b->evidence);
	text_init(&t, in->config_text, sizeof(in->config_text));
	config_print(&in->config, &t);
	b->config = in->config_text;
	b->begin_tsc = p->begin_tsc;
}

/* ---- The conditions under which Linux lets us measure, where they are not ideal ---- */

/* One sentence for all cores that have the defect, an errno at `offset`, with the first's reason.
 */
static void log_defect(const struct linux_platform *lp, size_t offset, const char *text)
{
	static struct cpulist cpus;
	TEXT_DEFINE(list, 200);
	int error = 0;

	cpulist_clear(&cpus);
	for (uint32_t i = lp->platform.cpus; i-- > 0;) {
		int defect = *(const int *)((const char *)&lp->thread[i] + offset);

		if (!defect)
			continue;
		cpulist_add(&cpus, lp->platform.cpu[i].index);
		error = defect;
	}
	if (!error)
		return;
	cpulist_print(&cpus, &list);
	report_log(lp->report, "warning", "cpus %s: %s: %s", list.buf, text, strerror(error));
}

static void log_room(const struct linux_platform *lp, const struct config *config)
{
	TEXT_DEFINE(window, 40);
	TEXT_DEFINE(rest, 40);

	if (!lp->rest_ns)
		return;
	units_print_ns(&window, config->window_ns);
	units_print_ns(&rest, lp->rest_ns);
	report_log(lp->report, "info", "windows of %s, with %s for the rest of the system between",
		   window.buf, rest.buf);
}

static void report_conditions(const struct linux_platform *lp, const struct config *config)
{
	report_log(lp->report, "info",
		   "stage os: a pinned thread per core, interrupts on; counters are read around "
		   "windows, so a gap's share in them is not known");
	log_defect(lp, offsetof(struct linux_thread, not_pinned),
		   "not measured: no thread could be bound there");
	log_defect(lp, offsetof(struct linux_thread, not_fifo),
		   "SCHED_FIFO is not available: other tasks take the core in turn");
	if (lp->not_locked)
		report_log(lp->report, "warning",
			   "memory is not locked, page faults are possible in a window: %s",
			   strerror(lp->not_locked));
	if (config->quiet && !lp->thread[0].not_fifo)
		report_log(lp->report, "warning",
			   "quiet=yes leaves no room for others: real-time throttling causes gaps, "
			   "unless it is off (sched_rt_runtime_us)");
	log_room(lp, config);
}

/* ---- The run ---- */

/* A rate that CPUID reports and that was not used. */
static void report_rate(struct measure *in)
{
	TEXT_DEFINE(why, 300);

	if (tsc_rate_explain(&in->clock.rate, &why))
		report_log(&in->report, "info", "%s", why.buf);
}

static void measure_begin(struct measure *in)
{
	measure_describe(in);
	report_begin(&in->report, &in->begin);
	report_rate(in);
	report_conditions(&in->platform, &in->config);
	if (!in->clock.invariant)
		report_log(&in->report, "warning",
			   "the TSC is not reported as invariant: that its rate is constant is up "
			   "to the hypervisor");
}

/* Called on the guard's thread: the calling thread is in the kernel, and stays there. */
static void give_up(void *ctx)
{
	struct measure *in = ctx;

	linux_platform_hurry();
	report_log(
		&in->report, "error",
		"%s: a call has not returned for %u s and cannot be interrupted; nothing more is "
		"measured",
		in->services.service, 2 * linux_services_call_s);
	verdict_cut_short(&in->run.reasons, "a call of %s did not return", in->services.service);
	report_end(&in->report, &in->run.reasons);
	_exit(exit_worst((int)verdict_exit_code(in->run.reasons.verdict), close_output(in)));
}

static bool open_services(struct measure *in)
{
	struct service_room *room = in->platform.platform.services;

	if (!room)
		return true;
	if (!linux_services_open(&in->services, "", room, give_up, in)) {
		report_log(&in->report, "error", "services: %s", strerror(errno));
		verdict_reason(&in->run.reasons, "no call of a service can be bounded");
		in->run.reasons.verdict = VERDICT_ERROR;
		return false;
	}
	in->platform.services = &in->services;
	report_log(&in->report, "info",
		   "services: the length of a call is that of a system call, with all that Linux "
		   "does for it; it reads a variable by two calls of GetVariable");
	return true;
}

static void close_services(struct measure *in)
{
	if (in->platform.services)
		linux_services_close(in->platform.services);
	in->platform.services = NULL;
}

static void measure_measure(struct measure *in)
{
	struct run *r = &in->run;

	r->config = &in->config;
	r->platform = &in->platform.platform;
	r->report = &in->report;
	in->platform.platform.begin_tsc = in->platform.platform.now();
	describe_time(in);
	run_prepare(r);
	measure_begin(in);
	in->platform.run = r;
	if (open_services(in))
		run_stage(r, TOOL_OS_STAGE);
	close_services(in);
	in->platform.run = NULL;
	run_finish(r);
	run_judge(r);
	linux_platform_check(&in->platform, &r->reasons);
}

static void run_own(struct measure *in)
{
	const char *wrong = linux_platform_open(&in->platform, &in->config, in->clock.rate.hz, "",
						&in->report);

	report_text(&in->report, "noisefloor %s", NF_VERSION);
	if (wrong) {
		report_log(&in->report, "error", "%s", wrong);
		verdict_reason(&in->run.reasons, "the run did not start");
		in->run.reasons.verdict = VERDICT_ERROR;
	} else {
		linux_machine_describe(&in->machine, &in->begin, &in->platform.platform, "");
		measure_measure(in);
	}
	report_end(&in->report, &in->run.reasons);
	fflush(in->file);
	linux_platform_close(&in->platform);
}

static int measure_run(int count, char **arguments)
{
	struct measure *in = &measurement;

	if (!linux_options_read(&in->config, arguments, count))
		return options_see_help(&measure_subcommand);
	signals_watch(linux_platform_hurry);
	if (!measure_check(in) || !open_output(in))
		return EXIT_ERROR;
	run_own(in);
	return exit_worst((int)verdict_exit_code(in->run.reasons.verdict), close_output(in));
}

static const struct options_row rows[] = {
	OPTIONS_OUTPUT(struct measure, path, true,
		       "where records go; - is standard output, and the text for people "
		       "then goes to standard error"),
	{ 0 },
};

const struct options_subcommand measure_subcommand = {
	.name = "measure",
	.run = measure_run,
	.summary = "measure from inside Linux with the same loop",
	.arguments = "[KEY=VALUE...]",
	.most = OPTIONS_MANY,
	.about = "Measures with the probe's own loop, a pinned thread per core. The output is a "
		 "file for `noisefloor compare`. SIGINT and SIGTERM end the run after the current "
		 "window, a second one at once.",
	.exit_code = "0 pass or no limit, 1 a limit was exceeded, 2 error, 3 incomplete.",
	.rows = rows,
	.options = &measurement,
	.keys = 1u << CONFIG_LINUX,
};
