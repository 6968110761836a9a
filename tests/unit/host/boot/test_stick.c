/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor boot stick`: what it refuses to write, and to write to. tests/system has what it
 * writes.
 */
#include "host/boot/boot.h"
#include "host/boot/device.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#define STICK_DISK makedev(8, 16)

static char conf[96], medium[96], mountinfo[96];

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void shell(const char *format)
{
	char command[600];

	snprintf(command, sizeof(command), format, folder, folder, folder, folder);
	assert_int_equal(system(command), 0);
}

/* A line of a file below the disk's folder in a sysfs of the test's own. */
static void set(const char *name, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "%s/sys/devices/usb1/block/sdb/%s", folder, name);
	put(full, text);
}

/* A stick of 8 GB with one partition, which nobody uses. */
static void make_sysfs(void)
{
	shell("mkdir -p %s/sys/devices/usb1/block/sdb/queue %s/sys/dev/block");
	shell("mkdir -p %s/sys/devices/usb1/block/sdb/device "
	      "%s/sys/devices/usb1/block/sdb/sdb1/holders");
	shell("ln -s ../../devices/usb1/block/sdb %s/sys/dev/block/8:16");
	shell("ln -s ../../devices/usb1/block/sdb/sdb1 %s/sys/dev/block/8:17");
	set("removable", "1\n");
	set("size", "15633408\n");
	set("ro", "0\n");
	set("dev", "8:16\n");
	set("queue/logical_block_size", "512\n");
	set("device/vendor", "SanDisk \n");
	set("device/model", "Ultra\033[2J  \n");
	set("sdb1/partition", "1\n");
	set("sdb1/dev", "8:17\n");
	put(mountinfo, "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n");
}

static int begin(void **state)
{
	(void)state;
	shell("rm -rf '%s'/*");
	snprintf(conf, sizeof(conf), "%s/rack7.conf", folder);
	snprintf(medium, sizeof(medium), "%s/medium.img", folder);
	snprintf(mountinfo, sizeof(mountinfo), "%s/mountinfo", folder);
	make_sysfs();
	return 0;
}

#define STICK(...) RUN(&boot_stick, "stick", "--conf", conf, ##__VA_ARGS__)

/* ---- Configuration ---- */

static void assert_refused(const char *why)
{
	assert_in(err, why);
	assert_string_equal(out, "");
	assert_true(access(medium, F_OK) != 0);
}

/* As the probe does: by file and line, with what is accepted. */
TEST_F(begin, NULL, test_mistakes_in_the_file)
{
	char wanted[160];

	put(conf, "# mine\nduration=10m\n\nthreshold=1\n");
	assert_int_equal(STICK(medium), 2);
	snprintf(wanted, sizeof(wanted), "stick: %s:4: threshold", conf);
	assert_refused(wanted);
	assert_in(err, "needs a unit");
	put(conf, "duratoin=10m\n");
	assert_int_equal(STICK(medium), 2);
	snprintf(wanted, sizeof(wanted), "stick: %s:1: unknown key `duratoin`", conf);
	assert_refused(wanted);
}

TEST_F(begin, NULL, test_mistakes_in_arguments)
{
	static const char *const bad[][2] = {
		{ "duration=10", "stick: command line: duration" },
		{ "speed=1", "stick: command line: unknown key `speed`" },
		{ "max=1us # mine", "a key may not hold #" },
		{ "max=100ns", "threshold" },
		{ "key=@/nowhere", "No such file" },
	};

	put(conf, "duration=10m\n");
	for (size_t n = 0; n < sizeof(bad) / sizeof(bad[0]); n++) {
		assert_int_equal(STICK(medium, bad[n][0]), 2);
		assert_refused(bad[n][1]);
	}
}

TEST_F(begin, NULL, test_files_that_are_not_there)
{
	assert_int_equal(STICK(medium), 2);
	assert_refused("rack7.conf: No such file");
	put(conf, "duration=10m\n");
	assert_int_equal(STICK("--image", "/nowhere.efi", medium), 2);
	assert_refused("stick: /nowhere.efi: No such file");
	assert_int_equal(STICK("--image", conf, medium), 2);
	assert_refused("rack7.conf: not a UEFI application");
	assert_int_equal(RUN(&boot_stick, "stick", medium), 2);
	assert_refused("share/noisefloor/noisefloor.conf: No such file");
}

/* ---- Disks ---- */

static struct device device;
static char why[DEVICE_WHY_MAX];

static bool is_good(dev_t number)
{
	char sys[96];
	const struct device_places places = { sys, mountinfo };

	snprintf(sys, sizeof(sys), "%s/sys", folder);
	return device_check(&places, number, &device, why);
}

static void assert_no_target(const char *reason)
{
	assert_false(is_good(STICK_DISK));
	assert_in(why, reason);
}

TEST_F(begin, NULL, test_a_stick)
{
	assert_true(is_good(STICK_DISK));
	assert_true(device.bytes == UINT64_C(15633408) * 512);
	assert_string_equal(device.model, "SanDisk Ultra?[2J");
	assert_string_equal(why, "");
	/* USB disks may call themselves fixed. */
	set("removable", "0\n");
	assert_true(is_good(STICK_DISK));
}

TEST_F(begin, NULL, test_a_partition)
{
	assert_false(is_good(makedev(8, 17)));
	assert_string_equal(why, "it is a partition; the whole disk is /dev/sdb");
}

TEST_F(begin, NULL, test_no_disk_that_is_known)
{
	assert_false(is_good(makedev(8, 32)));
	assert_in(why, "no such disk");
}

TEST_F(begin, NULL, test_a_disk_that_stays)
{
	shell("mv %s/sys/devices/usb1 %s/sys/devices/ata1");
	shell("rm %s/sys/dev/block/8:16; ln -s ../../devices/ata1/block/sdb %s/sys/dev/block/8:16");
	assert_true(is_good(STICK_DISK));
	shell("echo 0 >%s/sys/devices/ata1/block/sdb/removable");
	assert_no_target("no removable disk");
}

TEST_F(begin, NULL, test_sizes)
{
	set("size", "0\n");
	assert_no_target("no medium in it");
	set("size", "131071\n");
	assert_no_target("it has 63 MiB; 64 are needed");
	set("size", "131072\n");
	assert_true(is_good(STICK_DISK));
	set("queue/logical_block_size", "4096\n");
	assert_no_target("its sectors have 4096 bytes");
}

TEST_F(begin, NULL, test_write_protected)
{
	set("ro", "1\n");
	assert_no_target("write-protected");
}

TEST_F(begin, NULL, test_mounted)
{
	put(mountinfo, "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
		       "40 22 8:17 / /media/my\\040stick rw shared:9 - vfat /dev/sdb1 rw\n");
	assert_no_target("sdb1 is mounted at /media/my\\040stick");
	put(mountinfo, "40 22 8:16 / /mnt rw - vfat /dev/sdb rw\n");
	assert_no_target("it is mounted at /mnt");
	put(mountinfo, "40 22 8:170 / /mnt rw - vfat /dev/sdl rw\n");
	assert_true(is_good(STICK_DISK));
	/* Not to know is not to be free. */
	unlink(mountinfo);
	assert_no_target("cannot be read");
}

TEST_F(begin, NULL, test_held)
{
	set("sdb1/holders/dm-0", "");
	assert_no_target("sdb1 is in use by dm-0");
}

TEST_F(begin, NULL, test_too_small)
{
	put(conf, "duration=10m\n");
	assert_int_equal(STICK("--size", "63", medium), 2);
	assert_refused("64 at the least");
}

static int remove_rest(void **state)
{
	shell("rm -rf '%s'/*");
	return remove_folder(state);
}

TEST_GROUP(make_folder, remove_rest);
