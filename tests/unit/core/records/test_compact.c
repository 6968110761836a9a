/* SPDX-License-Identifier: BSD-2-Clause */
/* The compact report: what goes in comes out, whatever is cut, flipped, forged or too much. */
#include "core/lib/bytes.h"
#include "core/records/compact_pack.h"
#include "core/lib/crc32c.h"

#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/saved_records.h"
#include "tests/unit/some_records.h"

#include <stdlib.h>
#include <string.h>

#define ROOM ((size_t)1 << 20)

static const struct compact_head a_head = {
	.sid = SID, .began_s = 1795287901, .flags = COMPACT_ENDED, .writes = 3, .variables = 1
};

static uint8_t room[ROOM], packed[ROOM];
static uint64_t pairs[SOME_PAIRS][2];
static struct some some;

static int start(void **state)
{
	(void)state;
	saved_start(room, sizeof(room));
	return 0;
}

/* A report in a block of its exact size, so that one byte too far is seen. */
static uint8_t *exactly(const uint8_t *bytes, size_t count)
{
	uint8_t *block = malloc(count ? count : 1);

	assert_non_null(block);
	memcpy(block, bytes, count);
	return block;
}

static struct compact_reader reader_of_pairs(size_t cap)
{
	return (struct compact_reader){ .pairs = pairs, .pair_cap = cap };
}

/* Every record to `after`; how it ended. */
static enum compact_state read_all(struct compact_reader *r)
{
	union record record;
	enum compact_state state;
	enum record_type type;

	while ((state = compact_next(r, &type, &record)) == COMPACT_OK)
		record_send(&after.link, type, &record);
	return state;
}

static enum compact_state open_and_read(const uint8_t *report, size_t bytes)
{
	struct compact_reader r = reader_of_pairs(SOME_PAIRS);
	uint8_t *block = exactly(report, bytes);
	enum compact_state state = compact_open(&r, block, bytes);

	if (state == COMPACT_OK)
		state = read_all(&r);
	free(block);
	return state;
}

static void assert_same(void)
{
	assert_int_equal(after.count, before.count);
	if (before.count)
		assert_memory_equal(after.bytes, before.bytes, before.count);
}

TEST_F(start, teardown, test_every_type_comes_back)
{
	for (uint64_t seed = 0; seed < rounds(30, 300); seed++) {
		start(state);
		some_start(&some, seed);
		for (unsigned type = 0; type < RECORD_TYPES; type++) {
			union record record;

			if (some_record(&some, (enum record_type)type, &record))
				add((enum record_type)type, &record);
		}
		assert_int_equal(open_and_read(room, compact_finish(&writer, &a_head)),
				 COMPACT_OVER);
		assert_same();
		teardown(state);
	}
	start(state);
}

TEST_F(start, teardown, test_extreme_numbers)
{
	static const uint64_t value[] = { 0,
					  1,
					  127,
					  128,
					  UINT32_MAX,
					  INT64_MAX,
					  (uint64_t)INT64_MAX + 1,
					  UINT64_MAX - 1,
					  UINT64_MAX };

	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
		struct record_cpu cpu = { .stage = "bare",
					  .tsc_offset = (int64_t)value[i],
					  .gaps = value[i],
					  .smi = { value[i], true } };

		add(RECORD_CPU, &cpu);
	}
	assert_int_equal(open_and_read(room, compact_finish(&writer, &a_head)), COMPACT_OVER);
	assert_same();
}

/* Of a record with several lists. */
TEST_F(start, teardown, test_lists_of_a_record_are_apart)
{
	static const uint64_t hist[][2] = { { 0, 900 }, { 31250, 100 } };
	static const uint64_t course[][2] = { { 1000000, 999000 }, { 2000000, 750000 } };
	static const uint64_t throttled[][2] = { { 1500000, 1 } };
	const struct record_stretch stretch = { .stage = "bare",
						.kernel = "fma",
						.phase = "all",
						.hist = { hist, 2 },
						.course = { course, 2 },
						.throttled = { throttled, 1 } };
	struct compact_reader few = reader_of_pairs(4);
	size_t bytes;

	add(RECORD_STRETCH, &stretch);
	bytes = compact_finish(&writer, &a_head);
	assert_int_equal(open_and_read(room, bytes), COMPACT_OVER);
	assert_same();
	assert_int_equal(compact_open(&few, room, bytes), COMPACT_OK);
	assert_int_equal(read_all(&few), COMPACT_DAMAGED);
}

TEST_F(start, teardown, test_head)
{
	struct compact_reader r = reader_of_pairs(0);
	size_t bytes = compact_finish(&writer, &a_head);

	assert_int_equal(compact_open(&r, room, bytes), COMPACT_OK);
	assert_true(r.head.sid == SID);
	assert_true(r.head.began_s == 1795287901);
	assert_int_equal(r.head.flags, COMPACT_ENDED);
	assert_int_equal(r.head.writes, 3);
	assert_int_equal(r.head.variables, 1);
	assert_string_equal(r.head.version, NF_VERSION);
	assert_int_equal(read_all(&r), COMPACT_OVER);
	assert_int_equal(after.lines, 0);
}

/* The same sentence again and again takes three bytes at most. */
TEST_F(start, teardown, test_repeated_strings_are_references)
{
	struct record_log log = { .level = "warning", .text = "the same long sentence as before" };
	size_t used;

	add(RECORD_LOG, &log);
	for (unsigned i = 0; i < 100; i++) {
		used = writer.used;
		add(RECORD_LOG, &log);
		assert_true(writer.used - used <= 1 + 2 + 2);
	}
	assert_int_equal(open_and_read(room, compact_finish(&writer, &a_head)), COMPACT_OVER);
	assert_same();
}

/* Some records of every type; the bytes. */
static size_t some_report(uint64_t seed, unsigned rounds)
{
	some_start(&some, seed);
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned type = 0; type < RECORD_TYPES; type++) {
			union record record;

			if (!some_record(&some, (enum record_type)type, &record))
				continue;
			if (type == RECORD_CPU && record.cpu.histogram.count > 9)
				record.cpu.histogram.count = 9;
			if (type == RECORD_STRETCH && record.stretch.hist.count > 9)
				record.stretch.hist.count = 9;
			add((enum record_type)type, &record);
		}
	}
	return compact_finish(&writer, &a_head);
}

TEST_F(start, teardown, test_cut_anywhere)
{
	size_t bytes = some_report(1, 2);

	for (size_t cut = 0; cut < bytes; cut++)
		assert_int_equal(open_and_read(room, cut), COMPACT_CUT);
	assert_int_equal(after.lines, 0);
}

TEST_F(start, teardown, test_any_flipped_bit_is_seen)
{
	size_t bytes = some_report(2, 1);

	for (size_t i = 0; i < bytes; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			room[i] ^= (uint8_t)(1u << bit);
			assert_int_not_equal(open_and_read(room, bytes), COMPACT_OVER);
			room[i] ^= (uint8_t)(1u << bit);
		}
	}
	assert_int_equal(after.lines, 0);
	assert_int_equal(open_and_read(room, bytes), COMPACT_OVER);
}

/* Somebody who can compute a checksum. No read past the end, no endless loop. */
static size_t mend(uint8_t *report, size_t bytes)
{
	bytes_put_le32(report + 4, (uint32_t)bytes);
	bytes_put_le32(report + bytes - 4, crc32c(report, bytes - 4));
	return bytes;
}

TEST_F(start, teardown, test_forged)
{
	size_t bytes = some_report(3, 1), step = rounds(7, 1);
	unsigned damaged = 0;

	for (size_t cut = COMPACT_HEAD + 4; cut < bytes; cut += step) {
		memcpy(packed, room, cut);
		damaged += open_and_read(packed, mend(packed, cut)) == COMPACT_DAMAGED;
	}
	for (size_t i = COMPACT_HEAD; i < bytes - 4; i += step) {
		memcpy(packed, room, bytes);
		packed[i] = (uint8_t)~packed[i];
		damaged += open_and_read(packed, mend(packed, bytes)) == COMPACT_DAMAGED;
	}
	/* Most of what is cut off ends in the midst of a record. */
	assert_true(damaged > bytes / step / 2);
}

static void assert_bad(const uint8_t *items, size_t count)
{
	memcpy(room + COMPACT_HEAD, items, count);
	writer.used = COMPACT_HEAD + count;
	assert_int_equal(open_and_read(room, compact_finish(&writer, &a_head)), COMPACT_DAMAGED);
}

TEST_F(start, teardown, test_what_is_refused)
{
	static const uint8_t no_type[] = { RECORD_TYPES };
	static const uint8_t no_nul[] = { RECORD_LOG, 1, 'i', 'n', 'f', 'o' };
	static const uint8_t into_the_head[] = { RECORD_LOG, 2 + 3, 0 };
	static const uint8_t ahead[] = { RECORD_LOG, 2 + COMPACT_HEAD + 3, 1, 'a', 'b', 'c', 0 };
	static const uint8_t far[] = { RECORD_LOG, 0xff, 0xff, 0xff, 0x7f, 0 };
	static const uint8_t too_long_a_number[] = { RECORD_LOG, 0x80, 0x80, 0x80, 0x80, 0x80,
						     0x80,       0x80, 0x80, 0x80, 2,    0 };
	static const uint8_t no_bool[] = { RECORD_STAGE, 0, 2 };
	static const uint8_t null_in_a_list[] = { RECORD_END, 0, 1, 0, 0, 0, 0 };
	static const uint8_t long_list[] = { RECORD_END, 0, RECORD_STRINGS + 1 };

	assert_bad(no_type, sizeof(no_type));
	assert_bad(no_nul, sizeof(no_nul));
	assert_bad(into_the_head, sizeof(into_the_head));
	assert_bad(ahead, sizeof(ahead));
	assert_bad(far, sizeof(far));
	assert_bad(too_long_a_number, sizeof(too_long_a_number));
	assert_bad(no_bool, sizeof(no_bool));
	assert_bad(null_in_a_list, sizeof(null_in_a_list));
	assert_bad(long_list, sizeof(long_list));
	assert_int_equal(after.lines, 0);
}

TEST_F(start, teardown, test_a_histogram_without_room_for_it)
{
	static const uint64_t three[][2] = { { 10, 1 }, { 20, 2 }, { 30, 3 } };
	struct record_cpu cpu = { .stage = "bare", .histogram = { three, 3 } };
	struct compact_reader few = reader_of_pairs(2), enough = reader_of_pairs(3);
	size_t bytes;

	add(RECORD_CPU, &cpu);
	bytes = compact_finish(&writer, &a_head);
	assert_int_equal(compact_open(&few, room, bytes), COMPACT_OK);
	assert_int_equal(read_all(&few), COMPACT_DAMAGED);
	assert_int_equal(compact_open(&enough, room, bytes), COMPACT_OK);
	assert_int_equal(read_all(&enough), COMPACT_OVER);
	assert_same();
}

TEST_F(start, teardown, test_of_another_version)
{
	struct compact_reader r = reader_of_pairs(0);
	size_t bytes = compact_finish(&writer, &a_head);

	room[3]++;
	assert_int_equal(compact_open(&r, room, mend(room, bytes)), COMPACT_FOREIGN);
	/* So that its origin can be reported. */
	assert_string_equal(r.head.version, NF_VERSION);
	room[3]--;
	assert_int_equal(compact_open(&r, room, mend(room, bytes)), COMPACT_OK);
	room[28]++; /* other fields */
	assert_int_equal(compact_open(&r, room, mend(room, bytes)), COMPACT_FOREIGN);
	room[0] = 'X';
	assert_int_equal(compact_open(&r, room, bytes), COMPACT_FOREIGN);
}

TEST_F(start, teardown, test_what_does_not_fit_leaves_all_as_before)
{
	struct record_log small = { .level = "info", .text = "short" };
	struct record_log big = { .level = "info", .text = "a text that is longer than the room" };
	struct compact_writer tight;
	uint8_t tiny[COMPACT_HEAD + 4 + 20];

	compact_start(&tight, tiny, sizeof(tiny));
	assert_false(compact_add(&tight, RECORD_LOG, &big));
	assert_int_equal(open_and_read(tiny, compact_finish(&tight, &a_head)), COMPACT_OVER);
	assert_int_equal(after.lines, 0);
	assert_true(compact_add(&tight, RECORD_LOG, &small));
	record_send(&before.link, RECORD_LOG, &small);
	assert_int_equal(open_and_read(tiny, compact_finish(&tight, &a_head)), COMPACT_OVER);
	assert_same();
}

/* Packing */

#define STAGE_CPUS 40u
#define ALL_LEFT_OUT                                                                    \
	"left out of the saved report for lack of space: windows, events, histograms, " \
	"logs, gaps, interference, cores"

/* A run like a real one: two stages. */
static size_t a_run(void)
{
	static const uint64_t hist[][2] = { { 1000, 5 }, { 2000, 3 }, { 70000, 1 } };
	static const char *const stages[] = { "bare", "handoff" };
	struct record_begin begin = { .version = "1", .machine = { .product = "X1" } };
	struct record_end end = { .verdict = "pass",
				  .gaps_unsent = 7,
				  .events_unsent = { 5, true } };
	struct record_log log = { .level = "info", .text = "memory: some" };

	add(RECORD_BEGIN, &begin);
	add(RECORD_LOG, &log);
	for (unsigned s = 0; s < 2; s++) {
		struct record_stage stage = { .stage = stages[s] };
		struct record_gap gap = { .stage = stages[s], .cause = "smi", .why = "a reason" };
		struct record_event event = { .stage = stages[s], .cause = "smi" };

		add(RECORD_STAGE, &stage);
		for (uint64_t n = 1; n <= 50; n++) {
			struct record_window w = { .stage = stages[s], .n = n, .windows = 1 };

			add(RECORD_WINDOW, &w);
		}
		for (unsigned n = 0; n < 20; n++)
			add(RECORD_GAP, &gap);
		for (unsigned n = 0; n < STAGE_CPUS; n++) {
			struct record_cpu cpu = { .stage = stages[s],
						  .cpu = n,
						  .exposure_ns = 60000000000,
						  .gaps = 9,
						  .histogram = { hist, 3 } };

			add(RECORD_CPU, &cpu);
		}
		for (unsigned n = 0; n < 20; n++)
			add(RECORD_EVENT, &event);
	}
	add(RECORD_END, &end);
	return compact_finish(&writer, &a_head);
}

struct counted {
	uint64_t records[RECORD_TYPES], histograms, lists;
	uint64_t gaps_unsent, events_unsent;
	char note[256];
};

static void count_packed(size_t bytes, struct counted *c)
{
	struct compact_reader r = reader_of_pairs(SOME_PAIRS);
	union record record;
	enum record_type type;

	memset(c, 0, sizeof(*c));
	assert_int_equal(compact_open(&r, packed, bytes), COMPACT_OK);
	while (compact_next(&r, &type, &record) == COMPACT_OK) {
		c->records[type]++;
		if (type == RECORD_CPU)
			c->histograms += record.cpu.histogram.count == 3;
		if (type == RECORD_STRETCH)
			c->lists += record.stretch.hist.count + record.stretch.course.count +
				    record.stretch.throttled.count;
		if (type == RECORD_LOG)
			snprintf(c->note, sizeof(c->note), "%s", record.log.text);
		if (type == RECORD_END) {
			c->gaps_unsent = record.end.gaps_unsent;
			c->events_unsent = record.end.events_unsent.value;
			assert_string_equal(record.end.verdict, "pass");
		}
	}
	assert_false(r.bad);
}

static size_t pack(size_t bytes, size_t cap)
{
	struct compact_reader from = reader_of_pairs(SOME_PAIRS);

	assert_int_equal(compact_open(&from, room, bytes), COMPACT_OK);
	return compact_pack(packed, cap, &from, &a_head);
}

TEST_F(start, teardown, test_packed_whole)
{
	size_t bytes = a_run(), count = pack(bytes, sizeof(packed));

	assert_int_equal(open_and_read(packed, count), COMPACT_OVER);
	assert_same();
	/* Nothing is made longer on the way. */
	assert_true(count <= bytes);
}

/* Whatever the room: what is there is sound and lists what is not. */
TEST_F(start, teardown, test_packed_into_any_room)
{
	size_t bytes = a_run(), all = pack(bytes, sizeof(packed));
	size_t step = rounds(29, 5);
	uint64_t fewest = UINT64_MAX;
	struct counted c;

	for (size_t cap = all - 1; cap; cap -= cap < step ? cap : step) {
		size_t count = pack(bytes, cap);
		uint64_t lost;

		assert_true(count <= cap);
		if (!count) {
			/* Less is never more. */
			assert_int_equal(pack(bytes, cap ? cap - 1 : 0), 0);
			break;
		}
		count_packed(count, &c);
		assert_int_equal(c.records[RECORD_BEGIN], 1);
		assert_int_equal(c.records[RECORD_STAGE], 2);
		assert_int_equal(c.records[RECORD_END], 1);
		assert_true(c.records[RECORD_LOG] >= 1);
		assert_memory_equal(c.note, "left out of the saved report", 28);
		assert_true(c.gaps_unsent == 7 + 40 - c.records[RECORD_GAP]);
		assert_true(c.events_unsent == 5 + 40 - c.records[RECORD_EVENT]);
		lost = c.histograms + c.records[RECORD_CPU] + c.records[RECORD_WINDOW];
		assert_true(lost <= fewest || c.records[RECORD_LOG] > 1);
		fewest = lost;
	}
	assert_int_equal(c.records[RECORD_CPU], 2 * 16);
	assert_int_equal(c.histograms, 0);
	assert_string_equal(c.note, ALL_LEFT_OUT);
}

static void add_phase(const char *kernel, const char *phase)
{
	static const uint64_t lists[][2] = { { 0, 5 }, { 31250, 3 }, { 70000, 1 } };
	const struct record_pairs list = { lists, 3 };

	for (unsigned n = 0; n < STAGE_CPUS; n++) {
		struct record_stretch r = { .stage = "bare",
					    .kernel = kernel,
					    .phase = phase,
					    .cpu = 100 + n,
					    .hist = list,
					    .course = list,
					    .throttled = list };

		add(RECORD_STRETCH, &r);
	}
	for (unsigned n = 0; n < STAGE_CPUS; n++) {
		struct record_interfere r = { .stage = "bare", .kernel = kernel, .victim = n };

		add(RECORD_INTERFERE, &r);
	}
}

/* With mode=stretch: of each phase the first cores. */
TEST_F(start, teardown, test_packed_stretch)
{
	static const char *const kernels[] = { "adds", "l2", "dram" };
	struct record_begin begin = { .version = "1" };
	struct record_end end = { .verdict = "pass" };
	struct counted c;
	size_t bytes, count;

	add(RECORD_BEGIN, &begin);
	for (unsigned k = 0; k < 3; k++) {
		add_phase(kernels[k], "alone");
		add_phase(kernels[k], "all");
	}
	for (unsigned n = 0; n < STAGE_CPUS; n++) {
		struct record_cpu cpu = { .stage = "bare", .cpu = 100 + n };

		add(RECORD_CPU, &cpu);
	}
	add(RECORD_END, &end);
	bytes = compact_finish(&writer, &a_head);
	for (size_t cap = bytes; (count = pack(bytes, cap)) != 0; cap = count - 1) {
		count_packed(count, &c);
		assert_int_equal(c.records[RECORD_STRETCH] % 6, 0);
	}
	assert_int_equal(c.records[RECORD_CPU], 16);
	assert_int_equal(c.records[RECORD_STRETCH], 6 * 16);
	assert_int_equal(c.records[RECORD_INTERFERE], 0);
	assert_int_equal(c.lists, 0);
	assert_string_equal(c.note, ALL_LEFT_OUT);
}

/* A survey that does not fit is left out, and named: it is all the run has. */
TEST_F(start, teardown, test_packed_survey)
{
	struct record_begin begin = { .version = "1" };
	struct record_end end = { .verdict = "pass" };
	char data[800];
	struct record_survey survey = { .stage = "firmware", .area = "acpi", .data = data };
	struct counted c;
	size_t bytes, count;

	add(RECORD_BEGIN, &begin);
	for (unsigned n = 0; n < 4; n++) {
		memset(data, 'a' + (int)n, sizeof(data) - 1);
		data[sizeof(data) - 1] = '\0';
		add(RECORD_SURVEY, &survey);
	}
	add(RECORD_END, &end);
	bytes = compact_finish(&writer, &a_head);
	count_packed(pack(bytes, bytes), &c);
	assert_int_equal(c.records[RECORD_SURVEY], 4);
	assert_string_equal(c.note, "");
	count = pack(bytes, bytes - 1);
	count_packed(count, &c);
	assert_int_equal(c.records[RECORD_SURVEY], 0);
	assert_string_equal(c.note, "left out of the saved report for lack of space: the survey");
}

/* A checkpoint has no end. */
TEST_F(start, teardown, test_packed_without_an_end)
{
	struct record_begin begin = { .version = "1" };
	size_t bytes;

	add(RECORD_BEGIN, &begin);
	bytes = compact_finish(&writer, &a_head);
	assert_int_equal(open_and_read(packed, pack(bytes, sizeof(packed))), COMPACT_OVER);
	assert_same();
}

TEST_F(start, teardown, test_nothing_sound_to_pack)
{
	struct compact_reader from = reader_of_pairs(0);
	static const uint8_t no_type[] = { RECORD_TYPES };

	memcpy(room + COMPACT_HEAD, no_type, sizeof(no_type));
	writer.used = COMPACT_HEAD + sizeof(no_type);
	assert_int_equal(compact_open(&from, room, compact_finish(&writer, &a_head)), COMPACT_OK);
	assert_int_equal(compact_pack(packed, sizeof(packed), &from, &a_head), 0);
}

/* Parts */

/* Of several parts of PART_BYTES, and no more than there may be. */
#define PART_BYTES 1200

static size_t report_of_parts(void)
{
	size_t bytes = 0, parts = 0;

	for (uint64_t seed = 6; parts < 2 || parts > COMPACT_PARTS; seed++) {
		assert_true(seed < 1000);
		teardown(NULL);
		start(NULL);
		bytes = some_report(seed, 1);
		parts = compact_parts(bytes, PART_BYTES);
	}
	return bytes;
}

TEST_F(start, teardown, test_parts_join_in_order)
{
	static const size_t sizes[] = { 4096, 1400, PART_BYTES };
	size_t bytes = report_of_parts();
	uint8_t part[4096];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct compact_split split = { room, bytes, sizes[i], 1 };
		struct compact_join join = { .out = packed, .cap = sizeof(packed) };
		size_t parts = compact_parts(bytes, sizes[i]);
		enum compact_state got = COMPACT_CUT;

		for (unsigned n = 0; n < parts; n++) {
			size_t count = compact_part(&split, n, part);

			assert_true(count <= sizes[i]);
			assert_int_equal(got, COMPACT_CUT);
			got = compact_join(&join, part, count);
		}
		assert_int_equal(got, COMPACT_OK);
		assert_int_equal(join.used, bytes);
		assert_memory_equal(packed, room, bytes);
	}
}

TEST_F(start, teardown, test_parts_that_do_not_belong_together)
{
	const struct compact_split split = { room, report_of_parts(), PART_BYTES, 1 };
	uint8_t first[PART_BYTES], second[PART_BYTES], other[PART_BYTES];
	size_t one = compact_part(&split, 0, first);
	size_t two = compact_part(&split, 1, second);
	struct compact_join join = { .out = packed, .cap = sizeof(packed) };

	assert_int_equal(compact_join(&join, second, two), COMPACT_DAMAGED);
	assert_int_equal(compact_join(&join, first, one), COMPACT_CUT);
	assert_int_equal(compact_join(&join, first, one), COMPACT_DAMAGED);
	memcpy(other, second, two);
	other[4] ^= 1; /* of another report */
	assert_int_equal(compact_join(&join, other, two), COMPACT_DAMAGED);
	memcpy(other, second, two);
	other[9]++; /* of more parts */
	assert_int_equal(compact_join(&join, other, two), COMPACT_DAMAGED);
	for (size_t cut = 0; cut < COMPACT_PART_HEAD; cut++)
		assert_int_equal(compact_join(&join, second, cut), COMPACT_DAMAGED);
	assert_int_not_equal(compact_join(&join, second, two), COMPACT_DAMAGED);
}

TEST_F(start, teardown, test_parts_without_number_or_room)
{
	const struct compact_split split = { room, some_report(6, 1), 1200, 1 };
	struct compact_join join = { .out = packed, .cap = 100 };
	uint8_t first[1200];
	size_t one = compact_part(&split, 0, first);

	assert_int_equal(compact_join(&join, first, one), COMPACT_DAMAGED);
	join.cap = sizeof(packed);
	first[9] = 0;
	assert_int_equal(compact_join(&join, first, one), COMPACT_DAMAGED);
	first[9] = COMPACT_PARTS + 1;
	assert_int_equal(compact_join(&join, first, one), COMPACT_DAMAGED);
}
