/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One reader for each shape, for bios_dump.c. It adds attributes to the dump. False: the text is
 * refused, and *why has where, what was found and what is accepted.
 */
#pragma once

#include "bios_dump.h"

bool bios_json_read(struct bios_dump *d, const char *text, size_t bytes, struct text *why);

/* These two need a NUL-terminated text. */
bool bios_scp_read(struct bios_dump *d, const char *text, struct text *why);
bool bios_scewin_read(struct bios_dump *d, const char *text, struct text *why);

/* Add an attribute. The dump will free both strings; `value` may be NULL. False: too many. */
bool bios_dump_add(struct bios_dump *d, char *name, char *value, struct text *why);

/* Set *why to "line 7: found "..."; wanted: ...", for `at` within `text`. Returns false. */
bool bios_dump_refuse(struct text *why, const char *text, const char *at, const char *wanted);
