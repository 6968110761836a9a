/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of configuration text and how to take them apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A word: not terminated, possibly empty. */
struct config_word {
	const char *s;
	size_t bytes;
};

bool config_word_is(struct config_word w, const char *s);

/* Take `prefix` off the front of *w; false, and *w unchanged, if it is not there. */
bool config_word_skip(struct config_word *w, const char *prefix);

/*
 * Take everything up to the first `c`, and the `c`, off the front of *w; all of it if there is no
 * `c`.
 */
struct config_word config_word_until(struct config_word *w, char c);
