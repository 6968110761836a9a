/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides what is painted on the screen, and when. */
#include "display.h"

#include "probe/app.h"
#include "probe/door.h"
#include "probe/platform/platform_firmware.h"

#include "arch/arch.h"
#include "core/kinds/fault/fault.h"
#include "core/lib/lines.h"
#include "core/lib/steps.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/records/record_code.h"
#include "core/records/record_kind.h"

/* ns in which even the slowest screen paints a whole page. */
#define PAGE_NS (2 * NS_PER_S)
/*
 * Time for painting between windows, ns: 1/BETWEEN_PART of the window, within these bounds. The
 * upper one is less than the time of a line on the serial port.
 */
#define BETWEEN_PART   200
#define BETWEEN_MIN_NS UINT64_C(1000000)
#define BETWEEN_MAX_NS UINT64_C(5000000)

/* Painting */

static void display_put(void *ctx, unsigned column, unsigned row, const uint32_t *pixels)
{
	struct display *d = ctx;
	const struct cells_layout *l = &d->layout;
	uint32_t width = FONT_WIDTH * l->zoom, height = FONT_HEIGHT * l->zoom;
	const struct framebuffer_area cell = { l->left + column * width, l->top + row * height,
					       width, height };

	if (d->by_firmware)
		door.paint(&cell, pixels, false);
	else
		framebuffer_put(&d->framebuffer, &cell, pixels);
}

static bool has_time(void *ctx)
{
	const struct display *d = ctx;

	return (int64_t)(d->until - clock_now()) > 0;
}

static void paint(void *ctx)
{
	struct display *d = ctx;
	const struct cells_painter painter = {
		.zoom = d->layout.zoom,
		.font = cells_font,
		.palette = d->palette,
		.pixels = d->pixels,
		.put = display_put,
		.may_go_on = has_time,
		.ctx = d,
	};

	d->unfinished = !cells_paint(&d->screen->cells, &painter);
}

static void display_show(struct display *d, uint64_t ns)
{
	d->until = clock_now() + ticks_from_ns(ns, app->machine.clock.hz);
	if (d->by_firmware)
		platform_firmware_call(paint, d);
	else
		paint(d);
}

static void display_clear(struct display *d)
{
	const struct framebuffer *f = &d->framebuffer;
	const struct framebuffer_area all = { 0, 0, f->width, f->height };

	if (d->by_firmware)
		door.paint(&all, &d->palette[INK_PAPER], true);
	else
		framebuffer_fill(f, d->palette[INK_PAPER]);
}

static bool set_up(struct display *d)
{
	struct cells_layout *l = &d->layout;
	struct screen *screen;
	void *memory;

	if (!cells_divide(l, d->framebuffer.width, d->framebuffer.height))
		return false;
	screen = door.pages(sizeof(*screen), 0);
	memory = door.pages(cells_bytes(l), 0);
	d->pixels = door.pages((size_t)CELL_PIXELS * l->zoom * l->zoom * sizeof(uint32_t), 0);
	d->code = door.pages(sizeof(*d->code), 0);
	d->code_work = door.pages(sizeof(*d->code_work), 0);
	if (!screen || !memory || !d->pixels || !d->code || !d->code_work)
		return false;
	for (unsigned i = 0; i < INKS; i++)
		d->palette[i] = framebuffer_pixel(&d->framebuffer, cells_palette[i]);
	cells_init(&screen->cells, l, memory);
	screen->report = &app->report;
	screen->begin = &app->begin.record;
	d->screen = screen;
	return true;
}

void display_open(struct display *d)
{
	steps_note("looking for a screen");
	if (door.find_screen && door.find_screen(&d->framebuffer, &d->by_firmware) && set_up(d))
		display_clear(d);
}

void display_start(struct display *d, const struct screen_question *question)
{
	if (!d->screen)
		return;
	screen_start(d->screen, question);
	display_show(d, PAGE_NS);
}

void display_wait(struct display *d, const char *what)
{
	if (!d->screen)
		return;
	screen_wait(d->screen, what);
	display_show(d, PAGE_NS);
}

bool display_take_over(struct display *d)
{
	if (!d->screen)
		return true;
	if (d->by_firmware || !arch_map_device(d->framebuffer.address, d->framebuffer.bytes)) {
		d->screen = NULL;
		return false;
	}
	return true;
}

static uint64_t between_ns(const struct config *c)
{
	uint64_t ns = c->window_ns / BETWEEN_PART;

	if (ns < BETWEEN_MIN_NS)
		return BETWEEN_MIN_NS;
	return ns < BETWEEN_MAX_NS ? ns : BETWEEN_MAX_NS;
}

void display_between(struct display *d)
{
	const struct report *r = &app->report;
	bool first = d->stage != r->stage;
	/*
	 * A page is painted whole when it is new, and after the first window, which has the first
	 * results.
	 */
	bool whole = r->log.used + r->progress.turns <= 1;

	if (!d->screen)
		return;
	d->stage = r->stage;
	if (!app->options.config.live) {
		if (first)
			display_wait(d, "Measuring. This screen changes at the end.");
		return;
	}
	/* A page shows one moment: it is painted to its end before the next is drawn. */
	if (whole || !d->unfinished)
		screen_live(d->screen, keys_hint());
	display_show(d, whole ? PAGE_NS : between_ns(&app->options.config));
}

/* A fault */

struct fault_page {
	struct cells *cells;
	unsigned row;
};

static void put_fault_line(void *ctx, const char *line, size_t bytes)
{
	struct fault_page *page = ctx;

	(void)bytes;
	cells_text(page->cells, 0, page->row++, page->cells->columns, INK_BRIGHT, line);
}

static void note_fault(struct display *d, const struct record_fault *f)
{
	struct text t;

	if (d->notes == DISPLAY_NOTES)
		return;
	text_init(&t, d->note[d->notes++], DISPLAY_NOTE_MAX);
	fault_print_name(&t, f);
	if (f->pc.known)
		text_add(&t, " at image + 0x%llx",
			 (unsigned long long)(f->pc.value - f->image.value));
	text_add(&t, "; last step: %s", f->doing);
}

void display_fault(struct display *d, const struct record_fault *f)
{
	struct fault_page page;
	struct lines lines;

	note_fault(d, f);
	if (!d->screen || d->by_firmware)
		return;
	page = (struct fault_page){ &d->screen->cells, 0 };
	cells_clear(page.cells);
	lines_init(&lines, put_fault_line, &page);
	record_kind_of(RECORD_FAULT)->text(&lines, f, &(struct record_context){ 0 });
	display_show(d, PAGE_NS);
}

/* The end */

static const char *what_next(const struct display *d)
{
	static const char *const words[] = {
		[THEN_AUTO] = "The run is over. This machine may be switched off.",
		[THEN_RESET] = "The run is over. This machine restarts.",
		[THEN_SHUTDOWN] = "The run is over. This machine switches itself off.",
		[THEN_HALT] = "The run is over. This machine may be switched off.",
		[THEN_EXIT] = "The run is over. This machine may be switched off.",
		[THEN_QEMU_EXIT] = "The run is over.",
	};
	static const char *const after_harvest[] = {
		[THEN_AUTO] = "A key continues with the boot order. This machine may be switched "
			      "off.",
		[THEN_RESET] = "The boot order continues.",
		[THEN_SHUTDOWN] = "This machine switches itself off.",
		[THEN_HALT] = "This machine may be switched off.",
		[THEN_EXIT] = "The boot order continues.",
		[THEN_QEMU_EXIT] = "The boot order continues.",
	};
	const struct config *c = &app->options.config;

	if (d->is_harvest)
		return after_harvest[c->then];
	if (app->save.returns)
		return "The run is over. This machine restarts once, writes the results and shows "
		       "them again: leave it on.";
	if (leave_returns(c))
		return keys_person(c) ? "The run is over. A key leads back to the firmware."
				      : "The run is over.";
	return words[c->then];
}

/*
 * Collect the lines of the end page, ended by NULL: complaints if the run did not begin, then
 * notes.
 */
static void collect_notes(const struct display *d, const char *notes[])
{
	bool explains = !app->begun && !d->is_harvest;
	unsigned n = 0;

	for (unsigned i = 0; explains && i < app->complaints.count; i++)
		notes[n++] = app->complaints.list[i].text;
	for (unsigned i = 0; i < d->notes; i++)
		notes[n++] = d->note[i];
	notes[n] = NULL;
}

static void print_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx, (void)bytes;
	door.print(line);
}

/*
 * Print the end page as text on the firmware's console if it cannot be painted. It is printed once,
 * not again with each note.
 */
static void print_end(struct display *d, const struct end_page_notes *notes)
{
	if (!d->printed && !door.is_gone())
		end_page_print(&d->page, notes, print_line, NULL);
	d->printed = true;
}

_Static_assert(END_PAGE_CODE_MAX > RECORD_CODE_TEXT_MAX, "room for the text of any code");

/* Make the page of this start's run; its code is empty if the run does not fit into one. */
static void make_page(struct display *d)
{
	const struct report *r = &app->report;
	uint64_t sid = app->output.link.sid;
	struct text t;

	if (d->is_kept)
		return;
	end_page_make(&d->page, &app->begin.record, r, &app->run.reasons, sid);
	text_init(&t, d->page.code, sizeof(d->page.code));
	if (r->stage && d->code_work)
		record_code_write(&t, sid, &r->summary.record, d->code_work);
}

static void show_end(struct display *d)
{
	const char *notes[COMPLAINTS_MAX + DISPLAY_NOTES + 1];
	const struct end_page_notes beside = { notes, what_next(d) };

	collect_notes(d, notes);
	make_page(d);
	if (!d->screen) {
		print_end(d, &beside);
		return;
	}
	end_page_draw(d->screen, &d->page, &beside,
		      screen_code_make(d->code, d->page.code) ? d->code : NULL);
	display_show(d, PAGE_NS);
}

void display_end(struct display *d)
{
	d->ended = true;
	show_end(d);
}

void display_end_again(struct display *d)
{
	if (d->ended)
		show_end(d);
}

const struct end_page *display_page(struct display *d)
{
	if (!d->ended || !app->report.stage)
		return NULL;
	make_page(d);
	return &d->page;
}

void display_harvest(struct display *d, const struct end_page *page)
{
	d->is_harvest = true;
	d->is_kept = page != NULL;
	if (page)
		d->page = *page;
	display_open(d);
	display_end(d);
}

void display_note(struct display *d, const char *text)
{
	if (d->notes == DISPLAY_NOTES)
		return;
	text_print(d->note[d->notes++], DISPLAY_NOTE_MAX, "%s", text);
	display_end_again(d);
}

void display_close(const struct display *d)
{
	if (d->screen && door.clear_screen && !door.is_gone())
		door.clear_screen();
}
