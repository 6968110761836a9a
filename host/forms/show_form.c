/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of forms. */
#include "show_form.h"

#include <stdio.h>

static void put_line(const char *line, size_t bytes)
{
	fwrite(line, 1, bytes, stdout);
	putchar('\n');
}

static const struct show_form jsonl = { .line = put_line, .flaws_apart = true };

static const struct show_form *const forms[FORMS] = {
	[FORM_TEXT] = &show_form_text,
	[FORM_JSON] = &show_form_json,
	[FORM_JSONL] = &jsonl,
	[FORM_JUNIT] = &show_form_junit,
	[FORM_TAP] = &show_form_tap,
	[FORM_INFLUX] = &show_form_influx,
	[FORM_PROM] = &show_form_prom,
	[FORM_HWLATDETECT] = &show_form_hwlatdetect,
	[FORM_SYSJITTER] = &show_form_sysjitter,
};

const struct show_form *show_form_at(unsigned form)
{
	return form < FORMS ? forms[form] : NULL;
}
