/* SPDX-License-Identifier: BSD-2-Clause */
/* Points: their form, and that one that does not fit is marked. */
#include "host/forms/influx.h"

#include "tests/unit/common/test.h"

#include <string.h>

#define RUN_ID UINT64_C(0xfeed)

static char line_buf[8192];
static struct text line;

static int start_line(void **state)
{
	(void)state;
	text_init(&line, line_buf, sizeof(line_buf));
	return 0;
}

TEST_F(start_line, NULL, test_info)
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

	influx_info(&line, RUN_ID, &b, 17);
	assert_string_equal(line.buf, "noisefloor_info,run=000000000000feed,version=1.2,"
				      "vendor=Acme\\,\\ Inc.,product=X\\ \\=\\ 1/,"
				      "bios_date=tab?here?,cpu=CPU\\ @\\ 2\\ GHz value=1i,"
				      "microcode=2748i,cpus_measured=4i,hz=9223372036854775807i "
				      "17\n");
	text_reset(&line);
	memset(&b, 0, sizeof(b));
	influx_info(&line, RUN_ID, &b, 17);
	assert_string_equal(line.buf, "noisefloor_info,run=000000000000feed value=1i,"
				      "cpus_measured=0i,hz=0i 17\n");
}

TEST_F(start_line, NULL, test_cpu_and_gap)
{
	const struct record_cpu cpu = {
		.stage = "bare",
		.cpu = 7,
		.exposure_ns = 5,
		.nmi = { 0, true },
		.cause = { [CAUSE_SMI] = { 2, 30 }, [CAUSE_STALL] = { 0, 9 } }
	};
	const struct record_gap gap = { .stage = "bare", .cpu = 7, .cause = "smi", .len_ns = 12 };

	influx_record(&line, RUN_ID, RECORD_CPU, &cpu, UINT64_MAX - 1);
	assert_string_equal(line.buf, "noisefloor_cpu,run=000000000000feed,stage=bare,cpu=7 "
				      "exposure_ns=5i,noise_ns=0i,max_ns=0i,gaps=0i,dropped=0i,"
				      "nmi=0i,gaps_smi=2i,ns_smi=30i 9223372036854775807\n");
	text_reset(&line);
	influx_record(&line, RUN_ID, RECORD_GAP, &gap, 1);
	assert_string_equal(line.buf, "noisefloor_gap,run=000000000000feed,stage=bare,cpu=7,"
				      "cause=smi len_ns=12i 1\n");
}

/* Buckets below one edge are one point. */
TEST_F(start_line, NULL, test_buckets)
{
	static const uint64_t pairs[][2] = {
		{ 5, 1 }, { 999, 2 }, { 1000, 3 }, { 2000, 10 }, { 4999, UINT64_MAX }
	};
	const struct record_cpu cpu = { .stage = "bare", .histogram = { pairs, 5 } };
	size_t n;

	n = influx_bucket(&line, RUN_ID, &cpu, 0, 1);
	assert_int_equal(n, 2);
	n = influx_bucket(&line, RUN_ID, &cpu, n, 1);
	assert_int_equal(n, 3);
	n = influx_bucket(&line, RUN_ID, &cpu, n, 1);
	assert_int_equal(n, 5);
	assert_string_equal(
		line.buf,
		"noisefloor_hist,run=000000000000feed,stage=bare,cpu=0,below_ns=1000 count=3i 1\n"
		"noisefloor_hist,run=000000000000feed,stage=bare,cpu=0,below_ns=2000 count=3i 1\n"
		"noisefloor_hist,run=000000000000feed,stage=bare,cpu=0,below_ns=5000 "
		"count=9223372036854775807i 1\n");
}

TEST_F(start_line, NULL, test_end)
{
	const struct record_end record = { .verdict = "fail", .watched_ppm = { 0, true } };
	struct influx_end end = { .exit_code = 3 };

	influx_end(&line, RUN_ID, &end, 1);
	assert_string_equal(line.buf, "noisefloor_end,run=000000000000feed,verdict=incomplete "
				      "exit_code=3i,whole=0i 1\n");
	text_reset(&line);
	end = (struct influx_end){ &record, 1, true };
	influx_end(&line, RUN_ID, &end, 1);
	assert_string_equal(line.buf, "noisefloor_end,run=000000000000feed,verdict=fail "
				      "exit_code=1i,whole=1i,watched_ppm=0i,gaps_unsent=0i 1\n");
}

/* Whatever the room, a line that does not fit is marked. */
TEST_F(start_line, NULL, test_cut)
{
	const struct record_begin b = { .version = "1.2", .machine = { .vendor = "A, B" } };
	char room[256];
	struct text cut;

	influx_info(&line, RUN_ID, &b, 17);
	for (size_t cap = 1; cap <= line.len; cap++) {
		text_init(&cut, room, cap);
		influx_info(&cut, RUN_ID, &b, 17);
		assert_true(cut.overflow);
	}
	text_init(&cut, room, line.len + 1);
	influx_info(&cut, RUN_ID, &b, 17);
	assert_false(cut.overflow);
	assert_string_equal(room, line.buf);
}
