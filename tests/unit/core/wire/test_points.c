/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines into datagrams: whole, in order, none lost without being counted. */
#include "core/wire/points.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define SLOTS      4
#define WIRE_LINES 4096

/* What came out: the numbers of its lines. */
static struct wire {
	unsigned number[WIRE_LINES];
	unsigned lines, datagrams;
	unsigned takes; /* so many datagrams more are let through */
	size_t longest;
} wire;

static struct points_slot slot[SLOTS];
static struct points points;

/* Lines that were taken and are not sent. */
static uint64_t waiting(void)
{
	return points.lines - points.lines_lost - points.lines_sent;
}

/* Lines are "<number> xxx...\n". */
static bool take(void *ctx, const char *text, size_t bytes)
{
	const char *end = text + bytes;

	assert_ptr_equal(ctx, &wire);
	if (!wire.takes)
		return false;
	wire.takes--;
	wire.datagrams++;
	assert_true(bytes > 0 && bytes <= POINTS_DATAGRAM_MAX);
	if (bytes > wire.longest)
		wire.longest = bytes;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		assert_non_null(newline);
		assert_true(wire.lines < WIRE_LINES);
		assert_int_equal(sscanf(text, "%u ", &wire.number[wire.lines++]), 1);
		text = newline + 1;
	}
	return true;
}

static int start(void **state)
{
	const struct points_setup setup = { slot, SLOTS, take, &wire };

	(void)state;
	memset(&wire, 0, sizeof(wire));
	memset(slot, 0xee, sizeof(slot));
	points_start(&points, &setup);
	return 0;
}

/* A line of so many bytes, with its newline. */
static bool give(unsigned number, size_t bytes)
{
	char line[2 * POINTS_DATAGRAM_MAX];
	int used = snprintf(line, sizeof(line), "%u ", number);

	assert_true(used > 0 && (size_t)used < bytes && bytes <= sizeof(line));
	memset(line + used, 'x', bytes - (size_t)used);
	line[bytes - 1] = '\n';
	return points_line(&points, line, bytes);
}

static void assert_in_order(unsigned lines)
{
	assert_int_equal(wire.lines, lines);
	for (unsigned i = 0; i < lines; i++)
		assert_int_equal(wire.number[i], i);
}

/* As many as fit, not one more. */
TEST_F(start, NULL, test_packs)
{
	wire.takes = 100;
	for (unsigned i = 0; i < 12; i++)
		assert_true(give(i, 100));
	assert_true(points_work(&points));
	assert_int_equal(wire.datagrams, 0);
	assert_true(give(12, 100));
	assert_true(points_work(&points));
	assert_int_equal(wire.datagrams, 1);
	assert_int_equal(wire.longest, 1200);
	assert_int_equal(waiting(), 1);
	points_flush(&points);
	assert_true(points_work(&points));
	assert_in_order(13);
	assert_int_equal(wire.datagrams, 2);
	assert_int_equal(waiting(), 0);
	/* There is nothing to flush: no empty datagram. */
	points_flush(&points);
	assert_true(points_work(&points));
	assert_int_equal(wire.datagrams, 2);
}

TEST_F(start, NULL, test_sizes)
{
	unsigned number = 0;

	wire.takes = 1000;
	for (size_t bytes = 10; bytes <= POINTS_DATAGRAM_MAX; bytes += 7)
		assert_true(give(number++, bytes));
	assert_true(give(number++, POINTS_DATAGRAM_MAX));
	points_flush(&points);
	assert_true(points_work(&points));
	assert_in_order(number);
	assert_int_equal(points.lines_lost, 0);
	assert_int_equal(points.lines_sent, number);
	assert_int_equal(points.sent, wire.datagrams);
}

/* What is refused for now is kept as long as there is room, then lost and counted. */
TEST_F(start, NULL, test_refused)
{
	for (unsigned i = 0; i < SLOTS; i++)
		assert_true(give(i, 1000));
	assert_false(give(SLOTS, 1000));
	assert_false(give(SLOTS + 1, 1000));
	assert_false(points_work(&points));
	assert_int_equal(points.lines_lost, 2);
	assert_int_equal(waiting(), SLOTS);

	/* There is room again as soon as one is let through. */
	wire.takes = 1;
	assert_true(give(SLOTS, 1000));
	assert_int_equal(wire.datagrams, 1);
	wire.takes = 100;
	points_flush(&points);
	assert_true(points_work(&points));
	assert_in_order(SLOTS + 1);
	assert_int_equal(points.lines_lost, 2);
	assert_int_equal(points.lines, SLOTS + 3);
	assert_int_equal(points.lines_sent, SLOTS + 1);
}

TEST_F(start, NULL, test_no_lines)
{
	static char big[POINTS_DATAGRAM_MAX + 1];

	wire.takes = 100;
	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\n';
	assert_false(points_line(&points, big, sizeof(big)));
	assert_false(points_line(&points, "", 0));
	assert_false(points_line(&points, "a value=1", 9));
	assert_false(points_line(&points, "a value=1\nb value=2\n", 20));
	assert_int_equal(points.lines_lost, 4);
	assert_int_equal(waiting(), 0);
	points_flush(&points);
	assert_true(points_work(&points));
	assert_int_equal(wire.datagrams, 0);
}
