/* SPDX-License-Identifier: BSD-2-Clause */
/* Load options, in the forms in which firmware, boot loaders and shells pass them. */
#include "core/config/config.h"
#include "efi/load_options.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/reported.h"

static const struct {
	const char *bytes;
	size_t count;
	const char *text; /* NULL: refused */
} forms[] = {
	{ "", 0, "" },
	{ "\0", 1, "" },
	{ "\0\0\0\0", 4, "" },
	{ "a=1", 3, "a=1" },
	{ "a=1\0", 4, "a=1" },
	{ "a=12\0", 5, "a=12" },
	{ "a=1\0\0\0\0", 7, "a=1" },
	{ "a=1\tb=2\r\n", 9, "a=1\tb=2\r\n" },
	{ "a", 1, "a" },
	{ "a\0", 2, "a" },
	{ "a\0=\0001\0", 6, "a=1" },
	{ "a\0=\0001\0\0\0", 8, "a=1" },
	{ "a\0=\0001\0\0\0\0\0", 10, "a=1" },
	{ "a\0\0\0b\0", 6, NULL },
	{ "\xe4=1", 3, NULL },
	{ "\xc3\xa4=1", 4, NULL },
	{ "a\0\xe4\0=\0001\0", 8, "a\xe4=1" }, /* the key is refused later */
	{ "\xb5\0=\0001\0", 6, "\xb5=1" },     /* a micro sign */
	{ "a\0\x2d\x4e\x20\0", 6, NULL },
	{ "\x2d\x4e\x87\x65", 4, NULL },
	/* Garbage that firmware leaves there, with a '=' in it by chance. */
	{ "\x4e\xac\x08\x81\x11\x9f\x59=\x85\x0e\xe2", 11, NULL },
	{ "a=1\x01", 4, NULL },
	{ "a=\0b", 4, NULL },
	{ "=\0\x01\x4e", 4, NULL },
};

TEST(test_forms)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char *out = malloc(forms[i].count + 1);
		char *in = malloc(forms[i].count + 1);
		size_t bytes = 99;

		memcpy(in, forms[i].bytes, forms[i].count);
		if (load_options_read(in, forms[i].count, out, forms[i].count + 1, &bytes) !=
		    (forms[i].text != NULL))
			fail_msg("row %zu", i);
		assert_int_equal(bytes, forms[i].text ? strlen(forms[i].text) : 0);
		if (forms[i].text)
			assert_memory_equal(out, forms[i].text, bytes);
		free(in);
		free(out);
	}
}

TEST(test_room)
{
	char out[4];
	size_t bytes;

	assert_true(load_options_read("a=12", 4, out, 4, &bytes));
	assert_int_equal(bytes, 4);
	assert_false(load_options_read("a=123", 5, out, 4, &bytes));
	assert_int_equal(bytes, 0);
}

/* Load options of boot loaders and shells: with or without the image's name in front. */
static const struct {
	const char *text;
	bool is_utf16;
	unsigned duration_s;
} loaders[] = {
	{ "noisefloor.efi duration=5s live=no", true, 5 },    /* iPXE */
	{ "noisefloor.efi", true, 60 },                       /* iPXE */
	{ "noisefloor.efi ", true, 60 },                      /* iPXE */
	{ "duration=5s live=no", true, 5 },                   /* GRUB */
	{ "FS0:\\EFI\\noisefloor.efi duration=5s", true, 5 }, /* EFI shell */
	{ "duration=5s live=no", false, 5 },                  /* efibootmgr */
	{ "", true, 60 },                                     /* firmware */
};

TEST(test_boot_loaders)
{
	static const struct config_source source = { "load options", true };
	static struct reported reported;
	static struct config config;

	for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++) {
		size_t count = strlen(loaders[i].text) + 1, bytes;
		char in[128] = "", text[64];

		config_defaults(&config);
		for (size_t n = 0; n < count; n++)
			in[loaders[i].is_utf16 ? 2 * n : n] = loaders[i].text[n];
		assert_true(load_options_read(in, loaders[i].is_utf16 ? 2 * count : count, text,
					      sizeof(text), &bytes));
		config_apply(&config, &source, text, bytes, reported_add, &reported);
		assert_int_equal(reported.count, 0);
		assert_int_equal(config.duration_ns, loaders[i].duration_s * UINT64_C(1000000000));
	}
}
