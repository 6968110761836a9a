/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparisons of one floor, and the forms in which they are printed to standard output. */
#pragma once

#include "judge.h"
#include "split.h"

#include "host/program/form.h"

struct tool_given; /* host/tools/tool.h */

struct compare_results {
	enum form form;
	const struct floor *floor;        /* NULL, for JSON only: there is none */
	const struct split_result *split; /* one for each output of the OS's tools */
	size_t count;
	struct judge_limits limits;
	enum verdict verdict; /* by these, of all; VERDICT_NONE without limits */
	/* What cannot be read or compared; it is on standard error, too. */
	struct compare_complaint {
		char file[256], text[512];
		uint64_t line; /* 0: the whole file */
	} * complaint;
	size_t complaints;
};

/* List the runs in files, with their numbers, as FORM_TEXT or FORM_JSON. Returns the exit code. */
int compare_list(const struct tool_given *given, enum form form, int count, char **paths);

void compare_text(const struct compare_results *c);
void compare_json(const struct compare_results *c);
void compare_ci(const struct compare_results *c); /* FORM_JUNIT, FORM_TAP */
