/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a code on a screen is made of, from anybody: base45, then deflated bytes. What is read is
 * written, and read again to the same bytes.
 */
#include "core/lib/letters.h"
#include "core/lib/deflate.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define MAX 4096u

static uint8_t work[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));
static uint8_t packed[BASE45_BYTES(MAX) + 2], plain[MAX], again[MAX];
static char chars[BASE45_CHARS(sizeof(packed)) + 1];

static void check_base45(const char *text, size_t count)
{
	size_t good = letters_base45_read(packed, text, count);
	struct text t;

	if (good > count)
		abort();
	if (good < count)
		return;
	text_init(&t, chars, sizeof(chars));
	letters_base45_add(&t, packed, BASE45_BYTES(count));
	if (t.len != count || memcmp(t.buf, text, count))
		abort();
}

static void check_deflate(const uint8_t *in, size_t count)
{
	static uint8_t out[DEFLATE_BYTES_MAX(MAX)];
	size_t used = deflate_unpack(plain, sizeof(plain), in, count, work);

	if (!used)
		return;
	count = deflate_pack(out, sizeof(out), plain, used, work);
	if (!count || deflate_unpack(again, sizeof(again), out, count, work) != used ||
	    memcmp(plain, again, used))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (!bytes || bytes > MAX)
		return 0;
	check_deflate(data, bytes);
	check_base45((const char *)data, bytes);
	check_deflate(packed, BASE45_BYTES(bytes));
	return 0;
}
