/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of core/config/config_rows.h that the probe does not need. */
#include "config_help.h"

#include <string.h>

#define BOTH       NULL
#define PROBE(why) why

#define GROUP(text)                                        { .title = text },
#define KEY(key, fallback, platforms, accepted, text, ...) { NULL, key, text, platforms },

static const struct config_help rows[] = {
#include "core/config/config_rows.h"
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

const struct config_help *config_help_at(size_t n)
{
	return n < ROWS ? &rows[n] : NULL;
}

const char *config_help_why_not(const char *key)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].name && strcmp(rows[i].name, key) == 0)
			return rows[i].why_not;
	return NULL;
}
