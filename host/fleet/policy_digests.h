/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a policy that list SHA-256 digests, as such or of files. */
#pragma once

#include "core/lib/sha256.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum policy_list { POLICY_CONFIG, POLICY_KEY, POLICY_IMAGE, POLICY_LOADER, POLICY_LISTS };

struct policy_digests {
	uint8_t (*digest)[SHA256_BYTES];
	size_t count; /* 0: any */
};

/* The list of the key "config", "attest_key" ... */
enum policy_list policy_list_of(const char *key);
const char *policy_list_key(enum policy_list list);

bool policy_digests_has(const struct policy_digests *d, const uint8_t digest[SHA256_BYTES]);

/*
 * Add what a word means: 64 hex digits, or a file by its path from / on; of keys also a folder with
 * files *.pem. False: *why.
 */
bool policy_digests_add(struct policy_digests *d, enum policy_list list, const char *word,
			struct text *why);
