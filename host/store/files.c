/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and lines: whatever a file holds, only complete record lines of its run count. */
#define _GNU_SOURCE /* O_DIRECTORY, O_NOFOLLOW */
#include "files.h"

#include "core/lib/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES ((size_t)256 << 10)
#define COMPLAINT  256

void store_name(char name[STORE_NAME_MAX], uint64_t sid)
{
	snprintf(name, STORE_NAME_MAX, STORE_PATTERN, sid);
}

void store_cut_name(char name[STORE_NAME_MAX], uint64_t sid)
{
	snprintf(name, STORE_NAME_MAX, "%016" PRIx64 ".cut", sid);
}

bool store_is_run(const char *name, uint64_t *sid)
{
	char again[STORE_NAME_MAX];

	if (sscanf(name, "%16" SCNx64, sid) != 1)
		return false;
	store_name(again, *sid);
	return strcmp(name, again) == 0;
}

int store_each(int dir, void (*run)(void *ctx, uint64_t sid), void *ctx)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t sid;

	if (!d) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return error;
	}
	while ((entry = readdir(d))) {
		if (store_is_run(entry->d_name, &sid))
			run(ctx, sid);
	}
	closedir(d);
	return 0;
}

/* Clang does so by default, and does not know the attribute. */
#ifdef __clang__
#define VECTORS
#else
#define VECTORS __attribute__((optimize("tree-vectorize")))
#endif

/* Each byte in turn, without an early exit: compilers vectorize that. */
VECTORS static bool is_printable(const char *text, size_t bytes)
{
	unsigned char worst = 0;

	for (size_t i = 0; i < bytes; i++) {
		unsigned char over = (unsigned char)(text[i] - ' ');

		worst = over > worst ? over : worst;
	}
	return worst <= '~' - ' ';
}

bool store_line(const char *text, size_t bytes, uint64_t sid, struct line *line)
{
	TEXT_DEFINE(why, COMPLAINT);

	if (!is_printable(text, bytes))
		return false;
	return line_read(text, bytes, line, &why) == LINE_OK && line->whole == bytes &&
	       line->sid == sid;
}

/*
 * Complete lines at the start of the buffer; returns their bytes. *bad: what follows is not a line
 * of the run.
 */
static size_t read_lines(const char *text, size_t bytes, uint64_t sid, struct store_progress *kept,
			 bool *bad)
{
	size_t used = 0;

	while (!*bad) {
		const char *at = text + used, *newline = memchr(at, '\n', bytes - used);
		struct line line;

		if (!newline)
			break;
		if (!store_line(at, (size_t)(newline - at), sid, &line) || line.seq < kept->next) {
			*bad = true;
			break;
		}
		kept->summary.lost += line.seq - kept->next;
		summary_line(&kept->summary, &line, NULL);
		kept->next = line.seq + 1;
		used += (size_t)(newline - at) + 1;
	}
	return used;
}

/* Up to the end, or to what is not a line; nor is anything longer than the buffer. */
static int read_fd(int fd, uint64_t sid, struct store_progress *kept, char *buffer,
		   bool (*go_on)(void *ctx), void *ctx)
{
	size_t filled = 0;
	bool bad = false;

	while (!bad && filled < READ_BYTES) {
		ssize_t n;
		size_t used;

		if (go_on && !go_on(ctx))
			return ECANCELED;
		n = pread(fd, buffer + filled, READ_BYTES - filled, (off_t)(kept->bytes + filled));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			break;
		filled += (size_t)n;
		used = read_lines(buffer, filled, sid, kept, &bad);
		kept->bytes += used;
		filled -= used;
		memmove(buffer, buffer + used, filled);
	}
	return 0;
}

int store_read_open(int fd, uint64_t sid, struct store_progress *kept, bool (*go_on)(void *ctx),
		    void *ctx)
{
	char *buffer = malloc(READ_BYTES);
	int error = buffer ? read_fd(fd, sid, kept, buffer, go_on, ctx) : ENOMEM;

	free(buffer);
	return error;
}

struct stat store_status(int dir, uint64_t sid)
{
	struct stat status;
	char name[STORE_NAME_MAX];

	store_name(name, sid);
	if (fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		memset(&status, 0, sizeof(status));
	return status;
}

int store_open_run(int dir, uint64_t sid, int flags)
{
	char name[STORE_NAME_MAX];

	store_name(name, sid);
	/* Follow no link, and do not block on a FIFO. */
	return openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
}

int store_read(int dir, uint64_t sid, struct store_progress *kept)
{
	int fd = store_open_run(dir, sid, O_RDONLY), error;

	*kept = (struct store_progress){ .next = 0 };
	if (fd < 0)
		return errno;
	error = store_read_open(fd, sid, kept, NULL, NULL);
	close(fd);
	return error;
}

int store_read_head(int dir, uint64_t sid, struct summary *s)
{
	int fd = store_open_run(dir, sid, O_RDONLY), error;
	struct store_progress kept = { .next = 0 };
	char head[STORE_HEAD];
	bool bad = false;
	ssize_t n;

	if (fd < 0)
		return errno;
	n = pread(fd, head, sizeof(head), 0);
	error = n < 0 ? errno : 0;
	if (n > 0)
		read_lines(head, (size_t)n, sid, &kept, &bad);
	close(fd);
	*s = kept.summary;
	return error;
}
