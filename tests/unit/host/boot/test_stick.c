/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor boot stick`: what it refuses to write, and to write to. tests/system has what it
 * writes.
 */
#include "host/boot/boot.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"

#include <jansson.h>
#include <sys/stat.h>

static char conf[96], medium[96];

static void begin(void)
{
	assert_int_equal(empty_folder(), 0);
	snprintf(conf, sizeof(conf), "%s/rack7.conf", folder);
	snprintf(medium, sizeof(medium), "%s/medium.img", folder);
}

#define STICK(...) RUN(&boot_stick, "stick", "--conf", conf, ##__VA_ARGS__)

/* ---- Configuration ---- */

static void assert_refused(const char *why)
{
	assert_in(err, why);
	assert_string_equal(out, "");
	assert_true(access(medium, F_OK) != 0);
}

/* Mistakes are reported as by the probe: with file and line, and with the accepted values. */
TEST_F(begin, NULL, test_mistakes_in_the_file)
{
	char wanted[160];

	save_text(conf, "# mine\nduration=10m\n\nthreshold=1\n");
	assert_int_equal(STICK(medium), 2);
	snprintf(wanted, sizeof(wanted), "stick: %s:4: threshold", conf);
	assert_refused(wanted);
	assert_in(err, "needs a unit");
	save_text(conf, "duratoin=10m\n");
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
		{ "stages=linux", "stick: stages=linux" },
	};

	save_text(conf, "duration=10m\n");
	for (size_t n = 0; n < sizeof(bad) / sizeof(bad[0]); n++) {
		assert_int_equal(STICK(medium, bad[n][0]), 2);
		assert_refused(bad[n][1]);
	}
}

TEST_F(begin, NULL, test_files_that_are_not_there)
{
	assert_int_equal(STICK(medium), 2);
	assert_refused("rack7.conf: No such file");
	save_text(conf, "duration=10m\n");
	assert_int_equal(STICK("--image", "/nowhere.efi", medium), 2);
	assert_refused("stick: /nowhere.efi: No such file");
	assert_int_equal(STICK("--image", conf, medium), 2);
	assert_refused("rack7.conf: not a UEFI application");
	assert_int_equal(RUN(&boot_stick, "stick", medium), 2);
	assert_refused("share/noisefloor/noisefloor.conf: No such file");
}

/* ---- Disks ---- */

/* Output of lsblk of util-linux 2.38: a stick of 8 GB with one unused partition. */
static const char stick[] =
	"{\"type\":\"disk\", \"name\":\"sdb\", \"pkname\":null, \"rm\":true, "
	"\"subsystems\":\"block:scsi:usb:pci\", \"ro\":false, \"size\":8004304896, "
	"\"log-sec\":512, \"vendor\":\"SanDisk \", \"model\":\"Ultra\\u001b[2J  \", "
	"\"mountpoints\":[null], \"children\": [{\"type\":\"part\", \"name\":\"sdb1\", "
	"\"pkname\":\"sdb\", \"rm\":true, \"subsystems\":\"block:scsi:usb:pci\", \"ro\":false, "
	"\"size\":8003256320, \"log-sec\":512, \"vendor\":null, \"model\":null, "
	"\"mountpoints\":[null]}]}";

static struct device device;
static char why[DEVICE_WHY_MAX];
static json_t *disk, *part;

static void plug(void)
{
	begin();
	disk = json_loads(stick, 0, NULL);
	part = json_array_get(json_object_get(disk, "children"), 0);
	assert_non_null(part);
}

static void unplug(void)
{
	json_decref(disk);
}

static bool is_good(void)
{
	return device_check(disk, &device, why);
}

/* Changes to the disk and its partition, and why they are no target; "": they are one. */
static const struct {
	const char *disk, *part, *why;
} disks[] = {
	{ "{}", "{}", "" },
	/* USB disks may call themselves fixed. */
	{ "{\"rm\": false}", "{}", "" },
	{ "{\"subsystems\": \"block:scsi:pci\"}", "{}", "" },
	{ "{\"subsystems\": \"block:scsi:pci\", \"rm\": false}", "{}",
	  "it is no removable disk; a stick's name is in the output of lsblk" },
	{ "{\"size\": 0}", "{}", "there is no medium in it" },
	{ "{\"size\": 67108863}", "{}", "it has 63 MiB; 64 are needed" },
	{ "{\"size\": 67108864}", "{}", "" },
	{ "{\"log-sec\": 4096}", "{}", "its sectors have 4096 bytes; only 512 are supported" },
	{ "{\"ro\": true}", "{}", "it is write-protected" },
	{ "{\"ro\": null}", "{}", "it is write-protected" },
	{ "{}", "{\"mountpoints\": [null, \"/media/my stick\\u001b\"]}",
	  "sdb1 is mounted at /media/my stick?; unmount it first" },
	{ "{\"mountpoints\": [\"/mnt\"]}", "{}", "it is mounted at /mnt; unmount it first" },
	/* Unknown mounts do not count as unused. */
	{ "{\"mountpoints\": []}", "{\"mountpoints\": null}",
	  "where sdb1 is mounted is not known" },
	{ "{}",
	  "{\"children\": [{\"type\": \"crypt\", \"name\": \"luks\", \"mountpoints\": [null]}]}",
	  "sdb1 is in use by luks" },
	{ "{\"children\": [{\"type\": \"raid1\", \"name\": \"md0\", \"mountpoints\": [null]}]}",
	  "{}", "it is in use by md0" },
	{ "{\"type\": \"part\", \"pkname\": \"sdb\"}", "{}",
	  "it is a partition; the whole disk is /dev/sdb" },
};

TEST_F(begin, NULL, test_disks)
{
	for (size_t i = 0; i < sizeof(disks) / sizeof(disks[0]); i++) {
		json_t *of_disk = json_loads(disks[i].disk, 0, NULL);
		json_t *of_part = json_loads(disks[i].part, 0, NULL);

		plug();
		assert_int_equal(json_object_update(part, of_part), 0);
		assert_int_equal(json_object_update(disk, of_disk), 0);
		assert_int_equal(is_good(), !*disks[i].why);
		assert_string_equal(why, disks[i].why);
		unplug();
		json_decref(of_disk);
		json_decref(of_part);
	}
	assert_string_equal(device.model, "SanDisk Ultra?[2J");
}

/* An empty object is no target. */
TEST_F(plug, unplug, test_nothing_known)
{
	json_object_clear(disk);
	assert_false(is_good());
}

/* ---- lsblk ---- */

static json_t *list_by(const char *script)
{
	char lsblk[128], search[128];
	json_t *listed;

	snprintf(lsblk, sizeof(lsblk), "%s/lsblk", folder);
	save_text(lsblk, script);
	chmod(lsblk, 0700);
	snprintf(search, sizeof(search), "%s:/usr/bin:/bin", folder);
	setenv("PATH", search, 1);
	listed = device_list("/dev/sdb");
	unlink(lsblk);
	return listed;
}

TEST_F(plug, unplug, test_lsblk)
{
	char script[1200];
	json_t *listed;

	snprintf(script, sizeof(script),
		 "#!/bin/sh\n[ \"$5\" = /dev/sdb ] || exit 1\n"
		 "echo '{\"blockdevices\": [%s]}'\n",
		 stick);
	listed = list_by(script);
	assert_true(json_equal(listed, disk));
	json_decref(listed);
	assert_null(list_by("#!/bin/sh\necho '{\"blockdevices\": []}'\n"));
	assert_null(list_by("#!/bin/sh\necho no JSON\n"));
	/* The output of a program that fails is ignored. */
	snprintf(script, sizeof(script), "#!/bin/sh\necho '{\"blockdevices\": [%s]}'\nexit 1\n",
		 stick);
	assert_null(list_by(script));
}

TEST_F(begin, NULL, test_too_small)
{
	save_text(conf, "duration=10m\n");
	assert_int_equal(STICK("--size", "63", medium), 2);
	assert_refused("64 at the least");
}

TEST_GROUP(make_folder, remove_folder_and_rest);
