/* SPDX-License-Identifier: BSD-2-Clause */
/* What identifies a machine is replaced, and nothing else is. */
#include "host/forms/redact.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

static struct redact r;

static void assert_redacted(const char *json, const char *wanted)
{
	char *text = NULL;
	size_t count = 0;
	FILE *to = open_memstream(&text, &count);

	assert_non_null(to);
	redact_record(&r, json, strlen(json), to);
	assert_int_equal(fclose(to), 0);
	if (strcmp(text, wanted) != 0)
		fail_msg("%s gave %s, not %s", json, text, wanted);
	free(text);
}

static int forget(void **state)
{
	(void)state;
	redact_free(&r);
	return 0;
}

/* {"text":"before"}, {"text":"after"} */
struct row {
	const char *before, *after;
};

static void check_rows(const struct row *row, size_t rows)
{
	char before[512], after[512];

	for (size_t i = 0; i < rows; i++) {
		snprintf(before, sizeof(before), "{\"n\":1,\"text\":\"%s\"}", row[i].before);
		snprintf(after, sizeof(after), "{\"n\":1,\"text\":\"%s\"}", row[i].after);
		redact_free(&r);
		assert_redacted(before, after);
	}
}

TEST_F(NULL, forget, test_replaced)
{
	static const struct row rows[] = {
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
		{ "the file \\\\noisefloor\\\\Acme-R1.jsonl ends here",
		  "the file <path-1> ends here" },
		{ "read \\\"/home/ada/noisefloor.conf\\\":3", "read \\\"<path-1>\\\":3" },
		{ "/etc/noisefloor.conf: line 7", "<path-1>: line 7" },
	};

	check_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

TEST_F(NULL, forget, test_left_alone)
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
		"EFI status 18; C++ a \\\"quoted\\\" \\u00b5s\\n",
		"Linux 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct row row = { texts[i], texts[i] };

		check_rows(&row, 1);
		assert_int_equal(r.values, 0);
	}
}

/* A firmware's version has the form of an address. */
TEST_F(NULL, forget, test_the_machine_stays)
{
	static const char json[] = "{\"version\":\"1.2.3.4\",\"machine\":{\"vendor\":\"Acme\","
				   "\"board\":\"/X\",\"bios_version\":\"10.0.0.5\"},\"seq\":7}";

	assert_redacted(json, json);
	assert_redacted("{\"bios_version\":\"10.0.0.5\",\"uuid\":\"10.0.0.5\"}",
			"{\"bios_version\":\"10.0.0.5\",\"uuid\":\"<ip-1>\"}");
}

TEST_F(NULL, forget, test_names_and_lists)
{
	assert_redacted("{\"10.0.0.1\":[\"10.0.0.1\",\"x\",\"::1\"],\"a\":{\"b\":\"10.0.0.1\"}}",
			"{\"10.0.0.1\":[\"<ip-1>\",\"x\",\"<ip-2>\"],\"a\":{\"b\":\"<ip-1>\"}}");
}

TEST_F(NULL, forget, test_equal_values_stay_equal)
{
	assert_redacted("{\"a\":\"10.0.0.1 10.0.0.2\"}", "{\"a\":\"<ip-1> <ip-2>\"}");
	assert_redacted("{\"a\":\"10.0.0.2 52:54:00:AA:00:01\"}", "{\"a\":\"<ip-2> <mac-1>\"}");
	assert_redacted("{\"a\":\"52:54:00:aa:00:01 10.0.0.3\"}", "{\"a\":\"<mac-1> <ip-3>\"}");
	assert_int_equal(redact_values(&r, REDACT_IP), 3);
	assert_int_equal(r.places[REDACT_IP], 4);
	assert_int_equal(redact_values(&r, REDACT_MAC), 1);
	assert_int_equal(r.places[REDACT_MAC], 2);
	assert_int_equal(redact_values(&r, REDACT_PATH), 0);
}

/* Of a damaged line nothing is read past its end. */
TEST_F(NULL, forget, test_truncated)
{
	static const char json[] =
		"{\"a\":\"\\\\b\\\\c 10.0.0.1 MAC(525400123456,\",\"c\":\"\\\"\"}";

	for (size_t bytes = 0; bytes <= sizeof(json) - 1; bytes++) {
		char *part = malloc(bytes ? bytes : 1), *text = NULL;
		size_t count = 0;
		FILE *to = open_memstream(&text, &count);

		assert_non_null(part);
		memcpy(part, json, bytes);
		redact_record(&r, part, bytes, to);
		fclose(to);
		free(text);
		free(part);
	}
}
