/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a code (record_code.h) back to its record. It comes from a phone, a mail, a
 * clipboard: nothing in it is trusted before it is checked.
 */
#pragma once

#include "record_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_CODE_READ_MAX 2953 /* bytes of the largest QR code */

struct record_code {
	uint64_t sid;
	struct record_summary summary; /* its strings are below */
	char strings[RECORD_CODE_READ_MAX + 1];
};

/*
 * Read `bytes` of text. False when it is not a whole, undamaged code of this format, or a field is
 * invalid; *why has what is wrong, where, and what is accepted. Fields of other names are skipped.
 */
bool record_code_read(struct record_code *code, const char *text, size_t bytes, struct text *why);
