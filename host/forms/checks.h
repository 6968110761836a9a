/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture as a list of checks, for programs that count what passed: CI servers. */
#pragma once

#include "show_form.h"

#include "host/capture/capture.h"

#include "core/lib/text.h"
#include "core/report/verdict.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum check_status {
	CHECK_PASS,
	CHECK_FAIL,  /* a limit was exceeded */
	CHECK_ERROR, /* unknown: the run did not start or end, or records are missing */
	CHECK_SKIP,  /* no limit was set, or the run is too short */
	CHECK_STATES
};

struct checks_row {
	const char *group; /* the stage; "run" */
	char name[96];     /* "cpu 3" */
	enum check_status status;
	const char *type; /* JUnit's, for all but CHECK_PASS; NULL: none */
	char text[1024];  /* result ("": nothing to print), or the reason for a failure */
	uint64_t ns;      /* exposure */
};

struct checks {
	struct checks_row *check;
	size_t count;
};

void checks_free(struct checks *c);

/*
 * Add a check, whose name printf() formats. Its text is what is then added to *text. Both are
 * truncated if they are too long. Ends the program when memory has run out.
 */
struct checks_row *checks_add(struct checks *c, enum check_status status, const char *group,
			      struct text *text, const char *name, ...)
	__attribute__((format(printf, 5, 6)));

/* The status that a verdict means, and the verdict's reasons as sentences. */
enum check_status checks_status(enum verdict v);
void checks_reasons(struct text *t, const struct verdict_reasons *reasons);

/* ---- Lists of checks as CI servers read them: JUnit's XML, from the outside inwards ---- */

/* A suite's own data. */
struct checks_suite {
	const char *name;
	const char *(*property)[2]; /* names and values; NULL: none */
	size_t properties;          /* a value that is NULL is left out */
};

void checks_junit_open(FILE *to);
void checks_junit_suite_open(FILE *to, const struct checks_suite *suite,
			     const size_t count[CHECK_STATES]);
void checks_junit_case(FILE *to, const struct checks_row *check);
void checks_junit_suite_close(FILE *to);
void checks_junit_close(FILE *to);

/* A suite with all its cases, to standard output. */
void checks_junit_suite(const struct checks_suite *suite, const struct checks *checks);
