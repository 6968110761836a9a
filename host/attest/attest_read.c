/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines are hashed in the order of their numbers; those that are ahead wait for their turn. */
#include "attest.h"

#include "host/capture/capture.h"
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
} gathered;

static bool is_type(const struct line *l, const char *name)
{
	return l->type_bytes == strlen(name) && !memcmp(l->type, name, l->type_bytes);
}

/* Hash a line before the attestation, or count one after it. */
static void attest_read_take(const struct sent *line, const char *text)
{
	if (line->is_attest && !gathered.behind)
		gathered.run.attest_seq = line->seq;
	gathered.behind |= line->is_attest;
	gathered.next = line->seq + 1;
	if (gathered.behind) {
		gathered.run.uncovered += !line->is_free && !line->is_attest;
		gathered.run.logs += line->is_log;
		return;
	}
	gathered.hashed++;
	sha256_add(&gathered.hash, text, line->bytes);
	sha256_add(&gathered.hash, "\n", 1);
}

static void keep_line(const char *text, size_t bytes)
{
	TEXT_DEFINE(why, 160);
	struct sent sent;
	struct line l;

	if (line_read(text, bytes, &l, &why) != LINE_OK ||
	    (gathered.any && l.sid != gathered.run.sid))
		return;
	gathered.any = true;
	gathered.run.sid = l.sid;
	sent = (struct sent){ .seq = l.seq,
			      .is_log = is_type(&l, "log"),
			      .is_attest = is_type(&l, "attest"),
			      .bytes = l.whole };
	sent.is_free = sent.is_log || is_type(&l, "end");
	if (sent.seq == gathered.next && !gathered.aheads) {
		attest_read_take(&sent, l.text);
		return;
	}
	sent.kept = memory_copy(l.text, l.whole, 1);
	*MEMORY_ADD(gathered.ahead, gathered.aheads) = sent;
}

static ORDER_BY(by_seq, struct sent, seq);

struct capture_want attest_read_want(const char *sid)
{
	attest_read_done();
	sha256_start(&gathered.hash);
	return (struct capture_want){
		.keep = 1u << RECORD_BEGIN | 1u << RECORD_SUMMARY | 1u << RECORD_ATTEST,
		.run = sid,
		.line = keep_line,
	};
}

struct attest_run attest_read_run(const struct result *r)
{
	struct attest_run *run = &gathered.run;

	ORDER_SORT(gathered.ahead, gathered.aheads, by_seq);
	for (size_t i = 0; i < gathered.aheads; i++)
		attest_read_take(&gathered.ahead[i], gathered.ahead[i].kept);
	run->missing = run->attest_seq > gathered.hashed ? run->attest_seq - gathered.hashed : 0;
	sha256_end(&gathered.hash, run->lines);
	run->begin = r->has_begin ? &r->begin : NULL;
	run->summary = r->has_summary ? &r->summary : NULL;
	run->attest = &r->attest;
	run->end = r->has_end ? &r->end : NULL;
	return *run;
}

void attest_read_done(void)
{
	for (size_t i = 0; i < gathered.aheads; i++)
		free(gathered.ahead[i].kept);
	free(gathered.ahead);
	memset(&gathered, 0, sizeof(gathered));
}

/* ---- Facts: by attest_check() for any key and any image; a policy has what is accepted ---- */

static struct capture capture;

/* A node's lines may be refused; complaints about them do not belong in the collector's log. */
static void attest_read_ignore(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file, (void)line, (void)text;
}

const char *attest_facts_why_not(void)
{
	return attest_key_why_not();
}

void attest_facts_begin(void)
{
	struct capture_want want = attest_read_want(NULL);

	want.complain = attest_read_ignore;
	capture_begin(&capture, "run", &want);
}

void attest_facts_feed(const char *text, size_t bytes)
{
	capture_feed(&capture, text, bytes);
}

static void attest_read_check(const struct result *received, struct attest_facts *f)
{
	static const enum attest_facts_state states[] = { [ATTEST_GOOD] = ATTEST_FACTS_GOOD,
							  [ATTEST_BAD] = ATTEST_FACTS_BAD,
							  [ATTEST_UNKNOWN] = ATTEST_FACTS_UNKNOWN };
	static struct attest_result r;
	const struct attest_want any = { .list = { { NULL, 0 } } };
	const struct attest_run run = attest_read_run(received);
	enum attest_state state = attest_check(&run, &any, &r);

	f->state = states[state];
	/* None is bad or unknown if attest_check() had no memory. */
	while (state != ATTEST_GOOD && f->item < ATTEST_ITEMS && r.item[f->item].state != state)
		f->item++;
	memcpy(f->key, r.name, sizeof(f->key));
	f->resets = r.resets;
	f->restarts = r.restarts;
	f->clock_ms = r.clock_ms;
	f->count = (uint8_t)r.starts;
	for (unsigned i = 0; i < r.starts && i < ATTEST_FACTS_STARTED; i++)
		memcpy(f->started[i], r.started[i], SHA256_BYTES);
}

void attest_facts_end(uint64_t lines, struct attest_facts *f)
{
	const struct result *received;

	*f = (struct attest_facts){ .lines = 0 };
	capture_end(&capture);
	received = capture.runs == 1 ? capture.run[0] : NULL;
	if (received && received->has_end && !attest_key_why_not()) {
		f->lines = lines;
		if (received->has_attest)
			attest_read_check(received, f);
	}
	attest_read_done();
	capture_close(&capture);
}
