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

#include "files.h"

#include <stdbool.h>

/* A collector's own, as a copy in its folder: who reads the folder judges as it does. */
#define POLICY_NAME "policy"

struct policy;

/*
 * NULL, with each mistake on standard error: "PROGRAM: PATH:LINE: what was found; accepted: what".
 */
struct policy *policy_read(const char *program, const char *path);

/* That of a collector's folder; *p is NULL where it has none. False as above. */
bool policy_of_folder(const char *program, const char *folder, struct policy **p);

/*
 * Make it, NULL: none, that of the folder, with digests in place of the files that it names. 0 or
 * an errno.
 */
int policy_put(const struct policy *p, const char *folder);

void policy_free(struct policy *p);

/*
 * Judge a run that has ended: what summary_outcome() and the like are from then on. A limit that is
 * exceeded, a version or a configuration that is not allowed is a fail; what the records do not
 * prove makes it incomplete, and so does a node's own "incomplete" or "error". "none" where no
 * section is for the machine, or the section is empty. Nothing happens if `p` is NULL.
 */
void policy_judge(const struct policy *p, struct summary *s);

/* Has the summary, of an index, not what this needs? Then the run's file has to be read. */
bool policy_lacks(const struct policy *p, const struct summary *s);

/* Does this need the run's attestation, of which the summary has nothing? */
bool policy_asks_attest(const struct policy *p, const struct summary *s);

/* Then read it of the run's file in this folder. Where it cannot be read nothing changes. */
void policy_read_attest(const struct policy *p, int dir, uint64_t sid, struct summary *s);

/* store_read(), and that. 0 or an errno. */
int policy_read_run(const struct policy *p, int dir, uint64_t sid, struct store_progress *kept);
