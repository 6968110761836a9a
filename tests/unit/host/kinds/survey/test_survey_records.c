/* SPDX-License-Identifier: BSD-2-Clause */
/* Surveys as `show` prints them: as sent, in parts that are damaged, and shared. */
#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/survey_sent.h"

#include "host/subcommands.h"

#define SHOW(...) RUN(&show_subcommand, "show", __VA_ARGS__)

static void send_part(const char *area, const char *name, const char *data, size_t bytes,
		      size_t piece, unsigned lost)
{
	survey_send(&capture.link,
		    (struct record_survey){
			    .stage = "firmware", .area = area, .name = name, .bytes = bytes },
		    data, piece, lost);
}

/* Registers without turbo and SpeedStep, of two cores that differ in C1E. */
static const char registers[] = "1a0 4000000000 0-1\n"
				"1fc 2 0\n"
				"1fc 0 1\n"
				"e7 moves 0-1\n"
				"8b fault 0-1\n"
				"lines that are none\n"
				"770 1 0-1,x\n";

static void send_survey(unsigned lost)
{
	static const char leaves[] = "00000000 0 0000000d 756e6547 6c65746e 49656e69 0-1\n"
				     "00000001 0 00060fb1 00040800 00002081 178bfbfd 0-1 id\n"
				     "00000006 0 00000002 00000000 00000000 00000000 0-1\n";

	SEND_BEGIN(.version = "9.8",
		   .machine = { .vendor = "Acme", .uuid = "6f9619ff-8b86-d011-b42d-00c04fc964ff" },
		   .config = "mode=survey stages=firmware");
	SEND_STAGE(.stage = "firmware", .usb_owner = "bios");
	send_part("cpuid", NULL, leaves, sizeof(leaves) - 1, 30, lost);
	send_part("acpi", "APIC", "APIC\x90\0\0\0\1\xee", 10, 600, UINT32_MAX);
	send_part("msr", NULL, registers, sizeof(registers) - 1, 600, UINT32_MAX);
	save_run(0);
}

TEST_F(start, teardown, test_show)
{
	send_survey(UINT32_MAX);
	assert_int_equal(SHOW(path[0]), 0);
	assert_in(out, "survey cpuid: \n  00000000 0 0000000d 756e6547 6c65746e 49656e69 0-1\n"
		       "  00000001 0 00060fb1 00040800 00002081 178bfbfd 0-1 id\n");
	assert_in(out, "survey acpi APIC: 10 bytes\n");
	assert_in(out, "turbo                   off             openshift-ran  not ready  on\n");
	assert_in(out, "speedstep               off             rhel-rt        ready      off\n");
	assert_in(out, "c1e                     on 0, off 1     rhel-rt        not ready  off\n");
	assert_in(out, "hwp                     off             rhel-rt        ready      off\n");
	assert_in(out,
		  "microcode               n/a             linux          unknown    the same");
	assert_in(out, "usb-legacy              on\n");
	assert_in(out, "openshift-ran: 2 ready, 3 not ready, 4 unknown");
	assert_in(out, "Slim Bootloader");
	assert_in(out, "verdict: none");
}

TEST_F(start, teardown, test_page)
{
	send_survey(UINT32_MAX);
	assert_int_equal(SHOW("--format", "html", path[0]), 0);
	assert_in(out, "How the machine is set");
	assert_in(out, "turbo                   off             openshift-ran  not ready  on\n");
}

/* Without a core's readings, as on AArch64, there is nothing to judge. */
TEST_F(start, teardown, test_no_cores)
{
	static const char sysregs[] = "midr_el1 410fd083 0-3\n";

	SEND_STAGE(.stage = "firmware", .usb_owner = "bios");
	send_part("sysreg", NULL, sysregs, sizeof(sysregs) - 1, 600, UINT32_MAX);
	save(0);
	SHOW(path[0]);
	assert_in(out, "survey sysreg: ");
	assert_not_in(out, "SETTING");
	assert_not_in(out, "rhel-rt");
}

/* A piece that is lost costs its part, and no other. */
TEST_F(start, teardown, test_lost_piece)
{
	for (unsigned lost = 0; lost < 3; lost++) {
		start_again();
		send_survey(lost);
		SHOW(path[0]);
		assert_in(out, "survey cpuid: a piece is missing\n");
		assert_in(out, "survey acpi APIC: 10 bytes\n");
	}
}

/* The record is checked before it is believed. */
TEST_F(start, teardown, test_hostile)
{
	static const struct {
		struct record_survey r;
		const char *says;
	} cases[] = {
		{ { .pieces = 0, .data = "AAA" }, "a piece is missing" },
		{ { .pieces = UINT32_MAX, .data = "AAA" }, "a piece is missing" },
		{ { .piece = 1, .pieces = 2, .data = "AAA" }, "a piece is missing" },
		{ { .pieces = 1, .bytes = UINT64_MAX, .data = "AAA" }, "it is too long" },
		{ { .pieces = 1, .bytes = 9, .data = "A" }, "a piece is damaged" },
		{ { .pieces = 1, .bytes = 9, .data = "ABCaBC" }, "a piece is damaged" },
		{ { .pieces = 1, .bytes = 9, .data = "///" }, "a piece is damaged" },
		{ { .pieces = 1, .bytes = 9, .data = NULL }, "a piece is damaged" },
		{ { .pieces = 1, .bytes = 9, .data = "FGW" }, "it cannot be inflated" },
		/* There are more bytes than the record announces, and fewer. */
		{ { .pieces = 1, .bytes = 1, .data = "GN95G900" }, "it cannot be inflated" },
		{ { .pieces = 1, .bytes = 4, .data = "GN95G900" }, "it cannot be inflated" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_survey r = cases[i].r;
		char line[80];

		start_again();
		r.stage = "firmware";
		r.area = "msr";
		record_send(&capture.link, RECORD_SURVEY, &r);
		save(0);
		SHOW(path[0]);
		snprintf(line, sizeof(line), "survey msr: %s\n", cases[i].says);
		assert_in(out, line);
	}
	/* The part is "abc". */
	start_again();
	SEND(SURVEY, survey, .stage = "firmware", .area = "msr", .pieces = 1, .bytes = 3,
	     .data = "GN95G900");
	save(0);
	SHOW(path[0]);
	assert_in(out, "survey msr: \n  abc\n");
}

/* A survey's data is not mistaken for paths or keys; names of the machine are still replaced. */
TEST_F(start, teardown, test_share)
{
	send_survey(UINT32_MAX);
	SEND(SURVEY, survey, .stage = "firmware", .area = "acpi", .name = "FACP", .pieces = 1,
	     .bytes = 3, .data = "/S0XKBGAABCDEFABCDEFABCDEFABCDEFABCD");
	save(0);
	unlink(path[1]);
	SHOW("--share", path[1], path[0]);
	load(path[1], out);
	assert_in(out, "\"data\":\"/S0XKBGAABCDEFABCDEFABCDEFABCDEFABCD\"");
	assert_in(out, "<uuid-1>");
	assert_null(strstr(out, "6f9619ff"));
}

TEST_GROUP(make_folder, remove_folder);
