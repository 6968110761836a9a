/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration: defaults, noisefloor.conf, what the boot server has, load options. */
#ifndef EFI_OPTIONS_H
#define EFI_OPTIONS_H

#include "app.h"

/* Fills app->config and counts app->mistakes. */
void options_read(struct app *app);

/* Checks that need the machine: cores, and the threshold against the loop's own interval. */
void options_check(struct app *app);

/*
 * The same at any time, and whether `report` names somebody, each mistake told to `complain`.
 * Returns their number.
 */
unsigned options_verify(struct app *app, config_complaint *complain, void *ctx);

/* A config_complaint whose ctx is the application. */
void options_complain(void *ctx, const char *source, unsigned line, const char *text);

#endif
