/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys, images and configurations that are accepted: digests, or files with these digests. */
#include "attest.h"

#include "host/lib/memory.h"

#include "core/report/verdict.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define KEY_SUFFIX ".pem"

bool attest_digests_has(const struct attest_digests *d, const uint8_t digest[SHA256_BYTES])
{
	for (size_t i = 0; i < d->count; i++)
		if (!memcmp(digest, d->digest[i], SHA256_BYTES))
			return true;
	return false;
}

void attest_want_free(struct attest_want *want)
{
	for (unsigned list = 0; list < ATTEST_LISTS; list++)
		free(want->list[list].digest);
}

/* ---- Files ---- */

static const char *read_key(const char *path, uint8_t digest[SHA256_BYTES])
{
	uint8_t point[ATTEST_KEY_POINT];
	const char *why = attest_key_read(path, point);

	if (!why)
		attest_key_name(point, digest);
	return why;
}

static bool attest_want_digest(struct attest_digests *d, const uint8_t digest[SHA256_BYTES])
{
	memcpy(*MEMORY_ADD(d->digest, d->count), digest, SHA256_BYTES);
	return true;
}

/* Regular files only: opening a FIFO would block. */
static const char *read_file(enum attest_list list, const char *path, uint8_t digest[SHA256_BYTES])
{
	struct stat status;

	if (stat(path, &status) != 0)
		return strerror(errno);
	if (!S_ISREG(status.st_mode))
		return "it is no file";
	return (list == ATTEST_KEYS ? read_key : attest_image_hash_file)(path, digest);
}

static int is_key(const struct dirent *entry)
{
	size_t bytes = strlen(entry->d_name), suffix = strlen(KEY_SUFFIX);

	return *entry->d_name != '.' && bytes > suffix &&
	       strcmp(entry->d_name + bytes - suffix, KEY_SUFFIX) == 0;
}

static bool add_folder(struct attest_digests *d, const char *folder, struct text *why)
{
	struct dirent **entry = NULL;
	int count = scandir(folder, &entry, is_key, alphasort);
	uint8_t digest[SHA256_BYTES];
	char path[PATH_MAX];
	const char *wrong = NULL;

	if (count <= 0)
		text_add(why, "%s",
			 count ? strerror(errno) : "the folder has no file *" KEY_SUFFIX);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
		if (!wrong && (wrong = read_file(ATTEST_KEYS, path, digest)))
			text_add(why, "%s: %s", entry[i]->d_name, wrong);
		else if (!wrong)
			attest_want_digest(d, digest);
		free(entry[i]);
	}
	free(entry);
	return count > 0 && !wrong;
}

bool attest_want_add(struct attest_want *want, enum attest_list list, const char *word,
		     struct text *why)
{
	struct attest_digests *d = &want->list[list];
	uint8_t digest[SHA256_BYTES];
	struct stat status;
	const char *wrong;

	if (attest_bytes(word, digest, sizeof(digest)))
		return attest_want_digest(d, digest);
	if (list == ATTEST_KEYS && stat(word, &status) == 0 && S_ISDIR(status.st_mode))
		return add_folder(d, word, why);
	wrong = list == ATTEST_CONFIGS ? "not a SHA-256; accepted: 64 hex digits"
				       : read_file(list, word, digest);
	if (wrong)
		text_add(why, "%s", wrong);
	return !wrong && attest_want_digest(d, digest);
}

/* ---- Facts ---- */

/* The reason to report for each check that is not good. */
static const char *const wrong_items[ATTEST_ITEMS] = {
	[ATTEST_SIGNATURE] = "the signature is not the key's, of this quote",
	[ATTEST_KEY] = "it has no attestation key of noisefloor's",
	[ATTEST_QUOTE] = "the quote is not of this run, its records and PCRs",
	[ATTEST_RECORDS] = "the records are not those that were quoted",
	[ATTEST_CONFIG] = "the configuration is not the one of PCR 15",
	[ATTEST_IMAGE] = "PCR 4 is not what the firmware's log has, up to the image",
};

/*
 * The first reason against the run that does not depend on what is wanted; NULL: there is none.
 * *lacks: the run is incomplete, and has not failed.
 */
static const char *attest_want_wrong(const struct attest_facts *f, bool known, bool *lacks)
{
	const char *why = attest_facts_why_not();

	*lacks = true;
	if (!known)
		return why ? why : "the run's lines cannot be read";
	switch (f->state) {
	case ATTEST_FACTS_NONE:
		return "the run has no attestation";
	case ATTEST_FACTS_LARGE:
		return "not checked: the run is too large";
	case ATTEST_FACTS_GOOD:
		*lacks = false;
		return f->is_overtaken ? "a later run that this key signed was received before"
				       : NULL;
	default:
		*lacks = f->state != ATTEST_FACTS_BAD;
		return f->item < ATTEST_ITEMS ? wrong_items[f->item]
					      : "it is not known what is wrong";
	}
}

static void judge_wanted(const struct attest_facts *f, const struct attest_want *want,
			 struct verdict_reasons *r)
{
	TEXT_DEFINE(text, ATTEST_WHY_MAX);

	if (!attest_digests_has(&want->list[ATTEST_KEYS], f->key)) {
		text_hex(&text, f->key, sizeof(f->key));
		verdict_reason(r, "attest_key: %s is not allowed", text.buf);
		r->verdict = VERDICT_FAIL;
	}
	text_reset(&text);
	if (f->count > ATTEST_FACTS_STARTED)
		text_add(&text, "the firmware started %u images, accepted: %u", (unsigned)f->count,
			 ATTEST_FACTS_STARTED);
	else if (attest_accepts(want, f->started, f->count, &text))
		return;
	verdict_reason(r, "attest_image: %s", text.buf);
	r->verdict = VERDICT_FAIL;
}

void attest_facts_judge(const struct attest_facts *f, bool known, const struct attest_want *want,
			struct verdict_reasons *r)
{
	bool lacks;
	const char *what = attest_want_wrong(f, known, &lacks);

	if (!what) {
		judge_wanted(f, want, r);
		return;
	}
	verdict_cut_short(r, "attest: %s", what);
	if (!lacks)
		r->verdict = VERDICT_FAIL;
}
