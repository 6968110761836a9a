/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end page of a run, as the text on it. It is made once, for pixels and for a console without
 * graphics, and for the start after a reset, which has it from the firmware's variables. A console
 * gets its sentences, and not the mode's number and lines.
 */
#pragma once

#include "core/report/verdict.h"
#include "screen_draw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define END_PAGE_LINES_MAX 4096
#define END_PAGE_CODE_MAX  1280

/* Each text ends with a NUL; "": there is none. */
struct end_page {
	struct screen_head head;
	struct verdict_reasons reasons;
	char heading[48], number[80]; /* the mode's number, which is large, and its heading */
	/* Lines, each with a newline. */
	char about[END_PAGE_LINES_MAX]; /* the machine, for a console */
	char facts[END_PAGE_LINES_MAX]; /* the summary, and each stage's totals */
	char lines[END_PAGE_LINES_MAX]; /* the mode's */
	char code[END_PAGE_CODE_MAX];   /* the text of the QR code */
};

/* Fill in all but the code. If no stage has begun, there is nothing but head and verdict. */
void end_page_make(struct end_page *page, const struct record_begin *begin, const struct report *r,
		   const struct verdict_reasons *reasons, uint64_t sid);

/*
 * Check hostile input: true if the `bytes` at `page` are such a struct. Texts in it are made
 * printable.
 */
bool end_page_check(struct end_page *page, size_t bytes);

/* Sentences beside those of the page, up to a NULL, and "this machine may be switched off". */
struct end_page_notes {
	const char *const *notes;
	const char *what_next;
};

struct screen_code; /* screen_code.h */

/* Draw the page, with the QR code if there is room; NULL: none. */
void end_page_draw(struct screen *s, const struct end_page *page,
		   const struct end_page_notes *notes, const struct screen_code *code);

/* Print the page as lines of text, for a console without graphics. */
void end_page_print(const struct end_page *page, const struct end_page_notes *notes,
		    lines_put *line, void *ctx);
