/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe's configuration, checked on the way to where the probe reads it. */
#pragma once

#include "core/config/config.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Add what was given as arguments, each on a line of its own. key=@FILE is what is in the file,
 * since everybody sees the arguments of a command. False, with the reason on standard error after
 * "SUBCOMMAND: ", if one holds a comment or an end of line, or the file has no key.
 */
bool config_words_add(const char *subcommand, const char *const *words, size_t count,
		      struct text *out);

/*
 * A configuration that is being put together: what it has so far, of the probe's defaults at
 * first.
 */
void config_words_begin(struct config *c);

/*
 * Apply text of a file, whose name and lines mistakes have, or of arguments, `file` NULL. Returns
 * whether there was none; each is on standard error after "SUBCOMMAND: ".
 */
bool config_words_apply(struct config *c, const char *subcommand, const char *file,
			const char *text, size_t bytes);

/* The checks between keys; `cores`: of the machine that is measured, UINT32_MAX if not known. */
bool config_words_check(struct config *c, const char *subcommand, uint32_t cores);
