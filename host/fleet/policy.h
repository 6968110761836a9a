/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a fleet asks of its machines' runs: limits that are judged where the runs are collected,
 * whatever the nodes' own configuration was.
 *
 *	[default]               # every machine without a section of its own
 *	max = 20us              # one of the probe's limits
 *	threshold = 1us         # its threshold, at most
 *	preset = openshift      # limits of its presets
 *	duration = 1h           # of sampling in each stage, at least
 *	stages = bare,handoff   # that were measured
 *	version = 1.2.0, 1.2.1  # of the probe: one of these
 *	config = 0123...        # SHA-256 of the configuration in force: one of these
 *	attest_key = /etc/keys  # attestation is required, by one of these TPMs,
 *	attest_image = 89ab...  # of one of these images,
 *	attest_loader = cdef... # after none but these
 *	[product PowerEdge R650]
 *	[bios 2.13.3]
 *	[uuid 01234567-89ab-cdef-0123-456789abcdef]
 *
 * One section applies to a run, and nothing of the others: that of its UUID, else of its BIOS
 * version, else of its product, else the default.
 */
#pragma once

#include "host/capture/summary.h"

#include "core/config/config.h"
#include "core/lib/sha256.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct policy;

/*
 * Read a policy's file. NULL, with each mistake on standard error: "PROGRAM: PATH:LINE: what was
 * found; accepted: what".
 */
struct policy *policy_read(const char *program, const char *path);

/* Read a policy's text, which `path` names in messages. */
struct policy *policy_parse(const char *program, const char *path, const char *text);

/*
 * The policy's text, with digests in place of the files that it names, so that it can be parsed
 * elsewhere; NULL: there is no policy.
 */
const char *policy_text(const struct policy *p);

void policy_free(struct policy *p);

/*
 * Judge a run that has ended: what summary_outcome() and the like are from then on. A limit that is
 * exceeded, a version or a configuration that is not allowed is a fail; what the records do not
 * prove makes it incomplete, and so does a node's own "incomplete" or "error". "none" where no
 * section is for the machine, or the section is empty. Nothing happens if `p` is NULL.
 */
void policy_judge(const struct policy *p, struct summary *s);

/* True if the policy needs the run's attestation, which the summary does not have so far. */
bool policy_asks_attest(const struct policy *p, const struct summary *s);

/* ---- Between its files ---- */

/* Keys that list SHA-256 digests, as such or of files. */
enum policy_list { POLICY_CONFIG, POLICY_KEY, POLICY_IMAGE, POLICY_LOADER, POLICY_LISTS };

struct policy_digests {
	uint8_t (*digest)[SHA256_BYTES];
	size_t count; /* 0: any */
};

bool policy_digests_has(const struct policy_digests *d, const uint8_t digest[SHA256_BYTES]);

/*
 * Add the digests that a word of the key `name` means: 64 hex digits, or a file by its path from /
 * on; for POLICY_KEY also a folder with files *.pem. False: *why has the reason.
 */
bool policy_digests_add(struct policy_digests *d, enum policy_list list, const char *name,
			const char *word, struct text *why);

/* What a section is for, from the general to the special. */
enum policy_scope { POLICY_DEFAULT, POLICY_PRODUCT, POLICY_BIOS, POLICY_UUID, POLICY_SCOPES };

struct policy_section {
	enum policy_scope scope;
	char name[SUMMARY_TEXT]; /* of the machines, as their summaries have it; "": all */
	uint32_t given;          /* keys of the section, a bit each */
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
