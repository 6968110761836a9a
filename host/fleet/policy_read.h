/* SPDX-License-Identifier: BSD-2-Clause */
/* A policy as it was read from its file. */
#pragma once

#include "policy.h"
#include "policy_digests.h"

#include "core/config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the general to the special. */
enum policy_scope { POLICY_DEFAULT, POLICY_PRODUCT, POLICY_BIOS, POLICY_UUID, POLICY_SCOPES };

struct policy_section {
	enum policy_scope scope;
	char name[SUMMARY_TEXT]; /* of the machines, as their summaries have it; "": all */
	uint32_t given;          /* keys, a bit each */
	struct config limits;
	uint64_t least_ns; /* of sampling; 0: any */
	uint32_t stages;   /* bits 1 << enum config_stage; 0: any */
	char (*version)[FACTS_VERSION];
	size_t versions; /* 0: any */
	struct policy_digests list[POLICY_LISTS];
};

/* Does it ask for an attestation that the summary has nothing of yet? NULL: it asks nothing. */
bool policy_section_asks(const struct policy_section *section, const struct summary *s);

/* The attestation of a run, if the section requires one. */
void policy_judge_attest(struct verdict_reasons *r, const struct policy_section *section,
			 const struct summary *s);

#define POLICY_SECTIONS_MAX 1000
#define POLICY_BYTES_MAX    ((size_t)1 << 20)

struct policy {
	char *text;
	size_t bytes;
	struct policy_section **section;
	size_t sections;
};
