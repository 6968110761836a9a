/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attestation of a run by the machine's TPM: docs/attestation.md. The TPM is used before the cores
 * are started and after the last window, never in between.
 */
#pragma once

#include "probe/describe.h"

#include "core/kinds/attest/attest.h"
#include "core/report/report.h"
#include "drivers/tpm/tpm.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a text of `digests` digests, with its NUL. */
#define ATTEST_TEXT(digests) ((digests)*ATTEST_DIGITS + 1)

struct attest {
	bool ready; /* the run is going to be attested */
	uint64_t sid;
	struct tpm tpm;
	struct record_attest record; /* its strings are below */
	uint8_t digest[ATTEST_STARTED_MAX][SHA256_BYTES];
	char configuration[ATTEST_TEXT(1)];
	char lines[REPORT_LINKS][ATTEST_TEXT(1)];
	char started[RECORD_STRINGS][ATTEST_TEXT(ATTEST_PER_STRING)];
	char value[ATTEST_VALUES][ATTEST_TEXT(1)];
	char key[2 * TPM_KEY_BYTES + 1];
	char quote[2 * TPM_RESPONSE_MAX + 1], signature[2 * TPM_RESPONSE_MAX + 1];
};

/*
 * Make the key, read the firmware's log and extend PCR 15, before the run; at its end the record
 * of its lines is sent. A reason why that is impossible is logged. False: the run must not start.
 */
bool attest_start(struct attest *a, uint64_t sid);
