/* SPDX-License-Identifier: BSD-2-Clause */
/* Is a text well-formed XML? By expat. */
#pragma once

#include <expat.h>
#include <stdlib.h>
#include <string.h>

/* What is wrong with it, and *where; NULL for nothing. */
static inline const char *xml_check(const char *text, const char **where)
{
	XML_Parser parser = XML_ParserCreate("UTF-8");
	const char *wrong = NULL;

	if (!parser)
		abort();
	if (XML_Parse(parser, text, (int)strlen(text), XML_TRUE) != XML_STATUS_OK) {
		wrong = XML_ErrorString(XML_GetErrorCode(parser));
		*where = text + XML_GetCurrentByteIndex(parser);
	}
	XML_ParserFree(parser);
	return wrong;
}

/* How often a text has a part. */
static inline unsigned text_count(const char *text, const char *part)
{
	unsigned count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}
