/* SPDX-License-Identifier: BSD-2-Clause */
/* BIOS dumps in each shape, whole and truncated, and files that are not dumps. */
#include "host/bios/bios_dump.h"

#include "host/lib/whole_file.h"

#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/tree.h"

#define WHOLE                                                                       \
	"{\"@odata.id\": \"/redfish/v1/Systems/1/Bios\", \"Id\": \"BIOS\",\n"       \
	" \"Attributes\": {\"SysProfile\": \"PerfOptimized\", \"CorrEccSmi\": "     \
	"\"Enabled\",\n  \"Zeta\": 3, \"Alpha\": true, \"Ratio\": 0.5, \"Unset\": " \
	"null},\n \"AttributeRegistry\": \"BiosAttributeRegistry.v1_0_0\"}\n"

static struct bios_dump dump; /* the latest that was read */
static char why[400];

static bool read_file(const char *file)
{
	struct text t;

	bios_dump_free(&dump);
	text_init(&t, why, sizeof(why));
	return bios_dump_read(&dump, file, &t);
}

static bool read_dump(const char *text)
{
	tree_write("bios.json", text);
	return read_file(tree_path("bios.json"));
}

static void forget(void)
{
	bios_dump_free(&dump);
	dump = (struct bios_dump){ .values = NULL };
}

static void end(void)
{
	forget();
	tree_remove();
}

struct expected {
	const char *name, *value;
};

/* The attributes of a dump, in the order of the file. */
static void check_dump(const struct expected *expected, size_t count)
{
	const char *name;
	json_t *value;

	assert_int_equal(json_object_size(dump.values), count);
	json_object_foreach(dump.values, name, value)
	{
		assert_string_equal(name, expected->name);
		assert_true(text_same(json_string_value(value), expected->value));
		assert_ptr_equal(bios_dump_value(&dump, name), json_string_value(value));
		expected++;
	}
}

TEST_F(tree_make, end, test_order_and_values)
{
	static const struct expected expected[] = {
		{ "SysProfile", "PerfOptimized" },
		{ "CorrEccSmi", "Enabled" },
		{ "Zeta", "3" },
		{ "Alpha", "true" },
		{ "Ratio", "0.5" },
		{ "Unset", NULL },
	};
	assert_true(read_dump(WHOLE));
	assert_string_equal(why, "");
	assert_int_equal(dump.not_scalar, 0);
	check_dump(expected, 6);
	assert_null(bios_dump_value(&dump, "sysprofile"));
}

static void check_file(const char *file, const struct expected *expected, size_t count)
{
	if (!read_file(file))
		fail_msg("%s: %s", file, why);
	assert_int_equal(dump.not_scalar, 0);
	check_dump(expected, count);
}

#define CHECK_FILE(file, ...)                                                         \
	check_file("tests/data/bios/" file, (const struct expected[]){ __VA_ARGS__ }, \
		   sizeof((const struct expected[]){ __VA_ARGS__ }) / sizeof(struct expected))

/* Members that describe the resource are not attributes. */
TEST_F(NULL, forget, test_gen9)
{
	CHECK_FILE("hpe-gen9.json", { "AdminPassword", NULL },
		   { "IpmiWatchdogTimerStatus", "IpmiWatchdogTimerOff" },
		   { "MemPreFailureNotification", "Enabled" },
		   { "PowerRegulator", "DynamicPowerSavings" }, { "ProcCoreDisable", "0" },
		   { "ProcHyperthreading", "Enabled" }, { "ThermalConfig", "OptimalCooling" });
}

/* Only the BIOS component is read. */
TEST_F(NULL, forget, test_scp)
{
	CHECK_FILE("dell-scp.json", { "CorrEccSmi", "Enabled" }, { "LogicalProc", "Enabled" },
		   { "OsWatchdogTimer", "Disabled" }, { "ProcPwrPerf", "SysDbpm" });
}

TEST_F(NULL, forget, test_fwupd)
{
	CHECK_FILE("fwupd.json", { "WakeonLAN", "Primary" }, { "LegacyUSBSupport", "Enable" },
		   { "AlarmTime", NULL });
}

TEST_F(NULL, forget, test_scewin)
{
	CHECK_FILE("scewin.txt", { "Hyper-Threading [ALL]#004D", "Enable" },
		   { "Legacy USB Support#01A0", "Disabled" }, { "Hot Plug#0085", "Disabled" },
		   { "Hot Plug#008B", "Enabled" }, { "Correctable Error Threshold#0BC9", "20" },
		   { "RMT Pattern Length#0B4B", "7FFF" }, { "Quiet Boot#0027", "Enabled" },
		   { "Link Speed#0005", "Auto" }, { "Link Speed#0005/2", "10 Mbps" },
		   { "Administrator Password#0007", NULL });
}

/* A truncated profile is refused. A truncated script has no attributes but those in its text. */
TEST_F(tree_make, end, test_cut)
{
	static const char *const files[] = { "tests/data/bios/dell-scp.json",
					     "tests/data/bios/scewin.txt" };
	for (size_t i = 0; i < 2; i++) {
		size_t bytes;
		char *text = (char *)whole_file_read(files[i], 8192, &bytes);

		assert_non_null(text);
		text[--bytes] = '\0';
		while (bytes >= rounds(3, 1)) {
			bool read;

			bytes -= rounds(3, 1);
			text[bytes] = '\0';
			read = read_dump(text);
			assert_true(read ? i == 1 && json_object_size(dump.values) <= 10 : *why);
		}
		free(text);
	}
}

TEST_F(tree_make, end, test_utf8_mark)
{
	assert_true(read_dump("\xef\xbb\xbf{\"Attributes\": {\"A\": 1}}"));
	assert_string_equal(bios_dump_value(&dump, "A"), "1");
}

/* Terminal escapes are removed; attributes that are not scalars are counted, not read. */
TEST_F(tree_make, end, test_hostile)
{
	assert_true(read_dump("{\"Attributes\": {\"A\\u001b[2J\": \"\\u009b0m\\n\", \"L\": [1],"
			      " \"O\": {\"A\": 1}, \"B\": \"\"}}"));
	assert_int_equal(dump.not_scalar, 2);
	check_dump((const struct expected[]){ { "A?[2J", "??0m?" }, { "B", "" } }, 2);
}

TEST_F(tree_make, end, test_refused)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "no JSON: line" },
		{ "[]", "no BIOS dump: found no object; wanted: an object \"Attributes\"" },
		{ "{\"Attributes\": []}", "no BIOS dump: found \"Attributes\"" },
		{ "{\"Attributes\": {}}", "none of its 0 attributes has a value" },
		{ "{\"error\": {\"code\": \"1\"}}", "found \"error\"; wanted: an object" },
		{ "{\"Type\": \"HpChassis.1.0\", \"A\": 1}", "found \"Type\"; wanted" },
		{ "{\"SystemConfiguration\": {\"Components\": [{\"FQDD\": \"NIC.1\", "
		  "\"Attributes\": []}]}}",
		  "SystemConfiguration.Components: no component \"BIOS.Setup.1-1\"" },
		{ "{\"SystemConfiguration\": {\"Components\": [{\"FQDD\": \"BIOS.Setup.1-1\", "
		  "\"Attributes\": [{\"Name\": \"A\", \"Value\": 1}, {\"Value\": 2}]}]}}",
		  "SystemConfiguration.Components[0].Attributes[1]: no text \"Name\"" },
		{ "{\"SystemConfiguration\": {\"Components\": [{\"FQDD\": \"BIOS.Setup.1-1\"}]}}",
		  "SystemConfiguration.Components[0].Attributes: no list" },
		{ "{\"SystemConfiguration\": {\"Components\": [{\"FQDD\": \"BIOS.Setup.1-1\", "
		  "\"Attributes\": [{\"Name\": \"A\", \"Value\": 1}, {\"Name\": \"A\"}]}]}}",
		  "attribute \"A\" is there twice" },
		{ "{\"BiosSettings\": [{\"Name\": \"A\"}, {\"Name\": \"B\"}]}",
		  "none of its 2 attributes has a value; fwupdmgr prints them for root" },
		{ "{\"BiosSettings\": [7]}", "BiosSettings[0]: no text \"Name\"" },
		{ "\xff\xfe{", "UTF-16; wanted: UTF-8" },
		{ "hello", "line 1: found \"hello\"; wanted: \"Setup Question = NAME\" (AMI's" },
		{ "// Script\nHIICrc32= 1\n", "line 1: found \"// Script\"; wanted: \"Setup" },
		{ "Setup Question\t= A\nWidth\t=01\n",
		  "line 1: found \"Setup Question = A\"; wanted: a block with \"Token = NUMBER\"" },
		{ "Setup Question\t= A\nToken\t=\nDefault\t=1\nValue\t=1\n",
		  "line 2: found \"Token =\"; wanted: \"Token = NUMBER\", in hexadecimal" },
		{ "Setup Question\t= A\nToken\t=0\nValue\t=1\n",
		  "line 2: found \"Token =0\"; wanted: \"Token = NUMBER\"" },
		{ "Setup Question\t= A\nToken\t=1G\nValue\t=1\n",
		  "line 2: found \"Token =1G\"; wanted: \"Token = NUMBER\"" },
		{ "Setup Question\t= A\nToken\t=1\nOptions\t=*[00]B\n *[01]C\n",
		  "line 4: found \"*[01]C\"; wanted: one option with an asterisk" },
		{ "Setup Question\t= A\nToken\t=1\nOptions\t=*[xy]B\n",
		  "line 3: found \"Options =*[xy]B\"; wanted: an option, as *[01]Enabled" },
		{ "Setup Question\t= A\nToken\t=1\nValue\t=1\nValue\t=2\n",
		  "line 4: found \"Value =2\"; wanted: one value" },
		{ "\n<SystemConfiguration><Component FQDD=\"BIOS.Setup.1-1\">",
		  "found XML; wanted: JSON, as `racadm get -t json`" },
		{ "{\"Attributes\": {\"A\": 1, \"A\": 2}}",
		  "no JSON: line 1, column 27: duplicate" },
		{ "{\"Attributes\": {\"A\": 1}} {",
		  "no JSON: line 1, column 26: end of file expected" },
		{ "{\"Attributes\":\n{\"A\": 123456789012345678901234567890}}",
		  "no JSON: line 2, column 36: too big integer" },
		{ "{\"nf\":1,\"type\":\"begin\"}", "no BIOS dump" },
	};
	static char deep[6001];
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(read_dump(bad[i].text));
		if (!strstr(why, bad[i].why))
			fail_msg("no `%s` in %s", bad[i].why, why);
	}
	memset(deep, '[', sizeof(deep) - 1);
	assert_false(read_dump(deep));
	/* Truncate the text at each byte. */
	for (size_t bytes = 0; bytes < sizeof(WHOLE) - 2; bytes++) {
		char part[sizeof(WHOLE)] = WHOLE;

		part[bytes] = '\0';
		assert_false(read_dump(part));
		assert_string_not_equal(why, "");
	}
}

TEST_F(tree_make, end, test_huge)
{
	size_t bytes = BIOS_DUMP_BYTES + 1, at;
	char *text = calloc(1, bytes + 1);
	assert_non_null(text);
	memset(text, ' ', bytes);
	memcpy(text, "{\"Attributes\":{\"A\":1}}", 22);
	assert_false(read_dump(text));
	assert_string_equal(why, "more than 4194304 bytes: no BIOS dump");
	text[BIOS_DUMP_BYTES] = '\0';
	assert_true(read_dump(text));
	assert_int_equal(json_object_size(dump.values), 1);
	at = (size_t)sprintf(text, "{\"Attributes\":{\"A\":1");
	for (unsigned i = 0; i < BIOS_DUMP_ATTRIBUTES; i++)
		at += (size_t)sprintf(text + at, ",\"B%u\":1", i);
	sprintf(text + at, "}}");
	assert_false(read_dump(text));
	assert_string_equal(why, "more than 32768 attributes");
	free(text);
}

TEST_F(tree_make, end, test_no_file)
{
	assert_false(read_file(tree_path("none.json")));
	assert_string_equal(why, "No such file or directory");
	assert_false(read_file(tree_path("")));
	assert_string_equal(why, "Is a directory");
}
