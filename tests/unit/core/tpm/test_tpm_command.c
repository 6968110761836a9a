/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of commands, and responses of a TPM: whole, cut short, of another kind. */
#include "core/tpm/tpm_command.h"

#include "tests/unit/common/test.h"
#include "tests/unit/hex_bytes.h"
#include "tests/unit/tpm_answers.h"

#include <stdlib.h>
#include <string.h>

#define KEY  0x80000000u
#define PCRS 0x80ffu

static const uint8_t data[SHA256_BYTES] = { [0 ... SHA256_BYTES - 1] = 0xab };

static void assert_bytes(const uint8_t *bytes, size_t count, const char *digits)
{
	uint8_t expected[TPM_COMMAND_MAX];

	assert_int_equal(count, hex_bytes(expected, sizeof(expected), digits));
	assert_memory_equal(bytes, expected, count);
}

TEST(test_commands)
{
	uint8_t out[TPM_COMMAND_MAX];

	assert_bytes(out, tpm_put_extend(out, 15, data), TPM_SENT_EXTEND);
	assert_bytes(out, tpm_put_read(out, 0xff), TPM_SENT_READ_LOW);
	assert_bytes(out, tpm_put_read(out, 0x8000), TPM_SENT_READ_15);
	assert_bytes(out, tpm_put_create(out), TPM_SENT_CREATE);
	assert_bytes(out, tpm_put_quote(out, KEY, data, PCRS), TPM_SENT_QUOTE);
	assert_bytes(out, tpm_put_flush(out, KEY), TPM_SENT_FLUSH);
}

/* Take everything that a response of any kind can have. Returns how many of the kinds it was. */
static unsigned take_all(const uint8_t *in, size_t bytes)
{
	uint8_t value[TPM_PCRS][SHA256_BYTES];
	struct tpm_bytes one, two;
	uint32_t number;

	return tpm_take_read(in, bytes, &number, value) +
	       tpm_take_create(in, bytes, &number, &one) + tpm_take_quote(in, bytes, &one, &two);
}

TEST(test_read)
{
	uint8_t in[TPM_RESPONSE_MAX], value[TPM_PCRS][SHA256_BYTES], expected[SHA256_BYTES];
	size_t bytes = hex_bytes(in, sizeof(in), TPM_ANSWER_READ_15);
	uint8_t start[2 * SHA256_BYTES] = { 0 };
	uint32_t pcrs;

	assert_true(tpm_take_read(in, bytes, &pcrs, value));
	assert_int_equal(pcrs, 0x8000);
	memcpy(start + SHA256_BYTES, data, SHA256_BYTES);
	sha256(start, sizeof(start), expected);
	assert_memory_equal(value[0], expected, SHA256_BYTES);
	bytes = hex_bytes(in, sizeof(in), TPM_ANSWER_READ_LOW);
	assert_true(tpm_take_read(in, bytes, &pcrs, value));
	assert_int_equal(pcrs, 0xff);
}

/* If the TPM does not have the bank, its response selects no register. */
TEST(test_read_nothing)
{
	uint8_t in[TPM_RESPONSE_MAX], value[TPM_PCRS][SHA256_BYTES];
	size_t bytes = hex_bytes(in, sizeof(in),
				 "80010000001c000000000000001500000001000b0300000000000000");
	uint32_t pcrs;

	assert_int_equal(bytes, 28);
	assert_false(tpm_take_read(in, bytes, &pcrs, value));
}

TEST(test_create)
{
	uint8_t in[TPM_RESPONSE_MAX];
	size_t bytes = hex_bytes(in, sizeof(in), TPM_ANSWER_CREATE);
	struct tpm_bytes key;
	uint32_t handle;

	assert_true(tpm_take_create(in, bytes, &handle, &key));
	assert_int_equal(handle, KEY);
	assert_int_equal(key.bytes, TPM_KEY_BYTES);
	/* Another key: not restricted, or for encryption. */
	in[20 + 5] ^= 1;
	assert_false(tpm_take_create(in, bytes, &handle, &key));
	in[20 + 5] ^= 1;
	in[20 + TPM_KEY_TEMPLATE + 1]--;
	assert_false(tpm_take_create(in, bytes, &handle, &key));
}

TEST(test_quote)
{
	uint8_t in[TPM_RESPONSE_MAX];
	size_t bytes = hex_bytes(in, sizeof(in), TPM_ANSWER_QUOTE);
	struct tpm_bytes quote, signature;

	assert_true(tpm_take_quote(in, bytes, &quote, &signature));
	assert_memory_equal(quote.at, "\xffTCG\x80\x18", 6);
	assert_int_equal(quote.bytes, 0x91);
	assert_ptr_equal(signature.at, quote.at + quote.bytes);
	assert_int_equal(signature.bytes, 2 + 2 + 2 + 32 + 2 + 32);
	/* RSA */
	in[16 + 0x91 + 1] = 0x14;
	assert_false(tpm_take_quote(in, bytes, &quote, &signature));
}

/* A response that asks to retry has no contents; nor has one of another tag or length. */
TEST(test_code)
{
	uint8_t in[TPM_HEAD];

	hex_bytes(in, sizeof(in), "80010000000a00000922");
	assert_int_equal(tpm_code(in), TPM_RC_RETRY);
	assert_int_equal(tpm_size(in), sizeof(in));
	assert_int_equal(take_all(in, sizeof(in)), 0);
	in[1] = 3;
	assert_int_equal(tpm_size(in), 0);
	in[1] = 1;
	in[5] = TPM_HEAD - 1;
	assert_int_equal(tpm_size(in), 0);
}

static const char *const answers[] = { TPM_ANSWER_EXTEND, TPM_ANSWER_READ_LOW, TPM_ANSWER_READ_15,
				       TPM_ANSWER_CREATE, TPM_ANSWER_QUOTE,    TPM_ANSWER_FLUSH };

/* In a block of its own size: the sanitizer sees a byte too far. */
static unsigned take_copy(const uint8_t *in, size_t bytes)
{
	uint8_t *copy = malloc(bytes + !bytes);
	unsigned taken;

	assert_non_null(copy);
	memcpy(copy, in, bytes);
	taken = take_all(copy, bytes);
	free(copy);
	return taken;
}

TEST(test_cut)
{
	for (unsigned i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		uint8_t in[TPM_RESPONSE_MAX];
		size_t bytes = hex_bytes(in, sizeof(in), answers[i]);

		for (size_t cut = 0; cut < bytes; cut++)
			assert_int_equal(take_copy(in, cut), 0);
	}
}
