/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What attest_check() wants of a run, from a capture: its records, and the hash of its lines as
 * they were sent. One capture at a time.
 */
#pragma once

#include "attest_check.h"

#include "host/capture/capture.h"

/* For capture_open() or capture_begin(), which this begins: of the run `sid`, NULL: the only one.
 */
struct capture_want attest_read_want(const char *sid);

/* Of the capture, which has been read to its end, and has this run; it has an attestation. */
struct attest_run attest_read_run(const struct result *run);

/* Frees what was kept. */
void attest_read_done(void);
