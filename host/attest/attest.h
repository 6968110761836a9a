/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet attest`. */
#pragma once

#include "host/program/options.h"

#include "core/kinds/attest/attest.h"
#include "core/lib/sha256.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const struct options_subcommand attest_subcommand;

/* ---- Keys ---- */

#define ATTEST_KEY_NUMBER 32u
#define ATTEST_KEY_POINT  (1 + 2 * ATTEST_KEY_NUMBER) /* 4, x, y: SEC 1, 2.3.3 */

/* ECDSA's, big-endian. */
struct attest_key_signature {
	uint8_t r[ATTEST_KEY_NUMBER], s[ATTEST_KEY_NUMBER];
};

/* True if the signature was made by the key, of this text hashed by SHA-256. */
bool attest_key_signed(const uint8_t point[ATTEST_KEY_POINT], const uint8_t *text, size_t bytes,
		       const struct attest_key_signature *signature);

/* Read the public key in a PEM file. Returns NULL, or the reason why it cannot be read. */
const char *attest_key_read(const char *path, uint8_t point[ATTEST_KEY_POINT]);

/* Write the key as PEM to the file, which must not exist. Returns NULL, or the reason. */
const char *attest_key_write(const char *path, const uint8_t point[ATTEST_KEY_POINT]);

/* Returns NULL if attestations can be checked, or the reason why not. */
const char *attest_key_why_not(void);

/* ---- Images ---- */

/*
 * The hash by which firmware measures an image that it starts: a PE image's Authenticode hash by
 * SHA-256 (Microsoft, Windows Authenticode Portable Executable Signature Format 1.0, "Calculating
 * the PE Image Hash"): of all but its checksum, the place of its signatures and these themselves,
 * so a signature does not change it. False: it is no PE image, or contradicts itself.
 */
bool attest_image_hash(const uint8_t *image, size_t bytes, uint8_t digest[SHA256_BYTES]);

/* Hash a file. NULL, or the reason for a failure. */
const char *attest_image_hash_file(const char *path, uint8_t digest[SHA256_BYTES]);

/* ---- Checks ---- */

/* Received records and hashes of a run. */
struct attest_run {
	uint64_t sid;
	const struct record_begin *begin;     /* NULL: none was received; and so on */
	const struct record_summary *summary; /* summary record, before the attestation */
	const struct record_attest *attest;
	const struct record_end *end;
	uint64_t attest_seq;         /* seq of the attestation's first line */
	uint64_t missing;            /* lines before it that are not there */
	uint8_t lines[SHA256_BYTES]; /* hash of the lines before it, if none is missing */
	uint64_t uncovered;          /* lines behind it that are neither end nor log */
	uint64_t logs;               /* log records behind it */
};

/* Accepted digests: SHA-256 of configurations' texts, names of keys, and Authenticode. */
enum attest_list {
	ATTEST_CONFIGS,
	ATTEST_KEYS,    /* attest_key_name() */
	ATTEST_IMAGES,  /* the last that was started is one of these, */
	ATTEST_LOADERS, /* the others must be among these, too */
	ATTEST_LISTS
};

struct attest_digests {
	uint8_t (*digest)[SHA256_BYTES];
	size_t count; /* 0: any */
};

struct attest_want {
	struct attest_digests list[ATTEST_LISTS];
};

bool attest_digests_has(const struct attest_digests *d, const uint8_t digest[SHA256_BYTES]);

/*
 * Add what a word stands for: a digest of 64 hex digits or, unless it is a configuration's, the
 * path of a file; for a key also that of a folder with files *.pem. False: *why has the reason.
 */
bool attest_want_add(struct attest_want *want, enum attest_list list, const char *word,
		     struct text *why);

void attest_want_free(struct attest_want *want);

enum attest_state { ATTEST_GOOD, ATTEST_BAD, ATTEST_UNKNOWN };

/* "good" "bad" "unknown" */
const char *attest_state_name(enum attest_state state);

enum attest_item {
	ATTEST_SIGNATURE, /* the quote is signed by the key */
	ATTEST_KEY,       /* is the one that was enrolled */
	ATTEST_QUOTE,     /* is of this run and its lines, and of these values of PCRs */
	ATTEST_RECORDS,   /* are those of the quote */
	ATTEST_CONFIG,    /* PCR 15 has measured it */
	ATTEST_IMAGE,     /* PCR 4 has it as the last, and nothing unknown before it */
	ATTEST_ITEMS
};

/* "signature" "key" ... */
const char *attest_item_name(enum attest_item item);

#define ATTEST_WHY_MAX 240

struct attest_result {
	struct {
		enum attest_state state;
		char why[ATTEST_WHY_MAX]; /* a sentence, safe to print */
	} item[ATTEST_ITEMS];
	uint8_t point[ATTEST_KEY_POINT]; /* the key, if it could be read; else all zero */
	uint8_t name[SHA256_BYTES];      /* attest_key_name() of it */
	uint64_t clock_ms;               /* the TPM's clock, from the quote; and how often it was */
	uint32_t resets, restarts;       /* reset, and restarted since */
	/* Images that the firmware started, in order, if that check is good. */
	uint8_t started[ATTEST_STARTED_MAX][SHA256_BYTES];
	unsigned starts;
};

/* Check the attestation. The result is bad if a check is bad, else unknown if one is unknown. */
enum attest_state attest_check(const struct attest_run *run, const struct attest_want *want,
			       struct attest_result *result);

/*
 * True if each of these digests is accepted, and the last is the image. Otherwise *why has the
 * first that is not.
 */
bool attest_accepts(const struct attest_want *want, const uint8_t (*started)[SHA256_BYTES],
		    size_t count, struct text *why);

/* A key's name: the SHA-256 of it as TPMT_PUBLIC. */
void attest_key_name(const uint8_t point[ATTEST_KEY_POINT], uint8_t name[SHA256_BYTES]);

/* Convert exactly 2 * `bytes` hex digits; false: `digits` is NULL, or anything else. */
bool attest_bytes(const char *digits, uint8_t *out, size_t bytes);

/* ---- Runs ---- */

struct capture_want; /* host/capture/capture.h */
struct result;

/* For capture_open() or capture_begin(), which this begins: of the run `sid`, NULL: the only one.
 */
struct capture_want attest_read_want(const char *sid);

/*
 * Collect the data for a check from a capture that was read to its end and has this run with an
 * attestation.
 */
struct attest_run attest_read_run(const struct result *run);

/* Frees what was kept. */
void attest_read_done(void);

/* ---- Facts: the attestation of a run's lines as a whole, whatever key and image ---- */

enum attest_facts_state {
	ATTEST_FACTS_NONE,
	ATTEST_FACTS_BAD,
	ATTEST_FACTS_UNKNOWN,
	ATTEST_FACTS_LARGE, /* its file is too large to be checked */
	ATTEST_FACTS_GOOD,
	ATTEST_FACTS_STATES
};

#define ATTEST_FACTS_STARTED 4
struct attest_facts {
	uint64_t lines; /* the run's lines when its file was read; 0: it was not read */
	enum attest_facts_state state;
	uint8_t item;  /* the first check that is not good: enum attest_item */
	uint8_t count; /* images that the firmware started, of which these are the first */
	uint8_t started[ATTEST_FACTS_STARTED][SHA256_BYTES];
	uint8_t key[SHA256_BYTES]; /* attest_key_name() */
	/* By the quote: the TPM's resets, its restarts since the last reset, and ms powered. */
	uint32_t resets, restarts;
	uint64_t clock_ms;
	bool is_overtaken; /* a later quote by this key was received before */
};

/* Larger runs are not checked: a collector commits nothing meanwhile. */
#define ATTEST_FACTS_MAX_MB 64

/* Returns NULL if this program can check attestations, or the reason why not. */
const char *attest_facts_why_not(void);

/* Begin the facts of a run. Its lines follow, in order and with their newlines. */
void attest_facts_begin(void);
void attest_facts_feed(const char *text, size_t bytes);

/*
 * `lines`: how many the run has. f->lines stays 0 where the end record was not among them, or the
 * program can check none.
 */
void attest_facts_end(uint64_t lines, struct attest_facts *f);

struct verdict_reasons; /* core/report/verdict.h */

/* Judge a run by these facts; `known`: its lines were read. It has to have what is wanted. */
void attest_facts_judge(const struct attest_facts *f, bool known, const struct attest_want *want,
			struct verdict_reasons *r);
