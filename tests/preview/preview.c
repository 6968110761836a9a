/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page of the screen as it would be on a machine, as a picture: preview PAGE WIDTH HEIGHT CORES,
 * or only the code of a text: preview code WIDTH HEIGHT TEXT.
 */
#include "core/screen/screen_code.h"

#include "tests/unit/shown_run.h"

#include <stdio.h>

static uint32_t *picture;
static uint32_t picture_width;

static void put(void *ctx, unsigned column, unsigned row, const uint32_t *pixels)
{
	const struct cells_layout *l = &shown.layout;
	unsigned width = FONT_WIDTH * l->zoom, height = FONT_HEIGHT * l->zoom;

	(void)ctx;
	for (unsigned y = 0; y < height; y++)
		memcpy(picture + (size_t)(l->top + row * height + y) * picture_width + l->left +
			       column * width,
		       pixels + (size_t)y * width, width * sizeof(*pixels));
}

static unsigned next(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

/* SMIs on all cores, and noise of each core's own. */
static void measure(unsigned windows, bool noisy)
{
	uint32_t cores = shown.platform.cpus;

	while (windows--) {
		for (uint32_t i = 0; i < cores; i++) {
			unsigned own = noisy ? next() % 40 : next() % 10 == 0;

			if (noisy)
				shown_gap(i, 200000000 + i % 7 * 300, 90000 + next() % 60000,
					  CAUSE_SMI);
			for (unsigned n = 0; n < own; n++)
				shown_gap(i, 300000000 + n * 1000000,
					  1000 + next() % 2000 + (n == 39 ? 1000u << i % 16 : 0),
					  CAUSE_UNKNOWN);
		}
		shown_window();
	}
}

static void draw(const char *page)
{
	const struct screen_question question = {
		.seconds = 5,
		.config =
			"duration=1m window=1s quiet=no threshold=1us cpus=all stages=handoff "
			"max=none "
			"max_smi=none max_noise=none preset=none stop=none stop_total=none "
			"records=auto "
			"gaps=auto serial=auto baud=115200 report=none ip=dhcp vlan=none "
			"linger=30s "
			"nic=auto key=none save=auto selftest=yes clear_logs=no live=yes then=auto",
		.typed = "stages=bare,handoff",
		.complaint = "duration=10 needs a unit; accepted: a time above 0 in ns us ms s m h "
			     "d, as "
			     "in duration=60s",
	};
	const struct end_page_notes notes = {
		.what_next =
			"The result is on the serial port, too. This machine may be switched off.",
	};
	static struct end_page end;

	if (!strcmp(page, "start")) {
		screen_start(&shown.screen, &question);
		return;
	}
	shown_configure(strcmp(page, "none") ? "max=100us" : "max=none");
	shown_stage("handoff");
	measure(14, strcmp(page, "pass") && strcmp(page, "none"));
	if (!strcmp(page, "live"))
		screen_live(&shown.screen,
			    "Esc ends the run; on the serial port also q or Ctrl-C.");
	else
		verdict_judge(&shown.reasons, &shown.config, &shown.platform);
	if (strcmp(page, "live")) {
		shown_sum_up();
		end_page_make(&end, &shown.begin, &shown.report, &shown.reasons, 0);
		end_page_draw(&shown.screen, &end, &notes, NULL);
	}
}

static bool draw_code(const char *text)
{
	static struct screen_code code;
	const struct cells *c = &shown.screen.cells;
	const struct screen_area page = { 1, 1, c->columns - 2, c->rows - 2 };

	return screen_code_make(&code, text) && screen_draw_code(&shown.screen, &page, &code);
}

int main(int argc, char **argv)
{
	bool is_code = argc == 5 && !strcmp(argv[1], "code");
	uint32_t width = argc > 3 ? (uint32_t)atoi(argv[2]) : 0;
	uint32_t height = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
	struct cells_painter painter = { .font = font_glyph, .palette = cells_palette, .put = put };

	if (argc != 5 || (!is_code && atoi(argv[4]) < 1) ||
	    !cells_divide(&shown.layout, width, height)) {
		fprintf(stderr, "usage: preview start|live|pass|fail|none WIDTH HEIGHT CORES\n"
				"       preview code WIDTH HEIGHT TEXT\n");
		return 2;
	}
	shown_begin(is_code ? 1 : (uint32_t)atoi(argv[4]), width, height);
	if (!is_code) {
		draw(argv[1]);
	} else if (!draw_code(argv[4])) {
		fprintf(stderr, "preview: no room for the code\n");
		return 1;
	}
	picture_width = width;
	picture = calloc((size_t)width * height, sizeof(*picture));
	for (size_t i = 0; i < (size_t)width * height; i++)
		picture[i] = cells_palette[INK_PAPER];
	painter.zoom = shown.layout.zoom;
	painter.pixels = calloc((size_t)CELL_PIXELS * painter.zoom * painter.zoom,
				sizeof(uint32_t));
	cells_paint(&shown.screen.cells, &painter);
	printf("P6\n%u %u\n255\n", width, height);
	for (size_t i = 0; i < (size_t)width * height; i++) {
		putchar((int)(picture[i] >> 16 & 255));
		putchar((int)(picture[i] >> 8 & 255));
		putchar((int)(picture[i] & 255));
	}
	free(painter.pixels);
	free(picture);
	shown_end();
	return 0;
}
