/* SPDX-License-Identifier: BSD-2-Clause */
/* The application on the EFI system partition, its boot entry, and one start of it. */
#include "install.h"

#include "boot_entry.h"
#include "efivars.h"
#include "esp.h"
#include "host/lib/config_help.h"
#include "host/lib/exit.h"
#include "host/lib/options.h"

#include "core/config/config.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMAGE_MAX   ((size_t)16 << 20)
#define CONFIG_MARK "# Written by `noisefloor once`.\n"
/* What a start from Linux is for: later keys win. */
#define CONFIG_ONCE "save=nvram then=reset\n"

#define COMMON_OPTIONS                                                              \
	"  --esp DIR              the EFI system partition (where it is mounted)\n" \
	"  --efibootmgr PROGRAM   what speaks to the firmware (efibootmgr)\n"

static const char install_usage[] =
	"usage: noisefloor install [OPTION...]\n"
	"\n"
	"Copies the UEFI application to the EFI system partition, as\n" ESP_IMAGE
	", and makes a boot entry for it, which is not in the boot\n"
	"order: `noisefloor once` starts it.\n"
	"\n"
	"  --image FILE           the application (lib/noisefloor/noisefloor.efi, where\n"
	"                         noisefloor was installed)\n" COMMON_OPTIONS
	"  --disk DEV             the disk that the partition is on (from --esp)\n"
	"  --part N               its number there (from --esp)\n"
	"  --help                 this text\n"
	"\n"
	"Exit code: 0 done, 2 error.\n";

static const char uninstall_usage[] =
	"usage: noisefloor uninstall [OPTION...]\n"
	"\n"
	"Removes the boot entry and what `install` and `once` put on the EFI system partition.\n"
	"\n" COMMON_OPTIONS "  --help                 this text\n"
	"\n"
	"Exit code: 0 done, 2 error.\n";

static const char once_usage[] =
	"usage: noisefloor once [OPTION...] [KEY=VALUE...]\n"
	"\n"
	"Has the firmware start the installed application at the next boot, once. It measures,\n"
	"leaves its report in the firmware's variables (save=nvram), and resets the machine\n"
	"(then=reset), which then boots as it always does; `noisefloor harvest` reads the report.\n"
	"Keys are those of noisefloor.conf; later ones win.\n"
	"\n" COMMON_OPTIONS "  --efivars DIR          where the variables are (" EFIVARS_FOLDER
	")\n"
	"  --help                 this text\n"
	"\n"
	"Exit code: 0 done, 2 error (also: a report that nobody has harvested waits).\n";

struct install {
	const char *subcommand, *usage;
	const char *image, *esp, *efibootmgr, *efivars, *disk, *part;
	char esp_found[ESP_PATH_MAX];
};

static bool fail(const struct install *i, const char *what, int error)
{
	fprintf(stderr, "%s: %s: %s\n", i->subcommand, what, strerror(error));
	return false;
}

static bool complain(const struct install *i, const char *what)
{
	fprintf(stderr, "%s: %s\n", i->subcommand, what);
	return false;
}

/* Options */

static bool read_option(void *ctx, int option, const char *value)
{
	struct install *i = ctx;

	switch (option) {
	case 'i':
		i->image = value;
		return true;
	case 'e':
		i->esp = value;
		return true;
	case 'b':
		i->efibootmgr = value;
		return true;
	case 'v':
		i->efivars = value;
		return true;
	case 'd':
		i->disk = value;
		return true;
	case 'p':
		i->part = value;
		return true;
	default:
		return false;
	}
}

static bool find_esp(struct install *i)
{
	struct stat st;

	if (!i->esp && esp_find(i->esp_found))
		i->esp = i->esp_found;
	if (!i->esp)
		return complain(i,
				"no EFI system partition is mounted at /efi, /boot/efi or /boot; "
				"--esp DIR says where it is");
	if (stat(i->esp, &st) != 0)
		return fail(i, i->esp, errno);
	return S_ISDIR(st.st_mode) || fail(i, i->esp, ENOTDIR);
}

/* OPTIONS_READ: go on; else leave with it. */
static int read_options(struct install *i, int argc, char **argv, const struct option *options)
{
	const struct options_set set = { i->usage, "", options, read_option, i };
	int code;

	i->efibootmgr = "efibootmgr";
	i->efivars = EFIVARS_FOLDER;
	code = options_read(&set, argc, argv);
	return code == OPTIONS_READ && !find_esp(i) ? EXIT_ERROR : code;
}

static bool no_arguments(const struct install *i, int argc, char **argv)
{
	if (optind == argc)
		return true;
	fprintf(stderr, "%s: \"%s\": only options are accepted\n%s", i->subcommand, argv[optind],
		i->usage);
	return false;
}

/* install */

static bool find_image(struct install *i, char path[PATH_MAX])
{
	char own[PATH_MAX];
	ssize_t bytes;

	if (i->image) {
		snprintf(path, PATH_MAX, "%s", i->image);
		return true;
	}
	bytes = readlink("/proc/self/exe", own, sizeof(own) - 1);
	if (bytes < 0)
		return fail(i, "/proc/self/exe", errno);
	own[bytes] = '\0';
	snprintf(path, PATH_MAX, "%.*s/../lib/noisefloor/noisefloor.efi", PATH_MAX - 64,
		 dirname(own));
	return true;
}

/* An application for x86-64 UEFI is a PE image with subsystem 10 (Microsoft PE format). */
static bool is_application(const uint8_t *image, size_t bytes)
{
	size_t pe;

	if (bytes < 64 || image[0] != 'M' || image[1] != 'Z')
		return false;
	pe = image[60] | (size_t)image[61] << 8 | (size_t)image[62] << 16;
	return pe + 96 < bytes && !memcmp(image + pe, "PE\0\0\x64\x86", 6) &&
	       image[pe + 24 + 68] == 10;
}

static bool copy_image(struct install *i)
{
	char from[PATH_MAX], to[ESP_PATH_MAX];
	uint8_t *image = malloc(IMAGE_MAX);
	size_t bytes = 0;
	bool good = false;
	FILE *file;
	int error;

	if (!image || !find_image(i, from) || !esp_path(to, i->esp, ESP_IMAGE))
		goto out;
	file = fopen(from, "rb");
	if (!file) {
		fail(i, from, errno);
		goto out;
	}
	bytes = fread(image, 1, IMAGE_MAX, file);
	fclose(file);
	if (!is_application(image, bytes)) {
		fprintf(stderr, "%s: %s: not a UEFI application for x86-64\n", i->subcommand, from);
		goto out;
	}
	error = esp_make_folder(i->esp);
	if (!error)
		error = esp_write(to, image, bytes);
	good = error ? fail(i, to, error) : true;
out:
	free(image);
	return good;
}

static bool make_entry(struct install *i)
{
	char disk[ESP_PATH_MAX], part[16];
	int number;

	if (!boot_entry_find(i->efibootmgr, &number))
		return false;
	/* What is there leads to the file that has just been replaced. */
	if (number != BOOT_ENTRY_NONE)
		return true;
	if (i->disk && i->part)
		return boot_entry_create(i->efibootmgr, i->disk, i->part, ESP_LOADER);
	if (!esp_disk(i->esp, disk, part))
		return complain(i, "the partition of --esp is not known; --disk DEV and --part N "
				   "say which it is");
	return boot_entry_create(i->efibootmgr, disk, part, ESP_LOADER);
}

int install_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "image", required_argument, NULL, 'i' },
		{ "esp", required_argument, NULL, 'e' },
		{ "efibootmgr", required_argument, NULL, 'b' },
		{ "disk", required_argument, NULL, 'd' },
		{ "part", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static struct install i = { .subcommand = "install", .usage = install_usage };
	int code = read_options(&i, argc, argv, options);

	if (code != OPTIONS_READ)
		return code;
	if (!no_arguments(&i, argc, argv) || !copy_image(&i) || !make_entry(&i))
		return EXIT_ERROR;
	printf("installed as %s/" ESP_IMAGE "; `noisefloor once` starts it at the next boot\n",
	       i.esp);
	return EXIT_PASS;
}

/* The configuration, which is only ours where it says so */

static bool is_ours(const char *path, bool *exists)
{
	char head[sizeof(CONFIG_MARK)] = { 0 };
	FILE *file = fopen(path, "r");
	bool ours = false;

	*exists = file || errno != ENOENT;
	if (file) {
		ours = fread(head, 1, sizeof(head) - 1, file) > 0 && !strcmp(head, CONFIG_MARK);
		fclose(file);
	}
	return ours;
}

static void say_mistake(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)line;
	fprintf(stderr, "%s: %s: ", (const char *)ctx, source);
	for (; *text; text++)
		fputc(*text >= ' ' && *text <= '~' ? *text : '?', stderr);
	fputc('\n', stderr);
}

/* The keys as a file, each on a line; a word that holds more than one is refused by its blank. */
static bool collect_keys(const struct install *i, char **words, int count, char *text, size_t cap)
{
	static const struct config_source source = { .name = "command line" };
	static struct config config;
	struct text t;

	text_init(&t, text, cap);
	text_add(&t, CONFIG_MARK CONFIG_ONCE);
	for (int n = 0; n < count; n++) {
		if (strpbrk(words[n], "#\r\n"))
			return complain(i, "a key may not hold # or an end of line");
		text_add(&t, "%s\n", words[n]);
	}
	if (t.overflow)
		return complain(i, "the keys are too long");
	config_defaults(&config);
	config.why_not = config_help_why_not;
	return !config_apply(&config, &source, text, t.len, say_mistake, (void *)i->subcommand) &&
	       !config_check(&config, (uint32_t)sysconf(_SC_NPROCESSORS_CONF), say_mistake,
			     (void *)i->subcommand);
}

static bool write_config(const struct install *i, char **words, int count)
{
	static char text[CONFIG_TEXT_MAX];
	char path[ESP_PATH_MAX];
	bool exists;
	int error;

	if (!collect_keys(i, words, count, text, sizeof(text)) ||
	    !esp_path(path, i->esp, ESP_CONFIG))
		return false;
	if (!is_ours(path, &exists) && exists) {
		fprintf(stderr, "%s: %s is not of `noisefloor once`: it stays; move it away\n",
			i->subcommand, path);
		return false;
	}
	error = esp_write(path, text, strlen(text));
	return error ? fail(i, path, error) : true;
}

/* once */

static bool is_installed(const struct install *i)
{
	char path[ESP_PATH_MAX];

	if (!esp_path(path, i->esp, ESP_IMAGE))
		return false;
	if (access(path, R_OK) == 0)
		return true;
	fail(i, path, errno);
	return complain(i, "`noisefloor install` puts it there");
}

/* Else it would be taken for what the next start is for. */
static bool no_report_waits(const struct install *i)
{
	return !efivars_any(i->efivars) ||
	       complain(i, "a report waits in the firmware's variables; `noisefloor harvest "
			   "--delete` reads and removes it");
}

int once_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "esp", required_argument, NULL, 'e' },
		{ "efibootmgr", required_argument, NULL, 'b' },
		{ "efivars", required_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static struct install i = { .subcommand = "once", .usage = once_usage };
	int code = read_options(&i, argc, argv, options);
	int number;

	if (code != OPTIONS_READ)
		return code;
	if (!is_installed(&i) || !no_report_waits(&i) || !boot_entry_find(i.efibootmgr, &number))
		return EXIT_ERROR;
	if (number == BOOT_ENTRY_NONE) {
		complain(&i,
			 "no boot entry \"" BOOT_ENTRY_LABEL "\"; `noisefloor install` makes it");
		return EXIT_ERROR;
	}
	if (!write_config(&i, argv + optind, argc - optind) ||
	    !boot_entry_next(i.efibootmgr, number))
		return EXIT_ERROR;
	puts("noisefloor starts at the next boot, once");
	return EXIT_PASS;
}

/* uninstall */

static bool remove_file(const struct install *i, const char *name)
{
	char path[ESP_PATH_MAX];

	if (!esp_path(path, i->esp, name))
		return false;
	return remove(path) == 0 || errno == ENOENT || fail(i, path, errno);
}

static bool remove_files(const struct install *i)
{
	char path[ESP_PATH_MAX];
	bool exists;

	if (!esp_path(path, i->esp, ESP_CONFIG))
		return false;
	if (!is_ours(path, &exists) && exists)
		return remove_file(i, ESP_IMAGE) &&
		       complain(i, ESP_CONFIG " is not of `noisefloor once`: it stays");
	return remove_file(i, ESP_CONFIG) && remove_file(i, ESP_IMAGE) &&
	       remove_file(i, ESP_FOLDER);
}

int uninstall_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "esp", required_argument, NULL, 'e' },
		{ "efibootmgr", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static struct install i = { .subcommand = "uninstall", .usage = uninstall_usage };
	int code = read_options(&i, argc, argv, options);
	int number;

	if (code != OPTIONS_READ)
		return code;
	if (!no_arguments(&i, argc, argv) || !boot_entry_find(i.efibootmgr, &number))
		return EXIT_ERROR;
	if (number != BOOT_ENTRY_NONE && !boot_entry_remove(i.efibootmgr, number))
		return EXIT_ERROR;
	return remove_files(&i) ? EXIT_PASS : EXIT_ERROR;
}
