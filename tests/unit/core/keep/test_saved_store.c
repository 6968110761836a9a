/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports in variables, against a store that does as EDK II's: it is never compacted while the run
 * lasts, so each write costs its full size, and the power may fail before any of them.
 */
#include "core/keep/saved_store.h"
#include "core/lib/bytes.h"
#include "core/lib/crc32c.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define PART    1000u
#define REPORT  (SAVED_PARTS * (PART - SAVED_PART_HEAD))
#define HEAD    96u /* of a variable, with its name */
#define ALL     57344u
#define FOREVER UINT32_MAX

static struct {
	uint8_t value[SAVED_VARIABLES][PART];
	size_t bytes[SAVED_VARIABLES]; /* 0: there is none */
	size_t left;
	unsigned writes_left;     /* until the power fails */
	bool loses;               /* success, and nothing is kept */
	unsigned bad;             /* which variable cannot be read, from 1 on; 0: none */
	enum saved_status status; /* of that */
} store;

static uint8_t report[REPORT], again[SAVED_PARTS * PART], part[PART], back[PART];
static struct saved_writer writer;

static enum saved_status get(void *ctx, unsigned n, void *value, size_t cap, size_t *bytes)
{
	assert_ptr_equal(ctx, &store);
	assert_true(n < SAVED_VARIABLES);
	if (store.bad == n + 1)
		return store.status;
	if (!store.bytes[n])
		return SAVED_NONE;
	assert_true(store.bytes[n] <= cap);
	*bytes = store.bytes[n];
	memcpy(value, store.value[n], *bytes);
	return SAVED_OK;
}

static enum saved_status set(void *ctx, unsigned n, const void *value, size_t bytes)
{
	assert_ptr_equal(ctx, &store);
	assert_true(n < SAVED_VARIABLES && bytes <= PART);
	if (!store.writes_left)
		return SAVED_REFUSED;
	store.writes_left -= store.writes_left != FOREVER;
	if (!bytes && !store.bytes[n])
		return SAVED_NONE;
	if (bytes && store.left < bytes + HEAD)
		return SAVED_FULL;
	store.left -= bytes ? bytes + HEAD : 0;
	if (store.loses)
		return SAVED_OK;
	store.bytes[n] = bytes;
	if (bytes)
		memcpy(store.value[n], value, bytes);
	return SAVED_OK;
}

static const struct saved_variables variables = { get, set, &store };

static int begin(void **state)
{
	(void)state;
	memset(&store, 0, sizeof(store));
	store.left = ALL;
	store.writes_left = FOREVER;
	writer = (struct saved_writer){
		.variables = &variables, .part = part, .back = back, .cap = PART
	};
	return 0;
}

/* The n-th: all its bytes are n, but for the checksum. */
static const char *write_report(unsigned n, size_t bytes)
{
	memset(report, (int)n, bytes);
	bytes_put_le32(report + bytes - 4, crc32c(report, bytes - 4));
	return saved_write(&writer, report, bytes, PART);
}

/* Which report is there; 0: none. It is whole. */
static unsigned read_report(size_t *bytes)
{
	enum saved_state state = saved_read(&variables, again, part, PART, bytes);

	if (state == SAVED_STATE_NONE)
		return 0;
	assert_int_equal(state, SAVED_STATE_OK);
	assert_int_equal(crc32c(again, *bytes - 4), bytes_le32(again + *bytes - 4));
	return again[0];
}

TEST_F(begin, NULL, test_one_variable_is_written_over)
{
	size_t bytes;

	assert_int_equal(read_report(&bytes), 0);
	for (unsigned n = 1; n < 4; n++) {
		assert_null(write_report(n, 500 + n));
		assert_int_equal(read_report(&bytes), n);
		assert_int_equal(bytes, 500 + n);
	}
	assert_int_equal(writer.writes, 3);
	for (unsigned n = 1; n < SAVED_VARIABLES; n++)
		assert_int_equal(store.bytes[n], 0);
}

/* Only what is damaged is removed: a report that cannot be read may be whole. */
TEST_F(begin, NULL, test_a_variable_that_cannot_be_read)
{
	static const struct {
		unsigned bad;
		enum saved_status status;
		enum saved_state state;
	} rows[] = {
		{ 1, SAVED_REFUSED, SAVED_STATE_UNREAD },
		{ 2, SAVED_REFUSED, SAVED_STATE_UNREAD },
		{ 1, SAVED_UNSUPPORTED, SAVED_STATE_NONE },
		{ 1, SAVED_FULL, SAVED_STATE_DAMAGED },
		{ 2, SAVED_NONE, SAVED_STATE_CUT },
		{ 1, SAVED_NONE, SAVED_STATE_NONE },
		{ 0, SAVED_OK, SAVED_STATE_OK },
	};
	size_t bytes;

	assert_null(write_report(1, 1500));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		store.bad = rows[i].bad;
		store.status = rows[i].status;
		assert_int_equal(saved_read(&variables, again, part, PART, &bytes), rows[i].state);
	}
}

/* Whatever is written after whatever, and wherever it breaks off: the old one, or the new. */
TEST_F(begin, NULL, test_power_fails_at_any_write)
{
	static const size_t sizes[] = { 500, 1500, REPORT };

	for (unsigned way = 0; way < 3 * 3 * 3 * 3; way++) {
		const size_t size[] = { sizes[way % 3], sizes[way / 3 % 3], sizes[way / 9 % 3] };
		unsigned cut = way / 27;
		unsigned got;
		size_t bytes;

		begin(state);
		assert_null(write_report(1, size[0]));
		assert_null(write_report(2, size[1]));
		store.writes_left = cut;
		got = write_report(3, size[2]) ? 2 : 3;
		assert_int_equal(read_report(&bytes), got);
		assert_int_equal(bytes, size[got - 1]);
	}
}

/* As it is where a variable's new value and the next one's old value remain. */
TEST_F(begin, NULL, test_a_new_run_goes_on_where_the_last_one_was)
{
	size_t bytes;

	for (unsigned cut = 0; cut < 3; cut++) {
		begin(state);
		for (unsigned n = 1; n < 5; n++)
			assert_null(write_report(n, REPORT));
		saved_begin(&writer);
		store.writes_left = cut;
		assert_non_null(write_report(5, REPORT));
		assert_int_equal(read_report(&bytes), 4);
		store.writes_left = FOREVER;
		assert_null(write_report(6, REPORT));
		assert_int_equal(read_report(&bytes), 6);
	}
}

TEST_F(begin, NULL, test_the_count_comes_around)
{
	size_t bytes;

	writer.sequence = 0xfffd;
	store.left = SIZE_MAX;
	for (unsigned n = 1; n < 8; n++) {
		assert_null(write_report(n, REPORT));
		assert_int_equal(read_report(&bytes), n);
	}
}

TEST_F(begin, NULL, test_a_set_that_is_damaged_does_not_count)
{
	size_t bytes;

	assert_null(write_report(1, REPORT));
	assert_null(write_report(2, REPORT));
	store.value[SAVED_PARTS + 1][500] ^= 1;
	assert_int_equal(read_report(&bytes), 1);
	store.bytes[SAVED_PARTS + 1] = 0;
	assert_int_equal(read_report(&bytes), 1);
}

TEST_F(begin, NULL, test_what_is_lost_is_seen)
{
	assert_null(write_report(1, 500));
	store.loses = true;
	assert_string_equal(write_report(2, 500), "the firmware took the variable and has lost it");
	assert_false(writer.full);
}

TEST_F(begin, NULL, test_full)
{
	size_t bytes;

	assert_null(write_report(1, REPORT));
	store.left = 1500;
	assert_string_equal(write_report(2, REPORT), "the firmware's store is full");
	assert_true(writer.full);
	assert_int_equal(read_report(&bytes), 1);
	/* What is smaller fits, and goes where it does not hurt the first. */
	store.left = 1500;
	assert_null(write_report(3, 500));
	assert_int_equal(read_report(&bytes), 3);
}

TEST_F(begin, NULL, test_remove)
{
	size_t bytes;

	assert_null(write_report(1, REPORT));
	assert_null(write_report(2, REPORT));
	assert_true(saved_remove(&variables));
	assert_int_equal(read_report(&bytes), 0);
	assert_true(saved_remove(&variables));
	assert_null(write_report(3, 500));
	store.writes_left = 0;
	assert_false(saved_remove(&variables));
}

/* A hundred are wanted. The store takes fewer; the report at the end finds room all the same. */
TEST_F(begin, NULL, test_checkpoints_leave_room)
{
	static const size_t sizes[] = { 300, 1500, REPORT };

	for (unsigned i = 0; i < 3; i++) {
		uint64_t quarter = ALL / 4;
		unsigned taken = 0;

		begin(state);
		store.left -= 15000; /* the firmware's own */
		for (unsigned n = 1; n <= 100; n++) {
			uint64_t room = saved_room(ALL, store.left);

			if (!saved_checkpoints(room, sizes[i], REPORT, PART))
				break;
			assert_null(write_report(n, sizes[i]));
			taken++;
		}
		assert_true(taken > 0 && taken < 100);
		/* It has grown since, and the firmware keeps what is its own. */
		assert_null(write_report(101, 2 * sizes[i] < REPORT ? 2 * sizes[i] : REPORT));
		assert_true(store.left >= quarter);
	}
}

/*
 * A report that was short at the checkpoints ends with what it had no reason to have then: totals,
 * sources, verdict and reasons, some 4 KB. So much fits behind as many checkpoints as are allowed.
 */
TEST_F(begin, NULL, test_a_short_report_may_grow)
{
	static const struct {
		size_t bytes, most, last;
	} rows[] = {
		{ 100, 4 * REPORT, 200 + 4096 },
		{ 900, 4 * REPORT, 1800 + 4096 },
		{ 3000, 4 * REPORT, 6000 + 4096 },
		{ 900, REPORT, REPORT },
	};

	for (unsigned i = 0; i < 4; i++) {
		for (uint64_t room = 1000; room < ALL; room += 777) {
			uint64_t count = saved_checkpoints(room, rows[i].bytes, rows[i].most, PART);

			if (count)
				assert_true(room >= count * saved_cost(rows[i].bytes, PART) +
							    saved_cost(rows[i].last, PART));
		}
	}
}

TEST(test_room)
{
	assert_int_equal(saved_room(1000, 1000), 750);
	assert_int_equal(saved_room(1000, 250), 0);
	assert_int_equal(saved_room(1000, 100), 0);
	assert_int_equal(saved_checkpoints(0, 500, REPORT, PART), 0);
	assert_int_equal(saved_checkpoints(UINT32_MAX, 500, REPORT, PART) > 100, true);
}

TEST(test_interval)
{
	/* There is room enough. */
	assert_int_equal(saved_interval(10, 100, 20), 10);
	/* There is not. */
	assert_int_equal(saved_interval(10, 100, 4), 25);
	assert_int_equal(saved_interval(10, 100, 0), 100);
	assert_int_equal(saved_interval(10, 0, 4), 10);
}

/* It has one variable, of so many bytes at most. */
TEST_F(begin, NULL, test_a_report_in_memory)
{
	static uint8_t room[PART + 1];
	struct saved_memory memory = { room, 0, PART };
	const struct saved_variables in_memory = { saved_memory_get, saved_memory_set, &memory };
	size_t bytes = 0;

	writer.variables = &in_memory;
	assert_int_equal(saved_memory_get(&memory, 0, part, PART, &bytes), SAVED_NONE);
	for (unsigned n = 1; n < 3; n++) {
		assert_null(write_report(n, 500));
		assert_int_equal(saved_read(&in_memory, again, part, PART, &bytes), SAVED_STATE_OK);
		assert_int_equal(bytes, 500);
		assert_memory_equal(again, report, 500);
	}
	assert_int_equal(saved_memory_get(&memory, 1, part, PART, &bytes), SAVED_NONE);
	assert_int_equal(saved_memory_get(&memory, 0, part, memory.bytes - 1, &bytes), SAVED_FULL);
	assert_non_null(write_report(3, PART));
	assert_int_equal(saved_memory_set(&memory, 0, part, PART), SAVED_OK);
	assert_int_equal(saved_memory_set(&memory, 0, report, PART + 1), SAVED_FULL);
	assert_int_equal(room[PART], 0);
	assert_true(saved_remove(&in_memory));
	assert_int_equal(saved_read(&in_memory, again, part, PART, &bytes), SAVED_STATE_NONE);
}
