/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns of the store's tables, and the members of struct store_run that they hold: one table of
 * rows each, from which the tables are created, written and read.
 */
#pragma once

#include "store.h"

#include <sqlite3.h>

struct store_column {
	const char *name, *type;
	int kind;             /* of the member, and how it is stored */
	size_t offset, bytes; /* of the member */
	bool is_derived;      /* from the run's lines alone: store_row_differs() */
};

/* What is known of a run, but for `id`. It changes when one of its lines has news. */
extern const struct store_column store_row_run[];

/* How much of a run is stored: a narrow row, as each commit writes it. */
extern const struct store_column store_row_progress[];

/* 'N': "sid, uuid, ..."; 'S': "sid=?, ..."; 'Q': "?, ..."; 'D': "sid TEXT NOT NULL UNIQUE, ...". */
void store_row_names(const struct store_column *columns, char form, sqlite3_str *to);

/* Bind the members to the parameters from `first` on. Returns the number of the next parameter. */
int store_row_bind(const struct store_column *columns, sqlite3_stmt *s, int first,
		   const struct store_run *run);

/* Read the columns from `first` on. Texts are printable ASCII, whatever the database has. */
int store_row_read(const struct store_column *columns, sqlite3_stmt *s, int first,
		   struct store_run *run);

/* The name of the first column in which two runs differ; NULL: in none. */
const char *store_row_differs(const struct store_column *columns, const struct store_run *a,
			      const struct store_run *b);
