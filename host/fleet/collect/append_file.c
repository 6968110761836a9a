/* SPDX-License-Identifier: BSD-2-Clause */
/* The last byte shows whether the last line is complete. */
#include "append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int end_last_line(int fd)
{
	struct stat status;
	char last;

	if (fstat(fd, &status) != 0)
		return -1;
	if (status.st_size && pread(fd, &last, 1, status.st_size - 1) == 1 && last != '\n' &&
	    write(fd, "\n", 1) != 1)
		return -1;
	return 0;
}

int append_file_open(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd >= 0 && end_last_line(fd) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}
