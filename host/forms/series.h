/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of numbers as time-series databases read it: rows identified by labels, and columns of
 * numbers. InfluxDB's line protocol has a line per row, Prometheus' text format a family per
 * column. What is not known is left out.
 */
#pragma once

#include "host/program/form.h"
#include "host/lib/range.h"

#include <stddef.h>
#include <stdint.h>

enum series_unit {
	SERIES_COUNT, /* whole numbers */
	SERIES_NS,    /* "_ns" and whole there, "_seconds" here */
	SERIES_RANGE, /* ns, with two more columns for its bounds: NAME_low, NAME_high */
	SERIES_REAL,
};

#define SERIES_LABELS_MAX  8
#define SERIES_COLUMNS_MAX 16

struct series_row {
	char label[SERIES_LABELS_MAX][256]; /* empty: left out */
	struct range value[SERIES_COLUMNS_MAX];
	double real[SERIES_COLUMNS_MAX]; /* of SERIES_REAL, where the value is known */
	uint64_t time_ns;                /* wall time, for InfluxDB; 0: the time of arrival */
	size_t labels, columns;
};

struct series {
	const char *measurement; /* "split", after noisefloor_ */
	const char *label[SERIES_LABELS_MAX];
	struct {
		const char *name, *help;
		enum series_unit unit;
	} column[SERIES_COLUMNS_MAX];
	struct series_row *row;
	size_t rows;
};

/* Add a row, at this wall time. Ends the program when memory has run out. */
void series_add(struct series *s, uint64_t time_ns);

/* Its next label and column, which are the same in all rows. */
void series_label(struct series *s, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void series_set(struct series *s, const char *name, const char *help, enum series_unit unit,
		struct range value);
/* The same of SERIES_REAL; not known where it is not finite. */
void series_set_real(struct series *s, const char *name, const char *help, double value);

/* When a file was last written, ns since 1970; 0: unknown. */
uint64_t series_time_of(const char *path);

/*
 * To standard output, as FORM_INFLUX or FORM_PROM. Rows with the labels of one before them are left
 * out for Prometheus.
 */
void series_print(const struct series *s, enum form form);
void series_free(struct series *s);
