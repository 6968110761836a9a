/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of checks as CI servers read them: JUnit's XML, and TAP version 13. */
#pragma once

#include "checks.h"

#include <stdio.h>

/* A suite's own data. */
struct ci_suite {
	const char *name;           /* JUnit's */
	const char *comment;        /* TAP's */
	const char *(*property)[2]; /* JUnit's: names and values; NULL: none */
	size_t properties;          /* a value that is NULL is left out */
	const struct checks *checks;
};

/*
 * To standard output, as FORM_JUNIT or FORM_TAP: the document's head, its suites one after another,
 * its foot.
 */
void ci_open(enum form form);
void ci_suite(const struct ci_suite *suite);
void ci_close(void);

/* JUnit's XML by itself: a document of suites, each with its properties and cases. */

struct ci_junit_suite {
	const char *name;
	size_t tests, failures, errors, skipped;
	const char *(*property)[2]; /* names and values; a value that is NULL is left out */
	size_t properties;
};

struct ci_junit_case {
	const char *class, *name;
	const char *outcome; /* "failure" "error" "skipped"; NULL: passed */
	const char *type;    /* of an outcome; NULL: none */
	const char *message; /* of an outcome */
	const char *text;    /* what was found; NULL: nothing to print */
	uint64_t ns;         /* how long it took */
};

void ci_junit_open(FILE *to);
void ci_junit_suite_open(FILE *to, const struct ci_junit_suite *suite);
void ci_junit_case(FILE *to, const struct ci_junit_case *c);
void ci_junit_suite_close(FILE *to);
void ci_junit_close(FILE *to);
