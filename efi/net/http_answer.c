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

static void http_answer_fail(struct http_answer *a, enum http_answer_state state)
{
	if (a->state == HTTP_ANSWER_SOUND)
		a->state = state;
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
		http_answer_fail(a, HTTP_ANSWER_BROKEN);
	a->has_length = true;
	a->bytes = length;
}

void http_answer_header(struct http_answer *a, const char *name, const char *value)
{
	if (is_word(name, "content-length"))
		take_length(a, value);
}

enum http_answer_state http_answer_end(struct http_answer *a, size_t cap)
{
	if (!a->has_length)
		http_answer_fail(a, HTTP_ANSWER_UNSIZED);
	else if (a->bytes > cap)
		http_answer_fail(a, HTTP_ANSWER_LONG);
	return a->state;
}
