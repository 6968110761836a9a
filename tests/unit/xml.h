/* SPDX-License-Identifier: BSD-2-Clause */
/* Check the output of a command: that it is well-formed XML, and how often a text is in it. */
#pragma once

#include "tests/unit/command.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

static inline void assert_well_formed(void)
{
	XML_Parser parser = XML_ParserCreate("UTF-8");

	if (!parser)
		abort();
	if (XML_Parse(parser, out, (int)strlen(out), XML_TRUE) != XML_STATUS_OK)
		fail_msg("%s: %.300s", XML_ErrorString(XML_GetErrorCode(parser)),
			 out + XML_GetCurrentByteIndex(parser));
	XML_ParserFree(parser);
}

/* Number of times that `part` occurs in a text. */
static inline unsigned text_count(const char *text, const char *part)
{
	unsigned count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

static inline void assert_count(const char *part, unsigned wanted)
{
	if (text_count(out, part) != wanted)
		fail_msg("`%s` is not there %u times in\n%s", part, wanted, out);
}
