/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame of a report: one self-contained HTML page without scripts, readable in light, dark and
 * print, and well-formed as XML.
 */
#pragma once

#include "core/cause/cause.h"
#include "core/records/record.h"

#include <stdbool.h>
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

/* Cells of a table's row: text, numbers aligned to the right; "n/a" for what is not known. */
void html_cell(FILE *f, const char *text);
void html_cell_number(FILE *f, uint64_t value);
void html_cell_maybe(FILE *f, struct maybe m);
void html_cell_duration(FILE *f, uint64_t ns); /* an n-dash for 0: none */
void html_cell_format(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A table's head: names with '|' between; '>' in front marks a column of numbers. */
void html_table(FILE *f, const char *heads);
/* The same name by name: open, each head, then the rows. */
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
