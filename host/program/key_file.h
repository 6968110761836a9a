/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that sign records, in files: arguments of a command are seen by all users. */
#pragma once

#include "core/config/config.h"

#include <stdbool.h>

/* Hex digits of a key, with a zero. */
#define KEY_FILE_DIGITS (2 * CONFIG_SECRET_BYTES + 1)

/*
 * The key in the file, which has 32 hex digits and blanks around them. False, with the reason on
 * standard error after "SUBCOMMAND: OPTION PATH: "; what is in the file is never printed. There is
 * a warning if others than its owner and group may read or write it.
 */
bool key_file_read(const char *subcommand, const char *option, const char *path,
		   uint8_t key[CONFIG_SECRET_BYTES]);

/*
 * A warning on standard error, after "PROGRAM: OPTION PATH: ", if others than the file's owner and
 * group may read or write it. For all files with secrets.
 */
void key_file_check(const char *program, const char *option, const char *path);

void key_file_print(const uint8_t key[CONFIG_SECRET_BYTES], char digits[KEY_FILE_DIGITS]);
