/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor boot install`, `once` and `remove`: the application on the EFI system partition, its
 * boot entry and its configuration.
 */
#define _GNU_SOURCE /* explicit_bzero */
#include "boot.h"

#include "host/lib/efi_image.h"
#include "host/lib/exit.h"
#include "host/lib/output_file.h"
#include "host/lib/whole_file.h"
#include "host/program/config_words.h"

#include "core/config/config.h"
#include "core/lib/uuid.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* ---- The EFI system partition of the machine this runs on, and our folder in it ---- */

#define ESP_PATH_MAX 4096
#define ESP_FOLDER   "EFI/noisefloor"
#define ESP_IMAGE    ESP_FOLDER "/noisefloor.efi"
#define ESP_CONFIG   ESP_FOLDER "/noisefloor.conf"

#define FAT_MAGIC 0x4d44 /* statfs(2), MSDOS_SUPER_MAGIC */

/* The partition's folder: the first FAT file system of /efi, /boot/efi and /boot. False: none. */
static bool esp_find(char path[ESP_PATH_MAX])
{
	static const char *const places[] = { "/efi", "/boot/efi", "/boot" };
	struct statfs fs;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (statfs(places[i], &fs) != 0 || fs.f_type != FAT_MAGIC)
			continue;
		snprintf(path, ESP_PATH_MAX, "%s", places[i]);
		return true;
	}
	return false;
}

static bool read_line(const char *path, char *line, int cap)
{
	FILE *from = fopen(path, "r");
	bool got = from && fgets(line, cap, from);

	if (from)
		fclose(from);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}

/* In /sys/devices, the folder of a partition is in that of its disk. */
static bool esp_disk(const char *esp, char disk[ESP_PATH_MAX], char part[16])
{
	char link[128], file[160], resolved[PATH_MAX];
	struct stat st;

	if (stat(esp, &st) != 0)
		return false;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	snprintf(file, sizeof(file), "%s/partition", link);
	if (!read_line(file, part, 16) || !realpath(link, resolved))
		return false;
	snprintf(disk, ESP_PATH_MAX, "/dev/%.*s", ESP_PATH_MAX - 6, basename(dirname(resolved)));
	return true;
}

/* udev names its link to a partition by the GUID; names of partitions of an MBR are shorter. */
static void esp_partition(const char *esp, char guid[UUID_TEXT])
{
	static const char links[] = "/dev/disk/by-partuuid";
	DIR *folder = opendir(links);
	uint8_t bytes[UUID_BYTES];
	struct stat here, device;
	struct dirent *link;

	guid[0] = '\0';
	while (folder && !guid[0] && stat(esp, &here) == 0 && (link = readdir(folder)))
		if (fstatat(dirfd(folder), link->d_name, &device, 0) == 0 &&
		    S_ISBLK(device.st_mode) && device.st_rdev == here.st_dev &&
		    uuid_parse(link->d_name, bytes))
			uuid_print(bytes, guid);
	if (folder)
		closedir(folder);
}

/* Join both to one path; false, with a message on standard error, if it is too long. */
static bool esp_path(char path[ESP_PATH_MAX], const char *esp, const char *name)
{
	if (snprintf(path, ESP_PATH_MAX, "%s/%s", esp, name) < ESP_PATH_MAX)
		return true;
	fprintf(stderr, "%.100s...: the path is too long\n", esp);
	return false;
}

#define CONFIG_MARK "# Written by `noisefloor boot once`.\n"
/* Defaults of `once`; the user's keys follow, and later keys win. */
#define CONFIG_ONCE    "save=nvram then=reset\n"
#define CONFIG_ONE_WAY "save=none then=reset\n"

static struct install {
	const char *subcommand;
	const char *image, *esp, *efibootmgr, *efivars, *disk, *part;
	struct boot_kexec kexec;
	bool by_kexec, force;
	char partition[UUID_TEXT]; /* "": not known */
	char esp_found[ESP_PATH_MAX];
	char folder[ESP_PATH_MAX], file[ESP_PATH_MAX], config[ESP_PATH_MAX]; /* ours, on it */
} options = { .efibootmgr = "efibootmgr", .efivars = BOOT_EFIVARS_FOLDER };

static bool install_fail(const struct install *i, const char *what, int error)
{
	return boot_complain(i->subcommand, "%s: %s", what, strerror(error));
}

/* ---- Options ---- */

static bool find_esp(struct install *i, const char *subcommand)
{
	struct stat st;

	i->subcommand = subcommand;
	if (!i->esp && esp_find(i->esp_found))
		i->esp = i->esp_found;
	if (!i->esp)
		return boot_complain(
			i->subcommand,
			"no EFI system partition is mounted at /efi, /boot/efi or /boot; "
			"--esp DIR names its folder");
	if (stat(i->esp, &st) != 0)
		return install_fail(i, i->esp, errno);
	if (!i->disk)
		esp_partition(i->esp, i->partition);
	if (!S_ISDIR(st.st_mode))
		return install_fail(i, i->esp, ENOTDIR);
	return esp_path(i->folder, i->esp, ESP_FOLDER) && esp_path(i->file, i->esp, ESP_IMAGE) &&
	       esp_path(i->config, i->esp, ESP_CONFIG);
}

#define COMMON_OPTIONS                                                                            \
	{ "esp", "DIR", "the EFI system partition; by default where it is mounted", options_text, \
	  .offset = offsetof(struct install, esp) },                                              \
		BOOT_EFIVARS_OPTION(struct install, efivars),                                     \
	{                                                                                         \
		"efibootmgr", "PROGRAM", "what sets boot entries; by default efibootmgr",         \
			options_text, .offset = offsetof(struct install, efibootmgr)              \
	}

/* ---- install ---- */

/* Make the folders EFI and EFI/noisefloor. 0, or an errno. */
static int make_folder(const struct install *i)
{
	char outer[ESP_PATH_MAX];

	snprintf(outer, sizeof(outer), "%.*s", (int)(strrchr(i->folder, '/') - i->folder),
		 i->folder);
	if (mkdir(outer, 0755) != 0 && errno != EEXIST)
		return errno;
	return mkdir(i->folder, 0755) != 0 && errno != EEXIST ? errno : 0;
}

static bool write_image(struct install *i, const char *from, const uint8_t *image, size_t bytes)
{
	int error;

	if (efi_image_machine(image, bytes) != EFI_IMAGE_X86_64)
		return boot_complain(i->subcommand, "%s: not a UEFI application for x86-64", from);
	error = make_folder(i);
	if (!error)
		error = output_file_write(i->file, 0644, image, bytes);
	return error ? install_fail(i, i->file, error) : true;
}

static bool copy_image(struct install *i)
{
	const char *from = i->image;
	char path[PATH_MAX];
	uint8_t *image;
	size_t bytes;
	bool good;

	if (!from) {
		whole_file_of_ours(path, "../lib/noisefloor/noisefloor.efi", "noisefloor.efi");
		from = path;
	}
	image = whole_file_read(from, EFI_IMAGE_MAX, &bytes);
	good = image ? write_image(i, from, image, bytes) : install_fail(i, from, errno);
	free(image);
	return good;
}

static bool find_entry(const struct install *i, int *entry)
{
	return boot_entry_find(i->efibootmgr, i->partition, entry);
}

static bool create_entry(struct install *i)
{
	char disk[ESP_PATH_MAX], part[16];

	if (i->disk && i->part)
		return boot_entry_create(i->efibootmgr, i->disk, i->part, BOOT_ENTRY_FILE);
	if (!esp_disk(i->esp, disk, part))
		return boot_complain(i->subcommand,
				     "the partition of --esp is not known; --disk DEV and --part N "
				     "name it");
	return boot_entry_create(i->efibootmgr, disk, part, BOOT_ENTRY_FILE);
}

/* An existing entry leads to the file that has just been replaced. */
static bool make_entry(struct install *i, int entry)
{
	if (entry != BOOT_ENTRY_NONE)
		return true;
	if (!create_entry(i) || !find_entry(i, &entry))
		return false;
	return entry != BOOT_ENTRY_NONE ||
	       boot_complain(i->subcommand, "the firmware has not taken the boot entry");
}

static int run_install(int count, char **arguments)
{
	struct install *i = &options;
	int entry;

	(void)count, (void)arguments;
	/* Find the entry first: if that fails, nothing is written to the partition. */
	if (!find_esp(i, "install") || !find_entry(i, &entry) || !copy_image(i) ||
	    !make_entry(i, entry))
		return EXIT_ERROR;
	printf("installed as %s/" ESP_IMAGE "; `noisefloor boot once` starts it at the next boot\n",
	       i->esp);
	return EXIT_PASS;
}

static const struct options_row install_rows[] = {
	{ "image", "FILE",
	  "the application; by default lib/noisefloor/noisefloor.efi where noisefloor is installed",
	  options_text, .offset = offsetof(struct install, image) },
	COMMON_OPTIONS,
	{ "disk", "DEV", "the disk of the partition; by default that of --esp", options_text,
	  .offset = offsetof(struct install, disk) },
	{ "part", "N", "its number there; by default that of --esp", options_text,
	  .offset = offsetof(struct install, part) },
	{ 0 },
};

const struct options_subcommand boot_install = {
	.name = "install",
	.command = "noisefloor boot install",
	.run = run_install,
	.summary = "the application on this machine's EFI system partition",
	.about = "Copies the UEFI application to the EFI system partition, as " ESP_IMAGE
		 ", and makes a boot entry for it, which is not in the boot order: `noisefloor "
		 "boot once` starts it.",
	.exit_code = "0 done, 2 error.",
	.rows = install_rows,
	.options = &options,
};

/* ---- The configuration, which is ours only if it has our mark ---- */

static bool is_ours(const char *path, bool *exists)
{
	size_t bytes;
	uint8_t *text = whole_file_read(path, CONFIG_TEXT_MAX, &bytes);
	bool ours = text && bytes >= strlen(CONFIG_MARK) &&
		    memcmp(text, CONFIG_MARK, strlen(CONFIG_MARK)) == 0;

	*exists = text || errno != ENOENT;
	if (text)
		explicit_bzero(text, bytes); /* the text may hold a key */
	free(text);
	return ours;
}

/* False if an image that may be signed would refuse these keys, when this Linux is gone. */
static bool suits_signed(const struct install *i, const struct config *c)
{
	if (c->smi.set || config_serial_is_chosen(c))
		return boot_complain(
			i->subcommand,
			"--one-way starts an image that may be signed, which accepts no smi=, "
			"and of serial= " CONFIG_SERIAL_UNCHOSEN);
	return c->then == THEN_RESET ||
	       boot_complain(i->subcommand,
			     "--one-way needs then=reset, which boots the machine again");
}

/* False if the probe would refuse to start by kexec, or would not start this Linux again. */
static bool suits_kexec(const struct install *i, const struct config *c)
{
	if (config_where(c, "stages").source && c->stages != 1u << STAGE_LINUX)
		return boot_complain(i->subcommand,
				     "--kexec measures what this Linux has left; stages accepts "
				     "linux, its default");
	if (i->kexec.one_way)
		return suits_signed(i, c);
	return c->then == THEN_RESET || c->then == THEN_AUTO ||
	       boot_complain(i->subcommand,
			     "--kexec needs then=reset, which starts this Linux again: no other "
			     "one gets the report");
}

/* Write each word on a line of its own, and check the keys. */
static bool collect_keys(const struct install *i, char **words, int count, char *text, size_t cap)
{
	static struct config config;
	struct text t;

	text_init(&t, text, cap);
	text_add(&t, "%s", i->kexec.one_way ? CONFIG_MARK CONFIG_ONE_WAY : CONFIG_MARK CONFIG_ONCE);
	if (!config_words_add(i->subcommand, (const char *const *)words, (size_t)count, &t))
		return false;
	config_words_begin(&config);
	config.no_modes = i->by_kexec ? 1u << MODE_SURVEY : 0;
	return config_words_apply(&config, i->subcommand, NULL, text, t.len) &&
	       config_words_check(&config, i->subcommand,
				  (uint32_t)sysconf(_SC_NPROCESSORS_CONF)) &&
	       (i->by_kexec ? suits_kexec(i, &config)
			    : config_words_suit_firmware(&config, i->subcommand));
}

static bool write_config(const struct install *i, char **words, int count)
{
	static char text[CONFIG_TEXT_MAX];
	bool exists;
	int error;

	if (!collect_keys(i, words, count, text, sizeof(text)))
		return false;
	if (!is_ours(i->config, &exists) && exists)
		return boot_complain(i->subcommand,
				     "%s is not of `noisefloor boot once`: it stays; move it away",
				     i->config);
	error = output_file_write(i->config, 0600, text, strlen(text));
	explicit_bzero(text, sizeof(text));
	return error ? install_fail(i, i->config, error) : true;
}

/* ---- once ---- */

static bool is_installed(const struct install *i)
{
	if (access(i->file, R_OK) == 0)
		return true;
	install_fail(i, i->file, errno);
	return boot_complain(i->subcommand, "`noisefloor boot install` puts it there");
}

/* True if no report waits: the next start would save it instead of measuring. */
static bool no_report_waits(const struct install *i)
{
	return !boot_efivars_any(i->efivars) ||
	       boot_complain(i->subcommand,
			     "a report waits in the firmware's variables; `noisefloor boot fetch "
			     "--delete` reads and removes it");
}

/* False if the firmware would refuse the image; some machines would then wait for a key. */
static bool may_start(const struct install *i)
{
	return i->force || !boot_efivars_secure_boot(i->efivars) || boot_is_signed(i->file) ||
	       boot_complain(i->subcommand,
			     "Secure Boot is on, and the installed image has no signature: the "
			     "firmware would refuse it, and may wait for a key; sign it, or "
			     "--force");
}

static bool find_installed(const struct install *i, int *entry)
{
	return find_entry(i, entry) &&
	       (*entry != BOOT_ENTRY_NONE ||
		boot_complain(i->subcommand,
			      "no boot entry \"" BOOT_ENTRY_LABEL
			      "\" leads to it; `noisefloor boot install` makes one"));
}

/* The probe starts at the next kexec, and needs neither the partition nor a boot entry. */
static int run_kexec(struct install *i, char **words, int count)
{
	static char text[CONFIG_TEXT_MAX];
	bool good;

	good = collect_keys(i, words, count, text, sizeof(text)) &&
	       boot_kexec_load(&i->kexec, text);
	explicit_bzero(text, sizeof(text));
	if (good)
		printf("noisefloor is loaded: `systemctl kexec` starts it, and %s\n",
		       i->kexec.one_way ? "its run ends by a reset; the records go to the serial "
					  "port and to report="
					: "then this Linux again");
	return good ? EXIT_PASS : EXIT_ERROR;
}

/* False: options were given that do nothing together. */
static bool suits_one_way(const struct install *i)
{
	const struct boot_kexec *k = &i->kexec;

	if (k->one_way && !i->by_kexec)
		return boot_complain(i->subcommand,
				     "--one-way is a way of --kexec, which is not given");
	return !k->one_way || (!k->kernel && !k->initrd) ||
	       boot_complain(
		       i->subcommand,
		       "--one-way starts no Linux: neither --kernel nor --initrd is accepted");
}

static int run_once(int count, char **arguments)
{
	struct install *i = &options;
	int entry;

	i->subcommand = "once";
	if (!suits_one_way(i))
		return EXIT_ERROR;
	if (i->by_kexec)
		return run_kexec(i, arguments, count);

	if (!find_esp(i, "once") || !is_installed(i) || !may_start(i) || !no_report_waits(i) ||
	    !find_installed(i, &entry) || !write_config(i, arguments, count) ||
	    !boot_entry_next(i->efibootmgr, entry))
		return EXIT_ERROR;
	puts("noisefloor starts at the next boot, once");
	return EXIT_PASS;
}

static const struct options_row once_rows[] = {
	COMMON_OPTIONS,
	{ "force", NULL, "also where Secure Boot is on and the image has no signature",
	  options_flag, .offset = offsetof(struct install, force) },
	{ "kexec", NULL, "start it without a reset, by the next kexec", options_flag,
	  .offset = offsetof(struct install, by_kexec) },
	{ "one-way", NULL,
	  "with --kexec: end by a reset, not by this Linux, which may be locked down", options_flag,
	  .offset = offsetof(struct install, kexec.one_way) },
	{ "image", "FILE",
	  "with --kexec: the application; by default noisefloor.bzimage, or with --one-way "
	  "noisefloor-oneway.bzimage, in lib/noisefloor where noisefloor is installed",
	  options_text, .offset = offsetof(struct install, kexec.image) },
	{ "kernel", "FILE", "with --kexec: this Linux; by default that of its version in /boot",
	  options_text, .offset = offsetof(struct install, kexec.kernel) },
	{ "initrd", "FILE", "with --kexec: its initrd; by default that of its version in /boot",
	  options_text, .offset = offsetof(struct install, kexec.initrd) },
	{ 0 },
};

const struct options_subcommand boot_once = {
	.name = "once",
	.command = "noisefloor boot once",
	.run = run_once,
	.summary = "start it at the next boot, once",
	.arguments = "[KEY=VALUE...]",
	.most = OPTIONS_MANY,
	.about = "Has the firmware start the installed application at the next boot, once. It "
		 "measures, leaves its report in the firmware's variables (save=nvram), and resets "
		 "the machine (then=reset), which then boots as usual; `noisefloor boot fetch` "
		 "reads "
		 "the report. Keys are those of noisefloor.conf; later ones win. "
		 "key=@FILE takes the key from a file. With --kexec, nothing needs to be "
		 "installed: `systemctl kexec` starts the application, which starts this Linux "
		 "again with its command line. A locked-down Linux, as with Secure Boot, loads "
		 "it with --one-way, and signed: the run then ends by a reset, and leaves no "
		 "report.",
	.exit_code = "0 done, 2 error, or a report that has not been fetched.",
	.keys = 1u << CONFIG_PROBE,
	.rows = once_rows,
	.options = &options,
};

/* ---- remove ---- */

static bool remove_file(const struct install *i, const char *path)
{
	return remove(path) == 0 || errno == ENOENT || install_fail(i, path, errno);
}

static bool remove_files(const struct install *i)
{
	bool exists;

	if (!is_ours(i->config, &exists) && exists)
		return remove_file(i, i->file) &&
		       boot_complain(i->subcommand,
				     ESP_CONFIG " is not of `noisefloor boot once`: it stays");
	return remove_file(i, i->config) && remove_file(i, i->file) && remove_file(i, i->folder);
}

static int run_remove(int count, char **arguments)
{
	struct install *i = &options;
	int entry;

	(void)count, (void)arguments;
	if (!find_esp(i, "remove") || !find_entry(i, &entry))
		return EXIT_ERROR;
	if (entry != BOOT_ENTRY_NONE && !boot_entry_remove(i->efibootmgr, entry))
		return EXIT_ERROR;
	return remove_files(i) ? EXIT_PASS : EXIT_ERROR;
}

static const struct options_row remove_rows[] = {
	COMMON_OPTIONS,
	{ 0 },
};

const struct options_subcommand boot_remove = {
	.name = "remove",
	.command = "noisefloor boot remove",
	.run = run_remove,
	.summary = "remove what install put there",
	.about = "Removes the boot entry and what `install` and `once` put on the EFI system "
		 "partition.",
	.exit_code = "0 done, 2 error.",
	.rows = remove_rows,
	.options = &options,
};
