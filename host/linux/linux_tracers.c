/* SPDX-License-Identifier: BSD-2-Clause */
/* The settings of each tracer in the order they must be made, and what is stated of the run. */
#include "linux_tracers.h"

#include "host/lib/exit.h"
#include "host/lib/monotonic.h"
#include "host/lib/signals.h"
#include "tracefs.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_NS       NS_PER_S
#define PERIOD_LEAST_US 1000
#define BUFFER_KB       "4096"             /* per core: some 50,000 events */
#define LATE_NS         UINT64_C(10000000) /* plus a quarter of a period: its line comes later */
#define OUTPUT_MARK     "# tracer: "

/* A tracer's run. */
struct trial {
	enum config_tracer tracer;
	const char *name;
	struct tracefs fs;
	uint64_t threshold_us, duration_ns, period_us, width_us;
	char cpus[TRACEFS_VALUE_MAX], mask[TRACEFS_VALUE_MAX];
	char mode[40];
	uint64_t ran_ns;
	bool cut; /* by a signal */
	char wrong[400];
};

/* ---- Available tracers ---- */

static bool refuse(const struct text *why)
{
	fprintf(stderr, "inos: %s\n", why->buf);
	return false;
}

static void find_each(struct linux_tracers *t, uint32_t wanted, struct text *missing)
{
	for (unsigned i = 0; i < TRACERS; i++) {
		const char *name = config_tracer_name(i);

		if (!(wanted >> i & 1))
			continue;
		if (tracefs_has(t->root, name))
			t->run |= UINT32_C(1) << i;
		else
			text_add(missing, "%s%s is not among %s/available_tracers",
				 missing->len ? "; " : "", name, t->root);
	}
}

bool linux_tracers_find(struct linux_tracers *t, struct config *c, const char *given)
{
	uint32_t wanted = c->tracers;
	struct text missing;

	*t = (struct linux_tracers){ .must = !c->tracers_auto };
	text_init(&missing, t->missing, sizeof(t->missing));
	if (!wanted)
		return true;
	if (tracefs_find(t->root, given, &missing)) {
		find_each(t, wanted, &missing);
		if (t->run && tracefs_in_use(t->root, &missing))
			t->run = 0;
	}
	c->tracers = t->run;
	return t->run == wanted || !t->must || refuse(&missing);
}

void linux_tracers_report(const struct linux_tracers *t, struct report *report)
{
	if (t->missing[0])
		report_log(report, "info", "tracers: %s", t->missing);
}

/* ---- Settings ---- */

static bool fail(struct trial *r, const char *file, const char *value, int error)
{
	snprintf(r->wrong, sizeof(r->wrong), "%s=%.80s: %s", file, value, strerror(error));
	return false;
}

static bool must_set(struct trial *r, enum tracefs_where where, const char *file, const char *value)
{
	int error = tracefs_set(&r->fs, where, file, value);

	return !error || fail(r, file, value, error);
}

static bool must_set_number(struct trial *r, enum tracefs_where where, const char *file,
			    uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return must_set(r, where, file, text);
}

/* What older kernels lack. */
static bool may_set(struct trial *r, enum tracefs_where where, const char *file, const char *value)
{
	int error = tracefs_set(&r->fs, where, file, value);

	return !error || error == ENOENT || fail(r, file, value, error);
}

/* Linux takes neither while it contradicts the other: the part may not exceed the whole. */
static bool set_pair(struct trial *r, const char *whole, uint64_t whole_us, const char *part,
		     uint64_t part_us)
{
	char now[TRACEFS_VALUE_MAX];
	int error = tracefs_get(&r->fs, TRACEFS_GLOBAL, part, now, sizeof(now));

	if (error)
		return fail(r, part, "", error);
	if (whole_us > strtoull(now, NULL, 10))
		return must_set_number(r, TRACEFS_GLOBAL, whole, whole_us) &&
		       must_set_number(r, TRACEFS_GLOBAL, part, part_us);
	return must_set_number(r, TRACEFS_GLOBAL, part, part_us) &&
	       must_set_number(r, TRACEFS_GLOBAL, whole, whole_us);
}

static bool set_tracer(struct trial *r)
{
	return must_set(r, TRACEFS_BUFFER, "current_tracer", r->name);
}

static bool set_threshold(struct trial *r)
{
	return must_set_number(r, TRACEFS_GLOBAL, "tracing_thresh", r->threshold_us);
}

static bool go(struct trial *r)
{
	return must_set(r, TRACEFS_BUFFER, "tracing_on", "1");
}

/*
 * The threshold comes after the tracer: hwlat brings back the one it had when it last
 * ran (trace_hwlat.c, hwlat_tracer_init), and keeps for the next time what is there when
 * it ends.
 */
static bool start_hwlat(struct trial *r)
{
	r->width_us = r->period_us / 2;
	if (!may_set(r, TRACEFS_GLOBAL, "hwlat_detector/mode", "per-cpu") ||
	    !set_pair(r, "hwlat_detector/window", r->period_us, "hwlat_detector/width",
		      r->width_us) ||
	    !must_set(r, TRACEFS_BUFFER, "tracing_cpumask", r->mask))
		return false;
	/* Before Linux 5.14 one thread goes round. */
	if (tracefs_get(&r->fs, TRACEFS_GLOBAL, "hwlat_detector/mode", r->mode, sizeof(r->mode)))
		snprintf(r->mode, sizeof(r->mode), "round-robin");
	return set_tracer(r) && set_threshold(r) && go(r);
}

/* What makes it the workload that samples with interrupts on, for as long as configured. */
static bool set_words(struct trial *r)
{
	static const char *const words[] = { "OSNOISE_WORKLOAD", "NO_PANIC_ON_STOP",
					     "NO_OSNOISE_PREEMPT_DISABLE",
					     "NO_OSNOISE_IRQ_DISABLE" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		int error = tracefs_set_word(&r->fs, "osnoise/options", words[i]);

		if (error && error != ENOENT)
			return fail(r, "osnoise/options", words[i], error);
	}
	return true;
}

static bool set_events(struct trial *r)
{
	static const char *const events[] = { "sample_threshold", "nmi_noise", "irq_noise",
					      "softirq_noise", "thread_noise" };

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char file[80];

		snprintf(file, sizeof(file), "events/osnoise/%s/enable", events[i]);
		if (!may_set(r, TRACEFS_BUFFER, file, "1"))
			return false;
	}
	return true;
}

/*
 * The threshold comes first: setting the tracer starts the workload, whose first period takes
 * it as it stands (trace_osnoise.c, osnoise_tracer_init and run_osnoise).
 */
static bool start_osnoise(struct trial *r)
{
	return set_words(r) && may_set(r, TRACEFS_GLOBAL, "osnoise/stop_tracing_us", "0") &&
	       may_set(r, TRACEFS_GLOBAL, "osnoise/stop_tracing_total_us", "0") &&
	       set_pair(r, "osnoise/period_us", r->period_us, "osnoise/runtime_us", r->period_us) &&
	       must_set(r, TRACEFS_GLOBAL, "osnoise/cpus", r->cpus) && set_events(r) &&
	       set_threshold(r) && set_tracer(r) && go(r);
}

static bool (*const starts[TRACERS])(struct trial *r) = {
	[TRACER_HWLAT] = start_hwlat, [TRACER_OSNOISE] = start_osnoise
};

/* ---- Its output ---- */

/* hwlat does not print where and how long it watched; osnoise's lines do. */
static void state_hwlat(const struct trial *r, const struct config *c, FILE *out)
{
	bool per_cpu = strcmp(r->mode, "per-cpu") == 0;
	uint64_t each = r->ran_ns / (r->period_us * NS_PER_US) * r->width_us * NS_PER_US;
	TEXT_DEFINE(t, TRACEFS_VALUE_MAX + 400);

	text_add(&t, " exposure=");
	units_print_ns(&t, per_cpu ? each : each / cpulist_count(&c->cpus));
	text_add(&t, " cpus=%s mode=%s window=", r->cpus, r->mode);
	units_print_ns(&t, r->period_us * NS_PER_US);
	text_add(&t, " width=");
	units_print_ns(&t, r->width_us * NS_PER_US);
	fputs(t.buf, out);
}

static void state(const struct trial *r, const struct config *c, FILE *out)
{
	fprintf(out, "# noisefloor: threshold=%lluus", (unsigned long long)r->threshold_us);
	if (r->tracer == TRACER_HWLAT)
		state_hwlat(r, c, out);
	putc('\n', out);
}

/* Does the text begin as this tracer's does, and has it a line that is no remark where it must? */
static bool is_output(const struct trial *r, const char *text)
{
	size_t mark = strlen(OUTPUT_MARK), name = strlen(r->name);
	const char *line = text;

	if (strncmp(text, OUTPUT_MARK, mark) != 0 || strncmp(text + mark, r->name, name) != 0 ||
	    text[mark + name] != '\n')
		return false;
	/* hwlat without lines found no gaps; osnoise prints a line at the end of each period. */
	if (r->tracer == TRACER_HWLAT)
		return true;
	while ((line = strchr(line, '\n')))
		if (*++line != '#' && *line)
			return true;
	return false;
}

static bool collect(struct trial *r, const struct config *c, FILE *out)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	long copied = memory ? tracefs_copy(&r->fs, memory) : -1;
	int error = errno;
	bool good;

	if (memory && fclose(memory) != 0)
		copied = -1;
	good = copied >= 0 && text && is_output(r, text);
	if (good) {
		state(r, c, out);
		fwrite(text, 1, bytes, out);
	} else if (copied < 0) {
		fail(r, "trace", "", error);
	} else {
		snprintf(r->wrong, sizeof(r->wrong), "it wrote nothing in %llu ms",
			 (unsigned long long)(r->ran_ns / 1000000));
	}
	free(text);
	return good;
}

/* ---- A run ---- */

static void complain(void *ctx, const char *text)
{
	const struct trial *r = ctx;

	fprintf(stderr, "inos: %s: %s\n", r->name, text);
}

static void wait_for_it(struct trial *r)
{
	uint64_t begin = monotonic_ns(), late = 0;

	if (r->tracer == TRACER_OSNOISE)
		late = LATE_NS + r->period_us * NS_PER_US / 4;
	r->cut = !signals_sleep(r->duration_ns + late);
	r->ran_ns = monotonic_ns() - begin;
}

/* The mask as tracefs writes it: hexadecimal, 32 cores between commas. */
static void print_mask(const struct cpulist *l, struct text *out)
{
	bool begun = false;

	for (uint32_t word = CPULIST_MAX / 32; word-- > 0;) {
		uint32_t bits = (uint32_t)(l->bits[word / 2] >> (word % 2 * 32));

		if (begun)
			text_add(out, ",%08x", (unsigned)bits);
		else if (bits || !word)
			text_add(out, "%x", (unsigned)bits);
		begun = begun || bits;
	}
}

static void prepare(struct trial *r, enum config_tracer tracer, const struct config *c)
{
	struct text t;

	*r = (struct trial){ .tracer = tracer, .name = config_tracer_name(tracer) };
	r->threshold_us = (c->threshold_ns + NS_PER_US - 1) / NS_PER_US;
	r->duration_ns = c->duration_ns;
	r->period_us = arith_max(arith_min(c->duration_ns, PERIOD_NS) / NS_PER_US, PERIOD_LEAST_US);
	text_init(&t, r->cpus, sizeof(r->cpus));
	cpulist_print(&c->cpus, &t);
	text_init(&t, r->mask, sizeof(r->mask));
	print_mask(&c->cpus, &t);
}

/* Its output is kept even when it was cut short; in any case all settings are restored. */
static bool run_one(struct trial *r, const char *root, const struct config *c, FILE *out,
		    bool *back)
{
	struct text why;
	bool good;

	text_init(&why, r->wrong, sizeof(r->wrong));
	good = tracefs_open(&r->fs, root, &why) && must_set(r, TRACEFS_BUFFER, "tracing_on", "0");
	if (good)
		tracefs_enlarge(&r->fs, BUFFER_KB);
	good = good && starts[r->tracer](r);
	if (good) {
		wait_for_it(r);
		good = must_set(r, TRACEFS_BUFFER, "tracing_on", "0") && collect(r, c, out);
	}
	*back = tracefs_put_back(&r->fs, complain, r);
	return good;
}

static int run_tracer(const struct linux_tracers *t, enum config_tracer tracer,
		      const struct config *c, FILE *out, FILE *people)
{
	struct trial r;
	bool good, back;

	prepare(&r, tracer, c);
	fprintf(people, "tracer %s\n", r.name);
	fflush(people);
	good = run_one(&r, t->root, c, out, &back);
	if (!good)
		complain(&r, r.wrong);
	if (!back)
		return EXIT_ERROR;
	if (r.cut)
		return EXIT_INCOMPLETE;
	if (good)
		return EXIT_PASS;
	return t->must ? EXIT_ERROR : EXIT_INCOMPLETE;
}

int linux_tracers_run(const struct linux_tracers *t, const struct config *config, FILE *out,
		      FILE *people)
{
	int code = EXIT_PASS;

	for (unsigned i = 0; i < TRACERS; i++) {
		if (!(t->run >> i & 1))
			continue;
		if (signals_seen()) {
			fprintf(stderr, "inos: %s: not run: %s came first\n", config_tracer_name(i),
				signals_seen());
			code = exit_worst(code, EXIT_INCOMPLETE);
			continue;
		}
		code = exit_worst(code, run_tracer(t, i, config, out, people));
	}
	return code;
}
