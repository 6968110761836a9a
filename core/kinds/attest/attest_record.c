/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `attest`. */
#include "attest.h"

#include "core/lib/lines.h"
#include "core/records/record_kind.h"

void attest_data(uint64_t sid, const char *const lines[RECORD_STRINGS], uint8_t data[SHA256_BYTES])
{
	struct sha256 s;
	TEXT_DEFINE(t, ATTEST_DIGITS + 2);

	sha256_start(&s);
	text_add(&t, "%016llx", (unsigned long long)sid);
	sha256_add(&s, t.buf, t.len);
	for (unsigned i = 0; i < RECORD_STRINGS && lines[i]; i++) {
		text_reset(&t);
		text_add(&t, " %s", lines[i]);
		sha256_add(&s, t.buf, t.len);
	}
	sha256_end(&s, data);
}

void attest_extend(uint8_t value[SHA256_BYTES], const uint8_t by[SHA256_BYTES])
{
	struct sha256 s;

	sha256_start(&s);
	sha256_add(&s, value, SHA256_BYTES);
	sha256_add(&s, by, SHA256_BYTES);
	sha256_end(&s, value);
}

static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_attest *r = record;

	(void)of;
	text_add(&out->out,
		 "attest: PCRs %s quoted by the TPM (%s); `noisefloor fleet attest` checks that",
		 r->pcrs, r->tpm);
	lines_end(out);
}

const struct record_kind attest_record_kind = { .text = put_text, .printed = true };
