/* SPDX-License-Identifier: BSD-2-Clause */
/* What documentation and completions need of the configuration keys, besides config_keys.h. */
#pragma once

#include <stddef.h>

/* A key, or the title of the group of keys that follow. */
struct config_help {
	const char *title; /* NULL: a key */
	const char *name;
	const char *help;    /* sentences, with values and keys in backquotes */
	const char *why_not; /* the reason why one platform refuses it; NULL: both accept it */
};

/* The n-th, from 0, in the table's order; NULL past the last. */
const struct config_help *config_help_at(size_t n);

/* The reason of that key; for struct config. */
const char *config_help_why_not(const char *key);
