/* SPDX-License-Identifier: BSD-2-Clause */
/* zlib reads files that are not packed, too, and then straight into the caller's memory. */
#include "input.h"

#include "progress.h"
#include "text_sanitize.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BUFFER_BYTES (256u << 10)

/* Logs shrink to a hundredth at best; deflate's limit is 1032, RFC 1951's longest match. */
#define RATIO_MAX  500
#define BOMB_BYTES (UINT64_C(64) << 20)

bool input_is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool input_open(struct input *in, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	*in = (struct input){ .name = standard ? "standard input" : text_sanitize_name(path) };
	if (fd >= 0) {
		progress_start_file(in->name, fd);
		in->file = gzdopen(fd, "rb");
	}
	if (!in->file) {
		snprintf(in->error, sizeof(in->error), "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	gzbuffer(in->file, BUFFER_BYTES);
	return true;
}

static void set_error(struct input *in)
{
	int code, number = errno;
	const char *text = gzerror(in->file, &code);

	if (code == Z_ERRNO)
		snprintf(in->error, sizeof(in->error), "%s", strerror(number));
	else if (code == Z_BUF_ERROR)
		snprintf(in->error, sizeof(in->error), "gzip: truncated");
	else if (code != Z_OK && code != Z_STREAM_END)
		snprintf(in->error, sizeof(in->error), "gzip: %.100s", text);
}

/* Report progress: for a packed file, by packed bytes. */
static void advance(struct input *in, size_t count)
{
	int64_t done = gzdirect(in->file) ? -1 : gzoffset(in->file);

	in->bytes += count;
	if (done < 0) {
		progress_add(count);
		return;
	}
	progress_add((size_t)(done - in->done));
	in->done = done;
	if (in->bytes > BOMB_BYTES && in->bytes / RATIO_MAX > (uint64_t)done)
		snprintf(in->error, sizeof(in->error),
			 "gzip: it unpacks to more than %d times its size, which no log does",
			 RATIO_MAX);
}

size_t input_read(struct input *in, char *bytes, size_t room)
{
	int count;

	if (in->error[0])
		return 0;
	count = gzread(in->file, bytes, (unsigned)room);
	if (count < (int)room)
		set_error(in);
	if (count <= 0)
		return 0;
	advance(in, (size_t)count);
	return (size_t)count;
}

void input_close(struct input *in)
{
	if (in->file)
		gzclose(in->file);
	progress_stop();
}
