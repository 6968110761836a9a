/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor boot stick`: a medium to boot from, with a configuration, as a file or on a disk. */
#define _GNU_SOURCE /* explicit_bzero, memfd_create */
#include "boot.h"

#include "host/lib/efi_image.h"
#include "host/lib/exit.h"
#include "host/lib/output_file.h"
#include "host/lib/whole_file.h"
#include "host/program/config_words.h"

#include "core/lib/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The configuration: a file, and keys from the command line ---- */

/* Half of what the probe reads: medium.sh may end each line by a CR more. */
#define CONF_MAX (CONFIG_TEXT_MAX / 2)

struct stick_config {
	char text[CONF_MAX];
	size_t bytes;
	bool has_secret; /* a key that signs records is in it */
};

#define WORDS_MARK "\n# Set by `noisefloor boot stick`; later lines win.\n"

/*
 * Check the text, of which the first `base` bytes are from the file, and the rest from arguments.
 * The number of cores is not known: accept any.
 */
static bool check_config(struct stick_config *c, const char *file, size_t base)
{
	static struct config config;
	bool good;

	config_words_begin(&config);
	good = config_words_apply(&config, "stick", file, c->text, base) &&
	       config_words_apply(&config, "stick", NULL, c->text + base, c->bytes - base) &&
	       config_words_check(&config, "stick", UINT32_MAX) &&
	       config_words_suit_firmware(&config, "stick");
	c->has_secret = config.key.set;
	explicit_bzero(&config, sizeof(config));
	return good;
}

/*
 * Read the file `conf` (NULL: the default one, with all keys in comments), and append the words to
 * it. False: standard error has each mistake, as the probe would report it.
 */
static bool read_config(struct stick_config *c, const char *conf, const char *const *words,
			size_t count)
{
	char path[PATH_MAX];
	uint8_t *file;
	size_t bytes;
	struct text t;

	if (!conf) {
		whole_file_of_ours(path, "../share/noisefloor/noisefloor.conf",
				   "image/noisefloor.conf");
		conf = path;
	}
	file = whole_file_read(conf, CONF_MAX - 1, &bytes);
	if (!file && errno == EFBIG)
		return boot_complain("stick", "%s: has more than %u bytes", conf, CONF_MAX - 1);
	if (!file)
		return boot_complain("stick", "%s: %s", conf, strerror(errno));
	text_init(&t, c->text, sizeof(c->text));
	text_bytes(&t, (const char *)file, bytes);
	explicit_bzero(file, bytes);
	free(file);
	text_add(&t, "%s", count ? WORDS_MARK : "");
	if (!config_words_add("stick", words, count, &t))
		return false;
	c->bytes = t.len;
	return check_config(c, conf, bytes);
}

/* ---- The medium ---- */

#define MIB_SHIFT    20
#define MIB_MOST     (1024u * 1024) /* FAT32 counts sectors by 32 bits; some firmware by 31 */
#define APPLICATIONS 2
#define ARGUMENTS    8 /* argv of medium.sh, up to the applications */

static struct stick {
	struct options_list image;
	const char *conf;
	uint64_t mib;
	bool yes;

	struct stick_config config;
	/* "BOOTX64.EFI=PATH", an argument of medium.sh; "": none for that processor. */
	char application[APPLICATIONS][PATH_MAX + 32];
} options = { .mib = DEVICE_MIB_LEAST };

/* The supported processors, and the names of their applications. */
static const struct processor {
	enum efi_image_machine machine;
	const char *name, *file, *installed, *built;
} processors[APPLICATIONS] = {
	{ EFI_IMAGE_X86_64, "x86-64", "BOOTX64.EFI", "../lib/noisefloor/noisefloor.efi",
	  "noisefloor.efi" },
	{ EFI_IMAGE_AARCH64, "AArch64", "BOOTAA64.EFI", "../lib/noisefloor/noisefloor-aarch64.efi",
	  "aarch64/noisefloor.efi" },
};

static bool stick_fail(const char *what, int error)
{
	/* The script has printed why. */
	return boot_complain("stick", "%s: %s", what,
			     error == ECANCELED ? "not written" : strerror(error));
}

static bool stick_refuse(const char *what, const char *why)
{
	return boot_complain("stick", "%s: %s", what, why);
}

/* ---- What is on it ---- */

static bool add_application(struct stick *s, const char *path)
{
	enum efi_image_machine machine;
	uint8_t *image;
	size_t bytes;

	image = whole_file_read(path, EFI_IMAGE_MAX, &bytes);
	if (!image)
		return stick_fail(path, errno);
	machine = efi_image_machine(image, bytes);
	free(image);
	for (unsigned n = 0; n < APPLICATIONS; n++) {
		if (processors[n].machine != machine || s->application[n][0])
			continue;
		snprintf(s->application[n], sizeof(s->application[n]), "%s=%s", processors[n].file,
			 path);
		return true;
	}
	return stick_refuse(path, machine ? "the second application for the same processor"
					  : "not a UEFI application for x86-64 or AArch64");
}

/* Add the applications of --image; without it those that came with this program. */
static bool add_applications(struct stick *s)
{
	char path[PATH_MAX];

	for (size_t n = 0; n < s->image.count; n++)
		if (!add_application(s, s->image.text[n]))
			return false;
	for (unsigned n = 0; n < APPLICATIONS && !s->image.count; n++)
		if ((whole_file_of_ours(path, processors[n].installed, processors[n].built) ||
		     n == 0) &&
		    !add_application(s, path))
			return false;
	return true;
}

/* ---- How it is made ---- */

/* Copy the configuration to a file in memory for medium.sh: it may hold a key. -1: errno. */
static int open_config(const struct stick_config *c)
{
	int fd = memfd_create("noisefloor.conf", 0);

	if (fd >= 0 && write(fd, c->text, c->bytes) == (ssize_t)c->bytes)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Find a file of which a medium is made. */
static bool find_file(char path[PATH_MAX], const char *installed, const char *built)
{
	return whole_file_of_ours(path, installed, built) || stick_fail(path, ENOENT);
}

static bool run_script(const struct stick *s, int conf, int to, uint64_t bytes)
{
	static char script[PATH_MAX], readme[PATH_MAX];
	char mib[24], size[24], out[32], config[32];
	const char *argv[ARGUMENTS + APPLICATIONS + 1] = { script, "-m", mib,    "-d",
							   size,   out,  config, readme };
	size_t count = ARGUMENTS;

	if (!find_file(script, "../lib/noisefloor/medium.sh", "image/medium.sh") ||
	    !find_file(readme, "../share/noisefloor/README.txt", "image/README.txt"))
		return false;
	snprintf(mib, sizeof(mib), "%" PRIu64, s->mib);
	snprintf(size, sizeof(size), "%" PRIu64, bytes);
	snprintf(out, sizeof(out), "/proc/self/fd/%d", to);
	snprintf(config, sizeof(config), "/proc/self/fd/%d", conf);
	for (unsigned n = 0; n < APPLICATIONS; n++)
		if (s->application[n][0])
			argv[count++] = s->application[n];
	return boot_child_run(argv, "a medium is made by this script");
}

/* Make a disk of `bytes` bytes in an open, empty file. */
static bool make_disk(const struct stick *s, int to, uint64_t bytes)
{
	int conf = open_config(&s->config);
	bool good;

	if (conf < 0)
		return stick_fail("noisefloor.conf", errno);
	good = fcntl(to, F_SETFD, 0) == 0 && run_script(s, conf, to, bytes);
	close(conf);
	return good;
}

/* ---- Where to ---- */

static bool write_file(struct stick *s, const char *path)
{
	struct output_file o;
	/* Only the owner may read a key that signs records. */
	int error = output_file_open(&o, path, s->config.has_secret ? 0600 : 0644);
	bool made;

	if (error)
		return stick_fail(path, error);
	made = make_disk(s, fileno(o.to), s->mib << MIB_SHIFT);
	error = output_file_close(&o, made ? 0 : ECANCELED);
	return error ? stick_fail(path, error) : true;
}

/* Have the user type the disk's name, as it was given. */
static bool is_confirmed(const struct stick *s, const char *path, const struct device *d)
{
	char line[PATH_MAX];

	if (s->yes)
		return true;
	fprintf(stderr,
		"Everything on %s (%s%s%" PRIu64 " MB) will be lost. Type its name to go on: ",
		path, d->model, d->model[0] ? ", " : "", d->bytes / 1000000);
	if (!fgets(line, sizeof(line), stdin))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return strcmp(line, path) == 0 || stick_refuse(path, "not confirmed; nothing was written");
}

/* Make the medium in memory, so that only its data is written to the disk. 0, or an errno. */
static int fill_disk(const struct stick *s, int to, uint64_t bytes)
{
	int from = memfd_create("medium", 0), error;

	if (from < 0)
		return errno;
	error = make_disk(s, from, bytes) ? device_copy(from, to, bytes) : ECANCELED;
	close(from);
	return error;
}

/* O_EXCL makes open() fail while the disk or one of its partitions is mounted or in use. */
static bool write_disk(const struct stick *s, const char *path, dev_t number, uint64_t bytes)
{
	int fd = open(path, O_RDWR | O_EXCL | O_CLOEXEC), error;
	struct stat st;

	if (fd < 0)
		return errno == EBUSY ? stick_refuse(path, "it is in use")
				      : stick_fail(path, errno);
	if (fstat(fd, &st) != 0 || st.st_rdev != number)
		error = ENODEV;
	else
		error = fill_disk(s, fd, bytes);
	/* If the kernel cannot read the new partition table now, it does after replugging. */
	ioctl(fd, BLKRRPART);
	close(fd);
	return error ? stick_fail(path, error) : true;
}

static bool write_device(struct stick *s, const char *path, dev_t number)
{
	json_t *listed = device_list(path);
	char why[DEVICE_WHY_MAX] = "not checked";
	struct device d;
	bool good = listed && device_check(listed, &d, why);

	json_decref(listed);
	if (!good)
		return stick_refuse(path, why);
	if (d.bytes >> MIB_SHIFT < s->mib)
		return stick_refuse(path, "it is smaller than --size");
	return is_confirmed(s, path, &d) && write_disk(s, path, number, d.bytes);
}

static bool write_medium(struct stick *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0) {
		if (S_ISBLK(st.st_mode))
			return write_device(s, path, st.st_rdev);
		return S_ISREG(st.st_mode) ? write_file(s, path)
					   : stick_refuse(path, "neither a disk nor a file");
	}
	if (errno != ENOENT)
		return stick_fail(path, errno);
	/* /dev is in memory: a new file there would be no medium. */
	if (strncmp(path, "/dev/", strlen("/dev/")) == 0)
		return stick_refuse(path, "there is no such disk; lsblk lists them");
	return write_file(s, path);
}

static bool is_good_size(const struct stick *s)
{
	return s->mib >= DEVICE_MIB_LEAST ||
	       boot_complain("stick", "--size %" PRIu64 ": MiB, %u at the least", s->mib,
			     DEVICE_MIB_LEAST);
}

static int stick_run(int count, char **arguments)
{
	struct stick *s = &options;
	const char *const *words = (const char *const *)arguments + 1;
	bool good = is_good_size(s) && read_config(&s->config, s->conf, words, (size_t)count - 1) &&
		    add_applications(s) && write_medium(s, arguments[0]);

	if (good) {
		printf("%s: %" PRIu64 " MiB, boots", arguments[0], s->mib);
		for (unsigned n = 0; n < APPLICATIONS; n++)
			if (s->application[n][0])
				printf(" %s", processors[n].name);
		puts("; its noisefloor.conf can be changed with any editor");
	}
	explicit_bzero(&s->config, sizeof(s->config)); /* the configuration may hold a key */
	return good ? EXIT_PASS : EXIT_ERROR;
}

static const struct options_row rows[] = {
	{ "conf", "FILE", "the configuration; by default all keys at their defaults", options_text,
	  .offset = offsetof(struct stick, conf) },
	{ "image", "FILE",
	  "the application, also a signed one, of each processor; by default those that came with "
	  "noisefloor",
	  options_list, .offset = offsetof(struct stick, image) },
	{ "size", "MIB", "of the medium, from 64; what is free is for results; 64, if not given",
	  options_count, .offset = offsetof(struct stick, mib), .most = MIB_MOST },
	{ "yes", NULL, "do not ask before a disk is overwritten", options_flag,
	  .offset = offsetof(struct stick, yes) },
	{ 0 },
};

const struct options_subcommand boot_stick = {
	.name = "stick",
	.command = "noisefloor boot stick",
	.run = stick_run,
	.summary = "a medium to boot from, with a configuration",
	.arguments = "DEVICE|FILE [KEY=VALUE...]",
	.least = 1,
	.most = OPTIONS_MANY,
	.about = "Writes a disk that UEFI boots from: the application, noisefloor.conf and a "
		 "README.txt. DEVICE is a whole removable disk that is not in use, such as a USB "
		 "stick; all that was on it is lost. FILE is an image of such a disk. Keys are "
		 "those "
		 "of noisefloor.conf, and win over those of --conf; key=@FILE takes the key from a "
		 "file.",
	.exit_code = "0 done, 2 error.",
	.keys = 1u << CONFIG_PROBE,
	.rows = rows,
	.options = &options,
};
