/* SPDX-License-Identifier: BSD-2-Clause */
/* noisefloor.conf of a medium. */
#pragma once

#include "core/config/config.h"

#include <stdbool.h>
#include <stddef.h>

struct stick_config {
	char text[CONFIG_TEXT_MAX];
	size_t bytes;
	bool has_secret; /* a key that signs records is in it */
};

/*
 * The configuration of the file `conf`, NULL: the one with all keys in comments, and the words
 * after it. False, with each mistake on standard error as the probe would report it.
 */
bool stick_config_read(struct stick_config *c, const char *conf, const char *const *words,
		       size_t count);

/* No secret stays in memory. */
void stick_config_forget(struct stick_config *c);
