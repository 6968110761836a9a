/* SPDX-License-Identifier: BSD-2-Clause */
/* A text's code as a machine's screen would show it, as a picture: preview WIDTH HEIGHT TEXT. */
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

static bool draw_code(const char *text)
{
	static struct screen_code code;
	const struct cells *c = &shown.screen.cells;
	const struct screen_area page = { 1, 1, c->columns - 2, c->rows - 2 };

	return screen_code_make(&code, text) && screen_draw_code(&shown.screen, &page, &code);
}

int main(int argc, char **argv)
{
	uint32_t width = argc == 4 ? (uint32_t)atoi(argv[1]) : 0;
	uint32_t height = argc == 4 ? (uint32_t)atoi(argv[2]) : 0;
	struct cells_painter painter = { .font = cells_font, .palette = cells_palette, .put = put };

	if (!cells_divide(&shown.layout, width, height)) {
		fprintf(stderr, "usage: preview WIDTH HEIGHT TEXT\n");
		return 2;
	}
	shown_begin(1, width, height);
	if (!draw_code(argv[3])) {
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
