/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of forms. */
#include "show_form.h"

#include "show_ci.h"
#include "show_json.h"
#include "show_peers.h"
#include "show_series.h"
#include "show_text.h"
#include "host/capture/run.h"

#include <stdio.h>

static void put_line(const char *line, size_t bytes)
{
	fwrite(line, 1, bytes, stdout);
	putchar('\n');
}

static const struct show_form forms[FORMS] = {
	[FORM_TEXT] = {
		.keep = RUN_ALL & ~RUN_HISTOGRAMS,
		.capture = show_text_capture,
	},
	[FORM_JSON] = {
		.keep = RUN_ALL & ~RUN_HISTOGRAMS,
		.start = show_json_start,
		.record = show_json_record,
		.capture = show_json_capture,
		.finish = show_json_finish,
		.flaws_apart = true,
	},
	[FORM_JSONL] = {
		.line = put_line,
		.flaws_apart = true,
	},
	[FORM_JUNIT] = {
		.keep = RUN_ALL,
		.start = show_junit_start,
		.capture = show_junit_capture,
		.finish = show_junit_finish,
		.flaws_apart = true,
	},
	[FORM_TAP] = {
		.keep = RUN_ALL,
		.start = show_tap_start,
		.capture = show_tap_capture,
		.finish = show_tap_finish,
		.flaws_apart = true,
	},
	[FORM_INFLUX] = {
		.keep = RUN_ALL,
		.capture = show_influx_capture,
		.flaws_apart = true,
		.wants_began = true,
	},
	[FORM_PROM] = {
		.keep = RUN_ALL,
		.start = show_prom_start,
		.capture = show_prom_capture,
		.finish = show_prom_finish,
		.flaws_apart = true,
	},
	[FORM_HWLATDETECT] = {
		.keep = RUN_ALL,
		.capture = show_hwlatdetect_capture,
		.flaws_apart = true,
	},
	[FORM_SYSJITTER] = {
		.keep = RUN_ALL,
		.capture = show_sysjitter_capture,
		.flaws_apart = true,
	},
};

const struct show_form *show_form_at(unsigned form)
{
	return form < FORMS ? &forms[form] : NULL;
}
