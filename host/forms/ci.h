/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of checks as CI servers read them: JUnit's XML, and TAP version 13. */
#pragma once

#include "checks.h"

/* A suite's own data. */
struct ci_suite {
	const char *name;           /* JUnit's */
	const char *comment;        /* TAP's */
	const char *(*property)[2]; /* JUnit's: names and values; NULL: none */
	size_t properties;          /* a value that is NULL is left out */
	const struct checks *checks;
};

enum ci_form { CI_JUNIT, CI_TAP };

/* To standard output: the document's head, its suites one after another, its foot. */
void ci_open(enum ci_form form);
void ci_suite(enum ci_form form, const struct ci_suite *suite);
void ci_close(enum ci_form form);
