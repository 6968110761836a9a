/* SPDX-License-Identifier: BSD-2-Clause */
/* Is a text well-formed XML? A strict reading of the little that the host tool writes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define XML_DEPTH_MAX 32
#define XML_NAME_MAX  32

struct xml {
	const char *at;
	const char *wrong; /* NULL while all is well */
	char open[XML_DEPTH_MAX][XML_NAME_MAX];
	unsigned depth;
};

static inline bool xml_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == ':' || c == '_' || c == '.';
}

static inline void xml_name(struct xml *x, char name[XML_NAME_MAX])
{
	size_t count = 0;

	while (xml_is_name(x->at[count]))
		count++;
	if (!count || count >= XML_NAME_MAX) {
		x->wrong = "a name is wanted";
		return;
	}
	memcpy(name, x->at, count);
	name[count] = '\0';
	x->at += count;
}

static inline void xml_skip(struct xml *x, const char *until)
{
	const char *end = strstr(x->at, until);

	if (!end)
		x->wrong = "what begins does not end";
	else
		x->at = end + strlen(until);
}

/* One character of text or of an attribute's value. */
static inline void xml_character(struct xml *x)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	if ((unsigned char)*x->at < 0x20 && *x->at != '\n' && *x->at != '\t')
		x->wrong = "a control character";
	if (*x->at != '&') {
		x->at++;
		return;
	}
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		if (strncmp(x->at, entities[i], strlen(entities[i])) == 0) {
			x->at += strlen(entities[i]);
			return;
		}
	}
	x->wrong = "an & of its own";
}

static inline void xml_attribute(struct xml *x)
{
	char name[XML_NAME_MAX];

	xml_name(x, name);
	if (x->wrong)
		return;
	if (strncmp(x->at, "=\"", 2) != 0) {
		x->wrong = "an attribute without a quoted value";
		return;
	}
	for (x->at += 2; *x->at && *x->at != '"' && !x->wrong;) {
		if (*x->at == '<')
			x->wrong = "a < in an attribute";
		xml_character(x);
	}
	if (!*x->at)
		x->wrong = "an attribute that does not end";
	x->at++;
}

static inline void xml_start_tag(struct xml *x)
{
	if (x->depth == XML_DEPTH_MAX) {
		x->wrong = "too deep";
		return;
	}
	xml_name(x, x->open[x->depth]);
	while (!x->wrong && *x->at == ' ') {
		x->at++;
		xml_attribute(x);
	}
	if (x->wrong)
		return;
	if (strncmp(x->at, "/>", 2) == 0) {
		x->at += 2;
	} else if (*x->at == '>') {
		x->at++;
		x->depth++;
	} else {
		x->wrong = "a tag that does not end";
	}
}

static inline void xml_end_tag(struct xml *x)
{
	char name[XML_NAME_MAX];

	xml_name(x, name);
	if (x->wrong)
		return;
	if (!x->depth || strcmp(x->open[--x->depth], name) != 0)
		x->wrong = "an element that ends and is not open";
	else if (*x->at++ != '>')
		x->wrong = "an end that does not end";
}

/* What is wrong with it, and *where; NULL for nothing. */
static inline const char *xml_check(const char *text, const char **where)
{
	struct xml x = { .at = text };

	while (*x.at && !x.wrong) {
		*where = x.at;
		if (strncmp(x.at, "<!--", 4) == 0)
			xml_skip(&x, "-->");
		else if (strncmp(x.at, "<?", 2) == 0)
			xml_skip(&x, "?>");
		else if (strncmp(x.at, "<!", 2) == 0)
			xml_skip(&x, ">");
		else if (strncmp(x.at, "</", 2) == 0)
			x.at += 2, xml_end_tag(&x);
		else if (*x.at == '<')
			x.at++, xml_start_tag(&x);
		else
			xml_character(&x);
	}
	if (!x.wrong && x.depth)
		x.wrong = "an element that is not closed";
	return x.wrong;
}

/* How often a text has a part. */
static inline unsigned text_count(const char *text, const char *part)
{
	unsigned count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}
