/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fleet's requirements on its machines' runs: limits that are judged where the runs are
 * collected, whatever the nodes' own configuration was. A policy is one JSON object:
 *
 *	{
 *	  "default": {                            every machine without a section of its own
 *	    "comment": "as agreed",               for people
 *	    "max": "20us",                        one of the probe's limits
 *	    "threshold": "1us",                   its threshold, at most
 *	    "preset": "openshift",                limits of its presets
 *	    "duration": "1h",                     of sampling in each stage, at least
 *	    "stages": "bare,handoff",             that were measured
 *	    "version": ["1.2.0", "1.2.1"],        of the probe: one of these
 *	    "config": "0123...",                  SHA-256 of the configuration in force
 *	    "attest_key": "/etc/keys",            attestation is required, by one of these TPMs,
 *	    "attest_image": "89ab...",            of one of these images,
 *	    "attest_loader": "cdef..."            after none but these
 *	  },
 *	  "product PowerEdge R650": {},
 *	  "bios 2.13.3": {},
 *	  "uuid 01234567-89ab-cdef-0123-456789abcdef": {}
 *	}
 *
 * One section applies to a run, and nothing of the others: that of its UUID, else of its BIOS
 * version, else of its product, else the default.
 */
#pragma once

#include "host/attest/attest.h"
#include "host/summary/summary.h"

#include "core/config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Machines that a section is for, from the general to the special. */
enum policy_scope { POLICY_DEFAULT, POLICY_PRODUCT, POLICY_BIOS, POLICY_UUID, POLICY_SCOPES };

struct policy_section {
	enum policy_scope scope;
	char name[SUMMARY_TEXT]; /* machines, as in their summaries; "": all */
	bool asks;               /* has keys */
	struct config limits;
	uint64_t least_ns; /* least sampling time; 0: any */
	uint32_t stages;   /* bits 1 << enum config_stage; 0: any */
	char (*version)[FACTS_VERSION];
	size_t versions; /* 0: any */
	struct attest_want accepted;
};

struct policy {
	char *text; /* JSON, with digests in place of the files that it names */
	struct policy_section *section;
	size_t sections;
};

/*
 * Read a policy's file. NULL, with each mistake on standard error: "PROGRAM: PATH: what was found;
 * accepted: what".
 */
struct policy *policy_read(const char *program, const char *path);

/* Read a policy's text, which `path` names in messages. */
struct policy *policy_parse(const char *program, const char *path, const char *text);

void policy_free(struct policy *p);

/*
 * Judge a run that has ended; summary_outcome() and similar functions return the result from then
 * on. A limit that is exceeded, and a version or a configuration that is not allowed, is a fail. A
 * run is incomplete if its records do not prove a pass, and if the node's own verdict is
 * "incomplete" or "error". It is "none" if no section is for the machine, or the section is empty.
 * Nothing happens if `p` is NULL.
 */
void policy_judge(const struct policy *p, struct summary *s);

/* True if the policy needs the run's attestation, which the summary does not have so far. */
bool policy_asks_attest(const struct policy *p, const struct summary *s);

/* ---- Parts of that ---- */

/* The section for the run's machine; NULL: there is none. */
const struct policy_section *policy_find(const struct policy *p, const struct summary *s);

/* Judge by what the section accepts: configurations, keys and images. */
void policy_judge_accepted(struct verdict_reasons *r, const struct policy_section *section,
			   const struct summary *s);

/* A fail: `what` was found to be this, which is not allowed. */
void policy_refuse(struct verdict_reasons *r, const char *what, const char *found);
