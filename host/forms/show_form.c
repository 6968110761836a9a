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
#include <string.h>

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

static const struct show_form forms[] = {
	{
		.name = "text",
		.wanted = UINT32_MAX,
		.bare = SHOWN_BARE,
		.record = show_text_record,
		.capture = show_text_capture,
	},
	{
		.name = "json",
		.wanted = UINT32_MAX,
		.start = show_json_start,
		.record = show_json_record,
		.capture = show_json_capture,
		.finish = show_json_finish,
		.flaws_apart = true,
	},
	{
		.name = "jsonl",
		.wanted = 1u << RECORD_END,
		.line = put_line,
		.record = show_text_record,
		.flaws_apart = true,
	},
	{
		.name = "junit",
		.wanted = UINT32_MAX,
		.bare = SHOWN_BARE,
		.start = show_junit_start,
		.record = keep_whole,
		.capture = show_junit_capture,
		.finish = show_junit_finish,
		.flaws_apart = true,
	},
	{
		.name = "tap",
		.wanted = UINT32_MAX,
		.bare = SHOWN_BARE,
		.start = show_tap_start,
		.record = keep_whole,
		.capture = show_tap_capture,
		.finish = show_tap_finish,
		.flaws_apart = true,
	},
	{
		.name = "influx",
		.wanted = UINT32_MAX,
		.bare = SHOWN_BARE,
		.record = keep_whole,
		.capture = show_influx_capture,
		.flaws_apart = true,
		.wants_began = true,
	},
	{
		.name = "prom",
		.wanted = UINT32_MAX,
		.bare = SHOWN_BARE,
		.start = show_prom_start,
		.record = keep_whole,
		.capture = show_prom_capture,
		.finish = show_prom_finish,
		.flaws_apart = true,
	},
	{
		.name = "hwlatdetect",
		.wanted = UINT32_MAX,
		.bare = SHOWN_BARE,
		.record = keep_whole,
		.capture = show_hwlatdetect_capture,
		.flaws_apart = true,
	},
	{
		.name = "sysjitter",
		.wanted = UINT32_MAX,
		.bare = SHOWN_BARE,
		.record = keep_whole,
		.capture = show_sysjitter_capture,
		.flaws_apart = true,
	},
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

const struct show_form *show_form_find(const char *name)
{
	for (size_t i = 0; i < FORMS; i++) {
		if (strcmp(forms[i].name, name) == 0)
			return &forms[i];
	}
	return NULL;
}

const struct show_form *show_form_at(size_t n)
{
	return n < FORMS ? &forms[n] : NULL;
}
