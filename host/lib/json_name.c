/* SPDX-License-Identifier: BSD-2-Clause */
/* Within JSON those characters are in strings only. */
#include "json_name.h"

/* Bytes of the control character that begins here; 0: none does. U+0080 is C2 80 in UTF-8. */
static size_t control(const unsigned char *at, size_t left)
{
	if (*at == 0x7f)
		return 1;
	return *at == 0xc2 && left > 1 && at[1] >= 0x80 && at[1] < 0xa0 ? 2 : 0;
}

/*
 * U+007F to U+009F, which jansson leaves as they are, become escapes. jansson hands over whole
 * characters.
 */
static int put_safely(const char *bytes, size_t count, void *to)
{
	const unsigned char *at = (const unsigned char *)bytes;

	while (count) {
		size_t plain = 0, bad = 0;

		while (plain < count && !(bad = control(at + plain, count - plain)))
			plain++;
		fwrite(at, 1, plain, to);
		at += plain + bad;
		count -= plain + bad;
		if (bad)
			fprintf(to, "\\u%04x", at[-1]);
	}
	return 0;
}

void json_dump(const json_t *document, size_t flags)
{
	json_dump_callback(document, put_safely, stdout, flags);
}

void json_print(const char *schema, json_t *document, size_t flags)
{
	json_t *whole = json_pack("{s:s}", "schema", schema);

	if (json_object_update(whole, document) == 0)
		json_dump(whole, flags);
	putchar('\n');
	json_decref(whole);
	json_decref(document);
}
