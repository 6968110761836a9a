/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of numbers for InfluxDB and Prometheus. */
#include "series.h"

#include "host/lib/list.h"
#include "host/lib/memory.h"

#include "core/lib/ticks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct series_row *series_add(struct series *s)
{
	s->row = list_grow(s->row, s->rows, sizeof(*s->row));
	s->row[s->rows] = (struct series_row){ .time_ns = 0 };
	return &s->row[s->rows++];
}

void series_label(struct series_row *row, size_t label, const char *value)
{
	snprintf(row->label[label], sizeof(row->label[label]), "%s", value ? value : "");
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

/* As `noisefloor show` has them: a backslash at the end would escape what follows. */
static void put_tag(const char *name, const char *value)
{
	if (!*value)
		return;
	printf(",%s=", name);
	for (const unsigned char *at = (const unsigned char *)value; *at; at++) {
		if (*at == ' ' || *at == ',' || *at == '=')
			putchar('\\');
		putchar(*at < 0x20 || *at == 0x7f ? '?' : *at == '\\' ? '/' : *at);
	}
}

static void put_field(const struct series_column *column, const struct series_row *row, size_t c,
		      char before)
{
	uint64_t value = row->value[c].value;

	printf("%c%s%s=", before, column->name, column->unit == SERIES_NS ? "_ns" : "");
	if (column->unit == SERIES_REAL)
		printf("%.12g", row->real[c]);
	else
		printf("%" PRIu64 "i", value > INT64_MAX ? INT64_MAX : value);
}

static void put_line(const struct series *s, const struct series_row *row)
{
	char before = ' ';

	fputs(s->measurement, stdout);
	for (size_t i = 0; i < s->label_count; i++)
		put_tag(s->labels[i], row->label[i]);
	for (size_t c = 0; c < s->column_count; c++) {
		if (!row->value[c].known)
			continue;
		put_field(&s->columns[c], row, c, before);
		before = ',';
	}
	if (row->time_ns)
		printf(" %" PRIu64, row->time_ns > INT64_MAX ? INT64_MAX : row->time_ns);
	putchar('\n');
}

/* ---- Prometheus ---- */

static void put_label(char before, const char *name, const char *value)
{
	printf("%c%s=\"", before, name);
	for (const unsigned char *at = (const unsigned char *)value; *at; at++) {
		if (*at == '"' || *at == '\\')
			putchar('\\');
		putchar(*at < 0x20 || *at == 0x7f ? '?' : *at);
	}
	putchar('"');
}

static void put_name(const struct series *s, size_t c)
{
	const struct series_column *column = &s->columns[c];

	printf("%s_%s%s", s->measurement, column->name,
	       column->unit == SERIES_NS ? "_seconds" : "");
}

static void put_sample(const struct series *s, const struct series_row *row, size_t c)
{
	char before = '{';

	put_name(s, c);
	for (size_t i = 0; i < s->label_count; i++) {
		if (!row->label[i][0])
			continue;
		put_label(before, s->labels[i], row->label[i]);
		before = ',';
	}
	fputs(before == ',' ? "} " : " ", stdout);
	if (s->columns[c].unit == SERIES_REAL)
		printf("%.12g\n", row->real[c]);
	else if (s->columns[c].unit == SERIES_NS)
		printf("%.9f\n", (double)row->value[c].value / NS_PER_S);
	else
		printf("%" PRIu64 "\n", row->value[c].value);
}

/* A series that comes twice spoils the whole file. */
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
	bool any = false;

	for (size_t i = 0; i < s->rows; i++) {
		if (!first[i] || !s->row[i].value[c].known)
			continue;
		if (!any) {
			fputs("# HELP ", stdout);
			put_name(s, c);
			printf(" %s\n# TYPE ", s->columns[c].help);
			put_name(s, c);
			puts(" gauge");
		}
		any = true;
		put_sample(s, &s->row[i], c);
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

void series_print(const struct series *s, enum series_form form)
{
	if (form == SERIES_PROM) {
		print_prom(s);
		return;
	}
	for (size_t i = 0; i < s->rows; i++) {
		if (has_value(s, &s->row[i]))
			put_line(s, &s->row[i]);
	}
}
