/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor stick`: a medium to boot from, with a configuration, as a file or on a disk. */
#include "device.h"
#include "stick_config.h"
#include "volume.h"

#include "host/install/efi_image.h"
#include "host/lib/exit.h"
#include "host/lib/output_file.h"
#include "host/lib/whole_file.h"
#include "host/subcommands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define README_MAX   65536u
#define README_CRLF  (2 * README_MAX)
#define MIB_SHIFT    20
#define APPLICATIONS 2
#define FILES        (APPLICATIONS + 2)

static struct stick {
	struct options_list image;
	const char *conf;
	uint64_t mib;
	bool yes;

	struct stick_config config;
	char readme[README_CRLF];
	uint8_t *application[APPLICATIONS]; /* NULL: none for that processor */
	struct volume_file files[FILES];
	struct volume volume;
} options = { .mib = VOLUME_MIB_LEAST };

/* Each processor's, in the order of the medium's files. */
static const struct processor {
	enum efi_image_machine machine;
	const char *name, *file, *installed, *built;
} processors[APPLICATIONS] = {
	{ EFI_IMAGE_X86_64, "x86-64", "BOOTX64.EFI", "../lib/noisefloor/noisefloor.efi",
	  "noisefloor.efi" },
	{ EFI_IMAGE_AARCH64, "AArch64", "BOOTAA64.EFI", "../lib/noisefloor/noisefloor-aarch64.efi",
	  "aarch64/noisefloor.efi" },
};

static bool fail(const char *what, int error)
{
	fprintf(stderr, "stick: %s: %s\n", what, strerror(error));
	return false;
}

static bool refuse(const char *what, const char *why)
{
	fprintf(stderr, "stick: %s: %s\n", what, why);
	return false;
}

static void add_file(struct stick *s, const char *name, const char *in, const void *bytes,
		     size_t count)
{
	s->files[s->volume.count++] = (struct volume_file){ name, in, bytes, count };
}

/* ---- What is on it ---- */

static bool add_application(struct stick *s, const char *path)
{
	enum efi_image_machine machine;
	uint8_t *image;
	size_t bytes;

	image = whole_file_read(path, EFI_IMAGE_MAX, &bytes);
	if (!image)
		return fail(path, errno);
	machine = efi_image_machine(image, bytes);
	for (unsigned n = 0; n < APPLICATIONS; n++) {
		if (processors[n].machine != machine || s->application[n])
			continue;
		s->application[n] = image;
		add_file(s, processors[n].file, "BOOT", image, bytes);
		return true;
	}
	free(image);
	return refuse(path, machine ? "the second application for the same processor"
				    : "not a UEFI application for x86-64 or AArch64");
}

/* As given; else those that came with this program, of which there is one at the least. */
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

static bool add_readme(struct stick *s)
{
	char path[PATH_MAX];
	uint8_t *text;
	struct text t;
	size_t bytes;

	whole_file_of_ours(path, "../share/noisefloor/README.txt", "image/README.txt");
	text = whole_file_read(path, README_MAX, &bytes);
	if (!text)
		return fail(path, errno);
	text_init(&t, s->readme, sizeof(s->readme));
	stick_config_lines(&t, (const char *)text, bytes);
	free(text);
	add_file(s, "README.txt", "", t.buf, t.len);
	return true;
}

static time_t time_of_files(void)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");

	return epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
}

static bool collect(struct stick *s, char *const *words, size_t count)
{
	if (!stick_config_read(&s->config, s->conf, (const char *const *)words, count) ||
	    !add_applications(s) || !add_readme(s))
		return false;
	add_file(s, "noisefloor.conf", "", s->config.text, s->config.bytes);
	s->volume.files = s->files;
	s->volume.mib = s->mib;
	s->volume.time = time_of_files();
	return true;
}

/* ---- Where to ---- */

static bool write_file(struct stick *s, const char *path)
{
	struct output_file o;
	/* A key that signs records is nobody else's. */
	int error = output_file_open(&o, path, s->config.has_secret ? 0600 : 0644);

	if (error)
		return fail(path, error);
	s->volume.disk_bytes = s->mib << MIB_SHIFT;
	if (ftruncate(fileno(o.to), (off_t)s->volume.disk_bytes) != 0)
		error = errno;
	if (!error)
		error = volume_write(&s->volume, fileno(o.to));
	error = output_file_close(&o, error);
	return error ? fail(path, error) : true;
}

/* Its name, typed as it was given. */
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
	return strcmp(line, path) == 0 || refuse(path, "not confirmed; nothing was written");
}

/* O_EXCL of a disk: not while it or a partition of it is mounted or otherwise taken. */
static bool write_disk(struct stick *s, const char *path, dev_t number)
{
	int fd = open(path, O_RDWR | O_EXCL | O_CLOEXEC), error = 0;
	struct stat st;

	if (fd < 0)
		return errno == EBUSY ? refuse(path, "it is in use") : fail(path, errno);
	if (fstat(fd, &st) != 0 || st.st_rdev != number)
		error = ENODEV;
	if (!error)
		error = volume_write(&s->volume, fd);
	if (!error && fsync(fd) != 0)
		error = errno;
	/* What is not read again now is when it is plugged in again. */
	ioctl(fd, BLKRRPART);
	close(fd);
	return error ? fail(path, error) : true;
}

static bool write_device(struct stick *s, const char *path, dev_t number)
{
	char why[DEVICE_WHY_MAX];
	struct device d;

	if (!device_check(&device_places, number, &d, why))
		return refuse(path, why);
	if (d.bytes >> MIB_SHIFT < s->mib)
		return refuse(path, "it is smaller than --size");
	s->volume.disk_bytes = d.bytes;
	return is_confirmed(s, path, &d) && write_disk(s, path, number);
}

static bool write_medium(struct stick *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0) {
		if (S_ISBLK(st.st_mode))
			return write_device(s, path, st.st_rdev);
		return S_ISREG(st.st_mode) ? write_file(s, path)
					   : refuse(path, "neither a disk nor a file");
	}
	if (errno != ENOENT)
		return fail(path, errno);
	/* A file there would be in memory. */
	if (strncmp(path, "/dev/", strlen("/dev/")) == 0)
		return refuse(path, "there is no such disk; lsblk lists them");
	return write_file(s, path);
}

static bool is_good_size(const struct stick *s)
{
	if (s->mib >= VOLUME_MIB_LEAST)
		return true;
	fprintf(stderr, "stick: --size %" PRIu64 ": MiB, %u at the least\n", s->mib,
		VOLUME_MIB_LEAST);
	return false;
}

static int run(int count, char **arguments)
{
	struct stick *s = &options;
	bool good = is_good_size(s) && collect(s, arguments + 1, (size_t)count - 1) &&
		    write_medium(s, arguments[0]);

	if (good) {
		printf("%s: %" PRIu64 " MiB, boots", arguments[0], s->mib);
		for (unsigned n = 0; n < APPLICATIONS; n++)
			if (s->application[n])
				printf(" %s", processors[n].name);
		puts("; its noisefloor.conf can be changed with any editor");
	}
	for (unsigned n = 0; n < APPLICATIONS; n++)
		free(s->application[n]);
	stick_config_forget(&s->config);
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
	  options_count, .offset = offsetof(struct stick, mib), .most = VOLUME_MIB_MOST },
	{ "yes", NULL, "do not ask before a disk is overwritten", options_flag,
	  .offset = offsetof(struct stick, yes) },
	{ 0 },
};

const struct options_subcommand stick_subcommand = {
	.name = "stick",
	.run = run,
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
