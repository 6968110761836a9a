/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attestation of a run by the machine's TPM: docs/attestation.md. The TPM is used before the cores
 * are started and after the last window, never in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Make the key, read the firmware's log and extend PCR 15, before the run; at its end the record
 * of its lines is sent. A reason why that is impossible is logged. False: the run must not start.
 */
bool attest_start(uint64_t sid);
