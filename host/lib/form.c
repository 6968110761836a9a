/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of formats, and why some cannot tell all. */
#include "form.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *why_not;
} forms[FORMS] = {
	[FORM_TEXT] = { "text", NULL },
	[FORM_JSON] = { "json", NULL },
	[FORM_JSONL] = { "jsonl", "it holds a run's own records, and there are none of this" },
	[FORM_JUNIT] = { "junit", "it holds what passed or failed, and there is no limit here" },
	[FORM_TAP] = { "tap", "it holds what passed or failed, and there is no limit here" },
	[FORM_INFLUX] = { "influx", "it holds numbers by time" },
	[FORM_PROM] = { "prom", "it holds numbers" },
	[FORM_HWLATDETECT] = { "hwlatdetect", "that tool's output holds one run and no more" },
	[FORM_SYSJITTER] = { "sysjitter", "that tool's output holds one run and no more" },
};

const char *form_name(enum form form)
{
	return forms[form].name;
}

static bool say_accepted(const struct form_choice *choice)
{
	fputs("; accepted:", stderr);
	for (unsigned i = 0; i < FORMS; i++) {
		if (choice->accepted >> i & 1)
			fprintf(stderr, " %s", forms[i].name);
	}
	fputc('\n', stderr);
	return false;
}

bool form_choose(struct form_choice *choice, const char *name)
{
	unsigned i = 0;

	while (i < FORMS && strcmp(forms[i].name, name) != 0)
		i++;
	if (i == FORMS) {
		fprintf(stderr, "%s: no format \"%s\"", choice->subcommand, name);
		return say_accepted(choice);
	}
	if (!(choice->accepted >> i & 1)) {
		fprintf(stderr, "%s: format %s cannot tell this: %s", choice->subcommand, name,
			forms[i].why_not);
		return say_accepted(choice);
	}
	if (choice->chosen) {
		fprintf(stderr, "%s: formats %s and %s: one is enough\n", choice->subcommand,
			forms[choice->form].name, name);
		return false;
	}
	choice->chosen = true;
	choice->form = (enum form)i;
	return true;
}
