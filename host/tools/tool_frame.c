/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefixes are compared word by word. */
#include "tool_format.h"

#include <ctype.h>
#include <string.h>

/*
 * Digits and what stands between them in a date, a time or its zone; or a day's or month's name. A
 * number with nothing but a colon behind it is a name, as `srun --label` writes it.
 */
static bool is_time(const char *word, size_t bytes)
{
	size_t digits = 0, letters = 0;

	for (size_t i = 0; i < bytes; i++) {
		digits += isdigit((unsigned char)word[i]) != 0;
		letters += isalpha((unsigned char)word[i]) && !strchr("TZ", word[i]);
		if (!isalnum((unsigned char)word[i]) && !strchr("[]().,:;+-/", word[i]))
			return false;
	}
	if (digits)
		return !letters && !(digits + 1 == bytes && word[digits] == ':');
	return letters == bytes && bytes <= 3 && bytes > 1;
}

const char *tool_frame_peel(struct tool_frame *f, const char *line)
{
	char *p = f->prefix;
	const char *at = line;

	if (scan_end(line))
		return line;
	while (*(p += strspn(p, " "))) {
		size_t word = strcspn(p, " "), other;

		at += strspn(at, " ");
		other = strcspn(at, " ");
		if (!is_time(p, word) || !is_time(at, other)) {
			/* The last word may have no blank behind it: "[1,0]<stdout>:". */
			if (strncmp(p, at, word) != 0 || (word != other && !scan_end(p + word)))
				break;
			other = word;
		}
		p += word;
		at += other;
	}
	if (*p && f->learned)
		return NULL;
	/* Each line has the part that the second has, or it stood before the first alone. */
	f->learned = true;
	*p = '\0';
	return at + strspn(at, " ");
}
