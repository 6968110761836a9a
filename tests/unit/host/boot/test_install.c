/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor boot install`, `once`, `remove` on a folder as partition and a script as efibootmgr.
 */
#include "host/boot/boot.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"

#include <sys/stat.h>

#define GLOBAL "8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define GUID_A "11111111-2222-3333-4444-555555555555"
#define GUID_B "99999999-2222-3333-4444-555555555555"
#define LOADER "\\EFI\\noisefloor\\noisefloor.efi"
/* An entry as printed by efibootmgr 17. */
#define ENTRY(number, guid, file) \
	"Boot" number "* noisefloor\tHD(3,GPT," guid ",0x800,0x32000)/File(" file ")"
#define MADE ENTRY("0007", GUID_A, LOADER)

static char esp[96], program[96], image[96], efivars[96], printed[96], entries[96], conf[160];

static const char *full_name(const char *root, const char *name)
{
	static char full[256];

	snprintf(full, sizeof(full), "%s/%s", root, name);
	return full;
}

/* Write an efibootmgr that lists the contents of `entries`, and logs its arguments. */
static void write_program(void)
{
	char script[1000];

	snprintf(script, sizeof(script),
		 "#!/bin/sh\n"
		 "[ \"$*\" = --verbose ] && { cat %s; exit 0; }\n"
		 "printf '%%s\\n' \"$*\" >>%s\n"
		 "case \"$*\" in *--delete-bootnum*) : >%s ;;\n"
		 "*--create-only*) printf '%%s\\n' '" MADE "' >>%s ;; esac\n",
		 entries, printed, entries, entries);
	save_text(program, script);
	chmod(program, 0700);
}

#define IMAGE_BYTES 512

static void begin(void)
{
	static char pe[IMAGE_BYTES];

	assert_int_equal(empty_folder(), 0);
	mkdir(esp, 0700);
	mkdir(efivars, 0700);
	memcpy(pe, "MZ", 2);
	pe[60] = 64;
	memcpy(pe + 64, "PE\0\0\x64\x86", 6);
	pe[64 + 24] = 0x0b;
	pe[64 + 24 + 1] = 2;
	pe[64 + 24 + 68] = 10;
	pe[64 + 24 + 108] = 16;
	write_file(image, pe, sizeof(pe));
	write_file(entries, "BootCurrent: 0001\nBootOrder: 0001,0004\nBoot0001* debian\tHD(1)\n",
		   62);
	write_file(printed, "", 0);
	write_program();
}

#define ON_FOLDER "--esp", esp, "--efibootmgr", program, "--efivars", efivars

#define INSTALL(...)                                                                               \
	RUN(&boot_install, "install", ON_FOLDER, "--image", image, "--disk", "/dev/sdx", "--part", \
	    "3", ##__VA_ARGS__)
#define ONCE(...)   RUN(&boot_once, "once", ON_FOLDER, ##__VA_ARGS__)
#define REMOVE(...) RUN(&boot_remove, "remove", ON_FOLDER, ##__VA_ARGS__)

static void assert_printed(const char *wanted)
{
	load(printed, out);
	assert_string_equal(out, wanted);
}

#define CREATED                                                              \
	"--quiet --create-only --disk /dev/sdx --part 3 --label noisefloor " \
	"--loader \\EFI\\noisefloor\\noisefloor.efi\n"

TEST_F(begin, NULL, test_install)
{
	static char copy[2 * IMAGE_BYTES], original[2 * IMAGE_BYTES];

	assert_int_equal(INSTALL(), 0);
	assert_printed(CREATED);
	assert_int_equal(load(full_name(esp, "EFI/noisefloor/noisefloor.efi"), copy), IMAGE_BYTES);
	load(image, original);
	assert_memory_equal(copy, original, IMAGE_BYTES);
	assert_true(access(full_name(esp, "EFI/noisefloor/noisefloor.efi.part"), F_OK) != 0);
}

/* A new version in the place of the old one; its entry stays. */
TEST_F(begin, NULL, test_install_again)
{
	assert_int_equal(INSTALL(), 0);
	assert_int_equal(INSTALL(), 0);
	assert_printed(CREATED);
}

TEST_F(begin, NULL, test_once)
{
	char part[200];
	struct stat st;

	assert_int_equal(INSTALL(), 0);
	assert_int_equal(ONCE("duration=10m", "max=20us"), 0);
	assert_printed(CREATED "--quiet --bootnext 0007\n");
	load(conf, out);
	assert_string_equal(out, "# Written by `noisefloor boot once`.\nsave=nvram then=reset\n"
				 "duration=10m\nmax=20us\n");
	assert_int_equal(stat(conf, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* The command may replace its own file only, and follows no link in its place. */
	snprintf(part, sizeof(part), "%s.part", conf);
	assert_int_equal(symlink(full_name(folder, "victim"), part), 0);
	assert_int_equal(ONCE(), 0);
	load(conf, out);
	assert_string_equal(out, "# Written by `noisefloor boot once`.\nsave=nvram then=reset\n");
	assert_true(access(full_name(folder, "victim"), F_OK) != 0);
}

/* Arguments are seen by everybody; a file need not be. */
TEST_F(begin, NULL, test_once_with_a_key_in_a_file)
{
	static const char digits[] = "00112233445566778899aabbccddeeff";
	char word[200];

	assert_int_equal(INSTALL(), 0);
	snprintf(word, sizeof(word), "key=@%s", full_name(folder, "key"));
	assert_int_equal(ONCE(word), 2);
	assert_in(err, "once: key ");
	assert_in(err, "No such file");
	write_file(full_name(folder, "key"), digits, sizeof(digits) - 2);
	assert_int_equal(ONCE(word), 2);
	assert_in(err, "not a key; accepted: 32 hex digits");
	assert_not_in(err, "0011");
	write_file(full_name(folder, "key"), digits, sizeof(digits) - 1);
	assert_int_equal(ONCE(word, "duration=10m"), 0);
	load(conf, out);
	assert_in(out, "then=reset\nkey=00112233445566778899aabbccddeeff\nduration=10m\n");
}

TEST_F(begin, NULL, test_once_refuses_bad_keys)
{
	static const char *const bad[][2] = {
		{ "duration=10", "needs a unit" },
		{ "duratoin=10s", "duratoin" },
		{ "threshold=10us max=1us", "max" },
		{ "cpus=4000", "4000" },
		{ "stages=handoff,linux", "stages=linux" },
		{ "duration=10s # max=1us", "may not hold #" },
		{ "duration=10s\nthen=halt", "end of line" },
		{ "caf\xc3\xa9=1", "command line" },
	};

	assert_int_equal(INSTALL(), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(ONCE(bad[i][0]), 2);
		assert_in(err, bad[i][1]);
		assert_true(access(conf, F_OK) != 0);
	}
	assert_printed(CREATED);
}

TEST_F(begin, NULL, test_once_leaves_a_persons_file_alone)
{
	assert_int_equal(INSTALL(), 0);
	write_file(conf, "duration=1h\n", 12);
	assert_int_equal(ONCE("duration=10s"), 2);
	assert_in(err, "is not of `noisefloor boot once`");
	assert_int_equal(REMOVE(), 2);
	load(conf, out);
	assert_string_equal(out, "duration=1h\n");
}

TEST_F(begin, NULL, test_once_without_install)
{
	assert_int_equal(ONCE(), 2);
	assert_in(err, "`noisefloor boot install` puts it there");
	assert_int_equal(INSTALL(), 0);
	write_file(entries, "Boot0001* debian\n", 17);
	assert_int_equal(ONCE(), 2);
	assert_in(err, "`noisefloor boot install` makes one");
}

/* A report waits: the next start would only save it, and not measure. */
TEST_F(begin, NULL, test_once_with_a_report_that_waits)
{
	assert_int_equal(INSTALL(), 0);
	write_file(full_name(efivars, "NoisefloorReport-77cca71c-9cb0-422d-9cb0-be2977edbfe7"), "x",
		   1);
	assert_int_equal(ONCE(), 2);
	assert_in(err, "`noisefloor boot fetch --delete`");
}

TEST_F(begin, NULL, test_remove)
{
	assert_int_equal(INSTALL(), 0);
	assert_int_equal(ONCE(), 0);
	assert_int_equal(REMOVE(), 0);
	assert_printed(CREATED
		       "--quiet --bootnext 0007\n--quiet --bootnum 0007 --delete-bootnum\n");
	assert_true(access(full_name(esp, "EFI/noisefloor"), F_OK) != 0);
	assert_true(access(full_name(esp, "EFI"), F_OK) == 0);
	/* A second removal has nothing to do. */
	assert_int_equal(REMOVE(), 0);
}

TEST_F(begin, NULL, test_bad_images)
{
	write_file(image, "MZ, but not much of it", 22);
	assert_int_equal(INSTALL(), 2);
	assert_in(err, "not a UEFI application for x86-64");
	unlink(image);
	assert_int_equal(INSTALL(), 2);
	assert_in(err, "No such file");
	assert_true(access(full_name(esp, "EFI"), F_OK) != 0);
	assert_printed("");
}

TEST_F(begin, NULL, test_bad_places)
{
	assert_int_equal(RUN(&boot_install, "install", "--esp", "/nowhere", "--image", image), 2);
	assert_in(err, "/nowhere: No such file");
	assert_int_equal(RUN(&boot_install, "install", "--esp", image, "--image", image), 2);
	assert_in(err, "Not a directory");
	assert_int_equal(RUN(&boot_install, "install", "--esp", esp, "--image", image,
			     "--efibootmgr", "/nowhere/efibootmgr"),
			 2);
	assert_in(err, "/nowhere/efibootmgr: No such file or directory; boot entries take "
		       "efibootmgr, of the package of that name\n");
	assert_true(access(full_name(esp, "EFI/noisefloor"), F_OK) != 0);
	/* /dev/null's folder is no partition. */
	assert_int_equal(RUN(&boot_install, "install", "--esp", "/proc", "--image", image,
			     "--efibootmgr", program),
			 2);
}

TEST_F(begin, NULL, test_a_program_that_fails)
{
	write_file(program, "#!/bin/sh\nexit 5\n", 17);
	assert_int_equal(INSTALL(), 2);
	assert_in(err, "failed");
	assert_int_equal(REMOVE(), 2);
	assert_int_equal(ONCE(), 2);
}

#define LEADS_HERE "\tHD(3,GPT," GUID_A ",0x800,0x32000)/File(" LOADER ")"

/* A disk that was copied, or another installation: its entry has the same name. */
TEST_F(begin, NULL, test_lines_of_efibootmgr)
{
	static const struct {
		const char *line;
		int here, any; /* its number, if it leads to our file on partition A; on any */
	} cases[] = {
		{ ENTRY("0003", GUID_A, LOADER), 3, 3 },
		{ ENTRY("0003", GUID_A, "\\EFI\\NoiseFloor\\noisefloor.EFI"), 3, 3 },
		{ ENTRY("0003", GUID_A, LOADER) "..options", 3, 3 },
		{ "Boot00AF  noisefloor\tHD(1,GPT," GUID_A ",0x800,0x32000)/" LOADER, 0xaf, 0xaf },
		{ "Boot0003* noisefloor\tPciRoot(0x0)/Pci(0x4,0x0)/HD(1,GPT," GUID_A
		  ",0x800,0x32000)/" LOADER "\n",
		  3, 3 },
		{ ENTRY("0003", GUID_B, LOADER), BOOT_ENTRY_NONE, 3 },
		{ ENTRY("0003", GUID_A, "\\EFI\\debian\\shimx64.efi"), BOOT_ENTRY_NONE,
		  BOOT_ENTRY_NONE },
		{ ENTRY("0003", GUID_A, LOADER "x"), BOOT_ENTRY_NONE, BOOT_ENTRY_NONE },
		{ ENTRY("0003", GUID_A, "\\old" LOADER), BOOT_ENTRY_NONE, BOOT_ENTRY_NONE },
		{ "Boot0003* noisefloor\tHD(1,MBR,0x12345678,0x800,0x32000)/File(" LOADER ")",
		  BOOT_ENTRY_NONE, BOOT_ENTRY_NONE },
		{ "Boot0003* noisefloor", BOOT_ENTRY_NONE, BOOT_ENTRY_NONE },
		/* Other labels, and lines that are no entries. */
		{ "Boot0003* noisefloor2" LEADS_HERE, BOOT_ENTRY_NONE, BOOT_ENTRY_NONE },
		{ "Boot0003* my noisefloor" LEADS_HERE, BOOT_ENTRY_NONE, BOOT_ENTRY_NONE },
		{ "Boot0003*noisefloor" LEADS_HERE, BOOT_ENTRY_NONE, BOOT_ENTRY_NONE },
		{ "Boot3* noisefloor" LEADS_HERE, BOOT_ENTRY_NONE, BOOT_ENTRY_NONE },
		{ "BootCurrent: 0003" LEADS_HERE, BOOT_ENTRY_NONE, BOOT_ENTRY_NONE },
		{ "BootOrder: 0003,0001\nTimeout: 3 seconds\n\n", BOOT_ENTRY_NONE,
		  BOOT_ENTRY_NONE },
	};
	int entry;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_file(entries, cases[i].line, strlen(cases[i].line));
		assert_true(boot_entry_find(program, GUID_A, &entry));
		assert_int_equal(entry, cases[i].here);
		assert_true(boot_entry_find(program, "", &entry));
		assert_int_equal(entry, cases[i].any);
	}
	/* `install` makes a new one; `once` starts no other. */
	write_file(entries, "Boot0003* noisefloor\n", 21);
	assert_int_equal(INSTALL(), 0);
	assert_printed(CREATED);
	write_file(entries, "Boot0003* noisefloor\n", 21);
	assert_int_equal(ONCE(), 2);
	assert_in(err, "no boot entry \"noisefloor\" leads to it");
}

TEST_F(begin, NULL, test_secure_boot_wants_a_signature)
{
	static char pe[2 * IMAGE_BYTES];

	assert_int_equal(INSTALL(), 0);
	write_file(full_name(efivars, "SecureBoot-" GLOBAL), "\6\0\0\0\1", 5);
	assert_int_equal(ONCE(), 2);
	assert_in(err, "Secure Boot is on, and the installed image has no signature");
	assert_true(access(conf, F_OK) != 0);
	assert_int_equal(ONCE("--force"), 0);
	load(image, pe);
	pe[64 + 24 + 112 + 4 * 8 + 4 + 1] = 8;
	write_file(image, pe, IMAGE_BYTES);
	assert_int_equal(INSTALL(), 0);
	assert_int_equal(ONCE(), 0);
	/* Secure Boot is off, and the image has no signature. */
	pe[64 + 24 + 112 + 4 * 8 + 4 + 1] = 0;
	write_file(image, pe, IMAGE_BYTES);
	write_file(full_name(efivars, "SecureBoot-" GLOBAL), "\6\0\0\0\0", 5);
	assert_int_equal(INSTALL(), 0);
	assert_int_equal(ONCE(), 0);
}

static void make_names(void)
{
	make_folder();
	snprintf(esp, sizeof(esp), "%s/esp", folder);
	snprintf(program, sizeof(program), "%s/efibootmgr", folder);
	snprintf(image, sizeof(image), "%s/noisefloor.efi", folder);
	snprintf(efivars, sizeof(efivars), "%s/efivars", folder);
	snprintf(printed, sizeof(printed), "%s/printed", folder);
	snprintf(entries, sizeof(entries), "%s/entries", folder);
	snprintf(conf, sizeof(conf), "%s/EFI/noisefloor/noisefloor.conf", esp);
}

TEST_GROUP(make_names, remove_folder_and_rest);
