/* SPDX-License-Identifier: BSD-2-Clause */
/* As they are in the database. */
#include "index_lines.h"

#include "index_db.h"

#include "host/lib/exit.h"
#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int index_lines_print(const char *path, const char *uuid)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = dir < 0 ? errno : index_db_print(dir, uuid, stdout);

	if (dir >= 0)
		close(dir);
	if (error)
		fprintf(stderr, "noisefloor-collect: %s/" INDEX_NAME ": %s\n",
			text_sanitize_name(path), index_db_why(error));
	return error ? EXIT_ERROR : EXIT_PASS;
}
