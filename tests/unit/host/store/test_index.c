/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a collector's folder: what comes back, whatever the file went through. */
#include "tests/unit/common/test.h"
#include "tests/unit/tree.h"

#include "host/store/index.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>

static struct index_entry entry(uint64_t sid, uint64_t lines, uint64_t at)
{
	struct index_entry e = { .sid = sid, .at = at, .from = "192.0.2.1" };

	e.summary.lines = lines;
	strcpy(e.summary.uuid, "u");
	strcpy(e.summary.product, "Box \"2\"\\");
	strcpy(e.summary.bios, "1.2");
	return e;
}

static void add(const struct index_entry *e)
{
	int fd = index_open(tree_fd, INDEX_LINES);

	assert_true(fd >= 0);
	assert_int_equal(index_add(fd, e), 0);
	close(fd);
}

TEST_F(tree_open, tree_close, test_there_and_back)
{
	struct index_entry e = entry(UINT64_MAX, 7, 1700000000);
	struct index_table t;
	const struct index_entry *found;

	e.summary.ended = true;
	e.summary.mode = &mode_stretch;
	e.summary.lost = 3;
	strcpy(e.summary.verdict, "fail");
	strcpy(e.summary.reason, "too long");
	strcpy(e.summary.remark, "too short");
	add(&e);
	assert_int_equal(index_read(tree_fd, &t), 0);
	assert_int_equal(t.count, 1);
	found = index_find(&t, UINT64_MAX);
	assert_non_null(found);
	assert_string_equal(found->summary.uuid, "u");
	assert_string_equal(found->summary.product, "Box \"2\"\\");
	assert_string_equal(found->summary.bios, "1.2");
	assert_string_equal(found->summary.verdict, "fail");
	assert_string_equal(found->summary.reason, "too long");
	assert_string_equal(found->summary.remark, "too short");
	assert_string_equal(found->from, "192.0.2.1");
	assert_true(found->summary.ended);
	assert_ptr_equal(found->summary.mode, &mode_stretch);
	assert_int_equal(found->summary.lines, 7);
	assert_int_equal(found->summary.lost, 3);
	assert_int_equal(found->at, 1700000000);
	assert_int_equal(found->began, 1700000000);
	assert_null(index_find(&t, 0));
	index_free(&t);
}

/* What a policy looks at; numbers that no run has stay large. */
TEST_F(tree_open, tree_close, test_facts)
{
	static const uint64_t big[] = { 1, INT64_MAX, UINT64_MAX };
	struct index_table t;

	for (uint64_t n = 0; n < 3; n++) {
		struct index_entry e = entry(n, 1, 1);

		e.summary.facts = (struct facts){
			.known = true,
			.version = "1.2.0",
			.config = { 0, 1, 0xab, [31] = 0xff },
			.threshold_ns = big[n],
			.found = UINT32_MAX,
			.measured = 2,
			.cpus = 3,
			.stages = 4,
			.sampled_ns = { big[n], n != 1 },
			.max_ns = { big[n], 5, false },
			.smi = { 6, 7, true },
			.noise_ppm = { 8, 9, false },
			.clock = { big[n], 10 },
			.attest = { .lines = n,
				    .state = (enum facts_attested)(FACTS_ATTEST_GOOD - n),
				    .item = 5,
				    .count = 3,
				    .started = { { 1 }, { [31] = 2 }, { 3 } },
				    .key = { 4, [31] = 0xfe } },
		};
		add(&e);
	}
	add(&(struct index_entry){ .sid = 3 });
	assert_int_equal(index_read(tree_fd, &t), 0);
	for (uint64_t n = 0; n < 3; n++) {
		const struct facts *f = &index_find(&t, n)->summary.facts;
		uint64_t wanted = big[n] > INT64_MAX ? INT64_MAX : big[n];

		assert_true(f->known);
		assert_string_equal(f->version, "1.2.0");
		assert_memory_equal(f->config, ((const uint8_t[32]){ 0, 1, 0xab, [31] = 0xff }),
				    32);
		assert_int_equal(f->threshold_ns, wanted);
		assert_int_equal(f->found, UINT32_MAX);
		assert_int_equal(f->measured, 2);
		assert_int_equal(f->cpus, 3);
		assert_int_equal(f->stages, 4);
		assert_int_equal(f->sampled_ns.known, n != 1);
		assert_int_equal(f->sampled_ns.value, n != 1 ? wanted : 0);
		assert_int_equal(f->max_ns.value, wanted);
		assert_int_equal(f->max_ns.cpu, 5);
		assert_false(f->max_ns.unknown);
		assert_int_equal(f->smi.value, 6);
		assert_true(f->smi.unknown);
		assert_int_equal(f->noise_ppm.cpu, 9);
		assert_int_equal(f->clock.hidden_ns, wanted);
		assert_int_equal(f->clock.ahead_ns, 10);
		assert_int_equal(f->attest.lines, n);
		if (!n)
			continue;
		assert_int_equal(f->attest.state, FACTS_ATTEST_GOOD - n);
		assert_int_equal(f->attest.item, 5);
		assert_int_equal(f->attest.count, 3);
		assert_memory_equal(f->attest.key, ((const uint8_t[32]){ 4, [31] = 0xfe }), 32);
		assert_memory_equal(f->attest.started[1], ((const uint8_t[32]){ [31] = 2 }), 32);
		assert_memory_equal(f->attest.started[2], ((const uint8_t[32]){ 3 }), 32);
	}
	assert_false(index_find(&t, 3)->summary.facts.known);
	index_free(&t);
}

TEST_F(tree_open, tree_close, test_none)
{
	struct index_table t;

	assert_int_equal(index_read(tree_fd, &t), 0);
	assert_int_equal(t.count, 0);
	assert_null(index_find(&t, 0));
	index_free(&t);
}

/* Of a run the entry with most lines counts, and the first has when it began and from where. */
TEST_F(tree_open, tree_close, test_the_last_counts)
{
	struct index_table t;

	for (uint64_t lines = 1; lines <= 3; lines++) {
		for (uint64_t sid = 100; sid > 0; sid--) {
			struct index_entry e = entry(sid, lines, 1000 * sid + lines);

			if (lines > 1)
				e.from[0] = '\0';
			add(&e);
		}
	}
	assert_int_equal(index_read(tree_fd, &t), 0);
	assert_int_equal(t.count, 100);
	for (uint64_t sid = 1; sid <= 100; sid++) {
		const struct index_entry *e = index_find(&t, sid);

		assert_non_null(e);
		assert_int_equal(e->summary.lines, 3);
		assert_int_equal(e->at, 1000 * sid + 3);
		assert_int_equal(e->began, 1000 * sid + 1);
		assert_string_equal(e->from, "192.0.2.1");
	}
	index_free(&t);
}

/* A long index takes the room of its runs, not of its lines. */
TEST_F(tree_open, tree_close, test_many_lines)
{
	struct index_table t;
	int fd = index_open(tree_fd, INDEX_LINES);

	for (uint64_t i = 0; i < 30000; i++) {
		struct index_entry e = entry(i % 10, i, i);

		assert_int_equal(index_add(fd, &e), 0);
	}
	close(fd);
	assert_int_equal(index_read(tree_fd, &t), 0);
	assert_int_equal(t.count, 10);
	assert_true(malloc_usable_size(t.entry) < 10000 * sizeof(*t.entry));
	assert_int_equal(index_find(&t, 9)->summary.lines, 29999);
	index_free(&t);
}

/* A torn line, which a crash or a full disk leaves, spoils neither itself nor the next. */
TEST_F(tree_open, tree_close, test_torn)
{
	const struct index_entry one = entry(1, 1, 1), two = entry(2, 1, 1);
	struct index_table t;
	char text[1000];

	add(&one);
	strcpy(text, tree_read(INDEX_LINES));
	for (size_t cut = 1; cut < strlen(text); cut++) {
		tree_write_bytes(INDEX_LINES, text, strlen(text) - cut);
		add(&two);
		assert_int_equal(index_read(tree_fd, &t), 0);
		assert_non_null(index_find(&t, 2));
		assert_int_equal(t.count, cut == 1 ? 2 : 1);
		index_free(&t);
	}
}

TEST_F(tree_open, tree_close, test_rubbish)
{
	static const char *const lines[] = {
		"",
		"null",
		"[]",
		"{}",
		"{\"sid\":5}",
		"{\"sid\":\"zz\"}",
		"\xff\xfe",
		"{\"sid\":\"0000000000000001\",\"lines\":-5,\"at\":\"x\","
		"\"uuid\":null,\"ended\":\"yes\"}"
	};
	struct index_table t;
	char text[1000] = "";
	const struct index_entry *e;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		strcat(text, lines[i]);
		strcat(text, "\n");
	}
	tree_write(INDEX_LINES, text);
	assert_int_equal(index_read(tree_fd, &t), 0);
	assert_int_equal(t.count, 1);
	e = index_find(&t, 1);
	assert_non_null(e);
	assert_int_equal(e->summary.lines + e->at, 0);
	assert_string_equal(e->summary.uuid, "");
	assert_false(e->summary.ended);
	index_free(&t);
}

TEST_F(tree_open, tree_close, test_not_a_file)
{
	struct index_table t;

	assert_int_equal(symlink("elsewhere", tree_path(INDEX_LINES)), 0);
	assert_int_equal(index_read(tree_fd, &t), ELOOP);
	assert_int_equal(index_open(tree_fd, INDEX_LINES), -1);
	index_free(&t);
}

TEST_F(tree_open, tree_close, test_full)
{
	const struct index_entry e = entry(1, 1, 1);
	int fd = open("/dev/full", O_WRONLY);

	if (fd < 0)
		skip();
	assert_int_equal(index_add(fd, &e), ENOSPC);
	close(fd);
}

/* Nobody waits for what comes out of it, nor for room in it. */
TEST_F(tree_open, tree_close, test_fifo)
{
	struct index_table t;

	assert_int_equal(mkfifo(tree_path(INDEX_LINES), 0600), 0);
	assert_int_equal(index_open(tree_fd, INDEX_LINES), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(index_read(tree_fd, &t), EINVAL);
	assert_int_equal(t.count, 0);
}
