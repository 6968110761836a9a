/* SPDX-License-Identifier: BSD-2-Clause */
/* One row per kind of evidence: its name, and the function that finds it and prints what it is. */
#include "advise_evidence.h"

#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/records/record_field.h"
#include "core/report/report_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MS UINT64_C(1000000)

struct look {
	const struct result *run;
	const struct result_stage *stage;
	struct result_sources sources;
	struct record_cpu total;
	struct maybe smi;    /* struct advise_evidence */
	uint64_t smi_inside; /* of these, inside windows */
	uint64_t longest_ns; /* of the gaps that SMIs made */
};

/* Is `word` one of the names in a list that has spaces between them? */
static bool has_word(const char *list, const char *word)
{
	size_t bytes = strlen(word);

	for (const char *at = list; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, " ") == bytes && memcmp(at, word, bytes) == 0)
			return true;
	return false;
}

/* SMIs, or what AArch64 has instead: time in which the core was the firmware's. */
static bool has_smis(const struct look *l)
{
	return l->smi.known && l->smi.value;
}

static void add_smis(const struct look *l, struct text *t)
{
	text_add(t, "%llu %s per core in stage %s", (unsigned long long)l->smi.value,
		 l->run->ladder.no_smi ? "gaps at EL3" : "SMIs", l->stage->name);
}

/* ---- USB ---- */

static double rate(const struct ladder_rung *r)
{
	return (double)r->smi.value * NS_PER_S / (double)r->exposure_ns;
}

static bool find_usb_step(const struct look *l, struct text *t)
{
	const struct ladder *ladder = &l->run->ladder;
	struct ladder_step step;
	char text[ADVISE_EVIDENCE_TEXT];

	for (size_t n = 1; n < ladder->count; n++) {
		const struct ladder_rung *before = &ladder->rung[n - 1], *after = &ladder->rung[n];

		ladder_step(ladder, n, &step);
		if (strcmp(after->stage, "handoff") != 0 || step.smi.change != RATE_LESS)
			continue;
		snprintf(text, sizeof(text),
			 "%s to handoff, when USB is handed over: SMIs %.4g to %.4g /s per core, "
			 "p %.2g",
			 before->stage, rate(before), rate(after),
			 pow(10, (double)step.smi.chance_milli / 1000));
		text_add(t, "%s", text);
		return true;
	}
	return false;
}

static bool find_usb_kept(const struct look *l, struct text *t)
{
	const struct record_stage *s = &l->stage->state;

	if (!has_smis(l) || strcmp(l->stage->name, "handoff") != 0 || !s->usb_owner ||
	    strcmp(s->usb_owner, "bios") != 0)
		return false;
	add_smis(l, t);
	text_add(t, ", and the BIOS still owns a USB controller: %s", s->usb);
	return true;
}

/* A source of SMIs that is enabled, by any of these names. */
static bool find_enabled(const struct look *l, const char *const *names, struct text *t)
{
	const char *enabled = l->stage->state.smi_enabled;

	for (; has_smis(l) && *names; names++) {
		if (!has_word(enabled, *names))
			continue;
		add_smis(l, t);
		text_add(t, ", and %s is enabled as a source of them", *names);
		return true;
	}
	return false;
}

static bool find_usb_enabled(const struct look *l, struct text *t)
{
	static const char *const names[] = { "LEGACY_USB", "LEGACY_USB2", "INTEL_USB2",
					     "XHCI_SMI",   "USB_SMI",     NULL };

	return find_enabled(l, names, t);
}

static bool find_emulation(const struct look *l, struct text *t)
{
	static const char *const names[] = { "EMUL60_64", NULL };

	return find_enabled(l, names, t);
}

/* ---- Periods ---- */

static bool is_firmware(const struct record_source *s)
{
	return s->cause && (strcmp(s->cause, "smi") == 0 || strcmp(s->cause, "el3") == 0);
}

static bool is_tco(const struct record_source *s)
{
	return s->origin && strncmp(s->origin, "TCO", 3) == 0;
}

static bool is_timer(const struct record_source *s)
{
	return s->origin && !is_tco(s);
}

static bool has_no_origin(const struct record_source *s)
{
	return !s->origin;
}

static bool is_second(const struct record_source *s)
{
	return s->period_ns >= 800 * MS && s->period_ns <= 1200 * MS;
}

static bool is_quarter_hour(const struct record_source *s)
{
	return s->period_ns >= 14 * 60 * NS_PER_S && s->period_ns <= 16 * 60 * NS_PER_S;
}

static bool find_source(const struct look *l, bool (*is)(const struct record_source *s),
			struct text *t)
{
	for (size_t i = 0; i < l->sources.count; i++) {
		const struct record_source *s = &l->sources.at[i].source;

		if (!is_firmware(s) || !is(s))
			continue;
		text_add(t, "%llu %s every ", (unsigned long long)s->events,
			 strcmp(s->cause, "smi") == 0 ? "SMIs" : "gaps at EL3");
		text_duration(t, s->period_ns);
		if (s->origin)
			text_add(t, ", as the enabled %s", s->origin);
		if (l->longest_ns) {
			text_add(t, "; the longest gap of SMIs ");
			text_duration(t, l->longest_ns);
		}
		return true;
	}
	return false;
}

static bool find_timer(const struct look *l, struct text *t)
{
	return find_source(l, is_timer, t);
}

static bool find_periodic(const struct look *l, struct text *t)
{
	return find_source(l, has_no_origin, t);
}

static bool find_tco_timer(const struct look *l, struct text *t)
{
	return find_source(l, is_tco, t);
}

/* About 30 ms, as J. Stultz measured. */
static bool is_about_30_ms(const struct look *l)
{
	return l->longest_ns >= 20 * MS && l->longest_ns <= 40 * MS;
}

static bool find_second(const struct look *l, struct text *t)
{
	return is_about_30_ms(l) && find_source(l, is_second, t);
}

static bool find_quarter_hour(const struct look *l, struct text *t)
{
	return is_about_30_ms(l) && find_source(l, is_quarter_hour, t);
}

/* ---- Errors ---- */

/* More SMIs than those that recur with a period? Some of these have no event. */
static bool has_others(const struct look *l)
{
	uint64_t events = 0;

	for (size_t i = 0; i < l->sources.count; i++)
		if (is_firmware(&l->sources.at[i].source))
			events = arith_sum(events, l->sources.at[i].source.events);
	events = arith_sum(events, events / 10);
	return l->smi_inside > events || (!events && has_smis(l));
}

static bool is_pcie(const char *word)
{
	return strncmp(word, "AER", 3) == 0;
}

/* Does the firmware handle errors first: of PCI Express, or any others? */
static bool is_first(const struct look *l, bool pcie)
{
	const char *at = l->stage->state.firmware_first;

	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (is_pcie(at) == pcie)
			return true;
	return false;
}

static bool find_first(const struct look *l, bool pcie, struct text *t)
{
	if (!is_first(l, pcie) || !has_others(l))
		return false;
	add_smis(l, t);
	text_add(t, ", not all with a period, and the firmware handles errors first (HEST): %s",
		 l->stage->state.firmware_first);
	return true;
}

static bool find_errors_first(const struct look *l, struct text *t)
{
	return find_first(l, false, t);
}

static bool find_pcie_first(const struct look *l, struct text *t)
{
	return find_first(l, true, t);
}

/* ---- Logs ---- */

static const char *find_log(const struct look *l, const char *part, size_t from, size_t *at)
{
	for (*at = from; *at < l->run->logs; ++*at) {
		const char *text = l->run->log[*at].text;

		if (text && strstr(text, part))
			return text;
	}
	return NULL;
}

static bool add_log(const struct look *l, const char *part, struct text *t)
{
	size_t at;
	const char *text = find_log(l, part, 0, &at);

	if (text)
		text_add(t, "%s", text);
	return text;
}

static bool find_error(const struct look *l, struct text *t)
{
	if (!is_first(l, false) || !add_log(l, REPORT_BANK, t))
		return false;
	text_add(t, "; the firmware handles errors first (HEST): %s",
		 l->stage->state.firmware_first);
	return true;
}

static bool find_throttled(const struct look *l, const char *const *words, struct text *t)
{
	size_t at;
	const char *text = find_log(l, REPORT_THROTTLED, 0, &at);

	for (; text; text = find_log(l, REPORT_THROTTLED, at + 1, &at)) {
		for (const char *const *word = words; *word; word++) {
			if (!strstr(text, *word))
				continue;
			text_add(t, "%s", text);
			return true;
		}
	}
	return false;
}

static bool find_hot(const struct look *l, struct text *t)
{
	static const char *const words[] = { "thermal", "PROCHOT", "critical", NULL };

	return find_throttled(l, words, t);
}

static bool find_limited(const struct look *l, struct text *t)
{
	static const char *const words[] = { "power limit", "current limit", NULL };

	return find_throttled(l, words, t);
}

static bool find_busy(const struct look *l, struct text *t)
{
	return add_log(l, REPORT_BUSY, t);
}

static bool find_iommu(const struct look *l, struct text *t)
{
	return add_log(l, REPORT_IOMMU, t);
}

static bool find_watchdog(const struct look *l, struct text *t)
{
	return add_log(l, REPORT_WATCHDOG, t);
}

static bool find_stopped(const struct look *l, struct text *t)
{
	const struct cause_sum *s = &l->total.cause[CAUSE_STOPPED];

	if (!s->gaps)
		return false;
	text_add(t, "%llu gaps of cause stopped in stage %s, in all ", (unsigned long long)s->gaps,
		 l->stage->name);
	text_duration(t, s->ns);
	return true;
}

static const struct {
	const char *name;
	bool (*find)(const struct look *l, struct text *t);
} kinds[ADVISE_EVIDENCES] = {
	[ADVISE_USB_STEP] = { "usb-step", find_usb_step },
	[ADVISE_USB_KEPT] = { "usb-kept", find_usb_kept },
	[ADVISE_USB_ENABLED] = { "usb-enabled", find_usb_enabled },
	[ADVISE_EMULATION] = { "emulation", find_emulation },
	[ADVISE_TIMER] = { "timer", find_timer },
	[ADVISE_PERIODIC] = { "periodic", find_periodic },
	[ADVISE_SECOND] = { "second", find_second },
	[ADVISE_QUARTER_HOUR] = { "quarter-hour", find_quarter_hour },
	[ADVISE_TCO_TIMER] = { "tco-timer", find_tco_timer },
	[ADVISE_WATCHDOG] = { "watchdog", find_watchdog },
	[ADVISE_BUSY] = { "busy", find_busy },
	[ADVISE_ERRORS_FIRST] = { "errors-first", find_errors_first },
	[ADVISE_PCIE_FIRST] = { "pcie-first", find_pcie_first },
	[ADVISE_ERROR] = { "error", find_error },
	[ADVISE_STOPPED] = { "stopped", find_stopped },
	[ADVISE_HOT] = { "hot", find_hot },
	[ADVISE_LIMITED] = { "limited", find_limited },
	[ADVISE_IOMMU] = { "iommu", find_iommu },
};

const char *advise_evidence_name(enum advise_evidence_of n)
{
	return kinds[n].name;
}

static void look_at_cores(struct look *l, struct advise_evidence *e)
{
	record_total_start(RECORD_CPU, &l->total);
	for (size_t i = 0; i < l->stage->cpus; i++) {
		const struct record_cpu *cpu = &l->stage->cpu[i];
		bool no_smi = l->run->ladder.no_smi;
		uint64_t inside = no_smi ? cpu->cause[CAUSE_EL3].gaps : cpu->smi.value;
		uint64_t all = arith_sum(inside, cpu->smi_out.value);

		record_total_add(RECORD_CPU, &l->total, cpu);
		l->smi.known |= cpu->smi.known || no_smi;
		l->smi.value = arith_max(l->smi.value, all);
		l->smi_inside = arith_max(l->smi_inside, inside);
	}
	e->smi = l->smi;
	e->exposure_ns = l->stage->cpus ? l->total.exposure_ns / l->stage->cpus : 0;
}

void advise_evidence_read(struct advise_evidence *e, const struct result *run,
			  struct result_stage *stage)
{
	struct look l = { .run = run, .stage = stage };

	*e = (struct advise_evidence){ .smi = { 0, false } };
	look_at_cores(&l, e);
	result_sources_read(&l.sources, run, stage);
	for (size_t i = 0; i < stage->gaps; i++)
		if (stage->gap[i].cause == CAUSE_SMI || stage->gap[i].cause == CAUSE_EL3)
			l.longest_ns = arith_max(l.longest_ns, stage->gap[i].len_ns);
	for (unsigned n = 0; n < ADVISE_EVIDENCES; n++) {
		struct text t;

		text_init(&t, e->text[n], sizeof(e->text[n]));
		e->has[n] = kinds[n].find(&l, &t);
		text_sanitize(e->text[n]);
	}
	result_sources_free(&l.sources);
}
