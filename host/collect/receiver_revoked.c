/* SPDX-License-Identifier: BSD-2-Clause */
/* All mistakes of a file are reported. */
#define _GNU_SOURCE /* strsep */
#include "receiver.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)64 << 20)

/* False: the line is neither a UUID, blank nor a comment. */
static bool receiver_revoked_take(struct receiver_revoked *list, char *line)
{
	uint8_t uuid[UUID_BYTES];

	line[strcspn(line, "#")] = '\0';
	line = text_trim(line);
	if (!*line)
		return true;
	if (!uuid_parse(line, uuid))
		return false;
	memcpy(*MEMORY_ADD(list->at, list->count), uuid, UUID_BYTES);
	return true;
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, UUID_BYTES);
}

bool receiver_revoked_read(const char *command, const char *option, const char *path,
			   struct receiver_revoked *list)
{
	size_t bytes;
	char *text = (char *)whole_file_read(path, BYTES_MAX, &bytes), *rest, *line;
	bool good = true;

	*list = (struct receiver_revoked){ 0 };
	path = text_sanitize_name(path);
	if (!text) {
		fprintf(stderr, "%s: %s %s: %s\n", command, option, path, strerror(errno));
		return false;
	}
	rest = text;
	/* The text would end at a zero byte. */
	for (size_t n = 0; n < bytes; n++)
		text[n] = text[n] ? text[n] : '?';
	for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
		if (receiver_revoked_take(list, line))
			continue;
		text_sanitize(line);
		fprintf(stderr, "%s: %s:%u: `%.40s` is no UUID; accepted: one on each line\n",
			command, path, number, line);
		good = false;
	}
	free(text);
	ORDER_SORT(list->at, list->count, by_bytes);
	return good;
}

void receiver_revoked_free(struct receiver_revoked *list)
{
	free(list->at);
	*list = (struct receiver_revoked){ 0 };
}

bool receiver_revoked_has(const struct receiver_revoked *list, const uint8_t uuid[UUID_BYTES])
{
	return list->count && bsearch(uuid, list->at, list->count, UUID_BYTES, by_bytes);
}
