/* SPDX-License-Identifier: BSD-2-Clause */
/* A policy as it was read from its file. */
#pragma once

#include "policy.h"
#include "policy_read.h"

#include "core/config/config.h"
#include "core/lib/sha256.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Keys that list SHA-256 digests, as such or of files: policy_digests.c ---- */

enum policy_list { POLICY_CONFIG, POLICY_KEY, POLICY_IMAGE, POLICY_LOADER, POLICY_LISTS };

struct policy_digests {
	uint8_t (*digest)[SHA256_BYTES];
	size_t count; /* 0: any */
};

bool policy_digests_has(const struct policy_digests *d, const uint8_t digest[SHA256_BYTES]);

/*
 * Add what a word of the key `name` means: 64 hex digits, or a file by its path from / on; of keys
 * also a folder with files *.pem. False: *why.
 */
bool policy_digests_add(struct policy_digests *d, enum policy_list list, const char *name,
			const char *word, struct text *why);

/* ---- Sections ---- */

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

#define POLICY_SECTIONS_MAX 1000
#define POLICY_BYTES_MAX    ((size_t)1 << 20)

struct policy {
	char *text;
	size_t bytes;
	struct policy_section **section;
	size_t sections;
};
