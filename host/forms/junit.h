/* SPDX-License-Identifier: BSD-2-Clause */
/* JUnit's XML: a document of suites, each with its properties and cases. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct junit_suite {
	const char *name;
	size_t tests, failures, errors, skipped;
	const char *(*property)[2]; /* names and values; a value that is NULL is left out */
	size_t properties;
};

struct junit_case {
	const char *class, *name;
	const char *outcome; /* "failure" "error" "skipped"; NULL: passed */
	const char *type;    /* of an outcome; NULL: none */
	const char *message; /* of an outcome */
	const char *text;    /* what was found; NULL: nothing to print */
	uint64_t ns;         /* how long it took */
};

void junit_open(FILE *to);
void junit_suite_open(FILE *to, const struct junit_suite *suite);
void junit_case(FILE *to, const struct junit_case *c);
void junit_suite_close(FILE *to);
void junit_close(FILE *to);
