/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame of a report: one self-contained HTML page without scripts, readable in light, dark and
 * print, and well-formed as XML.
 */
#pragma once

#include "host/capture/result.h"
#include "host/compare/split.h"

#include "core/cause/cause.h"
#include "core/config/config.h"
#include "core/config/preset.h"
#include "core/lib/text.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* host/html/page.css */
extern const char html_style[];

void html_open(FILE *f, const char *title);
void html_close(FILE *f);

/* <name>text</name>, the text escaped. */
void html_element(FILE *f, const char *name, const char *text);

/* A text as a paragraph of the page, which is a FILE. */
void html_paragraph(void *page, const char *text);

/* A line of text within <pre>, of a page that is a FILE; fits result_record_text(). */
void html_line(void *page, const char *line, size_t bytes);

/*
 * What `print` prints to standard output, as <pre> under a title, which is a `heading` ("": none).
 * No lines: no title.
 */
void html_printed(FILE *f, const char *heading, const char *title, void (*print)(const void *ctx),
		  const void *ctx);

/* Cells of a table's row: text, numbers aligned to the right; "n/a" for what is not known. */
void html_cell(FILE *f, const char *text);
void html_cell_number(FILE *f, uint64_t value);
void html_cell_maybe(FILE *f, struct maybe m);
void html_cell_duration(FILE *f, uint64_t ns); /* an n-dash for 0: none */
void html_cell_format(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A table: open, each head, then the rows. */
void html_table_open(FILE *f);
void html_head(FILE *f, const char *name, bool number);
void html_table_rows(FILE *f);
void html_table_end(FILE *f);

/* A row of `class`es; NULL: none. */
void html_row(FILE *f, const char *class);
void html_row_end(FILE *f);

/* The class that gives a cause its colour: "k-stall"; its mark, as a path around a place. */
const char *html_cause_class(enum cause cause);
const char *html_cause_shape(enum cause cause);

/* Four digits and no exponent, in a buffer of the caller. */
const char *html_ppm(double value, char buf[24]);

/* "152 us", in a buffer of the caller. */
const char *html_duration(uint64_t ns, char buf[24]);

/* ---- One run, and its sections that have files of their own ---- */

/* What the caller adds to the run's own records. */
struct html_options {
	size_t number;               /* of the run, on the page */
	const struct preset *preset; /* to judge by; NULL: none */
	/* Comparisons of the run with what an OS measured on the same machine. */
	const struct split_result *split;
	size_t splits;
};

/*
 * Write the run, with all records kept, as the page's next section, and to *title "Acme X,
 * 2025-01-31T12:34:56Z: fail", less what is not known. Returns the exit code.
 */
int html_run(FILE *f, const char *file, const struct result *run, const struct html_options *o,
	     struct text *title);

/* Floor versus OS: bars, figures and their reservations, one comparison after another. */
void html_split(FILE *f, const struct split_result *split, size_t count);
