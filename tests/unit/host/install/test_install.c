/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor install`, `once`, `uninstall` on a folder as partition and a script as efibootmgr. */
#include "host/install/boot_entry.h"
#include "host/subcommands.h"

#include "tests/unit/command.h"

#include <sys/stat.h>

static char esp[96], program[96], image[96], efivars[96], printed[96], entries[96], conf[160];

static void write_file(const char *name, const char *text, size_t bytes)
{
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, bytes, f), bytes);
	assert_int_equal(fclose(f), 0);
}

static const char *at(const char *root, const char *name)
{
	static char full[256];

	snprintf(full, sizeof(full), "%s/%s", root, name);
	return full;
}

/* It lists what is in `entries`, and logs its arguments. */
static void write_program(void)
{
	char script[600];

	snprintf(script, sizeof(script),
		 "#!/bin/sh\n"
		 "[ $# = 0 ] && { cat %s; exit 0; }\n"
		 "printf '%%s\\n' \"$*\" >>%s\n"
		 "case \"$*\" in *--delete-bootnum*) : >%s ;;\n"
		 "*--create-only*) echo 'Boot0007* noisefloor' >>%s ;; esac\n",
		 entries, printed, entries, entries);
	write_file(program, script, strlen(script));
	chmod(program, 0700);
}

static void remove_all(void)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -rf '%s'/*", folder);
	assert_int_equal(system(command), 0);
}

#define IMAGE_BYTES 512

static int begin(void **state)
{
	static char pe[IMAGE_BYTES];

	(void)state;
	remove_all();
	mkdir(esp, 0700);
	mkdir(efivars, 0700);
	memcpy(pe, "MZ", 2);
	pe[60] = 64;
	memcpy(pe + 64, "PE\0\0\x64\x86", 6);
	pe[64 + 24 + 68] = 10;
	write_file(image, pe, sizeof(pe));
	write_file(entries, "BootCurrent: 0001\nBoot0001* debian\tHD(1)\n", 41);
	write_file(printed, "", 0);
	write_program();
	return 0;
}

#define ON_FOLDER "--esp", esp, "--efibootmgr", program

#define INSTALL(...)                                                                           \
	RUN(&install_subcommand, "install", ON_FOLDER, "--image", image, "--disk", "/dev/sdx", \
	    "--part", "3", ##__VA_ARGS__)
#define ONCE(...)      RUN(&once_subcommand, "once", ON_FOLDER, "--efivars", efivars, ##__VA_ARGS__)
#define UNINSTALL(...) RUN(&uninstall_subcommand, "uninstall", ON_FOLDER, ##__VA_ARGS__)

static void assert_printed(const char *wanted)
{
	load(printed, out);
	assert_string_equal(out, wanted);
}

#define CREATED                                                              \
	"--quiet --create-only --disk /dev/sdx --part 3 --label noisefloor " \
	"--loader \\EFI\\noisefloor\\noisefloor.efi\n"

static void test_install(void **state)
{
	static char copy[2 * IMAGE_BYTES], original[2 * IMAGE_BYTES];

	(void)state;
	assert_int_equal(INSTALL(), 0);
	assert_printed(CREATED);
	assert_int_equal(load(at(esp, "EFI/noisefloor/noisefloor.efi"), copy), IMAGE_BYTES);
	load(image, original);
	assert_memory_equal(copy, original, IMAGE_BYTES);
	assert_true(access(at(esp, "EFI/noisefloor/noisefloor.efi.part"), F_OK) != 0);
}

/* A new version in the place of the old one; its entry stays. */
static void test_install_again(void **state)
{
	(void)state;
	assert_int_equal(INSTALL(), 0);
	assert_int_equal(INSTALL(), 0);
	assert_printed(CREATED);
}

static void test_once(void **state)
{
	(void)state;
	assert_int_equal(INSTALL(), 0);
	assert_int_equal(ONCE("duration=10m", "max=20us"), 0);
	assert_printed(CREATED "--quiet --bootnext 0007\n");
	load(conf, out);
	assert_string_equal(out, "# Written by `noisefloor once`.\nsave=nvram then=reset\n"
				 "duration=10m\nmax=20us\n");
	/* Its own file it may write over. */
	assert_int_equal(ONCE(), 0);
	load(conf, out);
	assert_string_equal(out, "# Written by `noisefloor once`.\nsave=nvram then=reset\n");
}

static void test_once_refuses_bad_keys(void **state)
{
	static const char *const bad[][2] = {
		{ "duration=10", "needs a unit" },
		{ "duratoin=10s", "duratoin" },
		{ "threshold=10us max=1us", "max" },
		{ "cpus=4000", "4000" },
		{ "duration=10s # max=1us", "may not hold #" },
		{ "duration=10s\nthen=halt", "end of line" },
		{ "caf\xc3\xa9=1", "command line" },
	};

	(void)state;
	assert_int_equal(INSTALL(), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(ONCE(bad[i][0]), 2);
		assert_in(err, bad[i][1]);
		assert_true(access(conf, F_OK) != 0);
	}
	assert_printed(CREATED);
}

static void test_once_leaves_a_persons_file_alone(void **state)
{
	(void)state;
	assert_int_equal(INSTALL(), 0);
	write_file(conf, "duration=1h\n", 12);
	assert_int_equal(ONCE("duration=10s"), 2);
	assert_in(err, "is not of `noisefloor once`");
	assert_int_equal(UNINSTALL(), 2);
	load(conf, out);
	assert_string_equal(out, "duration=1h\n");
}

static void test_once_without_install(void **state)
{
	(void)state;
	assert_int_equal(ONCE(), 2);
	assert_in(err, "`noisefloor install` puts it there");
	assert_int_equal(INSTALL(), 0);
	write_file(entries, "Boot0001* debian\n", 17);
	assert_int_equal(ONCE(), 2);
	assert_in(err, "`noisefloor install` makes it");
}

/* The next start would harvest it and measure nothing. */
static void test_once_with_a_report_that_waits(void **state)
{
	(void)state;
	assert_int_equal(INSTALL(), 0);
	write_file(at(efivars, "NoisefloorReport0-77cca71c-9cb0-422d-9cb0-be2977edbfe7"), "x", 1);
	assert_int_equal(ONCE(), 2);
	assert_in(err, "`noisefloor harvest --delete`");
}

static void test_uninstall(void **state)
{
	(void)state;
	assert_int_equal(INSTALL(), 0);
	assert_int_equal(ONCE(), 0);
	assert_int_equal(UNINSTALL(), 0);
	assert_printed(CREATED
		       "--quiet --bootnext 0007\n--quiet --bootnum 0007 --delete-bootnum\n");
	assert_true(access(at(esp, "EFI/noisefloor"), F_OK) != 0);
	assert_true(access(at(esp, "EFI"), F_OK) == 0);
	/* Nothing is left to do. */
	assert_int_equal(UNINSTALL(), 0);
}

static void test_bad_images(void **state)
{
	(void)state;
	write_file(image, "MZ, but not much of it", 22);
	assert_int_equal(INSTALL(), 2);
	assert_in(err, "not a UEFI application for x86-64");
	unlink(image);
	assert_int_equal(INSTALL(), 2);
	assert_in(err, "No such file");
	assert_true(access(at(esp, "EFI"), F_OK) != 0);
	assert_printed("");
}

static void test_bad_places(void **state)
{
	(void)state;
	assert_int_equal(RUN(&install_subcommand, "install", "--esp", "/nowhere", "--image", image),
			 2);
	assert_in(err, "/nowhere: No such file");
	assert_int_equal(RUN(&install_subcommand, "install", "--esp", image, "--image", image), 2);
	assert_in(err, "Not a directory");
	assert_int_equal(RUN(&install_subcommand, "install", "--esp", esp, "--image", image,
			     "--efibootmgr", "/nowhere/efibootmgr"),
			 2);
	assert_in(err, "/nowhere/efibootmgr");
	/* /dev/null's folder is no partition. */
	assert_int_equal(RUN(&install_subcommand, "install", "--esp", "/proc", "--image", image,
			     "--efibootmgr", program),
			 2);
}

static void test_a_program_that_fails(void **state)
{
	(void)state;
	write_file(program, "#!/bin/sh\nexit 5\n", 17);
	assert_int_equal(INSTALL(), 2);
	assert_in(err, "failed");
	assert_int_equal(UNINSTALL(), 2);
	assert_int_equal(ONCE(), 2);
}

static void test_bad_usage(void **state)
{
	(void)state;
	assert_int_equal(INSTALL("word"), 2);
	assert_in(err, "extra argument word");
	assert_int_equal(UNINSTALL("word"), 2);
	assert_int_equal(RUN(&once_subcommand, "once", "--nonsense"), 2);
	assert_int_equal(RUN(&once_subcommand, "once", "--help"), 0);
	assert_in(out, "usage: noisefloor once");
	assert_int_equal(RUN(&install_subcommand, "install", "--help"), 0);
	assert_int_equal(RUN(&uninstall_subcommand, "uninstall", "--help"), 0);
}

static void test_lines_of_efibootmgr(void **state)
{
	static const struct {
		const char *line;
		int number;
	} cases[] = {
		{ "Boot0003* noisefloor\n", 3 },
		{ "Boot00AF* noisefloor\tHD(1,GPT)/\\EFI\\noisefloor\n", 0xaf },
		{ "Boot0003  noisefloor", 3 }, /* not active */
		{ "Boot0003* noisefloor2\n", BOOT_ENTRY_NONE },
		{ "Boot0003* my noisefloor\n", BOOT_ENTRY_NONE },
		{ "Boot0003*noisefloor\n", BOOT_ENTRY_NONE },
		{ "Boot3* noisefloor\n", BOOT_ENTRY_NONE },
		{ "BootCurrent: 0003\n", BOOT_ENTRY_NONE },
		{ "BootOrder: 0003,0001\n", BOOT_ENTRY_NONE },
		{ "Timeout: 3 seconds\n", BOOT_ENTRY_NONE },
		{ "", BOOT_ENTRY_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(boot_entry_parse(cases[i].line), cases[i].number);
}

#define ON(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(test_install),
		ON(test_install_again),
		ON(test_once),
		ON(test_once_refuses_bad_keys),
		ON(test_once_leaves_a_persons_file_alone),
		ON(test_once_without_install),
		ON(test_once_with_a_report_that_waits),
		ON(test_uninstall),
		ON(test_bad_images),
		ON(test_bad_places),
		ON(test_a_program_that_fails),
		ON(test_bad_usage),
		ON(test_lines_of_efibootmgr),
	};
	int failed;

	if (make_folder(NULL))
		return 1;
	snprintf(esp, sizeof(esp), "%s/esp", folder);
	snprintf(program, sizeof(program), "%s/efibootmgr", folder);
	snprintf(image, sizeof(image), "%s/noisefloor.efi", folder);
	snprintf(efivars, sizeof(efivars), "%s/efivars", folder);
	snprintf(printed, sizeof(printed), "%s/printed", folder);
	snprintf(entries, sizeof(entries), "%s/entries", folder);
	snprintf(conf, sizeof(conf), "%s/EFI/noisefloor/noisefloor.conf", esp);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	remove_all();
	remove_folder(NULL);
	return failed;
}
