/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of numbers for InfluxDB and Prometheus. */
#include "series.h"

#include "influx.h"

#include "host/lib/memory.h"
#include "host/lib/prom.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/ticks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void series_add(struct series *s, uint64_t time_ns)
{
	*MEMORY_ADD(s->row, s->rows) = (struct series_row){ .time_ns = time_ns };
}

void series_label(struct series *s, const char *name, const char *format, ...)
{
	struct series_row *row = &s->row[s->rows - 1];
	va_list args;

	s->label[row->labels] = name;
	va_start(args, format);
	vsnprintf(row->label[row->labels], sizeof(row->label[0]), format, args);
	va_end(args);
	text_sanitize(row->label[row->labels++]);
}

void series_set(struct series *s, const char *name, const char *help, enum series_unit unit,
		struct range value)
{
	struct series_row *row = &s->row[s->rows - 1];

	s->column[row->columns].name = name;
	s->column[row->columns].help = help;
	s->column[row->columns].unit = unit;
	row->value[row->columns++] = value;
}

void series_set_real(struct series *s, const char *name, const char *help, double value)
{
	struct series_row *row = &s->row[s->rows - 1];

	row->real[row->columns] = value;
	series_set(s, name, help, SERIES_REAL,
		   isfinite(value) ? range_exact(0) : (struct range){ 0 });
}

uint64_t series_time_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || st.st_mtim.tv_sec < 0)
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
}

void series_free(struct series *s)
{
	free(s->row);
	s->row = NULL;
	s->rows = 0;
}

/* The bounds of a range, and what is between them; of other columns there is only that. */
static const struct part {
	const char *suffix, *help;
} parts[] = { { "_low", " Lower bound." }, { "", "" }, { "_high", " Upper bound." } };

#define PARTS (sizeof(parts) / sizeof(parts[0]))

static struct maybe part_of(enum series_unit unit, struct range r, size_t part)
{
	if (!*parts[part].suffix)
		return r.value;
	return (struct maybe){ part ? r.high : r.low,
			       unit == SERIES_RANGE && r.known && !(part && r.high == RANGE_OPEN) };
}

static bool has_value(const struct series_row *row)
{
	for (size_t c = 0; c < row->columns; c++) {
		if (row->value[c].known)
			return true;
	}
	return false;
}

/* ---- InfluxDB ---- */

#define LINE_MAX_BYTES (SERIES_LABELS_MAX * 600 + SERIES_COLUMNS_MAX * PARTS * 100)

static void put_field(struct influx_point *p, const struct series *s, const struct series_row *row,
		      size_t c)
{
	enum series_unit unit = s->column[c].unit;
	char text[64];

	if (unit == SERIES_REAL && row->value[c].known) {
		snprintf(text, sizeof(text), "%.12g", row->real[c]);
		influx_field_text(p, s->column[c].name, text);
		return;
	}
	for (size_t i = 0; i < PARTS; i++) {
		snprintf(text, sizeof(text), "%s%s%s", s->column[c].name, parts[i].suffix,
			 unit == SERIES_COUNT ? "" : "_ns");
		influx_field(p, text, part_of(unit, row->value[c], i));
	}
}

static void put_line(const struct series *s, const struct series_row *row)
{
	struct influx_point p;
	TEXT_DEFINE(t, LINE_MAX_BYTES);

	p = influx_open(&t, s->measurement);
	for (size_t i = 0; i < row->labels; i++)
		influx_tag(&p, s->label[i], row->label[i]);
	for (size_t c = 0; c < row->columns; c++)
		put_field(&p, s, row, c);
	influx_close(&p, row->time_ns ? row->time_ns : INFLUX_NO_TIME);
	fputs(t.buf, stdout);
}

/* ---- Prometheus ---- */

static void put_sample(const struct series *s, const struct series_row *row, size_t c,
		       const char *name, uint64_t value)
{
	struct prom_sample p = prom_open(stdout, name, "");

	for (size_t i = 0; i < row->labels; i++) {
		if (row->label[i][0])
			prom_label(&p, s->label[i], row->label[i]);
	}
	if (s->column[c].unit == SERIES_REAL)
		prom_real(&p, row->real[c]);
	else if (s->column[c].unit == SERIES_COUNT)
		prom_number(&p, value);
	else
		prom_seconds(&p, value);
}

/* A duplicate series makes the whole file invalid. */
static bool is_first(const struct series *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (memcmp(s->row[i].label, s->row[n].label, sizeof(s->row[n].label)) == 0)
			return false;
	}
	return true;
}

static void put_family(const struct series *s, size_t c, const struct part *part, const bool *first)
{
	enum series_unit unit = s->column[c].unit;
	bool any = false, time = unit == SERIES_NS || unit == SERIES_RANGE;
	char name[100], help[200];

	snprintf(name, sizeof(name), "noisefloor_%s_%s%s%s", s->measurement, s->column[c].name,
		 part->suffix, time ? "_seconds" : "");
	snprintf(help, sizeof(help), "%s%s", s->column[c].help, part->help);
	for (size_t i = 0; i < s->rows; i++) {
		struct maybe value = part_of(unit, s->row[i].value[c], (size_t)(part - parts));

		if (!first[i] || !value.known)
			continue;
		if (!any)
			prom_family(stdout, name, "gauge", help);
		any = true;
		put_sample(s, &s->row[i], c, name, value.value);
	}
}

static void print_prom(const struct series *s)
{
	bool *first = memory_new(s->rows, sizeof(*first));

	for (size_t i = 0; i < s->rows; i++)
		first[i] = is_first(s, i);
	for (size_t c = 0; s->rows && c < s->row[0].columns; c++) {
		for (size_t i = 0; i < PARTS; i++)
			put_family(s, c, &parts[i], first);
	}
	free(first);
}

void series_print(const struct series *s, enum form form)
{
	if (form == FORM_PROM) {
		print_prom(s);
		return;
	}
	for (size_t i = 0; i < s->rows; i++) {
		if (has_value(&s->row[i]))
			put_line(s, &s->row[i]);
	}
}
