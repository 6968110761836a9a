/* SPDX-License-Identifier: BSD-2-Clause */
/* By attest_check(), with any key and any image: what is accepted is a policy's. */
#include "attest_facts.h"

#include "attest_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES ((size_t)64 << 10)

static struct capture capture;

/* What it did not take, the collector has reported already. */
static void ignore(void *ctx, const char *file, uint64_t line, const char *text)
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

	want.complain = ignore;
	capture_begin(&capture, "run", &want);
}

void attest_facts_feed(const char *text, size_t bytes)
{
	capture_feed(&capture, text, bytes);
}

static void check(const struct result *received, struct facts_attest *f)
{
	static const enum facts_attested states[] = { [ATTEST_GOOD] = FACTS_ATTEST_GOOD,
						      [ATTEST_BAD] = FACTS_ATTEST_BAD,
						      [ATTEST_UNKNOWN] = FACTS_ATTEST_UNKNOWN };
	static struct attest_result r;
	const struct attest_want any = { .images = 0 };
	const struct attest_run run = attest_read_run(received);
	enum attest_state state = attest_check(&run, &any, &r);

	f->state = states[state];
	while (state != ATTEST_GOOD && r.item[f->item].state != state)
		f->item++;
	memcpy(f->key, r.name, sizeof(f->key));
	f->resets = r.resets;
	f->restarts = r.restarts;
	f->clock_ms = r.clock_ms;
	f->count = (uint8_t)r.starts;
	for (unsigned i = 0; i < r.starts && i < FACTS_STARTED; i++)
		memcpy(f->started[i], r.started[i], SHA256_BYTES);
}

void attest_facts_end(uint64_t lines, struct facts_attest *f)
{
	const struct result *received;

	*f = (struct facts_attest){ .lines = 0 };
	capture_end(&capture);
	received = capture.runs == 1 ? capture.run[0] : NULL;
	if (received && received->has_end && !attest_key_why_not()) {
		f->lines = lines;
		if (received->has_attest)
			check(received, f);
	}
	attest_read_done();
	capture_close(&capture);
}

static bool feed_file(int fd)
{
	static char chunk[READ_BYTES];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		attest_facts_feed(chunk, (size_t)n);
		at += n;
	}
	return n == 0;
}

void attest_facts_read(int fd, uint64_t lines, struct facts_attest *f)
{
	struct stat status;
	bool is_read;

	*f = (struct facts_attest){ .lines = 0 };
	if (attest_key_why_not() || fstat(fd, &status) != 0)
		return;
	if (status.st_size > (off_t)ATTEST_FACTS_MAX_MB << 20) {
		f->lines = lines;
		f->state = FACTS_ATTEST_LARGE;
		return;
	}
	attest_facts_begin();
	is_read = feed_file(fd);
	attest_facts_end(is_read ? lines : 0, f);
}

const char *attest_facts_wrong(uint8_t item)
{
	static const char *const wrong[ATTEST_ITEMS] = {
		[ATTEST_SIGNATURE] = "the signature is not the key's, of this quote",
		[ATTEST_KEY] = "it has no attestation key of noisefloor's",
		[ATTEST_QUOTE] = "the quote is not of this run, its records and PCRs",
		[ATTEST_RECORDS] = "the records are not those that were quoted",
		[ATTEST_CONFIG] = "the configuration is not the one of PCR 15",
		[ATTEST_IMAGE] = "PCR 4 is not what the firmware's log has, up to the image",
	};

	return item < ATTEST_ITEMS ? wrong[item] : "it is not known what is wrong";
}
