/* SPDX-License-Identifier: BSD-2-Clause */
/* A step of the run: the machine's TPM attests it, see docs/attestation.md. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Make the TPM's key, read the firmware's log and extend PCR 15, before the run; at its end the
 * record of its lines is sent. A reason why that is impossible is logged. False: the run must not
 * start.
 */
bool attest_begin(uint64_t sid);
