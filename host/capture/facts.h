/* SPDX-License-Identifier: BSD-2-Clause */
/* What a policy (host/fleet/policy.h) judges a run by, read line by line with its summary. */
#pragma once

#include "core/lib/sha256.h"
#include "core/records/record.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

#define FACTS_VERSION 24

/* Over all cores and stages. */
struct facts_worst {
	uint64_t value;
	uint32_t cpu;
	bool unknown; /* of one at least */
};

enum facts_attested {
	FACTS_ATTEST_NONE,
	FACTS_ATTEST_BAD,
	FACTS_ATTEST_UNKNOWN,
	FACTS_ATTEST_LARGE, /* its file is too large to be checked */
	FACTS_ATTEST_GOOD,
	FACTS_ATTEST_STATES
};

/*
 * Of the attestation by a TPM, whatever key and image: not of one line, but of the run's file as a
 * whole, by host/attest/attest_facts.h.
 */
#define FACTS_STARTED 4
struct facts_attest {
	uint64_t lines; /* that the run had when its file was read; 0: it was not */
	enum facts_attested state;
	uint8_t item;  /* the first check that is not good: enum attest_item */
	uint8_t count; /* images that the firmware started, of which these are the first */
	uint8_t started[FACTS_STARTED][SHA256_BYTES];
	uint8_t key[SHA256_BYTES]; /* attest_key_name() */
	/* Of the TPM, from the quote: its resets, restarts since the last, and ms of being powered.
	 */
	uint32_t resets, restarts;
	uint64_t clock_ms;
	bool is_overtaken; /* a later quote by this key was received before */
};

/* All zero at first. */
struct facts {
	bool known;                   /* `begin` was read completely */
	char version[FACTS_VERSION];  /* of the probe, printable ASCII; "": not known */
	uint8_t config[SHA256_BYTES]; /* of the configuration in force; all zero: not known */
	uint64_t threshold_ns;
	uint32_t found, measured; /* cores */
	uint32_t cpus;            /* number of records of cores */
	uint32_t stages;          /* bits 1 << enum config_stage: stages with such records */
	struct maybe sampled_ns;  /* record_end.sampled_ns */
	struct facts_worst worst[LIMITS]; /* what each limit is compared with */
	struct verdict_clock_faults clock;
	struct facts_attest attest;
	uint32_t works, calls; /* number of records of work, and of calls of known length */
	uint32_t work;         /* CRC of the first record's stage, kernel and phase */
	uint32_t workers;      /* number of records with the same `work`, one per core */
};

/* Of one line of a `begin`; fields that it does not have are NULL or 0. */
void facts_begin(struct facts *f, const struct record_begin *begin);

/* Is it a configuration's, and not all zero? */
bool facts_config_known(const uint8_t digest[SHA256_BYTES]);

/* The first line of a core's record; NULL: it cannot be used. */
void facts_cpu(struct facts *f, const struct record_cpu *cpu);

/* The first line of such a record, which has all but the histogram; NULL: it cannot be used. */
void facts_stretch(struct facts *f, const struct record_stretch *stretch);

void facts_service(struct facts *f, const struct record_service *service);
