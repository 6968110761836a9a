/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and streams for output. */
#define _GNU_SOURCE /* asprintf */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_input(const char *name, const char *input)
{
	struct stat to, from;

	/* Only a regular file has contents that could be destroyed. */
	return stat(name, &to) == 0 && S_ISREG(to.st_mode) &&
	       (strcmp(input, "-") ? stat(input, &from) : fstat(STDIN_FILENO, &from)) == 0 &&
	       is_same(&to, &from);
}

bool output_file_check(const char *subcommand, const char *output, int count,
		       const char *const *inputs)
{
	char part[PATH_MAX];

	snprintf(part, sizeof(part), "%s" OUTPUT_FILE_PART, output);
	for (int i = 0; i < count; i++) {
		if (!is_input(output, inputs[i]) && !is_input(part, inputs[i]))
			continue;
		fprintf(stderr, "%s: %s is read: it cannot be the output, too\n", subcommand,
			strcmp(inputs[i], "-") ? inputs[i] : "standard input");
		return false;
	}
	return true;
}

bool output_file_is_in(const char *path, const char *folder)
{
	const char *slash = strrchr(path, '/');
	struct stat to, from;
	char own[PATH_MAX];

	snprintf(own, sizeof(own), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	return stat(own, &to) == 0 && stat(folder, &from) == 0 && is_same(&to, &from);
}

static FILE *stream_of(int fd)
{
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

FILE *output_file_new(const char *path, mode_t mode)
{
	if (unlink(path) != 0 && errno != ENOENT)
		return NULL;
	return stream_of(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
}

FILE *output_file_stream(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	struct stat st;

	/* /dev/stdout and the shell's >(...) are links. */
	if (fd < 0 && errno == ELOOP) {
		fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0 &&
		    (fstat(fd, &st) != 0 || S_ISREG(st.st_mode) || S_ISBLK(st.st_mode))) {
			close(fd);
			errno = ELOOP;
			return NULL;
		}
	}
	return stream_of(fd);
}

int output_file_open(struct output_file *o, const char *path, mode_t mode)
{
	*o = (struct output_file){ .path = path };
	if (asprintf(&o->part, "%s" OUTPUT_FILE_PART, path) < 0)
		return ENOMEM;
	o->to = output_file_new(o->part, mode);
	if (o->to)
		return 0;
	free(o->part);
	return errno;
}

int output_file_open_any(struct output_file *o, const char *path, mode_t mode)
{
	struct stat st;

	/* /dev/stdout is a link, maybe to a file: it is nothing to replace. */
	if (strncmp(path, "/dev/", 5) != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode)))
		return output_file_open(o, path, mode);
	*o = (struct output_file){ .path = path, .to = output_file_stream(path) };
	return o->to ? 0 : errno;
}

int output_file_close(struct output_file *o, int error)
{
	if (!error && (fflush(o->to) != 0 || ferror(o->to)))
		error = errno ? errno : EIO;
	if (!error && o->part && fsync(fileno(o->to)) != 0)
		error = errno;
	if (fclose(o->to) != 0 && !error)
		error = errno;
	if (!error && o->part && rename(o->part, o->path) != 0)
		error = errno;
	if (error && o->part)
		unlink(o->part);
	free(o->part);
	return error;
}

int output_file_write(const char *path, mode_t mode, const void *bytes, size_t count)
{
	struct output_file o;
	int error = output_file_open(&o, path, mode);

	if (error)
		return error;
	errno = 0;
	error = fwrite(bytes, 1, count, o.to) == count ? 0 : errno ? errno : EIO;
	return output_file_close(&o, error);
}
