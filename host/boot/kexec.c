/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor boot once --kexec`: load the probe by kexec(8), with the running Linux as its payload
 * (core/firmware/linux_boot.h): the probe measures, and then starts this Linux again. With
 * --one-way, the payload is the configuration alone, and the image may be one that is signed.
 */
#define _GNU_SOURCE /* memfd_create */
#include "boot.h"

#include "core/firmware/linux_boot.h"
#include "core/lib/bytes.h"
#include "host/lib/efi_image.h"
#include "host/lib/whole_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PART_MAX ((size_t)1 << 30)
#define KEXEC    "kexec"
#define NEEDS    "--kexec takes kexec, of the package kexec-tools"
#define LOCKDOWN "/sys/kernel/security/lockdown"
#define DISABLED "/proc/sys/kernel/kexec_load_disabled"
#define COMMAND  "/proc/cmdline"

/* %s is the kernel's release. */
static const char *const kernels[] = { "/boot/vmlinuz-%s", "/lib/modules/%s/vmlinuz", NULL };
static const char *const initrds[] = { "/boot/initrd.img-%s", "/boot/initramfs-%s.img",
				       "/boot/initrd-%s", NULL };

static bool contains(const char *path, const char *what)
{
	size_t bytes;
	char *text = (char *)whole_file_read(path, LINUX_PAYLOAD_PAGE, &bytes);
	bool found = text && memmem(text, bytes, what, strlen(what));

	free(text);
	return found;
}

bool boot_is_signed(const char *path)
{
	size_t bytes;
	uint8_t *image = whole_file_read(path, EFI_IMAGE_MAX, &bytes);
	bool is = image && efi_image_is_signed(image, bytes);

	free(image);
	return is;
}

/* False where Linux would refuse to load the probe. */
static bool may_load(const struct boot_kexec *k, const char *image)
{
	if (contains(DISABLED, "1"))
		return boot_complain("once",
				     DISABLED " is 1: kexec is switched off until the next boot");
	if (!contains(LOCKDOWN, "[integrity]") && !contains(LOCKDOWN, "[confidentiality]"))
		return true;
	if (!k->one_way)
		return boot_complain(
			"once", "this Linux is locked down, as with Secure Boot, and loads signed "
				"images alone, which do not start it again: --one-way ends the run "
				"by a reset, and `noisefloor boot once` without --kexec measures "
				"after one");
	return access(image, R_OK) != 0 || boot_is_signed(image) ||
	       boot_complain("once",
			     "%s has no signature, and this Linux is locked down, as with Secure "
			     "Boot: `make sign` signs it",
			     image);
}

/* The file that was given, or the first of `names` that is there. NULL: none is. */
static const char *kexec_find(const char *given, const char *const *names, char path[PATH_MAX])
{
	struct utsname name;

	if (given)
		return given;
	for (uname(&name); *names; names++) {
		snprintf(path, PATH_MAX, *names, name.release);
		if (access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

struct part {
	uint8_t *at;
	size_t bytes;
};

static bool read_part(struct part *p, const char *path)
{
	p->at = whole_file_read(path, PART_MAX, &p->bytes);
	return p->at || boot_complain("once", "%s: %s", path, strerror(errno));
}

static bool read_files(struct part part[LINUX_PARTS], const struct boot_kexec *k)
{
	char kernel_path[PATH_MAX], initrd_path[PATH_MAX];
	const char *kernel = kexec_find(k->kernel, kernels, kernel_path), *why;
	const char *initrd = kexec_find(k->initrd, initrds, initrd_path);
	struct part *command = &part[LINUX_PART_COMMAND];
	struct linux_image image;

	if (!kernel)
		return boot_complain(
			"once", "the kernel of this Linux is not in /boot; --kernel FILE names it");
	if (!initrd)
		return boot_complain(
			"once", "the initrd of this Linux is not in /boot; --initrd FILE names it");
	if (!read_part(&part[LINUX_PART_KERNEL], kernel) ||
	    !read_part(&part[LINUX_PART_INITRD], initrd) || !read_part(command, COMMAND))
		return false;
	if (command->bytes && command->at[command->bytes - 1] == '\n')
		command->bytes--;
	why = linux_image_read(&image, part[LINUX_PART_KERNEL].at, part[LINUX_PART_KERNEL].bytes);
	/* The probe would halt: it can neither measure nor start this Linux again. */
	if (!why && command->bytes > image.command_max)
		why = "takes no command line as long as " COMMAND;
	return !why || boot_complain("once", "%s %s", kernel, why);
}

static void write_page_by_page(FILE *to, const uint8_t *bytes, size_t count)
{
	static const uint8_t zeros[LINUX_PAYLOAD_PAGE];

	fwrite(bytes, 1, count, to);
	fwrite(zeros, 1, -count % LINUX_PAYLOAD_PAGE, to);
}

/* Write the payload to a file in memory. -1: the reason is on standard error. */
static int write_payload(const struct part part[LINUX_PARTS])
{
	int fd = memfd_create("payload", 0);
	FILE *to = fd < 0 ? NULL : fdopen(dup(fd), "wb");
	uint8_t head[LINUX_PAYLOAD_PAGE] = LINUX_PAYLOAD_MAGIC;
	bool good = to;

	for (unsigned n = 0; n < LINUX_PARTS; n++)
		bytes_put_le64(head + 8 + 8 * n, part[n].bytes);
	if (to) {
		write_page_by_page(to, head, sizeof(head));
		for (unsigned n = 0; n < LINUX_PARTS; n++)
			if (part[n].bytes)
				write_page_by_page(to, part[n].at, part[n].bytes);
		good = !ferror(to);
		good &= fclose(to) == 0;
	}
	if (good)
		return fd;
	boot_complain("once", "the payload: %s", strerror(errno));
	return -1;
}

/* The child inherits the file. */
static bool load(const struct boot_kexec *k, const char *image, int fd)
{
	/* A signature is verified by the second of the two alone. */
	const char *call = k->one_way ? "--kexec-file-syscall" : "--kexec-syscall";
	char initrd[64];
	const char *const argv[] = { KEXEC, call, "--load", image, initrd, NULL };

	snprintf(initrd, sizeof(initrd), "--initrd=/proc/self/fd/%d", fd);
	return boot_child_run(argv, NEEDS);
}

bool boot_kexec_load(const struct boot_kexec *k, const char *config)
{
	struct part part[LINUX_PARTS] = { [LINUX_PART_CONFIG] = { (uint8_t *)strdup(config),
								  strlen(config) } };
	char path[PATH_MAX];
	const char *image = k->image ? k->image : path;
	bool good;
	int fd;

	if (!k->image && k->one_way)
		whole_file_of_ours(path, "../lib/noisefloor/noisefloor-oneway.bzimage",
				   "noisefloor-oneway.bzimage");
	else if (!k->image)
		whole_file_of_ours(path, "../lib/noisefloor/noisefloor.bzimage",
				   "noisefloor.bzimage");
	good = may_load(k, image) && (k->one_way || read_files(part, k));
	fd = good ? write_payload(part) : -1;
	good = fd >= 0 && load(k, image, fd);
	if (fd >= 0)
		close(fd);
	explicit_bzero(part[LINUX_PART_CONFIG].at, part[LINUX_PART_CONFIG].bytes);
	for (unsigned n = 0; n < LINUX_PARTS; n++)
		free(part[n].at);
	return good;
}
