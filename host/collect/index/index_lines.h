/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a folder for programs that have no SQLite: host/fleet/folder_index.h. */
#pragma once

/* Print its entries, a line of JSON each. Returns the exit code: 2, with a remark, without all. */
int index_lines_print(const char *path);
