/* SPDX-License-Identifier: BSD-2-Clause */
/* In place. */
#include "text_trim.h"

#include <string.h>

char *text_trim(char *text)
{
	char *end;

	text += strspn(text, TEXT_BLANKS);
	end = text + strlen(text);
	while (end > text && strchr(TEXT_BLANKS, end[-1]))
		*--end = '\0';
	return text;
}
