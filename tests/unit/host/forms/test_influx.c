/* SPDX-License-Identifier: BSD-2-Clause */
/* Points: their form. */
#include "host/forms/influx.h"

#include "tests/unit/common/test.h"

#include <stdio.h>
#include <string.h>

#define RUN_ID UINT64_C(0xfeed)

static struct {
	char buf[8192];
	FILE *to;
} line;

static int start_line(void **state)
{
	(void)state;
	line.to = fmemopen(line.buf, sizeof(line.buf), "w");
	return line.to ? 0 : -1;
}

static int end_line(void **state)
{
	(void)state;
	return fclose(line.to);
}

/* What was printed since the last call. */
static void assert_line(const char *expected)
{
	fflush(line.to);
	assert_string_equal(line.buf, expected);
	rewind(line.to);
	memset(line.buf, 0, sizeof(line.buf));
}

TEST_F(start_line, end_line, test_info)
{
	struct record_begin b = {
		.version = "1.2",
		.machine = { .vendor = "Acme, Inc.",
			     .product = "X = 1\\",
			     .bios_version = "",
			     .bios_date = "tab\there\x7f" },
		.cpu = { .brand = "CPU @ 2 GHz", .microcode = { 0xabc, true } },
		.hypervisor = NULL,
		.cpus = { .measured = 4 },
		.clock = { .hz = UINT64_MAX },
	};

	influx_info(line.to, RUN_ID, &b, 17);
	assert_line("noisefloor_info,run=000000000000feed,version=1.2,"
		    "vendor=Acme\\,\\ Inc.,product=X\\ \\=\\ 1/,"
		    "bios_date=tab?here?,cpu=CPU\\ @\\ 2\\ GHz value=1i,"
		    "microcode=2748i,cpus_measured=4i,hz=9223372036854775807i "
		    "17\n");
	memset(&b, 0, sizeof(b));
	influx_info(line.to, RUN_ID, &b, 17);
	assert_line("noisefloor_info,run=000000000000feed value=1i,"
		    "cpus_measured=0i,hz=0i 17\n");
}

TEST_F(start_line, end_line, test_cpu_and_gap)
{
	const struct record_cpu cpu = {
		.stage = "bare",
		.cpu = 7,
		.exposure_ns = 5,
		.nmi = { 0, true },
		.cause = { [CAUSE_SMI] = { 2, 30 }, [CAUSE_STALL] = { 0, 9 } }
	};
	const struct record_gap gap = { .stage = "bare", .cpu = 7, .cause = "smi", .len_ns = 12 };

	influx_record(line.to, RUN_ID, RECORD_CPU, &cpu, UINT64_MAX - 1);
	assert_line("noisefloor_cpu,run=000000000000feed,stage=bare,cpu=7 "
		    "exposure_ns=5i,noise_ns=0i,max_ns=0i,gaps=0i,dropped=0i,"
		    "nmi=0i,gaps_smi=2i,ns_smi=30i 9223372036854775807\n");
	influx_record(line.to, RUN_ID, RECORD_GAP, &gap, 1);
	assert_line("noisefloor_gap,run=000000000000feed,stage=bare,cpu=7,"
		    "cause=smi len_ns=12i 1\n");
}

/* Buckets below one edge are one point. */
TEST_F(start_line, end_line, test_buckets)
{
	static const uint64_t pairs[][2] = {
		{ 5, 1 }, { 999, 2 }, { 1000, 3 }, { 2000, 10 }, { 4999, UINT64_MAX }
	};
	const struct record_cpu cpu = { .stage = "bare", .histogram = { pairs, 5 } };
	size_t n;

	n = influx_bucket(line.to, RUN_ID, &cpu, 0, 1);
	assert_int_equal(n, 2);
	n = influx_bucket(line.to, RUN_ID, &cpu, n, 1);
	assert_int_equal(n, 3);
	n = influx_bucket(line.to, RUN_ID, &cpu, n, 1);
	assert_int_equal(n, 5);
	assert_line(
		"noisefloor_hist,run=000000000000feed,stage=bare,cpu=0,below_ns=1000 count=3i 1\n"
		"noisefloor_hist,run=000000000000feed,stage=bare,cpu=0,below_ns=2000 count=3i 1\n"
		"noisefloor_hist,run=000000000000feed,stage=bare,cpu=0,below_ns=5000 "
		"count=9223372036854775807i 1\n");
}

TEST_F(start_line, end_line, test_end)
{
	const struct record_end record = { .verdict = "fail", .watched_ppm = { 0, true } };
	struct influx_end end = { .exit_code = 3 };

	influx_end(line.to, RUN_ID, &end, 1);
	assert_line("noisefloor_end,run=000000000000feed,verdict=incomplete "
		    "exit_code=3i,whole=0i 1\n");
	end = (struct influx_end){ &record, 1, true };
	influx_end(line.to, RUN_ID, &end, 1);
	assert_line("noisefloor_end,run=000000000000feed,verdict=fail "
		    "exit_code=1i,whole=1i,watched_ppm=0i,gaps_unsent=0i 1\n");
}
