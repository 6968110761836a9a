/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines are added only. */
#include "forwarded.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/store/index.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES 64

static const char *const words[INDEX_FORWARD_STATES] = {
	[INDEX_FORWARD_ACCEPTED] = "taken",
	[INDEX_FORWARD_REFUSED] = "refused",
	[INDEX_FORWARD_EMPTY] = "empty",
};

/* Neither a torn line nor one that was terminated later. */
static bool read_line(const char *line, struct forwarded_run *run)
{
	char again[LINE_MAX_BYTES];

	if (sscanf(line, "%16" SCNx64, &run->sid) != 1)
		return false;
	for (unsigned n = INDEX_FORWARD_WAITING + 1; n < INDEX_FORWARD_STATES; n++) {
		snprintf(again, sizeof(again), "%016" PRIx64 " %s\n", run->sid, words[n]);
		run->state = (enum index_forward_state)n;
		if (strcmp(again, line) == 0)
			return true;
	}
	return false;
}

static int by_sid_and_line(const void *a, const void *b)
{
	const struct forwarded_run *x = a, *y = b;

	return ORDER(x->sid, y->sid) ?: ORDER(x->line, y->line);
}

static void keep_last(struct forwarded *f)
{
	size_t kept = 0;

	ORDER_SORT(f->run, f->count, by_sid_and_line);
	for (size_t i = 0; i < f->count; i++) {
		if (kept && f->run[kept - 1].sid == f->run[i].sid)
			kept--;
		f->run[kept++] = f->run[i];
	}
	f->count = kept;
}

static int read_lines(FILE *in, struct forwarded *f)
{
	struct forwarded_run run = { .line = 0 }, *more;
	char line[LINE_MAX_BYTES];

	for (; fgets(line, sizeof(line), in); run.line++) {
		if (!read_line(line, &run))
			continue;
		more = memory_try_grow(f->run, f->count, sizeof(*more));
		if (!more)
			return ENOMEM;
		f->run = more;
		f->run[f->count++] = run;
	}
	return ferror(in) ? EIO : 0;
}

int forwarded_read(int dir, struct forwarded *f)
{
	int fd = openat(dir, INDEX_FORWARDED, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	int error;

	*f = (struct forwarded){ .run = NULL };
	if (!in) {
		error = errno;
		if (fd >= 0)
			close(fd);
		return error == ENOENT ? 0 : error;
	}
	error = read_lines(in, f);
	fclose(in);
	if (error)
		forwarded_free(f);
	keep_last(f);
	return error;
}

void forwarded_free(struct forwarded *f)
{
	free(f->run);
	*f = (struct forwarded){ .run = NULL };
}

static int by_sid(const void *sid, const void *run)
{
	return ORDER(*(const uint64_t *)sid, ((const struct forwarded_run *)run)->sid);
}

enum index_forward_state forwarded_state(const struct forwarded *f, uint64_t sid)
{
	const struct forwarded_run *run = f->count ? bsearch(&sid, f->run, f->count,
							     sizeof(*f->run), by_sid)
						   : NULL;

	return run ? run->state : INDEX_FORWARD_WAITING;
}

int forwarded_open(int dir)
{
	return index_open(dir, INDEX_FORWARDED);
}

int forwarded_add(int fd, uint64_t sid, enum index_forward_state state)
{
	char line[LINE_MAX_BYTES];
	int bytes = snprintf(line, sizeof(line), "%016" PRIx64 " %s\n", sid, words[state]);
	ssize_t n = write(fd, line, (size_t)bytes);

	if (n == bytes && fdatasync(fd) == 0)
		return 0;
	return n >= 0 && n != bytes ? ENOSPC : errno;
}
