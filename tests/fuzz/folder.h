/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder as anybody may have left it, and what subcommands print of it. */
#pragma once

#include "host/lib/exit.h"
#include "host/subcommands.h"

#include "tests/fuzz/signed.h"

#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum folder_kind { A_FILE, A_FOLDER, A_LINK, A_FIFO, FOLDER_KINDS };

static char folder[64];
static int dir = -1;

static inline void insist(bool is_so)
{
	if (!is_so)
		abort();
}

/* In memory, if possible. */
static inline void folder_start(const char *name)
{
	snprintf(folder, sizeof(folder), "%s/%s.XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", name);
	insist(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY);
	insist(dir >= 0);
}

static inline void folder_write(const char *name, const char *text, size_t bytes)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	insist(fd >= 0 && write(fd, text, bytes) == (ssize_t)bytes);
	close(fd);
}

static inline void folder_make(const char *name, enum folder_kind kind, const char *text,
			       size_t bytes)
{
	if (kind == A_FOLDER)
		insist(mkdirat(dir, name, 0700) == 0);
	else if (kind == A_LINK)
		insist(symlinkat("/dev/zero", dir, name) == 0);
	else if (kind == A_FIFO)
		insist(mkfifoat(dir, name, 0600) == 0);
	else
		folder_write(name, text, bytes);
}

/* Lines of records, which may have to be signed. */
static inline void folder_make_run(const char *name, enum folder_kind kind, bool sign,
				   const char *text, size_t bytes)
{
	char *lines = malloc(signed_room(text, bytes));

	insist(lines);
	if (sign)
		folder_make(name, kind, lines, signed_lines(text, bytes, lines));
	else
		folder_make(name, kind, text, bytes);
	free(lines);
}

static inline void folder_remove(const char *name)
{
	insist(unlinkat(dir, name, 0) == 0 || unlinkat(dir, name, AT_REMOVEDIR) == 0);
}

/* Up to a form feed; the rest of the text is left. */
static inline const char *folder_part(const char **text, const char *end, size_t *bytes)
{
	const char *from = *text, *feed = memchr(from, '\f', (size_t)(end - from));

	*bytes = (size_t)((feed ? feed : end) - from);
	*text = feed ? feed + 1 : end;
	return from;
}

/* No control characters: neither ASCII's, nor U+0080 to U+009F in UTF-8. */
static inline void folder_check_text(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		uint8_t c = (uint8_t)text[i], next = (uint8_t)text[i + 1];

		insist(c == '\n' || (c >= ' ' && c != 0x7f));
		insist(c != 0xc2 || next < 0x80 || next >= 0xa0);
	}
}

/* In a process of its own a subcommand is given its form once. */
static inline void folder_forget_form(const struct options_subcommand *s)
{
	for (const struct options_row *row = s->rows; row->name; row++)
		if (row->take == options_form)
			memset((char *)s->options + row->offset, 0, sizeof(struct form_choice));
}

/*
 * What a subcommand prints and complains of can be shown. With `json` it prints a document, unless
 * it fails: for json_decref().
 */
static inline int folder_run(const struct options_subcommand *s, int argc, char **argv,
			     json_t **json)
{
	FILE *real[] = { stdout, stderr };
	char *text = NULL, *complaints = NULL;
	size_t bytes = 0, count = 0;
	int code;

	stdout = open_memstream(&text, &bytes);
	stderr = open_memstream(&complaints, &count);
	insist(stdout && stderr);
	optind = 0; /* getopt_long() starts anew */
	folder_forget_form(s);
	code = options_run(s, argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = real[0];
	stderr = real[1];
	insist(code >= 0 && code <= 3);
	folder_check_text(text, bytes);
	folder_check_text(complaints, count);
	if (json) {
		*json = json_loadb(text, bytes, 0, NULL);
		insist(*json || (!bytes && code == EXIT_ERROR));
	}
	free(text);
	free(complaints);
	return code;
}
