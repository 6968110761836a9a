/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds attributes of the dump that the run contradicts: the machine runs with another value, for
 * example because a BMC stored a change that was never applied
 * (dell/iDRAC-Redfish-Scripting#33). There is one row for each feature that appears in both.
 */
#include "advise.h"

#include "host/capture/capture.h"
#include "host/kinds/survey/readiness.h"
#include "host/lib/memory.h"

#include <stdio.h>
#include <string.h>

#define NAMES_MAX 8
/* The clock counts as raised from 1 % above its rating, in ppm: its error is less than that. */
#define RAISED_PPM 1010000

/* State of a row's feature as the run shows it; SEEN_NOTHING: neither off nor on. */
enum seen { SEEN_NOTHING, SEEN_OFF, SEEN_ON };

struct row {
	const char *name[NAMES_MAX]; /* names of attributes, and in setup menus */
	enum seen (*see)(const struct advise *a, const struct row *r, struct text *t);
	enum readiness_item survey;
	const char *item;                /* the source of SMIs */
	enum advise_evidence_of enabled; /* the evidence that names that source */
};

/* The survey's state of r->item, if it is the same on all cores. */
static enum seen see_survey(const struct advise *a, const struct row *r, struct text *t)
{
	enum seen seen = SEEN_NOTHING;
	struct readiness survey;
	TEXT_DEFINE(state, 40);

	readiness_of_stage(&survey, a->stage);
	readiness_state(&survey, r->survey, &state);
	if (text_same(state.buf, "on"))
		seen = SEEN_ON;
	else if (text_same(state.buf, "off") || text_same(state.buf, "C1 only"))
		seen = SEEN_OFF;
	if (seen != SEEN_NOTHING)
		text_add(t, "the survey has %s: %s", readiness_item_name(r->survey), state.buf);
	readiness_free(&survey);
	return seen;
}

/* Threads can be off only if all cores are known: neither `cpus` nor an OS left one out. */
static enum seen see_threads(const struct advise *a, const struct row *r, struct text *t)
{
	const struct record_begin *begin = &a->selected->run->begin;
	bool all = a->stage->cpus && a->stage->cpus == begin->cpus.found && !begin->os &&
		   begin->config && strstr(begin->config, "cpus=all");

	for (size_t i = 0; i < a->stage->cpus; i++) {
		const struct record_cpu *cpu = &a->stage->cpu[i];

		all = all && cpu->thread.known;
		if (!cpu->thread.known || !cpu->thread.value)
			continue;
		text_add(t, "CPU %u is thread %llu of its core", cpu->cpu,
			 (unsigned long long)cpu->thread.value);
		return SEEN_ON;
	}
	if (!all)
		return see_survey(a, r, t);
	text_add(t, "none of %zu cores has a second thread", a->stage->cpus);
	return SEEN_OFF;
}

static enum seen see_turbo(const struct advise *a, const struct row *r, struct text *t)
{
	const struct result_list *list = &a->stage->kept[RECORD_STRETCH];
	const struct record_stretch *s = list->at;

	for (size_t i = 0; i < list->count && !a->selected->run->no_smi; i++)
		for (size_t n = 0; n < s[i].course.count; n++) {
			if (s[i].course.at[n][1] < RAISED_PPM)
				continue;
			text_add(t, "the clock of CPU %u was at %llu %% of its rated one", s[i].cpu,
				 (unsigned long long)s[i].course.at[n][1] / 10000);
			return SEEN_ON;
		}
	return see_survey(a, r, t);
}

/* The evidence that SMIs occurred while their source r->item was enabled. */
static enum seen see_evidence(const struct advise *a, const struct row *r, struct text *t)
{
	if (!a->evidence.has[r->enabled] || !strstr(a->evidence.text[r->enabled], r->item))
		return SEEN_NOTHING;
	text_add(t, "%s", a->evidence.text[r->enabled]);
	return SEEN_ON;
}

static const struct row rows[] = {
	{ { "LogicalProc", "ProcHyperthreading", "ProcSMT", "Processors_HyperThreading",
	    "Processors_SMTMode", "Hyper-Threading", "Hyper-Threading [ALL]", "SMT Control" },
	  .see = see_threads,
	  .survey = READINESS_SMT },
	{ { "ProcTurboMode", "ProcTurbo", "Processors_TurboMode", "Turbo Mode",
	    "Core Performance Boost" },
	  .see = see_turbo,
	  .survey = READINESS_TURBO },
	{ { "ProcCStates", "Processors_CStates", "Global C-state Control" },
	  .see = see_survey,
	  .survey = READINESS_CORE_C },
	{ { "ProcC1E", "Processors_C1EnhancedMode" }, .see = see_survey, .survey = READINESS_C1E },
	{ { "Legacy USB Support" },
	  .see = see_evidence,
	  .item = "LEGACY_USB",
	  .enabled = ADVISE_USB_ENABLED },
	{ { "Port 60/64 Emulation" },
	  .see = see_evidence,
	  .item = "EMUL60_64",
	  .enabled = ADVISE_EMULATION },
};

static bool is_named(const struct row *r, const char *name)
{
	for (size_t i = 0; i < NAMES_MAX && r->name[i]; i++)
		if (advise_is_alike(r->name[i], name))
			return true;
	return false;
}

static enum seen meaning_of(const char *value)
{
	if (advise_is_off(value))
		return SEEN_OFF;
	return advise_is_on(value) ? SEEN_ON : SEEN_NOTHING;
}

/* Add the attributes of a row whose values mean the other state than the one that was seen. */
static void find_contradicted(struct advise *a, const struct row *r, enum seen seen,
			      const char *text)
{
	const char *name;
	json_t *value;

	json_object_foreach(a->dump->values, name, value)
	{
		enum seen meaning = SEEN_NOTHING;
		struct advise_unmet *unmet;

		if (json_is_string(value) && is_named(r, name))
			meaning = meaning_of(json_string_value(value));
		if (!meaning || meaning == seen)
			continue;
		unmet = MEMORY_ADD(a->unmet, a->unmets);
		unmet->attribute = (struct advise_attribute){ name, json_string_value(value) };
		snprintf(unmet->text, sizeof(unmet->text), "%s", text);
	}
}

/* A guest is not checked: the dump has the settings of its host. */
void advise_find_unmet(struct advise *a)
{
	a->unmets = 0;
	if (!a->dump || a->selected->run->begin.hypervisor)
		return;
	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		const struct row *r = &rows[n];
		TEXT_DEFINE(t, ADVISE_EVIDENCE_TEXT);
		enum seen seen = r->see(a, r, &t);

		if (seen)
			find_contradicted(a, r, seen, t.buf);
	}
}

bool advise_is_unmet(const struct advise *a, const char *name)
{
	for (size_t i = 0; i < a->unmets; i++)
		if (strcmp(a->unmet[i].attribute.name, name) == 0)
			return true;
	return false;
}
