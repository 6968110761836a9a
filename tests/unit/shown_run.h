/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run to be shown on a screen: cores whose gaps a test plants, window by window,
 * through core/report/report.c as on the machine. A tick is a nanosecond.
 */
#pragma once

#include "core/screen/cells.h"
#include "core/screen/end_page.h"

#define MOCK_CPUS 255
#define MOCK_GAPS 1
#include "tests/unit/mock_platform.h"

#include <stdio.h>

#define SHOWN_WINDOW UINT64_C(1000000000)

static struct {
	struct config config;
	struct report report;
	struct record_begin begin;
	struct verdict_reasons reasons;
	struct screen screen;
	struct cells_layout layout;
	void *memory;    /* memory of the report */
	uint64_t n, now; /* window and tick that come next */
} shown;

static inline void shown_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx;
	(void)line;
	(void)bytes;
}

static inline void shown_configure(const char *text)
{
	static const struct config_source source = { "test", false };

	config_apply(&shown.config, &source, text, strlen(text), NULL, NULL);
}

static inline void shown_end(void)
{
	free(shown.memory);
	free(shown.screen.cells.wanted);
	memset(&shown, 0, sizeof(shown));
}

/* A screen of so many pixels; false when it is refused. */
static inline bool shown_resize(uint32_t width, uint32_t height)
{
	void *memory;

	free(shown.screen.cells.wanted);
	shown.screen.cells.wanted = NULL;
	if (!cells_divide(&shown.layout, width, height))
		return false;
	memory = malloc(cells_bytes(&shown.layout));
	cells_init(&shown.screen.cells, &shown.layout, memory);
	return true;
}

static inline void shown_begin(uint32_t cores, uint32_t width, uint32_t height)
{
	shown_end();
	config_defaults(&shown.config);
	shown.report.platform = mock_lay(cores);
	for (uint32_t i = 0; i < cores; i++)
		mock.cpu[i].measured = mock.cpu[i].smi.moved = true;
	shown.report.config = &shown.config;
	shown.report.line = shown_line;
	shown.memory = calloc(1, report_room(cores));
	report_lay(&shown.report, shown.memory, cores);
	shown.begin = (struct record_begin){
		.version = "1.2.3",
		.machine = { .vendor = "Acme",
			     .product = "Quiet 9000",
			     .bios_vendor = "American Megatrends Inc.",
			     .bios_version = "3.3",
			     .bios_date = "02/21/2026" },
		.cpu = { .brand = "Fast(R) Processor 6130 CPU @ 2.10GHz" },
		.began = "2026-03-01T08:15:00Z",
		.cpus = { .found = cores, .started = cores, .measured = cores },
	};
	shown_resize(width, height);
	shown.screen.report = &shown.report;
	shown.screen.begin = &shown.begin;
}

static inline void shown_stage(const char *name)
{
	const struct record_stage state = { .stage = name };
	struct platform *p = &mock.platform;

	if (!shown.report.stage)
		summary_begin(&shown.report.summary, &shown.begin, &shown.config);
	for (uint32_t i = 0; i < p->cpus; i++)
		memset(&p->cpu[i].stage, 0, sizeof(p->cpu[i].stage));
	report_stage(&shown.report, &state, shown.config.duration_ns / shown.config.window_ns);
	shown.n = 1;
	shown.now += MOCK_BEGIN;
}

/* Plan a gap in the next window, so many ns after its start. */
static inline void shown_gap(uint32_t core, uint64_t at, uint64_t ns, enum cause cause)
{
	const struct gap gap = { .start = shown.now + at,
				 .ticks = ns,
				 .cause = (uint8_t)cause,
				 .evidence.smi = cause == CAUSE_SMI };

	mock_sum(&mock.cpu[core], &gap);
}

/* End the window. */
static inline void shown_window(void)
{
	struct platform *p = &mock.platform;

	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].window.length = SHOWN_WINDOW;
	report_window(&shown.report, shown.n++, shown.now, shown.now + SHOWN_WINDOW);
	for (uint32_t i = 0; i < p->cpus; i++)
		memset(&p->cpu[i].window, 0, sizeof(p->cpu[i].window));
	shown.now += SHOWN_WINDOW + 10000000;
}

/*
 * The wanted cells as text: row n, without the spaces at its end. Parts of large letters are ' '.
 */
static inline const char *shown_row(unsigned n)
{
	static char row[CELLS_SIDE_MAX / FONT_WIDTH + 1];
	const struct cells *c = &shown.screen.cells;
	size_t end = 0;

	for (unsigned x = 0; x < c->columns; x++) {
		const struct cell *cell = &c->wanted[(size_t)n * c->columns + x];

		row[x] = cell->scale == 1 ? (char)cell->glyph : ' ';
		if (row[x] != ' ')
			end = x + 1;
	}
	row[end] = '\0';
	return row;
}

/* The large letters whose upper left parts are in row n. */
static inline const char *shown_large(unsigned n)
{
	static char letters[CELLS_SIDE_MAX / FONT_WIDTH + 1];
	const struct cells *c = &shown.screen.cells;
	size_t count = 0;

	for (unsigned x = 0; x < c->columns; x++) {
		const struct cell *cell = &c->wanted[(size_t)n * c->columns + x];

		if (cell->scale > 1 && cell->part == 0)
			letters[count++] = (char)cell->glyph;
	}
	letters[count] = '\0';
	return letters;
}

/* The number of a row that holds these words; -1: none does. */
static inline int shown_find(const char *words)
{
	for (unsigned n = 0; n < shown.screen.cells.rows; n++)
		if (strstr(shown_row(n), words) || !strcmp(shown_large(n), words))
			return (int)n;
	return -1;
}
