/* SPDX-License-Identifier: BSD-2-Clause */
/* The output's port, with all kinds of ports in the tables. Only COM1 exists. */
#include "mocked.h"
#include "mocked_storage.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define CONFIG     "duration=300ms then=qemu-exit\n"
#define BY_DEFAULT "16550 at I/O port 0x3f8 (COM1), by default"
#define NO_SCRATCH "does not hold what is written to its scratch register"

/* Generic Address Structure, ACPI 6.5, 5.2.3.2: space 1 is I/O. */
#define GAS(space, width, access, address)                                    \
	(space), (width), 0, (access), (address)&0xff, (address) >> 8 & 0xff, \
		(address) >> 16 & 0xff, (address) >> 24 & 0xff, 0, 0, 0, 0

/* Serial Port Console Redirection, revision 2: 80 bytes with the header. */
#define SPCR(kind, ...) ((const uint8_t[MOCKED_SPCR]){ (kind), 0, 0, 0, GAS(__VA_ARGS__) })

struct row {
	const uint8_t *spcr;
	const char *port, *warning;
};

static void check(const struct row *row, bool screen)
{
	const struct mocked_run *r = MOCKED(.config = CONFIG, .spcr = row->spcr, .screen = screen);

	assert_string_equal(mocked_string(mocked_record(r, "begin", 0), "serial"), row->port);
	assert_true(mocked_logged(r, row->port));
	assert_non_null(strstr(r->console, row->port));
	if (row->warning) {
		assert_true(mocked_logged(r, row->warning));
	} else {
		assert_false(mocked_logged(r, "not used"));
		assert_null(strstr(r->console, "not used"));
	}
	if (row->warning && !strstr(row->warning, "cannot be driven"))
		assert_non_null(strstr(r->console, row->warning));
}

TEST(test_a_port_that_answers_is_used)
{
	const struct row rows[] = {
		{ NULL, BY_DEFAULT, NULL },
		{ SPCR(0, 1, 8, 0, 0x3f8), "16550 at I/O port 0x3f8 (COM1), by SPCR", NULL },
		{ SPCR(1, 1, 8, 0, 0x2f8), BY_DEFAULT,
		  "serial port 16550 at I/O port 0x2f8 (COM2), by SPCR: " NO_SCRATCH "; not used" },
		{ SPCR(0, 0, 8, 1, 0xade00000), BY_DEFAULT,
		  "serial port 16550 at 0xade00000, by SPCR: " NO_SCRATCH "; not used" },
		{ SPCR(0x14, 0, 32, 3, 0xfe032000), BY_DEFAULT,
		  "serial port Intel LPSS 16550 at 0xfe032000, by SPCR: " NO_SCRATCH "; not used" },
		{ SPCR(0x0b, 0, 32, 3, 0xfe032000), BY_DEFAULT,
		  "SPCR: serial port of type 0xb cannot be driven; not used" },
		{ SPCR(0, 0, 8, 1, 0x1000000), BY_DEFAULT,
		  "serial port 16550 at 0x1000000, by SPCR: is memory, by the firmware's map; not "
		  "used" },
		{ SPCR(0x10, 0, 32, 3, 0xfe032000), BY_DEFAULT,
		  "serial port BCM2835 mini UART at 0xfe032000, by SPCR: is switched off in "
		  "AUX_ENABLES; not used" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(&rows[i], i % 2);
}

TEST(test_the_one_that_was_asked_for_is_absent)
{
	const struct mocked_run *r = MOCKED(.config = "serial=0x2f8\n" CONFIG);

	assert_string_equal(mocked_string(mocked_record(r, "begin", 0), "serial"), BY_DEFAULT);
	assert_true(mocked_logged(
		r, "serial port 16550 at I/O port 0x2f8 (COM2), by serial=: " NO_SCRATCH
		   "; not used"));
}

/* Check that the port has no output, and that the console has the reason. */
static void check_nothing(const char *config, bool no_serial, bool screen, const char *why)
{
	const struct mocked_run *r = MOCKED(.config = config, .no_serial = no_serial,
					    .screen = screen);

	assert_int_equal(r->end, MOCKED_QEMU_EXIT);
	assert_int_equal(r->code, 0);
	assert_string_equal(r->text, "");
	assert_non_null(strstr(r->console, why));
}

/* Check that all records are in a file, and that it has the reason for this output. */
static void check_saved(const char *config, bool no_serial, bool screen, const char *why)
{
	struct mocked_storage *s = mocked_storage_new();
	const struct mocked_run *r = MOCKED(.config = config, .no_serial = no_serial,
					    .screen = screen, .storage = s);
	json_t *saved = mocked_file_records(mocked_file(s, ".jsonl"), false);
	json_t *logs = mocked_of_type(saved, "log"), *begins = mocked_of_type(saved, "begin");
	const json_t *begin = json_array_get(begins, 0);

	assert_string_equal(r->text, "");
	assert_true(json_is_null(json_object_get(begin, "serial")));
	assert_string_equal(mocked_string(json_array_get(logs, 0), "text"), why);
	mocked_check_totals(saved);
	mocked_storage_free(s);
}

#define TO_FILE "stages=firmware save=file " CONFIG

TEST(test_no_port_at_all)
{
	for (unsigned screen = 0; screen < 2; screen++) {
		check_nothing(CONFIG, true, screen, "serial output: none: no port answers");
		check_saved(TO_FILE, true, screen, "serial output: none: no port answers");
	}
}

TEST(test_off)
{
	for (unsigned screen = 0; screen < 2; screen++) {
		check_nothing("serial=off\n" CONFIG, false, screen, "serial output: off");
		check_saved("serial=off\n" TO_FILE, false, screen, "serial output: off");
	}
}
