/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of output formats, and why some subcommands do not have them. */
#include "form.h"

#include <stddef.h>

static const struct {
	const char *name, *why_not;
} forms[FORMS] = {
	[FORM_TEXT] = { "text", NULL },
	[FORM_JSON] = { "json", NULL },
	[FORM_JSONL] = { "jsonl", "that format holds a run's own records" },
	[FORM_JUNIT] = { "junit", "that format holds tests, and there are no limits here" },
	[FORM_TAP] = { "tap", "that format holds tests, and there are no limits here" },
	[FORM_INFLUX] = { "influx", "that format holds the numbers of a run's records" },
	[FORM_PROM] = { "prom", "that format holds the numbers of a run's records" },
	[FORM_LAVA] = { "lava", "that format holds tests of one run" },
	[FORM_HTML] = { "html", "that page is of runs; `show` draws it" },
	[FORM_CTF] = { "ctf", "a trace holds the gaps of one run" },
};

const char *form_name(unsigned form)
{
	return form < FORMS ? forms[form].name : NULL;
}

const char *form_why_not(enum form form)
{
	return forms[form].why_not;
}

bool form_is_text_or_json(unsigned form)
{
	return form == FORM_TEXT || form == FORM_JSON;
}
