/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run's file has of an attestation, for whoever judges it later: one at a time. */
#pragma once

#include "host/capture/facts.h"

#include <stddef.h>
#include <stdint.h>

/* Of larger files none is read: a collector takes no records meanwhile. */
#define ATTEST_FACTS_MAX_MB 64

/* NULL, or why this program can check none. */
const char *attest_facts_why_not(void);

/* The run's lines, with their newlines, in order. */
void attest_facts_begin(void);
void attest_facts_feed(const char *text, size_t bytes);

/*
 * `lines`: how many the run has. f->lines stays 0 where the end record was not among them, or the
 * program can check none.
 */
void attest_facts_end(uint64_t lines, struct facts_attest *f);

/* The same of a file, from its front on. */
void attest_facts_read(int fd, uint64_t lines, struct facts_attest *f);

/* What is wrong if the check of that facts_attest.item is not good, as a sentence. */
const char *attest_facts_wrong(uint8_t item);
