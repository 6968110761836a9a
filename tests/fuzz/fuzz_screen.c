/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Screens of any size, cores in any number, gaps of any length, strings of any
 * kind: each page stays on the screen and is made of what can be painted.
 */
#include "tests/fuzz/take.h"
#include "tests/unit/shown_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

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

static void measure(void)
{
	unsigned windows = take_byte() % 5;

	while (windows--) {
		unsigned gaps = take_byte() % 40;

		while (gaps--) {
			uint32_t core = take_number(2) % shown.platform.cpus;
			uint64_t at = take_number(4), ns = take_number64(1 + take_byte() % 7u);

			shown_gap(core, at, ns, (enum cause)(take_byte() % CAUSES));
		}
		shown_window();
	}
}

static void take_string(char *string, size_t cap)
{
	size_t n = take_byte() % cap;

	for (size_t i = 0; i < n; i++)
		string[i] = (char)take_byte();
	string[n] = '\0';
}

static void draw(void)
{
	static char words[3][256];
	const char *const notes[] = { words[0], words[1], NULL };
	const struct screen_question question = { take_number64(2), words[0], words[1], words[2],
						  words[0] };
	const struct screen_end end = { .reasons = &shown.reasons,
					.notes = notes,
					.what_next = words[2] };

	for (unsigned i = 0; i < 3; i++)
		take_string(words[i], sizeof(words[i]));
	shown.begin.machine.product = words[1];
	shown.begin.cpu.brand = words[2];
	screen_start(&shown.screen, &question);
	check();
	screen_live(&shown.screen, words[0]);
	check();
	verdict_reason(&shown.reasons, "%s", words[1]);
	shown.reasons.verdict = (enum verdict)(take_byte() % (VERDICT_ERROR + 1));
	screen_end(&shown.screen, &end);
	check();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct cells_layout layout;
	uint32_t width, height, cores;

	take_from(data, bytes);
	width = take_number(2) % 5000;
	height = take_number(2) % 3000;
	cores = 1 + take_number(2) % 300;
	if (!cells_divide(&layout, width, height))
		return 0;
	shown_begin(cores, width, height);
	shown.config.threshold_ns = 1 + take_number64(4);
	shown.config.limit[LIMIT_MAX].set = take_byte() & 1;
	shown.config.limit[LIMIT_MAX].value = take_number64(4);
	shown_stage("handoff");
	measure();
	draw();
	shown_end();
	return 0;
}
