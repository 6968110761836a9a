/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of machines in files: a UUID on each line, blank lines, and `#` before a comment. */
#pragma once

#include "core/lib/uuid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uuid_list {
	uint8_t (*at)[UUID_BYTES]; /* in the order of the file, until sorted */
	size_t count;
	size_t mistakes; /* lines that are no UUID, each reported on standard error */
};

/* False, with the reason on standard error: the file cannot be read. To be freed otherwise. */
bool uuid_list_read(const char *command, const char *option, const char *path,
		    struct uuid_list *list);
void uuid_list_free(struct uuid_list *list);

/* Sort by UUID, as uuid_list_has() requires. */
void uuid_list_sort(struct uuid_list *list);

/* The list is sorted. */
bool uuid_list_has(const struct uuid_list *list, const uint8_t uuid[UUID_BYTES]);
