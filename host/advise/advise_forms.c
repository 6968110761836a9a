/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice for people, in 80 columns, and as JSON. */
#include "advise.h"

#include "host/capture/capture.h"
#include "host/lib/columns.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/ticks.h"

#include <stdarg.h>
#include <stdio.h>

#define INDENT     14
#define LINE_BYTES 8192
#define EVENTS_95  3 /* 95 % limit of a Poisson mean if no event was seen */

/* Print the operator's next step. */
static void add_next(const struct advise *a, const struct advise_setting *s, struct text *t)
{
	if (s->is_linux) {
		text_add(t, "boot Linux with it, and measure there, before and after: noisefloor "
			    "measure; compare");
		return;
	}
	text_add(t, "change this one alone, measure again, then: noisefloor diff %s AFTER",
		 a->selected->capture.name);
}

static void __attribute__((format(printf, 2, 3)))
print_line(const char *label, const char *format, ...)
{
	static char buf[LINE_BYTES];
	struct text t;
	va_list args;

	text_init(&t, buf, sizeof(buf));
	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	text_sanitize(buf);
	if (label)
		printf("    %-*s", INDENT - 4, label);
	columns_wrap(buf, label ? INDENT : 0);
}

static void print_run(const struct advise *a)
{
	const struct record_begin *b = &a->selected->run->begin;

	print_line(NULL, "%s: run %016llx, stage %s", a->selected->capture.name,
		   (unsigned long long)a->selected->run->sid, a->stage->name);
	print_line(NULL, "machine %s %s, BIOS %s %s: %s%s", b->machine.vendor, b->machine.product,
		   b->machine.bios_vendor, b->machine.bios_version,
		   a->vendor ? "settings by the names of " : "generic names of settings",
		   a->vendor ? a->vendor : "");
	if (b->hypervisor && *b->hypervisor)
		print_line(NULL,
			   "A hypervisor (%s) is underneath: settings are those of its guests' "
			   "firmware; the host's take a run on the host.",
			   b->hypervisor);
}

static void print_unmet(const struct advise_unmet *u)
{
	print_line(
		NULL,
		"Not in force: %.80s is %.80s in the dump, but %s. Change another setting in the "
		"setup's menu, so that it stores all, or cycle the power; measure again.",
		u->attribute.name, u->attribute.value, u->text);
}

static void print_found(const struct advise *a, const struct advise_proposal *p)
{
	TEXT_DEFINE(t, 1024);

	if (p->setting->is_linux)
		return;
	text_add(&t, "%s", p->setting->attribute ? p->setting->attribute : "not known");
	if (a->dump && !p->founds)
		text_add(&t, "; the dump has no such attribute");
	for (size_t i = 0; i < p->founds; i++)
		text_add(&t, "%s %.80s is %.80s%s", i ? "," : "; in the dump", p->found[i].name,
			 p->found[i].value ? p->found[i].value : "null",
			 advise_is_unmet(a, p->found[i].name) ? ", not in force" : "");
	print_line("Redfish", "%s", t.buf);
}

static void print_evidence(const struct advise *a, const struct advise_proposal *p)
{
	const struct advise_setting *s = p->setting;

	for (unsigned i = 0; i < s->calls; i++)
		if (p->calls >> i & 1)
			print_line("evidence", "%s", a->evidence.text[s->call[i].evidence]);
}

static void print_proposal(const struct advise *a, size_t n)
{
	const struct advise_proposal *p = &a->proposal[n];
	const struct advise_setting *s = p->setting;
	TEXT_DEFINE(next, 4096);

	printf("\n%zu. %s: %s (%s)\n", n + 1, s->menu, s->to, advise_sure_name(p->sure));
	print_evidence(a, p);
	print_found(a, p);
	if (s->kernels)
		print_line("kernel", "%s", s->kernels);
	print_line("effect", "%s", s->effect);
	print_line("cost", "%s", s->cost);
	print_line("source", "%s", s->source);
	add_next(a, s, &next);
	print_line("next", "%s", next.buf);
}

static void print_set(const struct advise *a, const struct advise_proposal *p)
{
	print_line(NULL, "Already %s: %s, so that something else is behind this:", p->setting->to,
		   p->setting->menu);
	print_evidence(a, p);
}

/* Print why a run without gaps, mostly of mode=services, has no advice. */
static void print_no_service(const struct result_list *list)
{
	const struct record_service *r = list->at;
	uint32_t others = 0;

	for (size_t i = 0; i < list->count; i++)
		others |= r[i].others;
	print_line(NULL, "Nothing to advise: %s",
		   !list->count ? "no gaps were looked for."
		   : others ? "no call that Linux makes of the firmware was seen to stop another "
			      "core, or to take 10 us."
			    : "no other core sampled, so that whom calls stop is not known.");
}

/* Why there is nothing to advise, and how much that means. */
static void print_clean(const struct advise *a)
{
	const struct advise_evidence *e = &a->evidence;
	const bool no_smi = a->selected->run->no_smi;
	char bound[32] = "n/a";
	TEXT_DEFINE(length, 24);

	if (!a->stage->cpus) {
		print_no_service(&a->stage->kept[RECORD_SERVICE]);
		return;
	}
	text_duration(&length, e->exposure_ns);
	if (e->exposure_ns)
		snprintf(bound, sizeof(bound), "%.3g",
			 (double)EVENTS_95 * NS_PER_S / (double)e->exposure_ns);
	if (!e->smi.known)
		print_line(NULL, "Nothing to advise: SMIs cannot be counted on this machine, and "
				 "nothing else points at a setting.");
	else if (e->smi.value)
		print_line(
			NULL,
			"Nothing to advise: %llu %s per core were counted, and nothing shows "
			"what raised them. A run with stages=firmware,bare,acpi,handoff gaps=all "
			"would show more.",
			(unsigned long long)e->smi.value, no_smi ? "gaps at EL3" : "SMIs");
	else
		print_line(NULL,
			   "Nothing to advise: no %s in %s (with 95 %% confidence, fewer than %s "
			   "/s), and nothing else points at a setting.",
			   no_smi ? "gap at EL3" : "SMI", length.buf, bound);
}

void advise_text(const struct advise *a)
{
	size_t proposed = a->count - a->set;

	print_run(a);
	for (size_t i = 0; i < a->unmets; i++)
		print_unmet(&a->unmet[i]);
	for (size_t n = 0; n < proposed; n++)
		print_proposal(a, n);
	if (a->set)
		putchar('\n');
	for (size_t n = proposed; n < a->count; n++)
		print_set(a, &a->proposal[n]);
	if (!a->count)
		print_clean(a);
}

/* ---- JSON: the document advise/1, host/documents.json ---- */

static json_t *evidence_list(const struct advise_evidence *e)
{
	json_t *list = json_array();

	for (unsigned n = 0; n < ADVISE_EVIDENCES; n++)
		if (e->has[n])
			json_array_append_new(list, json_pack("{s:s,s:o}", "kind",
							      advise_evidence_name(n), "text",
							      json_name(e->text[n])));
	return list;
}

static json_t *found_object(const struct advise_attribute *a)
{
	return json_pack("{s:o,s:o}", "name", json_name(a->name), "value",
			 a->value ? json_name(a->value) : json_null());
}

static json_t *calls_list(const struct advise_proposal *p)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < p->setting->calls; i++)
		if (p->calls >> i & 1)
			json_array_append_new(list, json_string(advise_evidence_name(
							    p->setting->call[i].evidence)));
	return list;
}

static json_t *unmet_object(const struct advise_unmet *u)
{
	return json_pack("{s:o,s:o,s:o}", "name", json_name(u->attribute.name), "value",
			 json_name(u->attribute.value), "text", json_name(u->text));
}

static json_t *proposal_object(const struct advise *a, const struct advise_proposal *p)
{
	const struct advise_setting *s = p->setting;
	TEXT_DEFINE(next, 4096);

	add_next(a, s, &next);
	return json_pack("{s:s,s:s,s:s?,s:s,s:s,s:b,s:o,s:o,s:s,s:s,s:s,s:s?,s:o}", "topic",
			 s->topic, "menu", s->menu, "attribute", s->attribute, "to", s->to, "sure",
			 advise_sure_name(p->sure), "already", p->set, "found",
			 JSON_ARRAY(i, i < p->founds, found_object(&p->found[i])), "evidence",
			 calls_list(p), "effect", s->effect, "cost", s->cost, "source", s->source,
			 "kernels", s->kernels, "next", p->set ? json_null() : json_name(next.buf));
}

json_t *advise_json(const struct advise *a)
{
	const struct capture_select *s = a->selected;

	return json_pack("{s:o,s:o,s:b,s:o,s:s?,s:o,s:o,s:o,s:o,s:o}", "file",
			 json_name(s->capture.name), "sid", json_sid(s->run->sid), "whole",
			 result_is_whole(s->run), "stage", json_name(a->stage->name), "vendor",
			 a->vendor, "smi", json_maybe(a->evidence.smi), "exposure_ns",
			 json_number(a->evidence.exposure_ns), "evidence",
			 evidence_list(&a->evidence), "not_in_force",
			 JSON_ARRAY(i, i < a->unmets, unmet_object(&a->unmet[i])), "proposals",
			 JSON_ARRAY(i, i < a->count, proposal_object(a, &a->proposal[i])));
}
