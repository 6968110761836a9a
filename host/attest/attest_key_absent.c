/* SPDX-License-Identifier: BSD-2-Clause */
/* For programs without OpenSSL. */
#include "attest.h"

static const char why[] = "this program was linked statically, without OpenSSL: use the other one";

const char *attest_key_why_not(void)
{
	return why;
}

bool attest_key_signed(const uint8_t point[ATTEST_KEY_POINT], const uint8_t *text, size_t bytes,
		       const struct attest_key_signature *signature)
{
	(void)point, (void)text, (void)bytes, (void)signature;
	return false;
}

const char *attest_key_read(const char *path, uint8_t point[ATTEST_KEY_POINT])
{
	(void)path, (void)point;
	return why;
}

const char *attest_key_write(const char *path, const uint8_t point[ATTEST_KEY_POINT])
{
	(void)path, (void)point;
	return why;
}
