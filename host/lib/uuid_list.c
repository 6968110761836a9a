/* SPDX-License-Identifier: BSD-2-Clause */
/* Line by line; those with mistakes are left out. */
#define _GNU_SOURCE /* strsep */
#include "uuid_list.h"

#include "memory.h"
#include "order.h"
#include "text_sanitize.h"
#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)64 << 20)

bool uuid_list_read(const char *command, const char *option, const char *path,
		    struct uuid_list *list)
{
	size_t bytes;
	char *text = (char *)whole_file_read(path, BYTES_MAX, &bytes), *rest, *line;
	uint8_t uuid[UUID_BYTES];

	*list = (struct uuid_list){ 0 };
	if (!text) {
		fprintf(stderr, "%s: %s %s: %s\n", command, option, text_sanitize_name(path),
			strerror(errno));
		return false;
	}
	rest = text = memory_resize(text, bytes + 1);
	text[bytes] = '\0';
	if (strlen(text) != bytes) {
		fprintf(stderr, "%s: %s: a zero byte at %zu; accepted: lines of text\n", command,
			text_sanitize_name(path), strlen(text));
		list->mistakes++;
	}
	for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
		line[strcspn(line, "#")] = '\0';
		line = text_trim(line);
		if (!*line)
			continue;
		if (uuid_parse(line, uuid)) {
			memcpy(*MEMORY_ADD(list->at, list->count), uuid, UUID_BYTES);
			continue;
		}
		text_sanitize(line);
		fprintf(stderr, "%s: %s:%u: `%.40s` is no UUID; accepted: one on each line\n",
			command, text_sanitize_name(path), number, line);
		list->mistakes++;
	}
	free(text);
	return true;
}

void uuid_list_free(struct uuid_list *list)
{
	free(list->at);
	*list = (struct uuid_list){ 0 };
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, UUID_BYTES);
}

void uuid_list_sort(struct uuid_list *list)
{
	ORDER_SORT(list->at, list->count, by_bytes);
}

bool uuid_list_has(const struct uuid_list *list, const uint8_t uuid[UUID_BYTES])
{
	return list->count && bsearch(uuid, list->at, list->count, UUID_BYTES, by_bytes);
}
