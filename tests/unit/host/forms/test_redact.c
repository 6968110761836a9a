/* SPDX-License-Identifier: BSD-2-Clause */
/* `show --share`: what identifies a machine is replaced, and nothing else is. */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"

/* Write the shared form of the first file to the second. */
static void share(void)
{
	save(0);
	unlink(path[1]);
	assert_int_not_equal(RUN(&show_subcommand, "show", "--share", path[1], path[0]), 2);
}

static void check_text(const char *before, const char *after)
{
	char wanted[512];

	start_again();
	SEND_LOG(.level = "info", .text = before);
	share();
	snprintf(wanted, sizeof(wanted), "\"text\":\"%s\",\"crc\"", after);
	load(path[1], err);
	assert_in(err, wanted);
}

TEST_F(start, teardown, test_replaced)
{
	static const char *const rows[][2] = {
		{ "03000200-0400-0500-0006-000700080009", "<uuid-1>" },
		{ "HD(1,GPT,4C4C4544-0047-3510-8052-b4c04f4a3132)/x", "HD(1,GPT,<uuid-1>)/x" },
		{ "nic=52:54:00:12:34:56 vlan=5", "nic=<mac-1> vlan=5" },
		{ "52-54-00-AB-cd-56", "<mac-1>" },
		{ "noisefloor/01-52-54-00-12-34-56.conf: 85 bytes",
		  "noisefloor/01-<mac-1>.conf: 85 bytes" },
		{ "Pci(0x1,0x0)/MAC(525400123456,0x1)", "Pci(0x1,0x0)/MAC(<mac-1>,0x1)" },
		{ "MAC(5254001234560000000000000000000000000000000000000000000000000000,0x1)",
		  "MAC(<mac-1>,0x1)" },
		{ "udp://10.0.0.5:5514", "udp://<ip-1>:5514" },
		{ "ip=192.168.7.20/24,192.168.7.1", "ip=<ip-1>/24,<ip-2>" },
		{ "tftp 10.0.0.1: no answer", "tftp <ip-1>: no answer" },
		{ "the server is 10.0.0.1.", "the server is <ip-1>." },
		{ "udp://[fd00::1]:5514 ip=fe80::5054:ff:fe12:3456/64",
		  "udp://[<ip-1>]:5514 ip=<ip-2>/64" },
		{ "2001:db8:0:0:0:0:0:1, ::1", "<ip-1>, <ip-2>" },
		{ "key=00112233445566778899aabbccddeeff", "key=<key-1>" },
		{ "the file \\noisefloor\\Acme-R1.jsonl ends here", "the file <path-1> ends here" },
		{ "read \"/home/ada/noisefloor.conf\":3", "read \\\"<path-1>\\\":3" },
		{ "/etc/noisefloor.conf: line 7", "<path-1>: line 7" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_text(rows[i][0], rows[i][1]);
}

TEST_F(start, teardown, test_left_alone)
{
	static const char *const texts[] = {
		"xhci 0000:00:14.0 bios, ehci 00:1d.7 os",
		"network card 8086:10d3, e1000e: link up at 12:34:56",
		"SMI sources enabled (Intel ICH9): GBL_SMI APMC; timers: TCO timer 1.2 s",
		"1.2.3 and 300.1.1.1 and 1.2.3.4.5 are no addresses",
		"duration=10s max=20us cpus=0-3,8-11 serial=mmio32:0xfe032000",
		"64/64 windows, 12 gaps/s, and/or n/a",
		"2026-11-22T17:38:06",
		"0123456789abcdef",
		"EFI status 18; C++ a plain word",
		"Linux 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		check_text(texts[i], texts[i]);
		assert_in(out, "removed: nothing was found that had to be\n");
	}
}

/* A firmware's version looks like an address; names stay, and equal values stay equal. */
TEST_F(start, teardown, test_record)
{
	SEND_BEGIN(.version = "1.2.3.4",
		   .machine = { .board = "/X", .bios_version = "10.0.0.5", .uuid = "10.0.0.5" },
		   .evidence = { "10.0.0.1", "x", "::1" },
		   .config = "10.0.0.5 52:54:00:AA:00:01 10.0.0.1");
	SEND_LOG(.level = "info", .text = "52:54:00:aa:00:01 10.0.0.9");
	share();
	assert_in(out, "MAC address: 1, in 2 places; IP address: 4, in 6 places\n");
	load(path[1], err);
	assert_in(err, "\"version\":\"1.2.3.4\"");
	assert_in(err, "\"board\":\"/X\"");
	assert_in(err, "\"bios_version\":\"10.0.0.5\"");
	assert_in(err, "\"uuid\":\"<ip-1>\"");
	assert_in(err, "[\"<ip-2>\",\"x\",\"<ip-3>\"]");
	assert_in(err, "\"config\":\"<ip-1> <mac-1> <ip-2>\"");
	assert_in(err, "\"text\":\"<mac-1> <ip-4>\"");
}

TEST_GROUP(make_folder, remove_folder);
