/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of forms. */
#include "show_form.h"

#include "show_ci.h"
#include "show_json.h"
#include "show_peers.h"
#include "show_series.h"
#include "show_text.h"
#include "host/capture/shown.h"

#include <stdio.h>

static void keep_whole(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	(void)ctx;
	shown_keep_whole(run, record);
}

static void put_line(void *ctx, struct reader_run *run, const char *line, size_t bytes)
{
	(void)ctx, (void)run;
	fwrite(line, 1, bytes, stdout);
	putchar('\n');
}

static const struct show_form forms[FORMS] = {
	[FORM_TEXT] = {
		.wanted = UINT32_MAX,
		.record = show_text_record,
		.capture = show_text_capture,
	},
	[FORM_JSON] = {
		.wanted = UINT32_MAX,
		.start = show_json_start,
		.record = show_json_record,
		.capture = show_json_capture,
		.finish = show_json_finish,
		.flaws_apart = true,
	},
	[FORM_JSONL] = {
		.wanted = 1u << RECORD_END,
		.line = put_line,
		.record = show_text_record,
		.flaws_apart = true,
	},
	[FORM_JUNIT] = {
		.wanted = UINT32_MAX,
		.start = show_junit_start,
		.record = keep_whole,
		.capture = show_junit_capture,
		.finish = show_junit_finish,
		.flaws_apart = true,
	},
	[FORM_TAP] = {
		.wanted = UINT32_MAX,
		.start = show_tap_start,
		.record = keep_whole,
		.capture = show_tap_capture,
		.finish = show_tap_finish,
		.flaws_apart = true,
	},
	[FORM_INFLUX] = {
		.wanted = UINT32_MAX,
		.record = keep_whole,
		.capture = show_influx_capture,
		.flaws_apart = true,
		.wants_began = true,
	},
	[FORM_PROM] = {
		.wanted = UINT32_MAX,
		.start = show_prom_start,
		.record = keep_whole,
		.capture = show_prom_capture,
		.finish = show_prom_finish,
		.flaws_apart = true,
	},
	[FORM_HWLATDETECT] = {
		.wanted = UINT32_MAX,
		.record = keep_whole,
		.capture = show_hwlatdetect_capture,
		.flaws_apart = true,
	},
	[FORM_SYSJITTER] = {
		.wanted = UINT32_MAX,
		.record = keep_whole,
		.capture = show_sysjitter_capture,
		.flaws_apart = true,
	},
};

const struct show_form *show_form_at(unsigned form)
{
	return form < FORMS ? &forms[form] : NULL;
}
