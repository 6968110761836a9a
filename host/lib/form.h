/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that a subcommand can be asked for, by name. */
#ifndef HOST_FORM_H
#define HOST_FORM_H

#include <stdbool.h>
#include <stdint.h>

enum form {
	FORM_TEXT,
	FORM_JSON,
	FORM_JSONL,
	FORM_JUNIT,
	FORM_TAP,
	FORM_INFLUX,
	FORM_PROM,
	FORM_HWLATDETECT,
	FORM_SYSJITTER,
	FORMS
};

/* "text" ... */
const char *form_name(enum form form);

struct form_choice {
	const char *subcommand;
	uint32_t accepted; /* 1 << enum form */
	enum form form;    /* starts as FORM_TEXT */
	bool chosen;
};

/* False, with the reason and what is accepted on standard error. One form is enough. */
bool form_choose(struct form_choice *choice, const char *name);

#endif
