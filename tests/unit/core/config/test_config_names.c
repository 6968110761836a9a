/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of configuration files: which, in what order, and that none leaves its folder. */
#include "core/config/config_names.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define UUID "4c4c4544-0042-3510-8052-b4c04f4e3132"

static const uint8_t mac[] = { 0x52, 0x54, 0x00, 0xAB, 0xCD, 0x0E };
static struct config_names names;

TEST(test_all)
{
	const struct smbios_info smbios = { .uuid = UUID, .board = "X11DPH-T" };

	config_names(&names, "noisefloor.efi", &smbios, mac);
	assert_int_equal(names.count, 4);
	assert_string_equal(names.name[0], "noisefloor/" UUID ".conf");
	assert_string_equal(names.name[1], "noisefloor/01-52-54-00-ab-cd-0e.conf");
	assert_string_equal(names.name[2], "noisefloor/X11DPH-T.conf");
	assert_string_equal(names.name[3], "noisefloor.conf");
}

TEST(test_what_is_not_known)
{
	const struct smbios_info smbios = { .uuid = "" };

	config_names(&names, "", &smbios, NULL);
	assert_int_equal(names.count, 1);
	assert_string_equal(names.name[0], "noisefloor.conf");
}

TEST(test_folders)
{
	static const char *const rows[][2] = {
		{ "noisefloor.efi", "noisefloor.conf" },
		{ "/noisefloor.efi", "/noisefloor.conf" },
		{ "images/x86/noisefloor.efi", "images/x86/noisefloor.conf" },
		{ "boot\\x64\\nf.efi", "boot\\x64\\noisefloor.conf" },
		{ "images/", "images/noisefloor.conf" },
		{ "http://10.0.0.1/images/nf.efi", "noisefloor.conf" },
		{ "tftp://10.0.0.1/nf.efi", "noisefloor.conf" },
		{ "a:b/nf.efi", "a:b/noisefloor.conf" },
	};
	const struct smbios_info smbios = { .uuid = "" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		config_names(&names, rows[i][0], &smbios, NULL);
		assert_string_equal(names.name[0], rows[i][1]);
	}
}

/* Firmware may call a board anything. */
TEST(test_hostile_boards)
{
	static const char *const rows[][2] = {
		{ "../../etc/passwd", "_._.._etc_passwd" },
		{ "..", "_." },
		{ ".hidden", "_hidden" },
		{ "a/b\\c", "a_b_c" },
		{ "Two Words", "Two_Words" },
		{ "a\tb\nc\x7f\xc3", "a_b_c__" },
		{ "%2e%2e?*:;|&$`'\"<>", "_2e_2e____________" },
		{ "0B123_v1.2-A", "0B123_v1.2-A" },
		{ "/", "_" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct smbios_info smbios = { .uuid = "" };
		char wanted[128] = "dir/noisefloor/";

		strcpy(smbios.board, rows[i][0]);
		strcat(strcat(wanted, rows[i][1]), ".conf");
		config_names(&names, "dir/nf.efi", &smbios, NULL);
		assert_int_equal(names.count, 2);
		assert_string_equal(names.name[0], wanted);
	}
}

/* The longest of all is not cut. */
TEST(test_longest)
{
	struct smbios_info smbios = { .uuid = UUID };
	char file[DHCP_FILE_MAX + 1];

	memset(file, 'd', sizeof(file) - 1);
	file[sizeof(file) - 2] = '/';
	file[sizeof(file) - 1] = '\0';
	memset(smbios.board, 'b', SMBIOS_STRING_MAX);
	config_names(&names, file, &smbios, mac);
	assert_int_equal(names.count, 4);
	for (unsigned i = 0; i < names.count; i++)
		assert_string_equal(names.name[i] + strlen(names.name[i]) - 5, ".conf");
	assert_int_equal(strlen(names.name[2]), 255 + 11 + 64 + 5);
}
