/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of answers to a GET. */
#include "http_answer.h"

#include "core/lib/text.h"

static bool is_word(const char *s, const char *word)
{
	while (*s == ' ' || *s == '\t')
		s++;
	while (*word && text_lower(*s) == *word)
		s++, word++;
	while (*s == ' ' || *s == '\t')
		s++;
	return !*s && !*word;
}

/* With more digits than any length has, the body is too long in any case. */
static void take_length(struct http_answer *a, const char *value)
{
	uint64_t length = 0;
	const char *s = value;

	while (*s == ' ' || *s == '\t')
		s++;
	for (; *s >= '0' && *s <= '9'; s++)
		if (length <= UINT32_MAX)
			length = length * 10 + (uint64_t)(*s - '0');
	if (s == value || !is_word(s, "") || (a->has_length && length != a->bytes))
		a->is_broken = true;
	a->has_length = true;
	a->bytes = length;
}

void http_answer_header(struct http_answer *a, const char *name, const char *value)
{
	if (is_word(name, "content-length"))
		take_length(a, value);
}

const char *http_answer_problem(const struct http_answer *a)
{
	if (a->is_broken)
		return "the server's answer is no HTTP";
	/* The end of such a body would look like a broken connection. */
	return a->has_length ? NULL : "the server sends no length of it; accepted: Content-Length";
}
