/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration: each key, each kind of mistake, where it is reported, and load options. */
#include "core/config/config.h"
#include "tests/unit/common/test.h"
#include "tests/unit/reported.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct config_source file = { "noisefloor.conf", false };
static const struct config_source options = { "load options", true };

static struct config config;
static struct reported reported;

static void setup(void)
{
	config_defaults(&config);
	memset(&reported, 0, sizeof(reported));
}

static unsigned apply_bytes(const struct config_source *source, const char *text, size_t bytes)
{
	/* A copy of the exact size, so that AddressSanitizer sees a read past it. */
	char *copy = malloc(bytes + !bytes);

	assert_non_null(copy);
	memcpy(copy, text, bytes);

	unsigned mistakes = config_apply(&config, source, copy, bytes, reported_add, &reported);

	free(copy);
	return mistakes;
}

static unsigned apply(const struct config_source *source, const char *text)
{
	return apply_bytes(source, text, strlen(text));
}

static unsigned check(uint32_t cpus)
{
	return config_check(&config, cpus, reported_add, &reported);
}

static const char *print(void)
{
	static char buf[4096];
	struct text text;

	text_init(&text, buf, sizeof(buf));
	config_print(&config, &text);
	return buf;
}

/* True if the printed configuration contains `word`. */
static bool prints(const char *word)
{
	char *at = strstr(print(), word);

	return at && (at == print() || at[-1] == ' ') &&
	       (at[strlen(word)] == ' ' || at[strlen(word)] == '\0');
}

/* Every key of the documented table, in its order, with its documented default; no limit is set. */
TEST_F(setup, NULL, test_defaults)
{
	static const char defaults[] =
		"mode=gaps kernel=all duration=1m window=1s quiet=no threshold=1us cpus=all "
		"stages=handoff services=all service_calls=100 service_writes=10 smi=none "
#define LIMIT(id, name, ...) name "=none "
#include "core/config/limit_rows.h"
		"preset=none stop=none stop_total=none records=auto gaps=auto serial=auto "
		"baud=115200 report=none ip=dhcp vlan=none nic=auto key=none linger=30s save=auto "
		"attest=auto selftest=yes clear_logs=no live=yes lava=no "
		"countdown=5s then=auto";

	assert_string_equal(print(), defaults);
	assert_int_equal(config.duration_ns, UINT64_C(60000000000));
	assert_int_equal(config.window_ns, 1000000000);
	assert_int_equal(config.threshold_ns, 1000);
	assert_int_equal(config.stages, 1u << STAGE_HANDOFF);
	assert_int_equal(check(1), 0);
}

static const struct {
	const char *text;
	const char *printed;
} good[] = {
	{ "attest=yes", "attest=yes" },
	{ "attest=no", "attest=no" },
	{ "kernel=fma,adds", "kernel=adds,fma" },
	{ "kernel=adds,l2,llc,dram,fma", "kernel=adds,l2,llc,dram,fma" },
	{ "max_stretch=1.05", "max_stretch=1.050000" },
	{ "max_stretch=1", "max_stretch=1.000000" },
	{ "max_stretch=12.000001", "max_stretch=12.000001" },
	{ "duration=5s", "duration=5s" },
	{ "window=1.5ms", "window=1500us" },
	{ "cpus=1 cpus=all", "cpus=all" },
	{ "cpus=1,3-5,4095", "cpus=1,3-5,4095" },
	{ "mode=stretch quiet=yes", "quiet=yes" },
	{ "threshold=150ns", "threshold=150ns" },
	{ "stop=8us stop_total=9s", "stop_total=9s" },
	{ "stages=handoff,firmware", "stages=firmware,handoff" },
	{ "stages=linux,firmware,bare,acpi,handoff", "stages=firmware,bare,acpi,handoff,linux" },
	{ "max=20us max=none", "max=none" },
	{ "max_smi=0", "max_smi=0" },
	{ "max_smi=18446744073709551615", "max_smi=18446744073709551615" },
	{ "max_noise=0", "max_noise=0" },
	{ "max_noise=1000000", "max_noise=1000000" },
	{ "max_noise=5 max_noise=none", "max_noise=none" },
	{ "preset=openshift", "preset=openshift" },
	{ "records=1", "records=1" },
	{ "records=0x1000000", "records=16777216" },
	{ "records=5 records=auto", "records=auto" },
	{ "gaps=0", "gaps=0" },
	{ "gaps=all gaps=auto", "gaps=auto" },
	{ "serial=off", "serial=off" },
	{ "serial=0x3f8", "serial=0x3f8" },
	{ "serial=1016", "serial=0x3f8" },
	{ "serial=io:0x2f8", "serial=0x2f8" },
	{ "serial=mmio32:0xfe032000", "serial=mmio32:0xfe032000" },
	{ "serial=off serial=auto", "serial=auto" },
	{ "report=udp://10.0.0.5:4711", "report=udp://10.0.0.5:4711" },
	{ "report=udp://[FD00:0::1]:65535", "report=udp://[fd00::1]:65535" },
	{ "report=udp://[::ffff:10.0.0.5]:1", "report=udp://[::ffff:a00:5]:1" },
	{ "report=auto", "report=auto" },
	{ "report=udp", "report=udp" },
	{ "report=udp://10.0.0.5:1 report=none", "report=none" },
	{ "report=udp://10.0.0.5:1 report=udp", "report=udp" },
	{ "ip=10.0.0.2/24", "ip=10.0.0.2/24" },
	{ "ip=255.255.255.255/32,255.255.255.255", "ip=255.255.255.255/32,255.255.255.255" },
	{ "ip=2001:db8:0:0::2/128,FE80::1", "ip=2001:db8::2/128,fe80::1" },
	{ "ip=10.0.0.2/24,10.0.0.1 ip=fd00::2/64", "ip=fd00::2/64" },
	{ "ip=10.0.0.2/24 ip=dhcp", "ip=dhcp" },
	{ "vlan=4094", "vlan=4094" },
	{ "vlan=7 vlan=none", "vlan=none" },
	{ "nic=52:54:00:AB:cd:09", "nic=52:54:00:ab:cd:09" },
	{ "nic=52:54:00:12:34:56 nic=auto", "nic=auto" },
	{ "key=0123456789abcdefABCDEF0123456789", "key=<set>" },
	{ "key=0123456789abcdefABCDEF0123456789 key=none", "key=none" },
	{ "save=file", "save=file" },
	{ "save=none", "save=none" },
	{ "save=nvram selftest=no clear_logs=yes live=no", "clear_logs=yes" },
	{ "countdown=0", "countdown=0" },
	{ "countdown=1.5s", "countdown=1500ms" },
	{ "then=reset", "then=reset" },
	{ "then=shutdown", "then=shutdown" },
	{ "then=exit", "then=exit" },
	{ "then=qemu-exit", "then=qemu-exit" },
	{ "duration=1s duration=2s", "duration=2s" },
};

TEST_F(setup, NULL, test_rates)
{
	static const unsigned rates[] = { 1200,  2400,   4800,   9600,   19200, 38400,
					  57600, 115200, 230400, 460800, 921600 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		char word[20];

		snprintf(word, sizeof(word), "baud=%u", rates[i]);
		assert_int_equal(apply(&file, word), 0);
		assert_true(prints(word));
	}
}

/* A word means the enum's value of that name, whose order the table's column has. */
TEST_F(setup, NULL, test_words_of_choices)
{
	static const char *const then[] = {
		[THEN_AUTO] = "then=auto",         [THEN_RESET] = "then=reset",
		[THEN_SHUTDOWN] = "then=shutdown", [THEN_HALT] = "then=halt",
		[THEN_EXIT] = "then=exit",         [THEN_QEMU_EXIT] = "then=qemu-exit",
	};
	static const char *const save[] = {
		[SAVE_AUTO] = "save=auto",
		[SAVE_FILE] = "save=file",
		[SAVE_NVRAM] = "save=nvram",
		[SAVE_NONE] = "save=none",
	};
	static const char *const attest[] = {
		[SWITCH_AUTO] = "attest=auto",
		[SWITCH_YES] = "attest=yes",
		[SWITCH_NO] = "attest=no",
	};
	static const char *const mode[MODES] = {
#define MODE(id, name) [MODE_##id] = "mode=" #name,
#include "core/config/mode_rows.h"
	};
	static const char *const live[] = { "live=no", "live=yes" };

#define EACH(key)                                                     \
	for (size_t i = 0; i < sizeof(key) / sizeof((key)[0]); i++) { \
		assert_int_equal(apply(&file, key[i]), 0);            \
		assert_int_equal(config.key, i);                      \
	}
	EACH(then)
	EACH(save)
	EACH(attest)
	EACH(mode)
	EACH(live)
}

/* A printed configuration, but for a secret, is read back as the same one. */
TEST_F(setup, NULL, test_good_values)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char before[4096];

		setup();
		if (apply(&file, good[i].text) != 0 || reported.count || !prints(good[i].printed)) {
			reported_show(&reported);
			fail_msg("`%s` gives `%s`", good[i].text, print());
		}
		if (config.key.set)
			continue;
		strcpy(before, print());
		config_defaults(&config);
		assert_int_equal(apply(&options, before), 0);
		assert_string_equal(print(), before);
	}
}

static const struct {
	const char *text;
	const char *reported; /* part of the complaint */
} bad[] = {
	{ "duration=5", "duration=5 needs a unit; accepted: a time above 0 in ns us ms s m h d" },
	{ "duration=0s", "duration=0s is zero; accepted: a time above 0" },
	{ "duration=5parsec", "duration=5parsec has an unknown unit; accepted:" },
	{ "duration=soon", "duration=soon is not a time; accepted:" },
	{ "duration=300000d", "is too long" },
	{ "duration=0.1ns", "is finer than 1 ns" },
	{ "duration=", "duration= has no value; accepted:" },
	{ "window=0s", "window=0s is zero" },
	{ "quiet=maybe", "quiet=maybe is not known; accepted: no, yes" },
	{ "live=", "live= has no value; accepted: no, yes" },
	{ "cpus=3-1", "cpus=3-1 is not a list of cores; accepted: all, or core numbers" },
	{ "cpus=4096", "is not a list of cores" },
	{ "mode=both", "is not known; accepted: gaps, stretch" },
	{ "kernel=l3", "has an unknown kernel; accepted: all, or a list of adds" },
	{ "max_stretch=0.999999", "is below 1; accepted: none, or a factor" },
	{ "max_stretch=1.0000001", "is not a number of at most six decimals" },
	{ "max_stretch=5%", "is not a number" },
	{ "max_stretch=1000000000000000000000000000000000", "is not a number" },
	{ "stages=bare,kernel", "has an unknown stage; accepted: a list of firmware bare" },
	{ "max=20", "max=20 needs a unit; accepted: none, or a time" },
	{ "max_smi=-1", "is not a whole number; accepted: none, or a count" },
	{ "max_smi=18446744073709551616", "is out of range" },
	{ "max_noise=1000001", "is out of range; accepted: none, or ppm of exposure" },
	{ "preset=fast", "preset=fast is not known; accepted: none, openshift, rhel-rt" },
	{ "records=0", "is out of range; accepted: auto, or gaps per core, 1 to 16777216" },
	{ "records=16777217", "is out of range" },
	{ "gaps=some", "is not a whole number; accepted: auto, all, or a count up to 32768" },
	{ "gaps=32769", "is out of range; accepted: auto, all, or a count up to 32768" },
	{ "serial=com1", "serial=com1 is not a whole number; accepted: auto, off, a port" },
	{ "serial=0", "is out of range" },
	{ "serial=0xfff9", "is out of range" },
	{ "serial=0x10000000000000000", "is out of range" },
	{ "serial=mmio32:0x1002", "is not a multiple of 4" },
	{ "serial=mmio32:0", "is out of range" },
	{ "serial=mmio32:0xfffffffffffffff0", "is out of range" },
	{ "serial=mmio32:auto", "is not a whole number" },
	{ "baud=115201", "is not a standard rate; accepted: 1200, 2400" },
	{ "baud=fast", "is not a standard rate" },
	{ "report=10.0.0.5:99", "has an unknown protocol; accepted: none; auto or udp for" },
	{ "report=udp:", "has an unknown protocol" },
	{ "report=udp://", "has no host" },
	{ "report=udp://:99", "has no host" },
	{ "report=udp://[]:99", "has no host" },
	{ "report=udp://lab-1.example.org:99",
	  "has a host that is not an address, and host names are not resolved; accepted: none; "
	  "auto "
	  "or udp for the boot server; udp://10.0.0.5:5514 or udp://[fd00::1]:5514" },
	{ "report=udp://[10.0.0.5]:99", "has a host that is not an address" },
	{ "report=udp://[fd00::1", "has no valid port" },
	{ "report=udp://[fd00::1]", "has no valid port" },
	{ "report=udp://[fd00::1]99", "has no valid port" },
	{ "report=udp://0.0.0.0:99", "has an unspecified address as host" },
	{ "report=udp://[::]:99", "has an unspecified address as host" },
	{ "report=udp://10.0.0.5", "has no valid port" },
	{ "report=udp://10.0.0.5:0", "has no valid port" },
	{ "report=udp://10.0.0.5:65536", "has no valid port" },
	{ "report=udp://10.0.0.5:0x50", "has no valid port" },
	{ "report=udp://10.0.0.5:010", "has no valid port" },
	{ "report=udp://10.0.0.5:80:90", "has no valid port" },
	{ "ip=10.0.0.2", "is not an address; accepted: dhcp, or address/len[,gateway]" },
	{ "ip=10.0.0.2/33", "is not an address" },
	{ "ip=10.0.0.2/0", "is not an address" },
	{ "ip=10.0.0.2/", "is not an address" },
	{ "ip=10.0.0.2/24/24", "is not an address" },
	{ "ip=10.0.0.2/024", "is not an address" },
	{ "ip=10.0.0.2/24,", "is not an address" },
	{ "ip=10.0.0.2/24,fd00::1", "is not an address" },
	{ "ip=10.0.0.2/24,10.0.0.", "is not an address" },
	{ "ip=fd00::2/129", "is not an address" },
	{ "vlan=0", "vlan=0 is out of range; accepted: none, or 1 to 4094" },
	{ "vlan=4095", "is out of range" },
	{ "vlan=lab", "is not a whole number" },
	{ "nic=eth0",
	  "nic=eth0 is not a card's address; accepted: auto, or a card's address as in" },
	{ "nic=52:54:00:12:34:5g", "is not a card's address" },
	{ "nic=52:54:00:12:34:5", "is not a card's address" },
	{ "nic=52:54:00:12:34-56", "is not a card's address" },
	{ "nic=52:54:00:12:34:56:", "is not a card's address" },
	{ "nic=01:00:5e:00:00:01", "is a multicast address" },
	{ "key=0123", "key=<4 characters> is not 32 characters long; accepted: none, or 32 hex" },
	{ "key=g123456789abcdefABCDEF0123456789", "has a character that is not a hex digit" },
	{ "save=disk", "is not known; accepted: auto, file, nvram, none" },
	{ "countdown=5", "countdown=5 needs a unit; accepted: 0, or a time above 0" },
	{ "countdown=no", "countdown=no is not a time" },
	{ "then=~", "then=~ is not known" },
	{ "then=reboot", "is not known; accepted: auto, reset, shutdown, halt, exit, qemu-exit" },
	{ "durration=5s", "unknown key `durration`; known keys: mode kernel duration" },
	{ "=5s", "unknown key ``; known keys:" },
	{ "Duration=5s", "unknown key `Duration`" },
	{ "\xb5=5s", "unknown key `?`" },
	{ "duration", "`duration` has no value; accepted: key=value" },
};

/* A mistake is reported once, and changes nothing. */
TEST_F(setup, NULL, test_bad_values)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char before[4096];

		setup();
		strcpy(before, print());
		if (apply(&file, bad[i].text) != 1 || reported.count != 1 ||
		    !reported_has(&reported, bad[i].reported)) {
			reported_show(&reported);
			fail_msg("`%s` should report `%s`", bad[i].text, bad[i].reported);
		}
		assert_string_equal(print(), before);
	}
}

/* A complaint about an unknown key lists every key there is. */
TEST_F(setup, NULL, test_unknown_key_names_all_keys)
{
	char *word, *rest, list[4096];

	apply(&file, "nonsense=1");
	strcpy(list, print());
	for (word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		*strchr(word, '=') = '\0';
		assert_true(reported_has(&reported, word));
	}
	/* The list is not cut: the last key ends it. */
	assert_string_equal(reported.at[0].text + strlen(reported.at[0].text) - 5, " then");
}

TEST_F(setup, NULL, test_found_text_is_bounded_and_printable)
{
	char text[3000];

	memset(text, 'x', sizeof(text));
	assert_int_equal(apply_bytes(&file, text, sizeof(text)), 1);
	memcpy(text, "then=", 5);
	assert_int_equal(apply_bytes(&file, text, sizeof(text)), 1);
	text[2000] = '=';
	assert_int_equal(apply_bytes(&file, text + 5, sizeof(text) - 5), 1);
	assert_int_equal(apply(&file, "then=\xff\xfe\xc3\xa4"), 1);
	for (unsigned i = 0; i < reported.count; i++)
		assert_true(strlen(reported.at[i].text) < CONFIG_COMPLAINT_MAX - 1);
	assert_true(reported_has(&reported, "xxx..."));
	assert_true(reported_has(&reported, "then=???? is not known"));
}

/* The boot server's host does not get the port of a host that was given before. */
TEST_F(setup, NULL, test_network_values)
{
	assert_int_equal(apply(&file, "report=udp://10.1.2.3:8089"), 0);
	assert_int_equal(config.report.kind, REPORT_UDP);
	assert_int_equal(config.report.port, 8089);
	assert_int_equal(apply(&file, "report=udp"), 0);
	assert_int_equal(config.report.kind, REPORT_UDP);
	assert_int_equal(config.report.port, 5514);
	assert_int_equal(config.report.host.family, IPADDR_NONE);
	assert_int_equal(apply(&file, "report=auto"), 0);
	assert_int_equal(config.report.kind, REPORT_AUTO);
}

TEST_F(setup, NULL, test_lines)
{
	assert_int_equal(apply(&file, "# a comment = nothing\r\n"
				      "\r\n"
				      "duration=5s window=100ms # window=0s\r\n"
				      "\tthreshold = 2us\n"
				      "max = 20\n"
				      "quiet\n"
				      "then=exit#until here\n"
				      "unknown=1"),
			 3);
	assert_true(prints("duration=5s") && prints("window=100ms") && prints("threshold=2us"));
	assert_true(prints("then=exit"));
	assert_int_equal(reported.at[0].line, 5);
	assert_int_equal(reported.at[1].line, 6);
	assert_int_equal(reported.at[2].line, 8);
	assert_string_equal(reported.at[0].source, "noisefloor.conf");
}

/* A value is on the line of its key. */
TEST_F(setup, NULL, test_value_does_not_wrap)
{
	assert_int_equal(apply(&file, "duration=\n5s\n"), 2);
	assert_true(reported_has(&reported, "duration= has no value"));
	assert_true(reported_has(&reported, "`5s` has no value"));
}

TEST_F(setup, NULL, test_byte_order_mark)
{
	assert_int_equal(apply(&file, "\xef\xbb\xbf"
				      "duration=5s"),
			 0);
	assert_true(prints("duration=5s"));
	assert_int_equal(apply(&file, "\xef\xbb\xbf"), 0);
	assert_int_equal(apply(&file, "duration=6s\n\xef\xbb\xbf"
				      "window=1s"),
			 1);
}

TEST_F(setup, NULL, test_comments_may_be_in_any_language)
{
	assert_int_equal(apply(&file, "# L\xc3\xa4nge\nduration=5s"), 0);
}

TEST_F(setup, NULL, test_load_options_drop_the_image)
{
	assert_int_equal(apply(&options, "\\EFI\\nf.efi duration=5s"), 0);
	assert_int_equal(apply(&options, "nf.efi"), 0);
	assert_int_equal(apply(&options, "BOOT_IMAGE=(hd0,gpt2)/nf.bzimage duration=4s"), 0);
	assert_true(prints("duration=4s"));
	assert_int_equal(apply(&options, "duration=6s"), 0);
	assert_true(prints("duration=6s"));
	assert_int_equal(apply(&options, "nf.efi second duration=7s"), 1);
	assert_true(reported_has(&reported, "`second` has no value"));
	assert_int_equal(reported.at[0].line, 0);
	assert_true(prints("duration=7s"));
	/* Only the first token may be the image's name. */
	assert_int_equal(apply(&options, "duration=8s nf.efi"), 1);
	assert_int_equal(apply(&options, "duration=8s BOOT_IMAGE=nf"), 1);
	/* A file has no image name in front. */
	assert_int_equal(apply(&file, "nf.efi duration=5s"), 1);
	assert_int_equal(apply(&file, "BOOT_IMAGE=nf duration=5s"), 1);
}

TEST_F(setup, NULL, test_binary)
{
	static const char *const texts[] = { "duration=5s\n\x01", "duration=5s\n\x7f",
					     "duration=5s\n\x1b[2J" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		setup();
		assert_int_equal(apply(&file, texts[i]), 1);
		assert_int_equal(reported.count, 1);
		assert_int_equal(reported.at[0].line, 2);
		assert_true(reported_has(&reported,
					 "at offset 12 is not text; accepted: lines of key="));
		assert_false(prints("duration=5s"));
	}
	assert_int_equal(apply_bytes(&file, "duration=5s\0", 12), 1);
	assert_true(reported_has(&reported, "byte 0x00 at offset 11"));
}

TEST_F(setup, NULL, test_size)
{
	static char text[CONFIG_TEXT_MAX + 1];

	memset(text, ' ', sizeof(text));
	memcpy(text, "duration=5s", 11);
	assert_int_equal(apply_bytes(&file, text, sizeof(text)), 1);
	assert_true(reported_has(&reported, "65537 bytes are too many; accepted: at most 65536"));
	assert_false(prints("duration=5s"));
	assert_int_equal(apply_bytes(&file, text, sizeof(text) - 1), 0);
	assert_true(prints("duration=5s"));

	/* A text that is too long is not read at all. */
	assert_int_equal(config_apply(&config, &file, text, 1u << 20, reported_add, &reported), 1);
	assert_true(reported_has(&reported, "1048576 bytes are too many"));
	assert_int_equal(apply_bytes(&file, "", 0), 0);
}

#define SECRET "00112233445566778899aabbccddeeff"

TEST_F(setup, NULL, test_secret_is_kept_and_never_printed)
{
	static const char *const leaks[] = {
		"key=" SECRET "0", "key=" SECRET SECRET,       "key = " SECRET "=",
		"key " SECRET,     "key=0 " SECRET " " SECRET, "key=\n" SECRET,
		"key key " SECRET, "key=" SECRET " " SECRET,
	};

	assert_int_equal(apply(&file, "key=" SECRET), 0);
	for (unsigned i = 0; i < CONFIG_SECRET_BYTES; i++)
		assert_int_equal(config.key.bytes[i], 0x11 * i);
	assert_true(prints("key=<set>"));
	assert_null(strstr(print(), "0011"));
	for (size_t i = 0; i < sizeof(leaks) / sizeof(leaks[0]); i++) {
		assert_true(apply(&file, leaks[i]) > 0);
		if (reported_has(&reported, "0011"))
			fail_msg("`%s` is printed", leaks[i]);
	}
}

/* The secret is hidden also while it is typed, and with any mistake. */
TEST_F(setup, NULL, test_secret_is_masked)
{
	static const struct {
		const char *typed, *shown;
	} cases[] = {
		{ "", "" },
		{ "duration=4s max=20us", "duration=4s max=20us" },
		{ "keys=1 ke", "keys=1 ke" },
		{ "key", "key" },
		{ "key=", "key=" },
		{ "key=0", "key=*" },
		{ "duration=4s key=0011 max=1us", "duration=4s key=**** max=1us" },
		{ "key = 0011", "key * ****" },
		{ "key 0011 22 max=1us 33", "key **** ** max=1us 33" },
		{ "key=#0011 # 00=11", "key=***** * *****" },
		{ "key=key=00", "key=******" },
		{ "max key=00 key", "max key=** key" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strcpy(text, cases[i].typed);
		config_mask_secrets(text, strlen(text));
		assert_string_equal(text, cases[i].shown);
	}
}

/* Limits and modes: test_limit.c checks which limits apply. */
TEST_F(setup, NULL, test_mode)
{
	static const struct {
		const char *text;
		unsigned mistakes;
		const char *says;
	} cases[] = {
		{ "mode=stretch max_stretch=1.05 kernel=adds", 0, "" },
		{ "max_stretch=1.05", 1,
		  "max_stretch= is no limit of this mode; accepted: with mode=stretch" },
		{ "mode=stretch max_smi=1 max_noise=1 stop=1ms stop_total=1ms", 4, "stop_total=" },
		{ "mode=stretch preset=rhel-rt", 1, "is no limit of this mode" },
		{ "mode=survey", 0, "" },
		{ "mode=survey stages=firmware", 0, "" },
		{ "mode=survey stages=bare", 1, "accepted: stages=firmware" },
		{ "mode=survey stages=firmware,handoff", 1, "mode=survey reads the machine" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup();
		assert_int_equal(apply(&file, cases[i].text), 0);
		assert_int_equal(check(1), cases[i].mistakes);
		assert_true(!cases[i].mistakes || reported_has(&reported, cases[i].says));
	}
	setup();
	config.no_modes = 1u << MODE_SURVEY;
	assert_int_equal(check(1), 0);
	assert_int_equal(apply(&file, "mode=survey"), 0);
	assert_int_equal(check(1), 1);
	assert_true(reported_has(&reported, "mode=survey has no firmware to ask"));
}

TEST_F(setup, NULL, test_services)
{
	static const char *const refused[] = {
		"services=get", "services=get_time,", "services=smi",       "services=rtc,all",
		"smi=256",      "service_calls=0",    "service_writes=101", "service_calls=10001",
		"smi=on",       "services=",
	};

	assert_true(config.services_all);
	assert_false(config.services & (1u << SERVICE_SET_VARIABLE | 1u << SERVICE_SMI));
	assert_true(config.services & 1u << SERVICE_PORT_80);
	assert_int_equal(config.service_calls.value, 100);
	assert_int_equal(config.service_writes.value, 10);
	assert_false(config.smi.set);
	assert_int_equal(apply(&file, "services=rtc,set_variable smi=0x42 service_calls=7"), 0);
	assert_int_equal(config.services, 1u << SERVICE_RTC | 1u << SERVICE_SET_VARIABLE);
	assert_int_equal(config.smi.value, 0x42);
	assert_int_equal(config.service_calls.value, 7);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_int_equal(apply(&file, refused[i]), 1);
}

/* A survey has one stage, whatever the default is; a measurement keeps its own. */
TEST_F(setup, NULL, test_settle)
{
	setup();
	config_settle(&config);
	assert_int_equal(config.stages, 1u << STAGE_HANDOFF);
	assert_int_equal(apply(&file, "mode=survey"), 0);
	assert_int_equal(check(1), 0);
	assert_int_equal(config.stages, 1u << STAGE_HANDOFF);
	config_settle(&config);
	assert_int_equal(config.stages, 1u << STAGE_FIRMWARE);
}

/* A key of the other platform is no key here, whatever its value. */
TEST_F(setup, NULL, test_platforms)
{
	assert_int_equal(apply(&file, "countdown=3s"), 0);
	assert_int_equal(config.countdown_ns, 3 * UINT64_C(1000000000));
	config_defaults(&config);
	config.platform = CONFIG_LINUX;
	assert_int_equal(apply(&file, "countdown=nonsense"), 1);
	assert_true(reported_has(&reported, "countdown= does not apply from inside an OS"));
	assert_null(strstr(print(), "countdown"));
	config_defaults(&config);
	config.no_smi = true;
	assert_int_equal(apply(&file, "max_smi=0\nmax_noise=1"), 1);
	assert_true(reported_has(&reported, "max_smi= does not apply on this processor"));
	assert_true(config.limit[LIMIT_MAX_NOISE].set && !config.limit[LIMIT_MAX_SMI].set);
	assert_null(strstr(print(), "smi"));
}

TEST_F(setup, NULL, test_where)
{
	assert_null(config_where(&config, "duration").source);
	apply(&file, "\n\nduration=5s\nwindow=0s");
	apply(&options, "threshold=2us");
	assert_string_equal(config_where(&config, "duration").source, "noisefloor.conf");
	assert_int_equal(config_where(&config, "duration").line, 3);
	assert_string_equal(config_where(&config, "threshold").source, "load options");
	assert_int_equal(config_where(&config, "threshold").line, 0);
	assert_null(config_where(&config, "window").source);
	assert_null(config_where(&config, "nonsense").source);
}

TEST_F(setup, NULL, test_check_cpus)
{
	apply(&file, "\ncpus=0-3");
	assert_int_equal(check(4), 0);
	assert_int_equal(reported.count, 0);
	assert_int_equal(check(3), 1);
	assert_true(reported_has(
		&reported,
		"cpus=0-3 names cores that do not exist; accepted: this machine has cores 0-2"));
	assert_string_equal(reported.at[0].source, "noisefloor.conf");
	assert_int_equal(reported.at[0].line, 2);
	assert_int_equal(check(1), 1);
	assert_true(reported_has(&reported, "this machine has core 0"));
	apply(&file, "cpus=9");
	assert_int_equal(check(4), 1);
	assert_true(reported_has(
		&reported,
		"cpus=9 names cores that do not exist; accepted: this machine has cores 0-3"));
}

TEST_F(setup, NULL, test_check_window)
{
	apply(&file, "duration=100ms");
	assert_int_equal(check(1), 0);
	assert_int_equal(config.window_ns, 100000000);

	setup();
	apply(&file, "quiet=yes duration=5s");
	assert_int_equal(check(1), 0);
	assert_int_equal(config.window_ns, UINT64_C(5000000000));

	setup();
	apply(&file, "window=1ms threshold=1ms");
	assert_int_equal(check(1), 1);
	assert_true(reported_has(&reported,
				 "threshold=1ms is not below the window; accepted: shorter "
				 "than 1ms"));
}

/* A limit under the threshold could not be seen to be broken. */
TEST_F(setup, NULL, test_check_limits)
{
	apply(&file, "max=1us stop=1us");
	assert_int_equal(check(1), 0);
	apply(&options, "max=999ns stop=500ns");
	assert_int_equal(check(1), 2);
	assert_true(reported_has(&reported, "max=999ns is below threshold=1us"));
	assert_true(reported_has(&reported, "stop=500ns is below threshold=1us"));
	assert_true(reported_has(&reported, "accepted: max no shorter than threshold"));
	assert_string_equal(reported.at[0].source, "load options");
	apply(&options, "threshold=500ns");
	assert_int_equal(check(1), 0);
}
