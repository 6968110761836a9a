/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor boot fetch` reads files like efivarfs's, and writes records that `show` reads. */
#include "core/keep/saved_run.h"
#include "host/boot/boot.h"
#include "host/subcommands.h"

#include "core/lib/bytes.h"
#include "core/lib/crc32c.h"
#include "core/report/verdict.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"

#include <errno.h>
#include <sys/stat.h>

#define ATTRIBUTES "\x07\0\0"

static char efivars[128], saved[128];
static uint8_t report[65536];
static size_t report_bytes;

static const char *variable(void)
{
	static char name[256];

	snprintf(name, sizeof(name), "%s/NoisefloorReport-77cca71c-9cb0-422d-9cb0-be2977edbfe7",
		 efivars);
	return name;
}

static void make_efivars(void)
{
	make_folder();
	snprintf(efivars, sizeof(efivars), "%s/efivars", folder);
	snprintf(saved, sizeof(saved), "%s/saved.jsonl", folder);
}

static void begin(void)
{
	assert_true(empty_folder() == 0 && mkdir(efivars, 0700) == 0);
	start();
}

static void put(const void *bytes, size_t count)
{
	FILE *f = fopen(variable(), "wb");

	assert_non_null(f);
	fwrite(ATTRIBUTES, 1, 4, f);
	fwrite(bytes, 1, count, f);
	assert_int_equal(fclose(f), 0);
}

static void put_report(void)
{
	put(report, report_bytes);
}

/* Send a record to the report and to the capture. */
static void add(struct saved_run *r, enum record_type type, const void *record)
{
	record_send(&r->link, type, record);
	record_send(&capture.link, type, record);
}

static void make_report(const char *verdict)
{
	static const uint64_t hist[][2] = { { 1000, 7 }, { 150000, 2 } };
	static uint8_t room[65536], contents[65536];
	static struct saved_run_work work = { .contents = contents, .cap = sizeof(contents) };
	const struct saved_run_head head = {
		.sid = SID,
		.began = 20261121190501,
		.verdict = (uint16_t)(verdict ? verdict_of(verdict) : VERDICT_INCOMPLETE),
	};
	struct record_begin b = { .version = NF_VERSION,
				  .machine = { .product = "X1" },
				  .clock = { .hz = 2400000000 },
				  .config = "duration=1m" };
	struct record_stage stage = { .stage = "handoff" };
	struct record_cpu cpu = { .stage = "handoff",
				  .exposure_ns = 60000000000,
				  .noise_ns = 307000,
				  .max_ns = 150000,
				  .gaps = 9,
				  .cause = { [CAUSE_SMI] = { 9, 307000 } },
				  .histogram = { hist, 2 } };
	struct record_end end = { .verdict = verdict };
	struct saved_run w;

	saved_run_start(&w, SID, room, sizeof(room));
	saved_run_text(&w, "for people", 10);
	add(&w, RECORD_BEGIN, &b);
	add(&w, RECORD_STAGE, &stage);
	add(&w, RECORD_CPU, &cpu);
	if (verdict)
		add(&w, RECORD_END, &end);
	report_bytes = saved_run_pack(&w, &head, &work, report, sizeof(report));
	assert_true(report_bytes);
}

/* Correct the report's checksum. */
static void mend(void)
{
	bytes_put_le32(report + report_bytes - 4, crc32c(report, report_bytes - 4));
}

#define FETCH(...) RUN(&boot_fetch, "fetch", "--efivars", efivars, ##__VA_ARGS__)

static void assert_saved(void)
{
	assert_string_equal(out, capture.bytes);
}

TEST_F(begin, teardown, test_records_are_what_the_run_reported)
{
	make_report("pass");
	put_report();
	assert_int_equal(FETCH(), 0);
	assert_saved();
	assert_in(err, "fetch: run 0123456789abcdef\n");
	assert_true(access(variable(), F_OK) == 0);
}

/* ---- Linux's setup_data ---- */

static char setup_data[128];

static void put_node_file(const char *node, const char *name, const void *bytes, size_t count)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/%s", setup_data, node);
	mkdir(setup_data, 0700);
	mkdir(file, 0700);
	snprintf(file, sizeof(file), "%s/%s/%s", setup_data, node, name);
	write_file(file, bytes, count);
}

static void put_nodes(const char *type)
{
	snprintf(setup_data, sizeof(setup_data), "%s/setup_data", folder);
	put_node_file("0", "type", "0x4\n", 4);
	put_node_file("0", "data", "other", 5);
	put_node_file("1", "type", type, strlen(type));
	put_node_file("1", "data", report, report_bytes);
}

TEST_F(begin, teardown, test_left_by_kexec)
{
	make_report("fail");
	put_nodes("0x4e46\n");
	assert_int_equal(FETCH("--setup-data", setup_data, "--delete"), 1);
	assert_saved();
	/* A report left by kexec comes before one in the variables, which is not deleted. */
	make_report("pass");
	put_report();
	assert_int_equal(FETCH("--setup-data", setup_data, "--delete"), 1);
	assert_int_equal(access(variable(), F_OK), 0);
}

TEST_F(begin, teardown, test_left_by_kexec_and_damaged)
{
	make_report("pass");
	put_nodes("0x4e46\n");
	put_node_file("1", "data", report, report_bytes - 1);
	assert_int_equal(FETCH("--setup-data", setup_data), 2);
	assert_non_null(strstr(err, "setup_data is damaged"));
	put_node_file("1", "type", "0x4e47\n", 7);
	assert_int_equal(FETCH("--setup-data", setup_data), 2);
	assert_non_null(strstr(err, "no report is in"));
}

/* An unreadable setup_data may have the report: its absence is not certain. */
TEST_F(begin, teardown, test_left_by_kexec_and_unreadable)
{
	char file[160];

	make_report("pass");
	put_nodes("0x4e46\n");
	snprintf(file, sizeof(file), "%s/1/data", setup_data);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_int_equal(FETCH("--setup-data", setup_data), 2);
	assert_non_null(strstr(err, "setup_data: Is a directory"));
	snprintf(file, sizeof(file), "%s/0/type", setup_data);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink("type", file), 0);
	put_node_file("1", "type", "0x4e47\n", 7);
	assert_int_equal(FETCH("--setup-data", setup_data), 2);
	assert_non_null(strstr(err, "setup_data: Too many levels of symbolic links"));
	/* The file can be opened, and reading fails. */
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_int_equal(FETCH("--setup-data", setup_data), 2);
	assert_non_null(strstr(err, "setup_data: Is a directory"));
}

TEST_F(begin, teardown, test_deleted_once_written)
{
	make_report("none");
	put_report();
	assert_int_equal(FETCH("-o", "/dev/full", "--delete"), 2);
	assert_int_equal(FETCH("-o", "/nowhere/at/all", "--delete"), 2);
	assert_in(err, "/nowhere/at/all: No such file or directory");
	assert_true(access(variable(), F_OK) == 0);
	assert_int_equal(FETCH("-o", saved, "--delete"), 0);
	assert_true(access(variable(), F_OK) != 0);
	assert_int_equal(FETCH(), 2);
	assert_in(err, "no report");
}

/* Root writes where others may: a link that they planted is replaced, and never followed. */
TEST_F(begin, teardown, test_planted_links)
{
	char part[160], victim[160];
	struct stat st;

	snprintf(part, sizeof(part), "%s.part", saved);
	snprintf(victim, sizeof(victim), "%s/victim", folder);
	make_report("pass");
	put_report();
	assert_int_equal(symlink(victim, part), 0);
	assert_int_equal(symlink(victim, saved), 0);
	assert_int_equal(FETCH("-o", saved), 0);
	assert_true(access(victim, F_OK) != 0);
	assert_int_equal(lstat(saved, &st), 0);
	assert_true(S_ISREG(st.st_mode) && (st.st_mode & 0777) == 0600);
	load(saved, out);
	assert_saved();
}

/* A run without an end is incomplete, for `fetch` as for `show`. */
TEST_F(begin, teardown, test_a_run_without_an_end)
{
	make_report(NULL);
	put_report();
	assert_int_equal(FETCH("-o", saved), 3);
	assert_int_equal(RUN(&show_subcommand, "show", saved), 3);
}

TEST_F(begin, teardown, test_damaged)
{
	make_report("pass");
	report[report_bytes / 2] ^= 1;
	put_report();
	assert_int_equal(FETCH("-o", saved, "--delete"), 2);
	assert_in(err, "is damaged");
	assert_true(access(saved, F_OK) != 0);
	/* A damaged report stays, as it may be worth something. */
	assert_true(access(variable(), F_OK) == 0);
	put("", 0);
	assert_int_equal(FETCH(), 2);
	assert_in(err, "is truncated");
	put(report, 12);
	assert_int_equal(FETCH(), 2);
	assert_in(err, "is truncated");
}

TEST_F(begin, teardown, test_of_another_version)
{
	make_report("pass");
	report[3]++;
	mend();
	put_report();
	assert_int_equal(FETCH(), 2);
	assert_in(err, "is of another version of noisefloor");
}

/* The verdict may be any number, as anybody may write a variable. */
TEST_F(begin, teardown, test_a_verdict_that_is_none)
{
	make_report("pass");
	report[14] = 0xff;
	mend();
	put_report();
	assert_int_equal(FETCH(), 2);
	assert_saved();
}

TEST_F(begin, teardown, test_a_variable_that_cannot_be_one)
{
	static uint8_t much[65540];

	put(much, sizeof(much));
	assert_int_equal(FETCH(), 2);
	assert_in(err, strerror(EFBIG));
}

TEST_F(begin, teardown, test_output_is_a_variable)
{
	make_report("pass");
	put_report();
	assert_int_equal(FETCH("-o", variable()), 2);
	assert_in(err, "is read: the output cannot be in it");
	assert_int_equal(FETCH(), 0);
	assert_saved();
}

TEST_F(begin, teardown, test_no_variables)
{
	assert_int_equal(RUN(&boot_fetch, "fetch", "--efivars", "/nowhere"), 2);
	assert_in(err, "there is no /nowhere: Linux was not booted by UEFI");
}

TEST_GROUP(make_efivars, remove_folder_and_rest);
