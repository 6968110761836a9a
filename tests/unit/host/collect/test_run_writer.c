/* SPDX-License-Identifier: BSD-2-Clause */
/* A collector's folder: what is found in it after all that may happen to files. */
#include "tests/unit/common/test.h"
#include "tests/unit/run_lines.h"
#include "tests/unit/tree.h"

#include "host/collect/run_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define SID  UINT64_C(0xabc)
#define NAME "0000000000000abc.jsonl"
#define CUT  "0000000000000abc.cut"

static struct {
	struct run_writer writer;
	struct receiver_store ops;
	char text[8192]; /* of a run of five gaps */
	size_t bytes;
	unsigned cuts, aside;
	unsigned pieces; /* to be read before it is stopped */
	uint64_t cut_bytes;
} it;

static void on_cut(void *ctx, uint64_t sid, uint64_t bytes, bool set_aside)
{
	(void)ctx;
	assert_int_equal(sid, SID);
	it.cuts++;
	it.aside += set_aside;
	it.cut_bytes = bytes;
}

static void open_store(void)
{
	const char *what;

	assert_true(run_writer_open(&it.writer, tree_path("runs"), &what));
	it.writer.cut = on_cut;
	it.ops = run_writer_ops(&it.writer);
}

static int start(void **state)
{
	memset(&it, 0, sizeof(it));
	if (tree_make(state) != 0)
		return -1;
	open_store();
	it.bytes = run_lines(it.text, SID, 5, "u", "pass");
	return 0;
}

static int teardown(void **state)
{
	run_writer_close(&it.writer);
	return tree_remove(state);
}

static int append(uint64_t at, const char *text, size_t bytes)
{
	/* In two parts, as pieces come. */
	const struct iovec v[] = { { (void *)(uintptr_t)text, bytes / 2 },
				   { (void *)(uintptr_t)(text + bytes / 2), bytes - bytes / 2 } };

	return it.ops.append(it.ops.ctx, SID, at, v, 2);
}

static int find(struct store_progress *kept)
{
	return it.ops.find(it.ops.ctx, SID, kept);
}

static void put(const char *text, size_t bytes)
{
	tree_write_bytes("runs/" NAME, text, bytes);
}

static void assert_holds(const char *name, const char *text, size_t bytes)
{
	const char *found = tree_read(name);

	assert_int_equal(strlen(found), bytes);
	assert_memory_equal(found, text, bytes);
}

TEST_F(start, teardown, test_names)
{
	static const char *const others[] = { "",
					      "abc.jsonl",
					      "0000000000000ABC.jsonl",
					      "0000000000000abc.jsonl.new",
					      "0000000000000abc.cut",
					      "000000000000abc.jsonl",
					      "00000000000000abc.jsonl",
					      "+000000000000abc.jsonl",
					      "index.jsonl",
					      "lock" };
	char name[STORE_NAME_MAX];
	uint64_t sid = 0;

	store_name(name, SID);
	assert_string_equal(name, NAME);
	assert_true(store_is_run(name, &sid));
	assert_int_equal(sid, SID);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(store_is_run(others[i], &sid));
}

TEST_F(start, teardown, test_written_and_found)
{
	const uint64_t sid = SID;
	int errors[1];
	struct store_progress kept;

	assert_int_equal(find(&kept), ENOENT);
	assert_int_equal(append(0, it.text, 300), 0);
	assert_int_equal(append(300, it.text + 300, it.bytes - 300), 0);
	assert_int_equal(it.ops.sync(it.ops.ctx, &sid, 1, errors), 0);
	assert_holds("runs/" NAME, it.text, it.bytes);
	assert_int_equal(find(&kept), 0);
	assert_int_equal(kept.next, 7);
	assert_int_equal(kept.bytes, it.bytes);
	assert_int_equal(kept.summary.lines, 7);
	assert_int_equal(kept.summary.lost, 0);
	assert_true(kept.summary.ended);
	assert_string_equal(kept.summary.product, "Box");
	assert_int_equal(it.cuts, 0);
}

/* All at once, where there are many. */
TEST_F(start, teardown, test_sync_of_many)
{
	uint64_t sids[8];
	int errors[8];
	struct store_progress kept;

	for (uint64_t i = 0; i < 8; i++) {
		struct iovec v = { it.text, run_line(it.text, i, 0, "begin", "") };

		sids[i] = i;
		assert_int_equal(it.ops.append(it.ops.ctx, i, 0, &v, 1), 0);
	}
	assert_int_equal(it.ops.sync(it.ops.ctx, sids, 8, errors), 0);
	/* Where one call cannot be trusted. */
	it.writer.one_sync = false;
	assert_int_equal(it.ops.sync(it.ops.ctx, sids, 8, errors), 0);
	sids[3] = 99;
	assert_int_equal(it.ops.sync(it.ops.ctx, sids, 8, errors), 0);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(errors[i], i == 3 ? ENOENT : 0);
	assert_int_equal(store_read(it.writer.folder.dir, 5, &kept), 0);
	assert_int_equal(kept.next, 1);
}

/* Somebody else wrote, cut or made the file: it is left as it is. */
TEST_F(start, teardown, test_not_as_it_was)
{
	assert_int_equal(append(0, it.text, it.bytes), 0);
	assert_int_equal(append(0, it.text, it.bytes), ESTALE);
	assert_int_equal(append(it.bytes - 1, "x", 1), ESTALE);
	assert_int_equal(append(it.bytes + 1, "x", 1), ESTALE);
	assert_int_equal(it.ops.cut(it.ops.ctx, SID, it.bytes + 1), ESTALE);
	assert_holds("runs/" NAME, it.text, it.bytes);
	assert_int_equal(it.ops.cut(it.ops.ctx, SID, 100), 0);
	assert_holds("runs/" NAME, it.text, 100);
	assert_int_equal(it.ops.cut(it.ops.ctx, SID, 0), 0);
	assert_false(tree_has("runs/" NAME));
	assert_int_equal(it.ops.cut(it.ops.ctx, SID, 0), 0);
	assert_int_equal(append(10, "x", 1), ENOENT);
}

/* A crash may leave the file anywhere inside of a line. */
TEST_F(start, teardown, test_torn)
{
	struct store_progress kept;
	size_t whole = 0;
	uint64_t lines = 0;

	for (size_t bytes = 0; bytes <= it.bytes; bytes++) {
		if (bytes && it.text[bytes - 1] == '\n') {
			whole = bytes;
			lines++;
		}
		put(it.text, bytes);
		it.cuts = 0;
		/* Who only reads changes nothing. */
		assert_int_equal(store_read(it.writer.folder.dir, SID, &kept), 0);
		assert_int_equal(kept.next, lines);
		assert_int_equal(strlen(tree_read("runs/" NAME)), bytes);
		assert_int_equal(find(&kept), 0);
		assert_int_equal(kept.next, lines);
		assert_int_equal(kept.bytes, whole);
		assert_int_equal(it.cuts, bytes != whole);
		assert_holds("runs/" NAME, it.text, whole);
	}
	assert_int_equal(it.aside, 0);
	assert_false(tree_has("runs/" CUT));
}

/* What power took while pages were written in no order: nothing that could be of use is lost. */
TEST_F(start, teardown, test_damaged)
{
	struct store_progress kept;
	size_t first = (size_t)(strchr(it.text, '\n') + 1 - it.text);

	it.text[first + 5] ^= 1;
	put(it.text, it.bytes);
	assert_int_equal(find(&kept), 0);
	assert_int_equal(kept.next, 1);
	assert_int_equal(it.aside, 1);
	assert_int_equal(it.cut_bytes, it.bytes - first);
	assert_holds("runs/" NAME, it.text, first);
	assert_holds("runs/" CUT, it.text + first, it.bytes - first);
	/* Once more: behind what is there. */
	put(it.text, it.bytes);
	assert_int_equal(find(&kept), 0);
	assert_int_equal(strlen(tree_read("runs/" CUT)), 2 * (it.bytes - first));
	/* From the first byte on, and longer than any buffer. */
	put("rubbish\n", 8);
	assert_int_equal(find(&kept), 0);
	assert_int_equal(kept.next + kept.bytes, 0);
	assert_int_equal(it.aside, 3);
}

/* The beginning is read of a file of any size, and nothing is changed. */
TEST_F(start, teardown, test_head)
{
	static char large[4 * STORE_HEAD];
	struct summary s = { .lines = 0 };
	size_t n = run_line(large, SID, 0, "log", ",\"level\":\"info\",\"text\":\"x\"");
	uint64_t seq = 2;

	assert_int_equal(it.ops.head(it.ops.ctx, SID, &s), ENOENT);
	n += run_begin(large + n, SID, 1, "u");
	while (n < sizeof(large) - 600)
		n += run_line(large + n, SID, seq++, "gap", "");
	n += run_line(large + n, SID, seq++, "end", ",\"verdict\":\"pass\",\"reasons\":[]");
	put(large, n - 1);
	assert_int_equal(it.ops.head(it.ops.ctx, SID, &s), 0);
	assert_string_equal(s.uuid, "u");
	assert_false(s.ended);
	assert_in_range(s.lines, 100, seq - 100);
	assert_int_equal(it.cuts, 0);
	put("rubbish\n", 8);
	assert_int_equal(it.ops.head(it.ops.ctx, SID, &s), 0);
	assert_string_equal(s.uuid, "");
}

static bool goes_on(void *ctx)
{
	(void)ctx;
	return it.pieces && it.pieces--;
}

/* Whoever is asked to end does not read large files to theirs; they stay as they are. */
TEST_F(start, teardown, test_reading_is_stopped)
{
	static char large[600000]; /* more than two pieces */
	struct store_progress kept;
	struct stat status;
	size_t n = 0;

	for (uint64_t seq = 0; n < sizeof(large) - 600; seq++)
		n += run_line(large + n, SID, seq, "gap", "");
	put(large, n - 1);
	it.writer.go_on = goes_on;
	for (unsigned pieces = 0; pieces < 3; pieces++) {
		it.pieces = pieces;
		assert_int_equal(find(&kept), ECANCELED);
		assert_int_equal(it.cuts, 0);
	}
	assert_int_equal(fstatat(it.writer.folder.dir, NAME, &status, 0), 0);
	assert_int_equal(status.st_size, n - 1);
	it.pieces = 9;
	assert_int_equal(find(&kept), 0);
	assert_int_equal(it.cuts, 1);
}

TEST_F(start, teardown, test_long_rubbish)
{
	static char rubbish[600000];
	struct store_progress kept;

	memset(rubbish, 'x', sizeof(rubbish));
	memcpy(rubbish, it.text, it.bytes);
	put(rubbish, sizeof(rubbish));
	assert_int_equal(find(&kept), 0);
	assert_int_equal(kept.next, 7);
	assert_int_equal(kept.bytes, it.bytes);
	assert_int_equal(it.cut_bytes, sizeof(rubbish) - it.bytes);
	assert_int_equal(it.aside, 0);
}

/* Lines that jump ahead were lost; those that go back are no lines of a file. */
TEST_F(start, teardown, test_order_of_lines)
{
	struct store_progress kept;
	size_t n = run_begin(it.text, SID, 0, "u");

	n += run_line(it.text + n, SID, 5, "gap", "");
	put(it.text, n);
	assert_int_equal(find(&kept), 0);
	assert_int_equal(kept.next, 6);
	assert_int_equal(kept.summary.lost, 4);
	put(it.text, n + run_line(it.text + n, SID, 5, "gap", ""));
	assert_int_equal(find(&kept), 0);
	assert_int_equal(kept.next, 6);
	assert_int_equal(it.cuts, 1);
	put(it.text, n + run_line(it.text + n, SID + 1, 6, "gap", ""));
	assert_int_equal(find(&kept), 0);
	assert_int_equal(it.cuts, 2);
}

/* Whoever may write to the folder leads nobody elsewhere, and keeps nobody waiting. */
TEST_F(start, teardown, test_not_a_file)
{
	struct store_progress kept;

	tree_write("elsewhere", "");
	assert_int_equal(symlink("../elsewhere", tree_path("runs/" NAME)), 0);
	assert_int_equal(find(&kept), ELOOP);
	assert_int_equal(append(0, "x", 1), ELOOP);
	assert_int_equal(remove(tree_path("runs/" NAME)), 0);
	assert_int_equal(mkfifo(tree_path("runs/" NAME), 0600), 0);
	assert_true(find(&kept) != 0);
	assert_int_equal(remove(tree_path("runs/" NAME)), 0);
	assert_int_equal(mkdir(tree_path("runs/" NAME), 0700), 0);
	assert_int_equal(find(&kept), EISDIR);
	assert_string_equal(tree_read("elsewhere"), "");
}

/* Neither does the folder's lock. */
TEST_F(start, teardown, test_lock_is_no_link)
{
	struct run_writer other;
	const char *what;

	assert_int_equal(mkdir(tree_path("others"), 0700), 0);
	assert_int_equal(symlink("../elsewhere", tree_path("others/lock")), 0);
	assert_false(run_writer_open(&other, tree_path("others"), &what));
	assert_int_equal(errno, ELOOP);
	run_writer_close(&other);
	assert_true(access(tree_path("elsewhere"), F_OK) != 0);
}

static void count(void *ctx, uint64_t sid)
{
	*(uint64_t *)ctx += sid;
}

TEST_F(start, teardown, test_folder)
{
	struct run_writer other;
	const char *what;
	uint64_t sum = 0;

	assert_false(run_writer_open(&other, tree_path("runs"), &what));
	assert_int_equal(errno, EWOULDBLOCK);
	run_writer_close(&other);
	assert_false(run_writer_open(&other, tree_path("none/runs"), &what));
	assert_string_equal(what, "make the folder");
	run_writer_close(&other);
	tree_write("file", "");
	assert_false(run_writer_open(&other, tree_path("file"), &what));
	assert_string_equal(what, "open the folder");
	run_writer_close(&other);
	tree_write("runs/0000000000000001.jsonl", "");
	tree_write("runs/0000000000000002.jsonl", "");
	tree_write("runs/0000000000000004.cut", "");
	assert_int_equal(store_each(it.writer.folder.dir, count, &sum), 0);
	assert_int_equal(sum, 3);
	run_writer_close(&it.writer);
	open_store();
	assert_int_equal(it.writer.folder.runs, 2);
}

/* A file that stays open between two writes is looked at before the second. */
TEST_F(start, teardown, test_replaced_while_open)
{
	assert_int_equal(append(0, it.text, it.bytes), 0);
	assert_int_equal(renameat(it.writer.folder.dir, NAME, it.writer.folder.dir, "away"), 0);
	put(it.text, it.bytes);
	assert_int_equal(unlinkat(it.writer.folder.dir, "away", 0), 0);
	assert_int_equal(append(it.bytes, it.text, it.bytes), ESTALE);
	/* From then on it is the folder's own again. */
	assert_int_equal(append(it.bytes, it.text, it.bytes), 0);
	assert_int_equal(strlen(tree_read("runs/" NAME)), 2 * it.bytes);
}

/* Up to the limit, and not beyond it. */
TEST_F(start, teardown, test_bytes_of_a_run)
{
	it.writer.limits.run_bytes = 300;
	assert_int_equal(append(0, it.text, 301), EDQUOT);
	assert_int_equal(append(0, it.text, 200), 0);
	assert_int_equal(append(200, it.text + 200, 101), EDQUOT);
	assert_int_equal(append(200, it.text + 200, 100), 0);
	assert_int_equal(append(300, it.text + 300, 1), EDQUOT);
	assert_holds("runs/" NAME, it.text, 300);
}

/* More runs than may be open at a time. */
TEST_F(start, teardown, test_few_descriptors)
{
	enum { RUNS = 20 };
	char name[STORE_NAME_MAX], path[64];

	it.writer.files.most = 4;
	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t sid = 1; sid <= RUNS; sid++) {
			const struct iovec v = { it.text, it.bytes };

			assert_int_equal(it.ops.append(it.ops.ctx, sid, round * it.bytes, &v, 1),
					 0);
			assert_true(it.writer.files.open <= 4);
		}
	}
	for (uint64_t sid = 1; sid <= RUNS; sid++) {
		store_name(name, sid);
		snprintf(path, sizeof(path), "runs/%s", name);
		assert_int_equal(strlen(tree_read(path)), 3 * it.bytes);
	}
}
