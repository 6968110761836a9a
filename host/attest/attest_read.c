/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines are hashed in the order of their numbers; those that are ahead wait for their turn. */
#include "attest_read.h"

#include "host/capture/line.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"

#include <stdlib.h>
#include <string.h>

/* A line of a run, as it was sent. */
struct sent {
	uint64_t seq;
	bool is_free; /* an end or a log record: may stand behind the attestation */
	bool is_log, is_attest;
	size_t bytes;
	char *kept; /* NULL: its turn has come */
};

static struct {
	struct attest_run run;
	struct sha256 hash;
	uint64_t next;   /* the number of the line that is due */
	uint64_t hashed; /* lines */
	bool any, behind;
	struct sent *ahead;
	size_t aheads;
} lines;

static bool is_type(const struct line *l, const char *name)
{
	return l->type_bytes == strlen(name) && !memcmp(l->type, name, l->type_bytes);
}

/* Those before the attestation are hashed, those behind it counted. */
static void take(const struct sent *line, const char *text)
{
	if (line->is_attest && !lines.behind)
		lines.run.attest_seq = line->seq;
	lines.behind |= line->is_attest;
	lines.next = line->seq + 1;
	if (lines.behind) {
		lines.run.uncovered += !line->is_free && !line->is_attest;
		lines.run.logs += line->is_log;
		return;
	}
	lines.hashed++;
	sha256_add(&lines.hash, text, line->bytes);
	sha256_add(&lines.hash, "\n", 1);
}

static void keep_line(const char *text, size_t bytes)
{
	TEXT_DEFINE(why, 160);
	struct sent sent;
	struct line l;

	if (line_read(text, bytes, &l, &why) != LINE_OK || (lines.any && l.sid != lines.run.sid))
		return;
	lines.any = true;
	lines.run.sid = l.sid;
	sent = (struct sent){ .seq = l.seq,
			      .is_log = is_type(&l, "log"),
			      .is_attest = is_type(&l, "attest"),
			      .bytes = l.whole };
	sent.is_free = sent.is_log || is_type(&l, "end");
	if (sent.seq == lines.next && !lines.aheads) {
		take(&sent, l.text);
		return;
	}
	sent.kept = memory_copy(l.text, l.whole, 1);
	*MEMORY_ADD(lines.ahead, lines.aheads) = sent;
}

static ORDER_BY(by_seq, struct sent, seq);

struct capture_want attest_read_want(const char *sid)
{
	attest_read_done();
	sha256_start(&lines.hash);
	return (struct capture_want){
		.keep = 1u << RECORD_BEGIN | 1u << RECORD_SUMMARY | 1u << RECORD_ATTEST,
		.run = sid,
		.line = keep_line,
	};
}

struct attest_run attest_read_run(const struct result *r)
{
	struct attest_run *run = &lines.run;

	ORDER_SORT(lines.ahead, lines.aheads, by_seq);
	for (size_t i = 0; i < lines.aheads; i++)
		take(&lines.ahead[i], lines.ahead[i].kept);
	run->missing = run->attest_seq > lines.hashed ? run->attest_seq - lines.hashed : 0;
	sha256_end(&lines.hash, run->lines);
	run->begin = r->has_begin ? &r->begin : NULL;
	run->summary = r->has_summary ? &r->summary : NULL;
	run->attest = &r->attest;
	run->end = r->has_end ? &r->end : NULL;
	return *run;
}

void attest_read_done(void)
{
	for (size_t i = 0; i < lines.aheads; i++)
		free(lines.ahead[i].kept);
	free(lines.ahead);
	memset(&lines, 0, sizeof(lines));
}
