/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor boot once --kexec`, with a script as kexec. */
#include "core/firmware/linux_boot.h"
#include "host/boot/boot.h"

#include "core/lib/bytes.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"

#include <sys/stat.h>

static char kernel[96], initrd[96], printed[96], payload[96];
static uint8_t bzimage[2048];

/* Write a kexec that logs its arguments, and copies the payload. */
static void write_program(int code)
{
	char name[96], script[600];

	snprintf(name, sizeof(name), "%s/kexec", folder);
	snprintf(script, sizeof(script),
		 "#!/bin/sh\n"
		 "echo \"$1 $2 $3 ${4%%%%[0-9]*}\" >%s\n"
		 "cat \"${4#--initrd=}\" >%s\n"
		 "exit %d\n",
		 printed, payload, code);
	save_text(name, script);
	chmod(name, 0700);
}

static void begin(void)
{
	char search[400];

	snprintf(kernel, sizeof(kernel), "%s/vmlinuz", folder);
	snprintf(initrd, sizeof(initrd), "%s/initrd", folder);
	snprintf(printed, sizeof(printed), "%s/printed", folder);
	snprintf(payload, sizeof(payload), "%s/payload", folder);
	snprintf(search, sizeof(search), "%s:/usr/bin:/bin", folder);
	setenv("PATH", search, 1);
	bytes_put_le16(bzimage + 0x1fe, 0xaa55);
	memcpy(bzimage + 0x202, "HdrS", 4);
	bytes_put_le16(bzimage + 0x206, 0x20f);
	bytes_put_le32(bzimage + 0x230, 0x200000);
	bzimage[0x234] = 1;
	bytes_put_le16(bzimage + 0x236, 1);
	bytes_put_le32(bzimage + 0x238, UINT16_MAX);
	write_file(kernel, bzimage, sizeof(bzimage));
	write_file(initrd, "an initrd", 9);
	write_program(0);
	unlink(payload);
}

#define ONCE(...)                                                                        \
	RUN(&boot_once, "once", "--kexec", "--image", "the.bzimage", "--kernel", kernel, \
	    "--initrd", initrd, ##__VA_ARGS__)

static void assert_part(const struct linux_payload *p, enum linux_part n, const void *bytes,
			size_t count)
{
	assert_int_equal(p->bytes[n], count);
	assert_memory_equal(p->part[n], bytes, count);
}

TEST_F(begin, NULL, test_loaded)
{
	static const char config[] = "# Written by `noisefloor boot once`.\n"
				     "save=nvram then=reset\nduration=10s\nstages=linux\n";
	static char all[1 << 16], command[1 << 14], image[4096];
	struct linux_payload p;
	size_t count;

	assert_int_equal(ONCE("duration=10s", "stages=linux"), 0);
	load(printed, all);
	assert_string_equal(all, "--kexec-syscall --load the.bzimage "
				 "--initrd=/proc/self/fd/\n");
	count = load(payload, all);
	assert_true(linux_payload_is((uint8_t *)all, count));
	assert_true(linux_payload_read(&p, (uint8_t *)all, count));
	assert_part(&p, LINUX_PART_CONFIG, config, strlen(config));
	count = load("/proc/cmdline", command);
	assert_part(&p, LINUX_PART_COMMAND, command, count - 1);
	count = load(kernel, image);
	assert_part(&p, LINUX_PART_KERNEL, image, count);
	assert_part(&p, LINUX_PART_INITRD, "an initrd", 9);
}

TEST_F(begin, NULL, test_one_way)
{
	static const char config[] = "# Written by `noisefloor boot once`.\n"
				     "save=none then=reset\nduration=10s\n";
	static char all[1 << 16];
	struct linux_payload p;
	size_t count;

	assert_int_equal(RUN(&boot_once, "once", "--kexec", "--one-way", "--image", "the.bzimage",
			     "duration=10s"),
			 0);
	assert_in(out, "its run ends by a reset");
	load(printed, all);
	assert_string_equal(all, "--kexec-file-syscall --load the.bzimage "
				 "--initrd=/proc/self/fd/\n");
	count = load(payload, all);
	assert_true(linux_payload_read(&p, (uint8_t *)all, count));
	assert_part(&p, LINUX_PART_CONFIG, config, strlen(config));
	for (unsigned n = LINUX_PART_COMMAND; n < LINUX_PARTS; n++)
		assert_int_equal(p.bytes[n], 0);
	unlink(payload);
	assert_int_equal(ONCE("--one-way"), 2);
	assert_in(err, "neither --kernel nor --initrd is accepted");
	assert_int_equal(RUN(&boot_once, "once", "--one-way"), 2);
	assert_in(err, "--one-way is a way of --kexec");
	assert_int_equal(RUN(&boot_once, "once", "--kexec", "--one-way", "then=auto"), 2);
	assert_in(err, "--one-way needs then=reset");
	for (unsigned n = 0; n < 3; n++) {
		static const char *const keys[] = { "smi=0x42", "serial=0xb2",
						    "serial=mmio32:0xfe032000" };

		assert_int_equal(RUN(&boot_once, "once", "--kexec", "--one-way", keys[n]), 2);
		assert_in(err, "accepts no smi=");
	}
	assert_int_not_equal(access(payload, F_OK), 0);
}

TEST_F(begin, NULL, test_refused)
{
	assert_int_equal(ONCE("duration=10"), 2);
	assert_non_null(strstr(err, "once: command line: duration=10 needs a unit"));
	assert_int_equal(ONCE("stages=handoff"), 2);
	assert_non_null(strstr(err, "stages accepts linux"));
	assert_int_equal(ONCE("mode=survey"), 2);
	assert_non_null(strstr(err, "mode=survey has no firmware to ask"));
	assert_int_equal(ONCE("then=shutdown"), 2);
	assert_non_null(strstr(err, "--kexec needs then=reset"));
	bytes_put_le32(bzimage + 0x238, 0);
	write_file(kernel, bzimage, sizeof(bzimage));
	assert_int_equal(ONCE(), 2);
	assert_non_null(strstr(err, "/vmlinuz takes no command line as long as /proc/cmdline"));
	write_file(kernel, "MZ", 2);
	assert_int_equal(ONCE(), 2);
	assert_non_null(strstr(err, "/vmlinuz is no bzImage of Linux"));
	unlink(kernel);
	assert_int_equal(ONCE(), 2);
	assert_non_null(strstr(err, "/vmlinuz: No such file"));
	begin();
	unlink(initrd);
	assert_int_equal(ONCE(), 2);
	assert_non_null(strstr(err, "/initrd: No such file"));
	assert_int_not_equal(access(payload, F_OK), 0);
}

TEST_F(begin, NULL, test_kexec_fails)
{
	write_program(1);
	assert_int_equal(ONCE(), 2);
	assert_non_null(strstr(err, "kexec failed"));
	assert_string_equal(out, "");
}

TEST_GROUP(make_folder, remove_folder_and_rest);
