/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks attestations. A claim of the record is believed only after something that the TPM signed
 * confirms it.
 */
#include "attest.h"

#include "core/lib/text.h"
#include "core/tpm/tpm_command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUOTE_MAX 1024u

/* TPM 2.0 Library, part 2: 10.12.12 (TPMS_ATTEST), 6.2 (TPM_GENERATED), 6.9 (TPM_ST), 6.3. */
#define GENERATED  0xff544347u
#define ST_QUOTE   0x8018u
#define ALG_SHA256 0x000bu
#define ALG_ECDSA  0x0018u

/*
 * Event texts other than images with which firmware extends PCR 4 (PC Client Firmware Profile 1.06,
 * 8 and 3.3.4.5), hashed by SHA-256.
 */
static const char *const actions[] = {
	"Calling EFI Application from Boot Option",
	"Returning from EFI Application from Boot Option",
};
static const uint8_t separator[4];

struct check {
	const struct attest_run *run;
	const struct attest_want *want;
	struct attest_result *result;
	uint8_t quote[QUOTE_MAX];
	size_t quote_bytes;
	uint8_t value[ATTEST_VALUES][SHA256_BYTES];
	bool has_values;
};

const char *attest_state_name(enum attest_state state)
{
	static const char *const names[] = {
		[ATTEST_GOOD] = "good", [ATTEST_BAD] = "bad", [ATTEST_UNKNOWN] = "unknown"
	};

	return names[state];
}

const char *attest_item_name(enum attest_item item)
{
	static const char *const names[ATTEST_ITEMS] = {
		[ATTEST_SIGNATURE] = "signature", [ATTEST_KEY] = "key",
		[ATTEST_QUOTE] = "quote",         [ATTEST_RECORDS] = "records",
		[ATTEST_CONFIG] = "config",       [ATTEST_IMAGE] = "image",
	};

	return names[item];
}

static void attest_check_find(struct check *c, enum attest_item item, enum attest_state state,
			      const char *format, ...) __attribute__((format(printf, 4, 5)));

static void attest_check_find(struct check *c, enum attest_item item, enum attest_state state,
			      const char *format, ...)
{
	va_list args;

	c->result->item[item].state = state;
	va_start(args, format);
	vsnprintf(c->result->item[item].why, ATTEST_WHY_MAX, format, args);
	va_end(args);
}

/* ---- Digests ---- */

bool attest_bytes(const char *digits, uint8_t *out, size_t bytes)
{
	return text_unhex(digits, out, bytes) == bytes;
}

static const char *hex(const uint8_t digest[SHA256_BYTES], char out[ATTEST_DIGITS + 1])
{
	struct text t;

	text_init(&t, out, ATTEST_DIGITS + 1);
	text_hex(&t, digest, SHA256_BYTES);
	return out;
}

/* ---- The key, and its signature ---- */

void attest_key_name(const uint8_t point[ATTEST_KEY_POINT], uint8_t name[SHA256_BYTES])
{
	uint8_t area[TPM_KEY_BYTES], *at = area + TPM_KEY_TEMPLATE;

	memcpy(area, tpm_key_template, TPM_KEY_TEMPLATE);
	for (unsigned n = 0; n < 2; n++, at += 2 + ATTEST_KEY_NUMBER) {
		bytes_put_be16(at, ATTEST_KEY_NUMBER);
		memcpy(at + 2, point + 1 + n * ATTEST_KEY_NUMBER, ATTEST_KEY_NUMBER);
	}
	sha256(area, sizeof(area), name);
}

static void check_key(struct check *c)
{
	struct attest_result *r = c->result;
	uint8_t area[TPM_KEY_BYTES], point[ATTEST_KEY_POINT] = { 4 };
	char name[ATTEST_DIGITS + 1];

	if (!attest_bytes(c->run->attest->key, area, sizeof(area)) ||
	    !tpm_is_key(area, sizeof(area))) {
		attest_check_find(c, ATTEST_KEY, ATTEST_BAD,
				  "it is no attestation key of noisefloor's");
		return;
	}
	memcpy(point + 1, area + TPM_KEY_TEMPLATE + 2, ATTEST_KEY_NUMBER);
	memcpy(point + 1 + ATTEST_KEY_NUMBER, area + TPM_KEY_TEMPLATE + 4 + ATTEST_KEY_NUMBER,
	       ATTEST_KEY_NUMBER);
	memcpy(r->point, point, sizeof(point));
	attest_key_name(point, r->name);
	if (!c->want->list[ATTEST_KEYS].count)
		attest_check_find(c, ATTEST_KEY, ATTEST_GOOD,
				  "%s, not compared: it is to be enrolled", hex(r->name, name));
	else if (!attest_digests_has(&c->want->list[ATTEST_KEYS], r->name))
		attest_check_find(c, ATTEST_KEY, ATTEST_BAD, "it is not the enrolled one, but %s",
				  hex(r->name, name));
	else
		attest_check_find(c, ATTEST_KEY, ATTEST_GOOD, "the enrolled one, %s",
				  hex(r->name, name));
}

/* A number with 16 bits of length before it; leading zeros may be left out. */
static bool take_number(struct tpm_in *in, uint8_t out[ATTEST_KEY_NUMBER])
{
	size_t length = tpm_take16(in);

	if (length > ATTEST_KEY_NUMBER)
		return false;
	memset(out, 0, ATTEST_KEY_NUMBER);
	memcpy(out + ATTEST_KEY_NUMBER - length, tpm_take(in, length), length);
	return !in->bad;
}

static void check_signature(struct check *c)
{
	uint8_t bytes[4 + 2 * (2 + ATTEST_KEY_NUMBER)];
	struct tpm_in in = { bytes, text_unhex(c->run->attest->signature, bytes, sizeof(bytes)),
			     false };
	struct attest_key_signature signature;

	c->quote_bytes = text_unhex(c->run->attest->quote, c->quote, sizeof(c->quote));
	if (tpm_take16(&in) != ALG_ECDSA || tpm_take16(&in) != ALG_SHA256 ||
	    !take_number(&in, signature.r) || !take_number(&in, signature.s) || in.left)
		attest_check_find(c, ATTEST_SIGNATURE, ATTEST_BAD,
				  "it is none of ECDSA with SHA-256");
	else if (!c->result->point[0] ||
		 !attest_key_signed(c->result->point, c->quote, c->quote_bytes, &signature))
		attest_check_find(c, ATTEST_SIGNATURE, ATTEST_BAD,
				  "it is not the key's signature of the quote");
	else
		attest_check_find(c, ATTEST_SIGNATURE, ATTEST_GOOD, "the key's, of the quote");
}

/* ---- The quote ---- */

/* Take a digest of SHA-256's length; any other is bad. */
static const uint8_t *take_digest(struct tpm_in *in)
{
	in->bad |= tpm_take16(in) != SHA256_BYTES;
	return tpm_take(in, SHA256_BYTES);
}

static void read_values(struct check *c)
{
	unsigned n = 0;

	while (n < ATTEST_VALUES && c->run->attest->values[n] &&
	       attest_bytes(c->run->attest->values[n], c->value[n], SHA256_BYTES))
		n++;
	c->has_values = n == ATTEST_VALUES && !c->run->attest->values[n];
}

static const char *wrong_selection(struct tpm_in *in)
{
	const uint8_t *select;

	if (tpm_take32(in) != 1 || tpm_take16(in) != ALG_SHA256 || *tpm_take(in, 1) != 3)
		return "it is of other PCRs, or of another bank than SHA-256's";
	select = tpm_take(in, 3);
	if ((select[0] | (uint32_t)select[1] << 8 | (uint32_t)select[2] << 16) != ATTEST_PCRS)
		return "it is of other PCRs than " ATTEST_PCRS_TEXT;
	return NULL;
}

/* Check the TPMS_ATTEST. Returns what is wrong with it; NULL: nothing. */
static const char *wrong_quote(struct check *c)
{
	struct tpm_in in = { c->quote, c->quote_bytes, false };
	struct attest_result *r = c->result;
	uint8_t data[SHA256_BYTES], values[SHA256_BYTES];
	const char *wrong;

	attest_data(c->run->sid, c->run->attest->lines, data);
	sha256(c->value, sizeof(c->value), values);
	if (tpm_take32(&in) != GENERATED || tpm_take16(&in) != ST_QUOTE)
		return "it is no quote of a TPM";
	tpm_take(&in, tpm_take16(&in));
	if (memcmp(take_digest(&in), data, sizeof(data)) != 0 || in.bad)
		return "it is of another run, or of other records";
	r->clock_ms = (uint64_t)tpm_take32(&in) << 32;
	r->clock_ms |= tpm_take32(&in);
	r->resets = tpm_take32(&in);
	r->restarts = tpm_take32(&in);
	tpm_take(&in, 1 + 8);
	wrong = wrong_selection(&in);
	if (wrong)
		return wrong;
	if (!c->has_values || memcmp(take_digest(&in), values, sizeof(values)) != 0)
		return "the PCRs have other values";
	return in.bad || in.left ? "it is no quote of a TPM" : NULL;
}

static void check_quote(struct check *c)
{
	const char *wrong;

	read_values(c);
	wrong = wrong_quote(c);
	attest_check_find(c, ATTEST_QUOTE, wrong ? ATTEST_BAD : ATTEST_GOOD, "%s",
			  wrong ? wrong
				: "of this run, and of these values of PCRs " ATTEST_PCRS_TEXT);
}

/* ---- The records ---- */

static bool is_attested(const struct check *c)
{
	for (unsigned i = 0; i < RECORD_STRINGS && c->run->attest->lines[i]; i++) {
		uint8_t digest[SHA256_BYTES];

		if (attest_bytes(c->run->attest->lines[i], digest, sizeof(digest)) &&
		    !memcmp(digest, c->run->lines, sizeof(digest)))
			return true;
	}
	return false;
}

static void check_records(struct check *c)
{
	const struct attest_run *run = c->run;
	const char *verdict = run->summary ? run->summary->verdict : NULL;

	if (run->missing)
		attest_check_find(
			c, ATTEST_RECORDS, ATTEST_UNKNOWN, "%llu of %llu lines are missing",
			(unsigned long long)run->missing, (unsigned long long)run->attest_seq);
	else if (!is_attested(c))
		attest_check_find(c, ATTEST_RECORDS, ATTEST_BAD, "they are not those of the quote");
	else if (run->uncovered)
		attest_check_find(c, ATTEST_RECORDS, ATTEST_BAD,
				  "%llu lines behind the attestation are not covered by it",
				  (unsigned long long)run->uncovered);
	else if (!run->end)
		attest_check_find(c, ATTEST_RECORDS, ATTEST_UNKNOWN, "there is no end record");
	else if (!verdict || !run->end->verdict || strcmp(verdict, run->end->verdict) != 0)
		attest_check_find(c, ATTEST_RECORDS, ATTEST_BAD,
				  "the end record has another verdict than the summary");
	else
		attest_check_find(c, ATTEST_RECORDS, ATTEST_GOOD,
				  "%llu lines, as quoted; not covered: the end%s",
				  (unsigned long long)run->attest_seq,
				  run->logs ? ", and logs" : "");
}

/* ---- The configuration ---- */

static const char *wrong_config(struct check *c)
{
	const struct attest_run *run = c->run;
	const struct attest_digests *configs = &c->want->list[ATTEST_CONFIGS];
	uint8_t value[SHA256_BYTES] = { 0 }, digest[SHA256_BYTES], text[SHA256_BYTES];

	if (!attest_bytes(run->attest->config, digest, sizeof(digest)))
		return "the attestation has none";
	attest_extend(value, digest);
	if (!c->has_values || memcmp(value, c->value[ATTEST_VALUES - 1], sizeof(value)) != 0)
		return "PCR 15 was extended by something else, or by more";
	sha256(run->begin->config, strlen(run->begin->config), text);
	if (memcmp(text, digest, sizeof(text)) != 0)
		return "the begin record has another than PCR 15";
	if (configs->count && !attest_digests_has(configs, digest))
		return "it is not one that is accepted";
	return NULL;
}

static void check_config(struct check *c)
{
	const struct attest_run *run = c->run;
	const char *wrong;

	if (!run->begin || !run->begin->config) {
		attest_check_find(c, ATTEST_CONFIG, ATTEST_UNKNOWN,
				  "there is no begin record that has one");
		return;
	}
	wrong = wrong_config(c);
	if (wrong)
		attest_check_find(c, ATTEST_CONFIG, ATTEST_BAD, "%s", wrong);
	else
		attest_check_find(c, ATTEST_CONFIG, ATTEST_GOOD, "%s%s", run->attest->config,
				  c->want->list[ATTEST_CONFIGS].count ? "" : ", not compared");
}

/* ---- The image ---- */

static unsigned read_started(const struct check *c, uint8_t (*out)[SHA256_BYTES])
{
	unsigned count = 0;

	for (unsigned i = 0; i < RECORD_STRINGS && c->run->attest->started[i]; i++) {
		size_t bytes = text_unhex(c->run->attest->started[i], out[count],
					  ATTEST_PER_STRING * SHA256_BYTES);

		if (!bytes || bytes % SHA256_BYTES)
			return 0;
		count += (unsigned)(bytes / SHA256_BYTES);
	}
	return count;
}

static bool is_action(const uint8_t digest[SHA256_BYTES])
{
	uint8_t known[SHA256_BYTES];

	sha256(separator, sizeof(separator), known);
	if (!memcmp(known, digest, sizeof(known)))
		return true;
	for (unsigned i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		sha256(actions[i], strlen(actions[i]), known);
		if (!memcmp(known, digest, sizeof(known)))
			return true;
	}
	return false;
}

bool attest_accepts(const struct attest_want *want, const uint8_t (*started)[SHA256_BYTES],
		    size_t count, struct text *why)
{
	const struct attest_digests *images = &want->list[ATTEST_IMAGES];
	char digits[ATTEST_DIGITS + 1];

	for (size_t i = 0; i < count; i++) {
		if (attest_digests_has(images, started[i]) ||
		    attest_digests_has(&want->list[ATTEST_LOADERS], started[i]))
			continue;
		text_add(why, "the firmware started %s, which is not known",
			 hex(started[i], digits));
		return false;
	}
	if (count && attest_digests_has(images, started[count - 1]))
		return true;
	text_add(why, "it is not the last that PCR 4 was extended by");
	return false;
}

/*
 * Verify the log: its events must reproduce PCR 4, else they prove nothing. The probe quotes before
 * it returns to the firmware, so the event of its return is not in the log.
 */
static const char *wrong_log(struct check *c)
{
	uint8_t logged[ATTEST_STARTED_MAX + 1][SHA256_BYTES], value[SHA256_BYTES] = { 0 };
	struct attest_result *r = c->result;
	unsigned count = read_started(c, logged);

	for (unsigned i = 0; i < count; i++) {
		attest_extend(value, logged[i]);
		if (!is_action(logged[i]))
			memcpy(r->started[r->starts++], logged[i], SHA256_BYTES);
	}
	if (!count || !c->has_values ||
	    memcmp(value, c->value[ATTEST_PCR_IMAGE], sizeof(value)) != 0)
		return "PCR 4 is not what the firmware's log has of it";
	return is_action(logged[count - 1]) ? "it is not the last that PCR 4 was extended by"
					    : NULL;
}

static void check_image(struct check *c)
{
	const struct attest_result *r = c->result;
	const char *wrong = wrong_log(c);
	char digits[ATTEST_DIGITS + 1];
	TEXT_DEFINE(why, ATTEST_WHY_MAX);

	if (wrong)
		attest_check_find(c, ATTEST_IMAGE, ATTEST_BAD, "%s", wrong);
	else if (c->want->list[ATTEST_IMAGES].count &&
		 !attest_accepts(c->want, r->started, r->starts, &why))
		attest_check_find(c, ATTEST_IMAGE, ATTEST_BAD, "%s", why.buf);
	else
		attest_check_find(c, ATTEST_IMAGE, ATTEST_GOOD,
				  "the last that the firmware started: %s%s",
				  hex(r->started[r->starts - 1], digits),
				  c->want->list[ATTEST_IMAGES].count ? "" : ", not compared");
}

enum attest_state attest_check(const struct attest_run *run, const struct attest_want *want,
			       struct attest_result *result)
{
	struct check *c = calloc(1, sizeof(*c));
	enum attest_state worst = ATTEST_GOOD;

	memset(result, 0, sizeof(*result));
	if (!c)
		return ATTEST_UNKNOWN;
	*c = (struct check){ .run = run, .want = want, .result = result };
	check_key(c);
	check_signature(c);
	check_quote(c);
	check_records(c);
	check_config(c);
	check_image(c);
	free(c);
	for (unsigned i = 0; i < ATTEST_ITEMS; i++) {
		enum attest_state state = result->item[i].state;

		if (state == ATTEST_BAD || (state == ATTEST_UNKNOWN && worst == ATTEST_GOOD))
			worst = state;
	}
	return worst;
}
