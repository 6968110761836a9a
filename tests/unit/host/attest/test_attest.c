/* SPDX-License-Identifier: BSD-2-Clause */
/* The command: a run that was attested, by which files, and what is refused with which code. */
#include "host/attest/attest.h"
#include "host/lib/output_file.h"
#include "host/subcommands.h"

#include "core/lib/bytes.h"
#include "tests/unit/command.h"

#define RUN_FILE "tests/data/attest/run.jsonl"
#define KEY_FILE "tests/data/attest/key.pem"

/* Files of command.h: an image that the machine did not start, and files made here. */
#define IMAGE path[0]
#define OTHER path[1]
#define MADE  path[2]

#define ATTEST(...) RUN(&attest_subcommand, "attest", __VA_ARGS__)

static void begin(void)
{
	uint8_t image[0x400] = "MZ";

	make_folder();
	bytes_put_le32(image + 60, 0x80);
	memcpy(image + 0x80, "PE\0\0", 4);
	bytes_put_le16(image + 0x80 + 20, 240);
	bytes_put_le16(image + 0x80 + 24, 0x20b);
	bytes_put_le32(image + 0x80 + 24 + 60, sizeof(image));
	bytes_put_le32(image + 0x80 + 24 + 108, 16);
	assert_int_equal(output_file_write(IMAGE, 0600, image, sizeof(image)), 0);
}

TEST_F(begin, remove_folder, test_another_image)
{
	assert_int_equal(ATTEST("--image", IMAGE, "--key", KEY_FILE, RUN_FILE), 1);
	assert_in(out, "run e3f53e946958efeb: not attested\n");
	assert_in(out, "  signature  good     the key's, of the quote\n");
	assert_in(out, "  records    good     20 lines, as quoted; not covered: the end\n");
	assert_in(out, "  image      bad      the firmware started ");
	assert_string_equal(err, "");
}

/* A key is not enrolled by a run that is not attested. */
TEST_F(begin, remove_folder, test_nothing_is_enrolled)
{
	assert_int_equal(ATTEST("--image", IMAGE, "--enroll", MADE, RUN_FILE), 1);
	assert_int_not_equal(access(MADE, F_OK), 0);
}

TEST_F(begin, remove_folder, test_options)
{
	assert_int_equal(ATTEST("--image", IMAGE, RUN_FILE), 2);
	assert_in(err, "attest: accepted: either --key FILE");
	assert_int_equal(ATTEST("--image", IMAGE, "--key", KEY_FILE, "--enroll", MADE, RUN_FILE),
			 2);
	assert_int_equal(ATTEST("--key", KEY_FILE, RUN_FILE), 2);
	assert_int_equal(ATTEST("--image", IMAGE, "--key", KEY_FILE, "--config", "12", RUN_FILE),
			 2);
	assert_in(err, "attest: --config 12: not a SHA-256; accepted: 64 hex digits\n");
	assert_string_equal(out, "");
}

/*
 * Digits may be upper or lower case, as in a policy; a digest that differs by one digit is another.
 */
TEST_F(begin, remove_folder, test_config)
{
	assert_int_equal(ATTEST("--image", IMAGE, "--key", KEY_FILE, "--config",
				"AD510345B336747784ABE4CCE3C7FC7EDE07F57DFF3E21AC77534E4803E0074E",
				RUN_FILE),
			 1);
	assert_in(out, "  config     good     ad510345");
	assert_int_equal(ATTEST("--image", IMAGE, "--key", KEY_FILE, "--config",
				"AD510345B336747784ABE4CCE3C7FC7EDE07F57DFF3E21AC77534E4803E0074F",
				RUN_FILE),
			 1);
	assert_in(out, "  config     bad      it is not one that is accepted\n");
}

TEST_F(begin, remove_folder, test_files)
{
	assert_int_equal(output_file_write(OTHER, 0600, "nothing", 7), 0);
	assert_int_equal(ATTEST("--image", OTHER, "--key", KEY_FILE, RUN_FILE), 2);
	assert_in(err, ": not a 64-bit EFI image\n");
	assert_int_equal(ATTEST("--image", MADE, "--key", KEY_FILE, RUN_FILE), 2);
	assert_in(err, ": No such file or directory\n");
	assert_int_equal(ATTEST("--image", IMAGE, "--key", OTHER, RUN_FILE), 2);
	assert_in(err, ": not a public key; accepted: PEM, of P-256, as --enroll writes it\n");
	assert_int_equal(ATTEST("--image", IMAGE, "--key", KEY_FILE, MADE), 2);
}

/* A run without attestation has no error: it cannot be attested. */
TEST_F(begin, remove_folder, test_no_attestation)
{
	assert_int_equal(ATTEST("--image", IMAGE, "--key", KEY_FILE, "tests/data/runs/quiet.log"),
			 3);
	assert_in(err, " has no attestation\n");
	assert_string_equal(out, "");
}
