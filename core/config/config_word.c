/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits words. */
#include "config_word.h"

#include "core/lib/mem.h"

bool config_word_is(struct config_word w, const char *s)
{
	return strlen(s) == w.bytes && memcmp(s, w.s, w.bytes) == 0;
}

bool config_word_skip(struct config_word *w, const char *prefix)
{
	size_t bytes = strlen(prefix);

	if (w->bytes < bytes || memcmp(w->s, prefix, bytes) != 0)
		return false;
	w->s += bytes;
	w->bytes -= bytes;
	return true;
}

struct config_word config_word_until(struct config_word *w, char c)
{
	const char *found = memchr(w->s, c, w->bytes);
	struct config_word front = *w;

	if (!found) {
		w->s += w->bytes;
		w->bytes = 0;
		return front;
	}
	front.bytes = (size_t)(found - w->s);
	w->s += front.bytes + 1;
	w->bytes -= front.bytes + 1;
	return front;
}
