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

/*
 * To standard output, as FORM_JUNIT or FORM_TAP: the document's head, its suites one after another,
 * its foot.
 */
void ci_open(enum form form);
void ci_suite(const struct ci_suite *suite);
void ci_close(void);
