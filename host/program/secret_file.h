/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with keys, passwords and tokens. */
#pragma once

/*
 * A warning on standard error, after "PROGRAM: OPTION PATH: ", if others than the file's owner and
 * group may read or write it.
 */
void secret_file_check(const char *program, const char *option, const char *path);
