/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor show --share FILE`: the records of runs, as a file that can be published. */
#pragma once

#include "show_form.h"

/*
 * Create the file, which must not exist, for the form below. False: it cannot be created; the
 * reason is on standard error.
 */
bool show_share_create(const char *path);

/* Writes to that file; what was removed is printed on standard output. */
extern const struct show_form show_share_form;
