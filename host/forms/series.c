/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of numbers for InfluxDB and Prometheus. */
#include "series.h"

#include "host/lib/memory.h"
#include "host/lib/prom.h"

#include "core/lib/ticks.h"
#include "core/records/influx.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct series_row *series_add(struct series *s)
{
	s->row = memory_grow(s->row, s->rows, sizeof(*s->row));
	s->row[s->rows] = (struct series_row){ .time_ns = 0 };
	return &s->row[s->rows++];
}

void series_label(struct series_row *row, size_t label, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(row->label[label], sizeof(row->label[label]), format, args);
	va_end(args);
}

void series_set(struct series_row *row, size_t column, uint64_t value)
{
	row->value[column] = (struct maybe){ value, true };
}

void series_set_real(struct series_row *row, size_t column, double value)
{
	row->value[column].known = isfinite(value);
	row->real[column] = value;
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

static bool has_value(const struct series *s, const struct series_row *row)
{
	for (size_t c = 0; c < s->column_count; c++) {
		if (row->value[c].known)
			return true;
	}
	return false;
}

/* ---- InfluxDB ---- */

#define LINE_MAX_BYTES (SERIES_LABELS_MAX * 600 + SERIES_COLUMNS_MAX * 100)

static void put_field(struct influx_point *p, const struct series_column *column,
		      const struct series_row *row, size_t c)
{
	char text[64];

	if (column->unit == SERIES_REAL && row->value[c].known) {
		snprintf(text, sizeof(text), "%.12g", row->real[c]);
		influx_field_text(p, column->name, text);
	} else {
		snprintf(text, sizeof(text), "%s%s", column->name,
			 column->unit == SERIES_NS ? "_ns" : "");
		influx_field(p, text, row->value[c]);
	}
}

static void put_line(const struct series *s, const struct series_row *row)
{
	char line[LINE_MAX_BYTES];
	struct influx_point p;
	struct text t;

	text_init(&t, line, sizeof(line));
	p = influx_open(&t, s->measurement);
	for (size_t i = 0; i < s->label_count; i++)
		influx_tag(&p, s->labels[i], row->label[i]);
	for (size_t c = 0; c < s->column_count; c++)
		put_field(&p, &s->columns[c], row, c);
	influx_close(&p, row->time_ns ? row->time_ns : INFLUX_NO_TIME);
	fputs(line, stdout);
}

/* ---- Prometheus ---- */

static const char *suffix(const struct series_column *column)
{
	return column->unit == SERIES_NS ? "_seconds" : "";
}

static void put_sample(const struct series *s, const struct series_row *row, size_t c,
		       const char *name)
{
	struct prom_sample p = prom_open(stdout, name, "");

	for (size_t i = 0; i < s->label_count; i++) {
		if (row->label[i][0])
			prom_label(&p, s->labels[i], row->label[i]);
	}
	if (s->columns[c].unit == SERIES_REAL)
		prom_real(&p, row->real[c]);
	else if (s->columns[c].unit == SERIES_NS)
		prom_seconds(&p, row->value[c].value);
	else
		prom_number(&p, row->value[c].value);
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

static void put_family(const struct series *s, size_t c, const bool *first)
{
	char name[100];
	bool any = false;

	snprintf(name, sizeof(name), "noisefloor_%s_%s%s", s->measurement, s->columns[c].name,
		 suffix(&s->columns[c]));
	for (size_t i = 0; i < s->rows; i++) {
		if (!first[i] || !s->row[i].value[c].known)
			continue;
		if (!any)
			prom_family(stdout, name, "gauge", s->columns[c].help);
		any = true;
		put_sample(s, &s->row[i], c, name);
	}
}

static void print_prom(const struct series *s)
{
	bool *first = memory_new(s->rows, sizeof(*first));

	for (size_t i = 0; i < s->rows; i++)
		first[i] = is_first(s, i);
	for (size_t c = 0; c < s->column_count; c++)
		put_family(s, c, first);
	free(first);
}

void series_print(const struct series *s, enum form form)
{
	if (form == FORM_PROM) {
		print_prom(s);
		return;
	}
	for (size_t i = 0; i < s->rows; i++) {
		if (has_value(s, &s->row[i]))
			put_line(s, &s->row[i]);
	}
}
