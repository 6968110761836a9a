/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of text from the top of the screen; the nodes' texts are already printable. */
#include "collect_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NS_IN_S   UINT64_C(1000000000)
#define ROWS_ELSE 24
#define ROWS_HEAD 4

#define HOME       "\x1b[H"
#define CLEAR_LINE "\x1b[K\n"
#define CLEAR_REST "\x1b[J"

static unsigned rows(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row <= ROWS_HEAD)
		return ROWS_ELSE;
	return size.ws_row;
}

static const char *state_of(const struct receiver_run *run)
{
	if (run->state != DATAGRAM_TAKEN)
		return "refused";
	return run->kept.summary.ended ? summary_verdict(&run->kept.summary) : "running";
}

static void draw_run(const struct receiver_run *run, uint64_t now)
{
	const struct summary *s = &run->kept.summary;
	char from[INDEX_FROM_MAX];

	udp_queue_place(&run->place, from, sizeof(from));
	printf("%-36.36s  %-20.20s  %-15.15s  %-10s %9" PRIu64 " %6" PRIu64 " %6" PRIu64 CLEAR_LINE,
	       *s->uuid ? s->uuid : "unknown", *s->product ? s->product : "unknown", from,
	       state_of(run), s->lines, s->lost, (now - run->heard_ns) / NS_IN_S);
}

static uint64_t refused(const struct receiver_counts *n)
{
	uint64_t sum = 0;

	for (unsigned i = RECEIVER_MALFORMED; i < RECEIVER_RESULTS; i++)
		sum += i == RECEIVER_CHALLENGED ? 0 : n->result[i];
	return sum;
}

void collect_table_draw(const struct collector *c)
{
	const struct receiver_counts *n = receiver_counts(c->receiver);
	const struct receiver_run *run = receiver_latest(c->receiver);
	uint64_t now = collector_now(NULL);

	printf(HOME "%" PRIu64 " runs, %" PRIu64 " ended since the start; %" PRIu64
		    " lines stored, %" PRIu64 " refused by the disk; %" PRIu64
		    " datagrams refused" CLEAR_LINE CLEAR_LINE,
	       receiver_kept(c->receiver), n->runs_ended, n->lines, n->lines_unwritten, refused(n));
	printf("%-36s  %-20s  %-15s  %-10s %9s %6s %6s" CLEAR_LINE, "UUID", "PRODUCT", "FROM",
	       "STATE", "LINES", "LOST", "S AGO");
	for (unsigned row = ROWS_HEAD; run && row < rows(); row++, run = run->older)
		draw_run(run, now);
	fputs(CLEAR_REST, stdout);
	fflush(stdout);
}
