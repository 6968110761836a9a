/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to a GET. */
#include "http_answer.h"

#include "core/lib/mem.h"
#include "core/lib/text.h"

void http_answer_start(struct http_answer *a, char *out, size_t cap)
{
	memset(a, 0, sizeof(*a));
	a->out = out;
	a->cap = cap;
}

/* Headers */

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
	if (a->state == HTTP_ANSWER_MORE)
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
	if (s == value || !is_word(s, "") || (a->has_length && length != a->left))
		http_answer_fail(a, HTTP_ANSWER_BROKEN);
	a->has_length = true;
	a->left = length;
}

static void take_transfer(struct http_answer *a, const char *value)
{
	if (is_word(value, "chunked"))
		a->chunked = true;
	else if (!is_word(value, "identity"))
		http_answer_fail(a, HTTP_ANSWER_CODED);
}

static void take_content(struct http_answer *a, const char *value)
{
	if (!is_word(value, "identity"))
		http_answer_fail(a, HTTP_ANSWER_CODED);
}

void http_answer_header(struct http_answer *a, const char *name, const char *value)
{
	static const struct {
		const char *name;
		void (*take)(struct http_answer *a, const char *value);
	} known[] = {
		{ "content-length", take_length },
		{ "transfer-encoding", take_transfer },
		{ "content-encoding", take_content },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is_word(name, known[i].name))
			known[i].take(a, value);
}

enum http_answer_state http_answer_begin(struct http_answer *a)
{
	if (a->chunked)
		a->left = 0;
	else if (!a->has_length)
		http_answer_fail(a, HTTP_ANSWER_UNSIZED);
	else if (a->left > a->cap)
		http_answer_fail(a, HTTP_ANSWER_LONG);
	else if (!a->left)
		http_answer_fail(a, HTTP_ANSWER_WHOLE);
	return a->state;
}

/* The body */

static size_t http_answer_keep(struct http_answer *a, const char *bytes, size_t count)
{
	if (count > a->cap - a->used) {
		a->state = HTTP_ANSWER_LONG;
		return count;
	}
	memcpy(a->out + a->used, bytes, count);
	a->used += count;
	return count;
}

static size_t least(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

static void end_size(struct http_answer *a)
{
	if (!a->has_digit)
		a->state = HTTP_ANSWER_BROKEN;
	else if (!a->left)
		a->state = HTTP_ANSWER_WHOLE;
	else if (a->left > a->cap - a->used)
		a->state = HTTP_ANSWER_LONG;
	a->part = HTTP_ANSWER_DATA;
}

static void take_size(struct http_answer *a, char c)
{
	unsigned digit = text_hex_digit(c);

	if (digit != TEXT_NO_DIGIT) {
		a->has_digit = true;
		if (a->left <= UINT32_MAX)
			a->left = a->left * 16 + digit;
	} else if (c == '\n') {
		end_size(a);
	} else if (a->has_digit && (c == ';' || c == '\r' || c == ' ' || c == '\t')) {
		a->part = HTTP_ANSWER_EXTENSION;
	} else {
		a->state = HTTP_ANSWER_BROKEN;
	}
}

static void take_after(struct http_answer *a, char c)
{
	if (c == '\n') {
		a->part = HTTP_ANSWER_SIZE;
		a->has_digit = false;
	} else if (c != '\r') {
		a->state = HTTP_ANSWER_BROKEN;
	}
}

/* Take one chunk's data, or one character between chunks. Returns the number of bytes taken. */
static size_t take_chunked(struct http_answer *a, const char *bytes, size_t count)
{
	size_t taken = 1;

	if (a->part == HTTP_ANSWER_DATA) {
		taken = http_answer_keep(a, bytes, least(a->left, count));
		a->left -= taken;
		if (!a->left)
			a->part = HTTP_ANSWER_AFTER;
	} else if (a->part == HTTP_ANSWER_SIZE) {
		take_size(a, *bytes);
	} else if (a->part == HTTP_ANSWER_AFTER) {
		take_after(a, *bytes);
	} else if (*bytes == '\n') {
		end_size(a);
	}
	return taken;
}

enum http_answer_state http_answer_take(struct http_answer *a, const char *bytes, size_t count)
{
	if (a->chunked) {
		while (count && a->state == HTTP_ANSWER_MORE) {
			size_t taken = take_chunked(a, bytes, count);

			bytes += taken;
			count -= taken;
		}
		return a->state;
	}
	if (a->state != HTTP_ANSWER_MORE)
		return a->state;
	count = least(a->left, count);
	http_answer_keep(a, bytes, count);
	a->left -= count;
	if (!a->left)
		http_answer_fail(a, HTTP_ANSWER_WHOLE);
	return a->state;
}
