/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe's configuration, checked on the way to where the probe reads it. */
#pragma once

#include "core/config/config.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Add the words that were given as arguments, each on a line of its own. key=@FILE stands for the
 * content of the file, since everybody sees the arguments of a command. False, with the reason on
 * standard error after "SUBCOMMAND: ", if a word holds a comment or an end of line, or the file has
 * no key.
 */
bool config_words_add(const char *subcommand, const char *const *words, size_t count,
		      struct text *out);

/* Begin a configuration, with the probe's defaults. */
void config_words_begin(struct config *c);

/*
 * Apply the text of a file, which messages name with the line; with `file` NULL, that of arguments.
 * Returns true if it has no mistake; each mistake is on standard error after "SUBCOMMAND: ".
 */
bool config_words_apply(struct config *c, const char *subcommand, const char *file,
			const char *text, size_t bytes);

/* The checks between keys; `cores`: of the machine that is measured, UINT32_MAX if not known. */
bool config_words_check(struct config *c, const char *subcommand, uint32_t cores);

/*
 * True if a run that firmware starts can have these stages; else the reason is on standard error.
 */
bool config_words_suit_firmware(const struct config *c, const char *subcommand);

/* The reason why `measure` refuses that key; NULL: it does not. For struct config. */
const char *config_help_why_not(const char *key);

/* ---- Keys that sign records, in files: arguments of a command are seen by all users ---- */

/* Hex digits of a key, with a zero. */
#define CONFIG_KEY_DIGITS (2 * CONFIG_SECRET_BYTES + 1)

/*
 * The key in the file, which has 32 hex digits and blanks around them. False, with the reason on
 * standard error after "SUBCOMMAND: OPTION PATH: "; what is in the file is never printed. There is
 * a warning if others than its owner and group may read or write it.
 */
bool config_key_read(const char *subcommand, const char *option, const char *path,
		     uint8_t key[CONFIG_SECRET_BYTES]);

/*
 * A warning on standard error, after "PROGRAM: OPTION PATH: ", if others than the file's owner and
 * group may read or write it. For all files with secrets.
 */
void config_key_check(const char *program, const char *option, const char *path);

void config_key_print(const uint8_t key[CONFIG_SECRET_BYTES], char digits[CONFIG_KEY_DIGITS]);
