/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a code on a screen, from anybody. Where the first byte is odd its checksum is mended,
 * so that what it covers is reached, too. What is read is written, and read again to the same.
 */
#include "core/lib/crc32c.h"
#include "core/records/record_code_read.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define CRC_BYTES 13 /* ;crc=01234567 */

static struct record_code first, second;

static void check_reason(const struct text *why)
{
	if (!why->len)
		abort();
	for (size_t i = 0; i < why->len; i++)
		if (why->buf[i] < ' ' || why->buf[i] > '~')
			abort();
}

static size_t mend(char *text, size_t bytes)
{
	struct text t;

	if (bytes > RECORD_CODE_READ_MAX - CRC_BYTES)
		bytes = RECORD_CODE_READ_MAX - CRC_BYTES;
	text_init(&t, text + bytes, CRC_BYTES + 1);
	text_add(&t, ";crc=%08x", crc32c(text, bytes));
	return bytes + t.len;
}

/* Numbers that may not be absent are the same; so is what is written of both. */
static void write_again(void)
{
	char lines[2][RECORD_CODE_BYTES_MAX + 1];
	struct text t;
	TEXT_DEFINE(why, 300);

	text_init(&t, lines[0], sizeof(lines[0]));
	record_code_write(&t, first.sid, &first.summary);
	if (t.overflow || t.len > RECORD_CODE_BYTES_MAX ||
	    !record_code_read(&second, t.buf, t.len, &why))
		abort();
	text_init(&t, lines[1], sizeof(lines[1]));
	record_code_write(&t, second.sid, &second.summary);
	if (strcmp(lines[0], lines[1]) != 0 ||
	    memcmp(first.summary.cause, second.summary.cause, sizeof(first.summary.cause)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static char text[2 * RECORD_CODE_READ_MAX];
	bool mended = bytes && data[0] & 1;
	TEXT_DEFINE(why, 300);

	if (!bytes || bytes - 1 > sizeof(text) - CRC_BYTES)
		return 0;
	memcpy(text, data + 1, bytes - 1);
	bytes = mended ? mend(text, bytes - 1) : bytes - 1;
	if (record_code_read(&first, text, bytes, &why))
		write_again();
	else
		check_reason(&why);
	return 0;
}
