/* SPDX-License-Identifier: BSD-2-Clause */
/* An attestation as a TPM made it, and each part of it changed: the right check is bad. */
#include "host/attest/attest.h"

#include "tests/unit/attested.h"
#include "tests/unit/common/test.h"
#include "tests/unit/hex_bytes.h"

#include <string.h>

static struct {
	struct record_begin begin;
	struct record_summary summary;
	struct record_attest attest;
	struct record_end end;
	struct attest_run run;
	struct attest_want want;
	struct attest_result result;
	uint8_t image[1][SHA256_BYTES], loader[1][SHA256_BYTES], config[1][SHA256_BYTES];
	uint8_t key[1][SHA256_BYTES];
	char changed[1024];
} m;

static void setup(void)
{
	static const char *const values[] = { ATTESTED_VALUES };
	static const char started[] = ATTESTED_STARTED;

	memset(&m, 0, sizeof(m));
	m.begin.config = ATTESTED_CONFIG;
	m.summary.verdict = m.end.verdict = "none";
	m.attest = (struct record_attest){ .tpm = "crb",
					   .config = ATTESTED_HASH,
					   .lines = { ATTESTED_LINES },
					   .started = { ATTESTED_STARTED },
					   .pcrs = ATTEST_PCRS_TEXT,
					   .key = ATTESTED_KEY,
					   .quote = ATTESTED_QUOTE,
					   .signature = ATTESTED_SIGNATURE };
	memcpy(m.attest.values, values, sizeof(values));
	m.run = (struct attest_run){ .sid = ATTESTED_SID,
				     .begin = &m.begin,
				     .summary = &m.summary,
				     .attest = &m.attest,
				     .end = &m.end,
				     .attest_seq = 20 };
	hex_bytes(m.run.lines, sizeof(m.run.lines), ATTESTED_LINES);
	hex_bytes(m.image[0], SHA256_BYTES, started + sizeof(started) - 1 - ATTEST_DIGITS);
	m.want = (struct attest_want){ .list = { [ATTEST_IMAGES] = { m.image, 1 } } };
}

static enum attest_state check(void)
{
	return attest_check(&m.run, &m.want, &m.result);
}

/* This check is bad; others may be as well. */
static void assert_bad(enum attest_item item)
{
	assert_int_equal(check(), ATTEST_BAD);
	assert_string_equal(attest_state_name(m.result.item[item].state), "bad");
	assert_true(m.result.item[item].why[0]);
}

/* Only this check is bad. */
static void assert_only_bad(enum attest_item item)
{
	assert_bad(item);
	for (unsigned i = 0; i < ATTEST_ITEMS; i++)
		if (i != item)
			assert_int_equal(m.result.item[i].state, ATTEST_GOOD);
}

/* The text with one digit changed, at its end. */
static const char *change(const char *digits)
{
	size_t bytes = strlen(digits);

	assert_true(bytes < sizeof(m.changed));
	memcpy(m.changed, digits, bytes + 1);
	m.changed[bytes - 1] = m.changed[bytes - 1] == '0' ? '1' : '0';
	return m.changed;
}

TEST_F(setup, NULL, test_good)
{
	assert_int_equal(check(), ATTEST_GOOD);
	assert_int_equal(m.result.resets, 1);
	attest_key_name(m.result.point, m.key[0]);
	m.want.list[ATTEST_KEYS] = (struct attest_digests){ m.key, 1 };
	hex_bytes(m.config[0], SHA256_BYTES, ATTESTED_HASH);
	m.want.list[ATTEST_CONFIGS] = (struct attest_digests){ m.config, 1 };
	assert_int_equal(check(), ATTEST_GOOD);
	assert_string_equal(attest_state_name(ATTEST_GOOD), "good");
}

TEST_F(setup, NULL, test_another_machine)
{
	check();
	memcpy(m.key[0], m.result.name, sizeof(m.key));
	m.key[0][31] ^= 1;
	m.want.list[ATTEST_KEYS] = (struct attest_digests){ m.key, 1 };
	assert_only_bad(ATTEST_KEY);
}

/* No accepted values are given: each check of the TPM is good, and nothing else. */
TEST_F(setup, NULL, test_any)
{
	m.want = (struct attest_want){ .list = { { NULL, 0 } } };
	assert_int_equal(check(), ATTEST_GOOD);
	assert_int_equal(m.result.starts, 1);
	assert_memory_equal(m.result.started[0], m.image[0], SHA256_BYTES);
	m.attest.started[0] = &ATTESTED_STARTED[ATTEST_DIGITS];
	assert_only_bad(ATTEST_IMAGE);
}

/* One digit of it is changed. */
static const char digit[] = "";

static const struct {
	const char **field, *to;
	enum attest_item bad;
	bool others; /* may be bad as well */
} changes[] = {
	{ &m.attest.key, digit, ATTEST_SIGNATURE, true },
	{ &m.attest.signature, digit, ATTEST_SIGNATURE, false },
	{ &m.attest.quote, digit, ATTEST_SIGNATURE, true },
	{ &m.attest.quote, digit, ATTEST_QUOTE, true },
	{ &m.attest.lines[1], ATTESTED_LINES, ATTEST_QUOTE, false },
	{ &m.end.verdict, "pass", ATTEST_RECORDS, false },
	{ &m.end.verdict, NULL, ATTEST_RECORDS, false },
	{ &m.begin.config, "mode=gaps", ATTEST_CONFIG, false },
	{ &m.attest.config, digit, ATTEST_CONFIG, false },
	{ &m.attest.config, NULL, ATTEST_CONFIG, false },
	{ &m.attest.values[7], digit, ATTEST_QUOTE, false },
	{ &m.attest.values[9], ATTESTED_HASH, ATTEST_QUOTE, true },
	{ &m.attest.values[8], NULL, ATTEST_QUOTE, true },
	/* PCR 4 reveals events that the log leaves out, or has in addition. */
	{ &m.attest.started[0], &ATTESTED_STARTED[ATTEST_DIGITS], ATTEST_IMAGE, false },
	{ &m.attest.started[1], &ATTESTED_STARTED[2 * ATTEST_DIGITS], ATTEST_IMAGE, false },
	{ &m.attest.started[0], NULL, ATTEST_IMAGE, false },
	{ &m.attest.started[0], &ATTESTED_STARTED[2], ATTEST_IMAGE, false },
};

TEST_F(setup, NULL, test_changes)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char **field = changes[i].field;

		setup();
		*field = changes[i].to == digit ? change(*field) : changes[i].to;
		print_message("change %zu\n", i);
		assert_bad(changes[i].bad);
		if (!changes[i].others)
			assert_only_bad(changes[i].bad);
	}
	setup();
	m.want.list[ATTEST_CONFIGS] = (struct attest_digests){ m.config, 1 };
	assert_only_bad(ATTEST_CONFIG);
}

/* A key that would sign anything is not one of noisefloor's. */
TEST_F(setup, NULL, test_key_is_not_restricted)
{
	memcpy(m.changed, ATTESTED_KEY, sizeof(ATTESTED_KEY));
	m.changed[11] = '4';
	m.attest.key = m.changed;
	assert_bad(ATTEST_KEY);
	assert_bad(ATTEST_SIGNATURE);
}

TEST_F(setup, NULL, test_another_run)
{
	m.run.sid++;
	assert_only_bad(ATTEST_QUOTE);
}

TEST_F(setup, NULL, test_other_records)
{
	m.run.lines[31] ^= 1;
	assert_only_bad(ATTEST_RECORDS);
}

/* If the digest matches these records, too, it is the quote that is of others. */
TEST_F(setup, NULL, test_other_records_and_digest)
{
	m.run.lines[31] ^= 1;
	m.attest.lines[0] = change(ATTESTED_LINES);
	hex_bytes(m.run.lines, sizeof(m.run.lines), m.changed);
	assert_only_bad(ATTEST_QUOTE);
}

TEST_F(setup, NULL, test_lines_behind_it)
{
	m.run.logs = 3;
	assert_int_equal(check(), ATTEST_GOOD);
	m.run.uncovered = 1;
	assert_only_bad(ATTEST_RECORDS);
}

TEST_F(setup, NULL, test_missing)
{
	m.run.missing = 1;
	assert_int_equal(check(), ATTEST_UNKNOWN);
	setup();
	m.run.end = NULL;
	assert_int_equal(check(), ATTEST_UNKNOWN);
	setup();
	m.run.begin = NULL;
	assert_int_equal(check(), ATTEST_UNKNOWN);
}

TEST_F(setup, NULL, test_another_image)
{
	m.image[0][0] ^= 1;
	assert_only_bad(ATTEST_IMAGE);
	/* The loader is an accepted image, but not an accepted loader. */
	memcpy(m.loader[0], m.image[0], SHA256_BYTES);
	m.loader[0][0] ^= 1;
	m.want.list[ATTEST_LOADERS] = (struct attest_digests){ m.loader, 1 };
	assert_only_bad(ATTEST_IMAGE);
}

/* The firmware has the machine back: a quote from then on is not the probe's. */
TEST_F(setup, NULL, test_returned)
{
	static const char back[] = "Returning from EFI Application from Boot Option";
	uint8_t value[SHA256_BYTES], by[SHA256_BYTES];
	static char digits[2][ATTEST_DIGITS + 1];
	struct text t;

	sha256(back, sizeof(back) - 1, by);
	hex_bytes(value, sizeof(value), m.attest.values[4]);
	attest_extend(value, by);
	text_init(&t, digits[0], sizeof(digits[0]));
	text_hex(&t, by, sizeof(by));
	text_init(&t, digits[1], sizeof(digits[1]));
	text_hex(&t, value, sizeof(value));
	m.attest.started[1] = digits[0];
	m.attest.values[4] = digits[1];
	assert_bad(ATTEST_IMAGE);
	assert_string_equal(m.result.item[ATTEST_IMAGE].why,
			    "it is not the last that PCR 4 was extended by");
}

/* Another program has extended PCR 15, or the probe in an earlier run since the reset. */
TEST_F(setup, NULL, test_extended_before)
{
	uint8_t value[SHA256_BYTES] = { 0 }, by[SHA256_BYTES];
	static char digits[ATTEST_DIGITS + 1];
	struct text t;

	hex_bytes(by, sizeof(by), ATTESTED_HASH);
	for (unsigned runs = 1; runs <= 2; runs++) {
		attest_extend(value, by);
		text_init(&t, digits, sizeof(digits));
		text_hex(&t, value, sizeof(value));
		m.attest.values[8] = digits;
		check();
		assert_int_equal(m.result.item[ATTEST_CONFIG].state,
				 runs == 1 ? ATTEST_GOOD : ATTEST_BAD);
	}
}

/* Hostile fields: nothing is read past their end, and nothing is good. */
TEST_F(setup, NULL, test_hostile)
{
	static const char *const nonsense[] = {
		NULL, "", "0", "zz", "00", "\x1b[2J", "0018000bffff", "ff54434780180022"
	};

	for (unsigned i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		const char **fields[] = { &m.attest.config,     &m.attest.lines[0],
					  &m.attest.started[0], &m.attest.values[0],
					  &m.attest.key,        &m.attest.quote,
					  &m.attest.signature };

		for (unsigned f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
			setup();
			*fields[f] = nonsense[i];
			assert_int_equal(check(), ATTEST_BAD);
		}
	}
}

TEST_F(setup, NULL, test_quote_cut)
{
	static const char quote[] = ATTESTED_QUOTE;

	for (size_t cut = 0; cut < sizeof(quote) - 1; cut++) {
		memcpy(m.changed, quote, cut);
		m.changed[cut] = '\0';
		m.attest.quote = m.changed;
		assert_bad(ATTEST_QUOTE);
	}
}
