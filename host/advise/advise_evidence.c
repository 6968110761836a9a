/* SPDX-License-Identifier: BSD-2-Clause */
/* One row per kind of evidence: its name, and the function that finds it and prints what it is. */
#include "advise.h"

#include "host/capture/result.h"
#include "host/findings/finding.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"
#include "host/sources/sources.h"

#include "core/kinds/service/service_record.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/report/report_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORDS_MAX 6

struct look {
	const struct result *run;
	const struct result_stage *stage;
	struct sources sources;
	struct record_cpu total;
	struct maybe smi;    /* struct advise_evidence */
	uint64_t longest_ns; /* longest gap caused by an SMI */
};

/* A kind of evidence. The members after the function distinguish kinds that share it. */
struct kind {
	const char *name;
	bool (*find)(const struct look *l, const struct kind *k, struct text *t);
	const char *word[WORDS_MAX]; /* any of these; NULL ends them */
	bool (*is)(const struct record_source *s);
	bool (*does)(const struct record_service *r);
};

/* True if `word` is one of the names in a list; spaces separate names. */
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
		 l->run->no_smi ? "gaps at EL3" : "SMIs", l->stage->name);
}

/* ---- USB ---- */

static bool find_usb_step(const struct look *l, const struct kind *k, struct text *t)
{
	const struct host_kind_ladder ladder = host_kind_ladder_of(l->run);
	char text[ADVISE_EVIDENCE_TEXT];
	bool found = false;

	(void)k;
	for (size_t n = 1; n < ladder.count && !found && !ladder.no_smi; n++) {
		struct findings f = { .bounds = "" };
		const struct finding *smi;

		if (strcmp(ladder.rung[n]->name, "handoff") != 0 ||
		    !host_kind_ladder_step(&ladder, n, &f))
			continue;
		smi = &f.at[SPREAD_SMI];
		found = smi->change == FINDING_LESS;
		if (found) {
			snprintf(text, sizeof(text),
				 "%s to handoff, when USB is handed over: SMIs %.4g to %.4g /s "
				 "per core, ",
				 ladder.rung[n - 1]->name, smi->side[0].value, smi->side[1].value);
			text_add(t, "%s", text);
			ratetest_add_p(t, smi->log10_p);
		}
		findings_free(&f);
	}
	return found;
}

static bool find_usb_kept(const struct look *l, const struct kind *k, struct text *t)
{
	const struct record_stage *s = &l->stage->state;

	(void)k;
	if (!has_smis(l) || strcmp(l->stage->name, "handoff") != 0 || !s->usb_owner ||
	    strcmp(s->usb_owner, "bios") != 0)
		return false;
	add_smis(l, t);
	text_add(t, ", and the BIOS still owns a USB controller: %s", s->usb);
	return true;
}

/* A source of SMIs that is enabled. */
static bool find_enabled(const struct look *l, const struct kind *k, struct text *t)
{
	for (const char *const *name = k->word; has_smis(l) && *name; name++) {
		if (!has_word(l->stage->state.smi_enabled, *name))
			continue;
		add_smis(l, t);
		text_add(t, ", and %s is enabled as a source of them", *name);
		return true;
	}
	return false;
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

static bool find_source(const struct look *l, const struct kind *k, struct text *t)
{
	for (size_t i = 0; i < l->sources.count; i++) {
		const struct record_source *s = &l->sources.at[i].source;

		if (!is_firmware(s) || !k->is(s))
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

/* ---- Logs ---- */

/* The first log record that has the first word, and any of the others if there are some. */
static bool find_log(const struct look *l, const struct kind *k, struct text *t)
{
	for (size_t i = 0; i < l->run->logs; i++) {
		const char *text = l->run->log[i].text;
		const char *const *other = &k->word[1];

		if (!text || !strstr(text, k->word[0]))
			continue;
		while (*other && !strstr(text, *other))
			other++;
		if (k->word[1] && !*other)
			continue;
		text_add(t, "%s", text);
		return true;
	}
	return false;
}

/*
 * A counter that the firmware reads, or an error that it may have handled, and gaps in which it may
 * have done so: SMIs, or what could be some.
 */
static bool find_smi_log(const struct look *l, const struct kind *k, struct text *t)
{
	return (has_smis(l) || (!l->smi.known && l->total.gaps)) && find_log(l, k, t);
}

static bool find_stopped(const struct look *l, const struct kind *k, struct text *t)
{
	const struct cause_sum *s = &l->total.cause[CAUSE_STOPPED];

	(void)k;
	if (!s->gaps)
		return false;
	text_add(t, "%llu gaps of cause stopped in stage %s, in all ", (unsigned long long)s->gaps,
		 l->stage->name);
	text_duration(t, s->ns);
	return true;
}

/* ---- Services ---- */

static bool is_one_of(const struct record_service *r, const struct kind *k)
{
	for (const char *const *head = k->word; r->service && *head; head++)
		if (strncmp(r->service, *head, strlen(*head)) == 0)
			return r->calls;
	return false;
}

/* Among services of `k` for which `does` holds, the one with the longest time. */
static const struct record_service *
advise_evidence_longest(const struct look *l, const struct kind *k,
			bool (*does)(const struct record_service *r))
{
	struct service_records of = service_records_of(l->stage);
	const struct record_service *found = NULL;

	for (size_t i = 0; i < of.count; i++) {
		const struct record_service *r = &of.at[i];

		if (is_one_of(r, k) && does(r) &&
		    (!found || arith_max(r->max_ns.value, r->longest_ns.value) >
				       arith_max(found->max_ns.value, found->longest_ns.value)))
			found = r;
	}
	return found;
}

static bool stops(const struct record_service *r)
{
	return r->stops;
}

/*
 * True if a call is long and stops no other core. With one core that is not known, so nothing
 * follows from it.
 */
static bool is_long(const struct record_service *r)
{
	return !r->stops && r->others && !service_record_has_smis(r) &&
	       r->max_ns.value >= SERVICE_RECORD_LONG_NS;
}

static bool stops_or_is_long(const struct record_service *r)
{
	return stops(r) || is_long(r);
}

static bool find_service(const struct look *l, const struct kind *k, struct text *t)
{
	const struct record_service *r = advise_evidence_longest(l, k, k->does);

	if (r)
		service_record_sentence(t, r);
	return r;
}

static bool find_long(const struct look *l, const struct kind *k, struct text *t)
{
	return !advise_evidence_longest(l, k, stops) && find_service(l, k, t);
}

/* Linux on x86 reads the RTC itself: drivers/rtc/Kconfig, RTC_DRV_EFI. */
static bool find_clock(const struct look *l, const struct kind *k, struct text *t)
{
	return l->run->no_smi && find_service(l, k, t);
}

#define RUNTIME_SERVICES                          \
	{                                         \
		"get_", "set_", "next_", "query_" \
	}

static const struct kind kinds[ADVISE_EVIDENCES] = {
	[ADVISE_USB_STEP] = { "usb-step", .find = find_usb_step },
	[ADVISE_USB_KEPT] = { "usb-kept", .find = find_usb_kept },
	[ADVISE_USB_ENABLED] = { "usb-enabled", .find = find_enabled,
				 .word = { "LEGACY_USB", "LEGACY_USB2", "INTEL_USB2", "XHCI_SMI",
					   "USB_SMI" } },
	[ADVISE_EMULATION] = { "emulation", .find = find_enabled, .word = { "EMUL60_64" } },
	[ADVISE_TIMER] = { "timer", .find = find_source, .is = is_timer },
	[ADVISE_PERIODIC] = { "periodic", .find = find_source, .is = has_no_origin },
	[ADVISE_TCO_TIMER] = { "tco-timer", .find = find_source, .is = is_tco },
	[ADVISE_WATCHDOG] = { "watchdog", .find = find_log, .word = { REPORT_WATCHDOG } },
	[ADVISE_BUSY] = { "busy", .find = find_smi_log, .word = { REPORT_BUSY } },
	[ADVISE_ERROR] = { "error", .find = find_smi_log, .word = { REPORT_BANK } },
	[ADVISE_STOPPED] = { "stopped", .find = find_stopped },
	[ADVISE_HOT] = { "hot", .find = find_log,
			 .word = { REPORT_THROTTLED, "thermal", "PROCHOT", "critical" } },
	[ADVISE_LIMITED] = { "limited", .find = find_log,
			     .word = { REPORT_THROTTLED, "power limit", "current limit" } },
	[ADVISE_IOMMU] = { "iommu", .find = find_log, .word = { REPORT_IOMMU } },
	[ADVISE_EFI_STOPS] = { "efi-stops", .find = find_service, .word = RUNTIME_SERVICES,
			       .does = stops },
	[ADVISE_EFI_LONG] = { "efi-long", .find = find_long, .word = RUNTIME_SERVICES,
			      .does = is_long },
	[ADVISE_EFI_CLOCK] = { "efi-clock", .find = find_clock, .word = { "get_time" },
			       .does = stops_or_is_long },
	[ADVISE_KEYBOARD] = { "keyboard", .find = find_service, .word = { "keyboard" },
			      .does = stops_or_is_long },
};

const char *advise_evidence_name(enum advise_evidence_of n)
{
	return kinds[n].name;
}

static void look_at_cores(struct look *l, struct advise_evidence *e)
{
	l->total = result_total(l->stage, l->stage->cpus);
	for (size_t i = 0; i < l->stage->cpus; i++) {
		const struct record_cpu *cpu = &l->stage->cpu[i];
		bool no_smi = l->run->no_smi;
		uint64_t inside = no_smi ? cpu->cause[CAUSE_EL3].gaps : cpu->smi.value;
		uint64_t all = arith_sum(inside, cpu->smi_out.value);

		l->smi.known |= cpu->smi.known || no_smi;
		l->smi.value = arith_max(l->smi.value, all);
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
	sources_read(&l.sources, run, stage);
	for (size_t i = 0; i < stage->gaps; i++)
		if (stage->gap[i].cause == CAUSE_SMI || stage->gap[i].cause == CAUSE_EL3)
			l.longest_ns = arith_max(l.longest_ns, stage->gap[i].len_ns);
	for (unsigned n = 0; n < ADVISE_EVIDENCES; n++) {
		struct text t;

		text_init(&t, e->text[n], sizeof(e->text[n]));
		e->has[n] = kinds[n].find(&l, &kinds[n], &t);
		text_sanitize(e->text[n]);
	}
	sources_free(&l.sources);
}
