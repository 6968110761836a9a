/* SPDX-License-Identifier: BSD-2-Clause */
/* FIPS 180-4's own examples, and lengths around a block; as coreutils' sha256sum has them. */
#include "core/lib/sha256.h"

#include "tests/unit/common/test.h"

#include <stdio.h>
#include <string.h>

static const struct {
	unsigned count; /* number of letters a; 0: `text` */
	const char *text, *digest;
} examples[] = {
	{ 0, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ 0, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ 0, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ 55, NULL, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
	{ 56, NULL, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
	{ 63, NULL, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
	{ 64, NULL, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
	{ 65, NULL, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
	{ 1000, NULL, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3" },
};

static void assert_digest(const uint8_t digest[SHA256_BYTES], const char *expected)
{
	char digits[2 * SHA256_BYTES + 1];

	for (unsigned n = 0; n < SHA256_BYTES; n++)
		snprintf(digits + 2 * n, 3, "%02x", digest[n]);
	assert_string_equal(digits, expected);
}

TEST(test_examples)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		char text[1000];
		const char *from = examples[i].text ? examples[i].text : text;
		uint8_t digest[SHA256_BYTES];

		memset(text, 'a', sizeof(text));
		sha256(from, examples[i].text ? strlen(from) : examples[i].count, digest);
		assert_digest(digest, examples[i].digest);
	}
}

/* FIPS 180-4's long example: a million letters a, in pieces that do not fit a block. */
TEST(test_pieces)
{
	char text[997];
	uint8_t digest[SHA256_BYTES];
	struct sha256 s;

	memset(text, 'a', sizeof(text));
	sha256_start(&s);
	for (size_t left = 1000000, piece = 1; left; left -= piece) {
		piece = piece * 7 % sizeof(text) + 1;
		if (piece > left)
			piece = left;
		sha256_add(&s, text, piece);
	}
	sha256_end(&s, digest);
	assert_digest(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* A copy goes on by itself. */
TEST(test_copy)
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 s, copy;

	sha256_start(&s);
	sha256_add(&s, "ab", 2);
	copy = s;
	sha256_add(&copy, "x", 1);
	sha256_add(&s, "c", 1);
	sha256_end(&s, digest);
	assert_digest(digest, examples[1].digest);
}
