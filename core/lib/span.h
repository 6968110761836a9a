/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of text, which are not terminated, and what is taken off their front. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of text, possibly empty. */
struct span {
	const char *s;
	size_t bytes;
};

/* All of a terminated text. */
struct span span_of(const char *s);

bool span_is(struct span w, const char *s);

/* Take so many bytes, which are there, off the front of *w. Returns them. */
struct span span_take(struct span *w, size_t bytes);

/* Take `prefix` off the front of *w; false, and *w unchanged, if it is not there. */
bool span_skip(struct span *w, const char *prefix);

/*
 * Take everything up to the first `c`, and the `c`, off the front of *w; all of it if there is no
 * `c`.
 */
struct span span_until(struct span *w, char c);

/* Take all decimal digits off the front of *w. False: there are none, or they exceed `most`. */
bool span_number(struct span *w, uint32_t most, uint32_t *number);

/* span_number() that also refuses a superfluous leading zero, since some read "010" as 8. */
bool span_decimal(struct span *w, uint32_t most, uint32_t *number);
