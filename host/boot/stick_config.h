/* SPDX-License-Identifier: BSD-2-Clause */
/* The noisefloor.conf of a medium. */
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
 * Read the file `conf` (NULL: the default one, with all keys in comments), and append the words to
 * it. False: standard error has each mistake, as the probe would report it.
 */
bool stick_config_read(struct stick_config *c, const char *conf, const char *const *words,
		       size_t count);

/* Erase the configuration, and any key in it, from memory. */
void stick_config_forget(struct stick_config *c);
