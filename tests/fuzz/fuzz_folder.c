/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collector's folder as anybody may have left it. The first byte selects what the index is, the
 * second what two of the runs' files are: a file, a folder, a link, a FIFO. Its top bit asks for
 * lines that are signed. Then their contents follow, which form feeds part: the index, and the
 * files of runs 1, 2 and 3.
 */
#include "host/fleet/collect/collect.h"
#include "host/fleet/collect/index_order.h"
#include "host/fleet/collect/store.h"
#include "host/subcommands.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/signed.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 17)
#define RUNS      3
#define UUID      "00000000-0000-0000-0000-000000000001"
#define JUNIT     "junit.xml"

enum kind { A_FILE, A_FOLDER, A_LINK, A_FIFO, KINDS };

static char folder[64];
static int dir = -1;
static struct store opened; /* once: its table of files is large */

static void insist(bool is_so)
{
	if (!is_so)
		abort();
}

static void remove_folder(void)
{
	unlinkat(dir, "lock", 0);
	rmdir(folder);
	store_close(&opened);
}

/* What is printed and complained of is looked at, or goes nowhere. */
static void start(void)
{
	const char *what;

	snprintf(folder, sizeof(folder), "%s/fuzz_folder.XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	insist(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY);
	insist(dir >= 0);
	atexit(remove_folder);
	stderr = fopen("/dev/null", "w");
	insist(stderr && store_open(&opened, folder, &what));
}

static void write_file(const char *name, const char *text, size_t bytes)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	insist(fd >= 0 && write(fd, text, bytes) == (ssize_t)bytes);
	close(fd);
}

static void make(const char *name, enum kind kind, const char *text, size_t bytes)
{
	if (kind == A_FOLDER)
		insist(mkdirat(dir, name, 0700) == 0);
	else if (kind == A_LINK)
		insist(symlinkat("/dev/zero", dir, name) == 0);
	else if (kind == A_FIFO)
		insist(mkfifoat(dir, name, 0600) == 0);
	else
		write_file(name, text, bytes);
}

static void make_run(uint64_t sid, enum kind kind, bool sign, const char *text, size_t bytes)
{
	char name[STORE_NAME_MAX], *lines = malloc(signed_room(text, bytes));

	insist(lines);
	store_name(name, sid);
	if (sign)
		make(name, kind, lines, signed_lines(text, bytes, lines));
	else
		make(name, kind, text, bytes);
	free(lines);
}

/* Up to a form feed; the rest of the text is left. */
static const char *part(const char **text, const char *end, size_t *bytes)
{
	const char *from = *text, *feed = memchr(from, '\f', (size_t)(end - from));

	*bytes = (size_t)((feed ? feed : end) - from);
	*text = feed ? feed + 1 : end;
	return from;
}

static void make_all(const uint8_t *kinds, const char *text, size_t bytes)
{
	const char *end = text + bytes;
	size_t count;
	const char *at = part(&text, end, &count);

	make(INDEX_NAME, kinds[0] % KINDS, at, count);
	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		at = part(&text, end, &count);
		make_run(sid, sid == RUNS ? A_FILE : (kinds[1] >> 2 * sid) % KINDS, kinds[1] & 0x80,
			 at, count);
	}
}

static void remove_all(void)
{
	char name[STORE_NAME_MAX];

	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		store_name(name, sid);
		insist(unlinkat(dir, name, 0) == 0 || unlinkat(dir, name, AT_REMOVEDIR) == 0);
		snprintf(name, sizeof(name), "%016llx.cut", (unsigned long long)sid);
		unlinkat(dir, name, 0);
	}
	insist(unlinkat(dir, INDEX_NAME, 0) == 0 || unlinkat(dir, INDEX_NAME, AT_REMOVEDIR) == 0);
	unlinkat(dir, JUNIT, 0);
}

static void check_summary(const struct summary *s)
{
	input_assert_showable(s->uuid, sizeof(s->uuid));
	input_assert_showable(s->product, sizeof(s->product));
	input_assert_showable(s->bios, sizeof(s->bios));
	input_assert_showable(s->began, sizeof(s->began));
	input_assert_showable(s->verdict, sizeof(s->verdict));
	input_assert_showable(s->reason, sizeof(s->reason));
}

/* Sorted, each run once; in the order, each run that has a file has a rank of its own. */
static void check_index(void)
{
	struct index_table t;
	size_t ranks = 0;

	if (index_read(dir, &t) != 0) {
		index_free(&t);
		return;
	}
	for (size_t i = 0; i < t.count; i++) {
		insist(!i || t.entry[i - 1].sid < t.entry[i].sid);
		insist(index_find(&t, t.entry[i].sid) == &t.entry[i]);
		check_summary(&t.entry[i].summary);
		input_assert_showable(t.entry[i].from, sizeof(t.entry[i].from));
	}
	insist(index_order(&t, dir) == 0 && t.count == RUNS);
	for (size_t i = 0; i < RUNS; i++) {
		insist(t.entry[i].sid == i + 1 && t.entry[i].rank < RUNS);
		ranks |= (size_t)1 << t.entry[i].rank;
	}
	insist(ranks == (1u << RUNS) - 1);
	index_free(&t);
}

/* As a collector that is started again: what it finds in a file is what is left of it. */
static void check_store(void)
{
	const struct receiver_store ops = store_ops(&opened);
	struct run_progress before, found, after;

	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		int error = store_read(dir, sid, &before);

		check_summary(&before.summary);
		insist(before.next == before.summary.lines + before.summary.lost);
		insist(before.summary.lost <= before.next);
		if (ops.find(ops.ctx, sid, &found) != 0)
			continue;
		insist(!error && memcmp(&before, &found, sizeof(found)) == 0);
		insist(store_read(dir, sid, &after) == 0);
		insist(memcmp(&after, &found, sizeof(found)) == 0);
	}
}

/* One more entry, behind a torn line: it is found again, and those before it are. */
static void check_adding(void)
{
	struct index_entry e = { .sid = UINT64_MAX, .at = 1, .summary = { .lines = UINT32_MAX } };
	struct index_table before, after;
	int fd = index_open(dir, INDEX_NAME);

	if (fd < 0)
		return;
	insist(index_read(dir, &before) == 0);
	if (lseek(fd, 0, SEEK_END) >= 0) {
		insist(index_add(fd, &e) == 0 && index_read(dir, &after) == 0);
		insist(index_find(&after, UINT64_MAX));
		insist(after.count == before.count + !index_find(&before, UINT64_MAX));
		index_free(&after);
	}
	index_free(&before);
	close(fd);
}

/* What a subcommand prints can be shown, and is JSON where it should be. */
static void run(const struct options_subcommand *s, int argc, char **argv, bool as_json)
{
	FILE *real = stdout;
	char *text = NULL;
	size_t bytes = 0;
	json_t *json;
	int code;

	stdout = open_memstream(&text, &bytes);
	insist(stdout);
	optind = 0; /* getopt_long() starts anew */
	code = options_run(s, argc, argv);
	fclose(stdout);
	stdout = real;
	insist(code >= 0 && code <= 3 && memchr(text, '\0', bytes) == NULL);
	for (size_t i = 0; i < bytes; i++)
		insist(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
	json = as_json && bytes ? json_loadb(text, bytes, 0, NULL) : NULL;
	insist(!as_json || !bytes || json);
	json_decref(json);
	free(text);
}

static void run_all(void)
{
	char uuid[] = UUID, form[] = "--format", d[] = "--dir";

	for (unsigned as_json = 0; as_json < 2; as_json++) {
		char word[5];
		char *fleet[] = { "fleet", form, word, folder, NULL };
		char *status[] = { "status", form, word, d, folder, uuid, NULL };

		strcpy(word, as_json ? "json" : "text");
		run(&fleet_subcommand, 4, fleet, as_json);
		run(&status_subcommand, 6, status, as_json);
	}
}

static void write_junit(void)
{
	char path[sizeof(folder) + sizeof(JUNIT) + 1];

	snprintf(path, sizeof(path), "%s/" JUNIT, folder);
	collect_junit_write(dir, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes < 2 || bytes > INPUT_MAX)
		return 0;
	if (dir < 0)
		start();
	make_all(data, (const char *)data + 2, bytes - 2);
	check_index();
	run_all();
	write_junit();
	check_store();
	check_adding();
	remove_all();
	return 0;
}
