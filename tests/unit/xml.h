/* SPDX-License-Identifier: BSD-2-Clause */
/* Check that a text is well-formed XML, with expat. */
#pragma once

#include <expat.h>
#include <stdlib.h>
#include <string.h>

/* The first fault in the XML, and *where; NULL for none. */
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

/* Number of times that `part` occurs in a text. */
static inline unsigned text_count(const char *text, const char *part)
{
	unsigned count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}
