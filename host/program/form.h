/* SPDX-License-Identifier: BSD-2-Clause */
/* The output formats: a subcommand has a table, by this enum, of how it prints them. */
#pragma once

#include <stdbool.h>

enum form {
	FORM_TEXT,
	FORM_JSON,
	FORM_JSONL,
	FORM_JUNIT,
	FORM_TAP,
	FORM_INFLUX,
	FORM_PROM,
	FORM_LAVA,
	FORM_HTML,
	FORM_CTF,
	FORMS
};

struct form_choice {
	enum form form; /* starts as FORM_TEXT */
	bool chosen;
};

/* "text" ...; NULL past the last. */
const char *form_name(unsigned form);

/* Is it one of these two? For rows of options. */
bool form_is_text_or_json(unsigned form);

/* Why not every subcommand prints it; NULL: each does. */
const char *form_why_not(enum form form);
