/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Survey records as a capture may have them, in any order: what becomes a part is as long as it
 * announced, ends with a zero, and has no problem; all else has one, and nothing more.
 */
#include "host/kinds/survey/readiness.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "tests/fuzz/take.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS 64
#define LETTERS 255

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const char *const areas[] = { "msr", "acpi", NULL };
static char letters[RECORDS][LETTERS + 1];

static void take_record(struct result *run, unsigned n)
{
	static const char of[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	union record record = { .survey = { .stage = "firmware", .data = letters[n] } };
	struct record_survey *r = &record.survey;
	unsigned count = take_byte();

	r->area = areas[take_byte() % 3];
	r->name = take_byte() % 2 ? "APIC" : NULL;
	r->piece = take_byte() % 8;
	r->pieces = take_byte() % 8;
	r->bytes = take_byte() * UINT64_C(257);
	for (unsigned i = 0; i < count; i++) {
		uint8_t letter = take_byte();

		letters[n][i] = letter < 64 ? of[letter] : (char)letter;
	}
	letters[n][count] = '\0';
	result_stage_keep(run, RECORD_SURVEY, &record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct reader_run received = { .sid = 1 };
	struct result *run = result_new(&received);
	struct survey_records_part part;

	take_from(data, bytes);
	for (unsigned n = 0; n < RECORDS && take_more(); n++)
		take_record(run, n);
	for (size_t at = 0; run->stages && survey_records_next(run->stage, &at, &part);) {
		if (!part.problem != !!part.data)
			abort();
		if (part.data && (part.bytes > SURVEY_RECORDS_BYTES_MAX || part.data[part.bytes]))
			abort();
		if (part.data)
			survey_records_is_text(&part);
		survey_records_free(&part);
	}
	result_free(run);
	return 0;
}
