/* SPDX-License-Identifier: BSD-2-Clause */
#include "secret_file.h"

#include <stdio.h>
#include <sys/stat.h>

void secret_file_check(const char *program, const char *option, const char *path)
{
	struct stat status;

	if (stat(path, &status) == 0 && status.st_mode & (S_IROTH | S_IWOTH))
		fprintf(stderr, "%s: %s %s: this file is readable or writable by everybody\n",
			program, option, path);
}
