/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a folder for programs that have no SQLite: host/fleet/folder_index.h. */
#pragma once

/* index_db_print() of a folder. Returns the exit code: 2, with a remark, if it cannot be read. */
int index_lines_print(const char *path, const char *uuid);
