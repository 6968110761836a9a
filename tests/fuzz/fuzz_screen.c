/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Screens of any size, cores in any number, gaps of any length, strings of any
 * kind: each page stays on the screen and is made of what can be painted.
 */
#include "tests/unit/shown_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* The input, byte by byte; zeros past its end. */
struct source {
	const uint8_t *at;
	size_t left;
};

static uint64_t take(struct source *s, unsigned bytes)
{
	uint64_t value = 0;

	for (; bytes; bytes--) {
		value = value << 8 | (s->left ? *s->at : 0);
		s->at += s->left != 0;
		s->left -= s->left != 0;
	}
	return value;
}

static void check(void)
{
	const struct cells *c = &shown.screen.cells;

	for (size_t i = 0; i < (size_t)c->columns * c->rows; i++) {
		const struct cell *cell = &c->wanted[i];

		if (!cell->scale || cell->scale > CELLS_SCALE_MAX ||
		    (cell->part & 15u) >= cell->scale || cell->part >> 4 >= cell->scale)
			abort();
		if (!cell->glyph || cell->glyph > '~' ||
		    (cell->glyph > GLYPH_MODULES && cell->glyph < ' '))
			abort();
	}
}

static void measure(struct source *s)
{
	unsigned windows = (unsigned)take(s, 1) % 5;

	while (windows--) {
		unsigned gaps = (unsigned)take(s, 1) % 40;

		while (gaps--) {
			uint32_t core = (uint32_t)take(s, 2) % shown.platform.cpus;
			uint64_t at = take(s, 4), ns = take(s, 1 + (unsigned)take(s, 1) % 7);

			shown_gap(core, at, ns, (enum cause)(take(s, 1) % CAUSES));
		}
		shown_window();
	}
}

static void take_string(struct source *s, char *string, size_t cap)
{
	size_t n = (size_t)take(s, 1) % cap;

	for (size_t i = 0; i < n; i++)
		string[i] = (char)take(s, 1);
	string[n] = '\0';
}

static void draw(struct source *s)
{
	static char words[3][256];
	const char *const notes[] = { words[0], words[1], NULL };
	const struct screen_question question = { take(s, 2), words[0], words[1], words[2],
						  words[0] };
	const struct screen_end end = { .reasons = &shown.reasons,
					.notes = notes,
					.what_next = words[2] };

	for (unsigned i = 0; i < 3; i++)
		take_string(s, words[i], sizeof(words[i]));
	shown.begin.machine.product = words[1];
	shown.begin.cpu.brand = words[2];
	screen_start(&shown.screen, &question);
	check();
	screen_live(&shown.screen, words[0]);
	check();
	verdict_reason(&shown.reasons, "%s", words[1]);
	shown.reasons.verdict = (enum verdict)(take(s, 1) % (VERDICT_ERROR + 1));
	screen_end(&shown.screen, &end);
	check();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct source s = { data, bytes };
	uint32_t width = (uint32_t)take(&s, 2) % 5000, height = (uint32_t)take(&s, 2) % 3000;
	uint32_t cores = 1 + (uint32_t)take(&s, 2) % 300;
	struct cells_layout layout;

	if (!cells_divide(&layout, width, height))
		return 0;
	shown_begin(cores, width, height);
	shown.config.threshold_ns = 1 + take(&s, 4);
	shown.config.limit[LIMIT_MAX].set = take(&s, 1) & 1;
	shown.config.limit[LIMIT_MAX].value = take(&s, 4);
	shown_stage("handoff");
	measure(&s);
	draw(&s);
	shown_end();
	return 0;
}
