/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report out of variables that anybody may have written. The first byte selects where the input
 * is cut into parts, and by its top bit whether checksums are mended, so that what they cover is
 * reached, too. What is read is reported, packed, and read again.
 */
#include "core/lib/bytes.h"
#include "core/records/compact_pack.h"
#include "core/lib/crc32c.h"
#include "core/gaps/hist.h"
#include "core/report/report_saved.h"
#include "core/keep/saved_name.h"

#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 16)
#define CPUS      4

static uint64_t pairs[HIST_BUCKETS][2];
static uint8_t joined[INPUT_MAX], packed[INPUT_MAX];
static struct record_cpu cpus[CPUS];
static uint32_t order[CPUS];
static struct cpu cpu[CPUS];
static struct report_restored restored;
static uint64_t lines;

static void check_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx;
	for (size_t i = 0; i < bytes; i++)
		if (line[i] < ' ' || line[i] > '~')
			abort();
}

static void check_record(struct record_link *link, const char *line, size_t bytes)
{
	(void)link;
	if (bytes > RECORD_LINE_MAX || line[bytes - 1] != '\n')
		abort();
	check_line(NULL, line, bytes - 1);
	lines++;
}

static struct compact_reader new_reader(void)
{
	return (struct compact_reader){ .pairs = pairs, .pair_cap = HIST_BUCKETS };
}

/* Every record as lines and as text; how many. */
static uint64_t print_all(struct compact_reader *r)
{
	static struct report report;
	struct record_link link = { .write = check_record, .sid = r->head.sid };
	char name[128];
	struct text t;

	memset(cpu, 0, sizeof(cpu));
	if (!report_restore(r, cpu, CPUS, &restored))
		return 0;
	text_init(&t, name, sizeof(name));
	saved_name(&t, r->head.began_s, restored.begin.machine.product,
		   restored.begin.machine.uuid);
	if (!t.len || t.overflow || memchr(name, '\\', t.len) || memchr(name, '/', t.len) ||
	    name[0] == '.')
		abort();
	report = (struct report){ .line = check_line,
				  .link = { { .to = &link } },
				  .links = 1,
				  .cpus = cpus,
				  .order = order };
	lines = 0;
	report_replay(&report, r, CPUS, "a note");
	if (lines < restored.records + 1)
		abort();
	return restored.records;
}

/* Made to fit, it is sound, and no more than it was. */
static void pack(struct compact_reader *r, uint64_t records)
{
	static const size_t caps[] = { INPUT_MAX, 1000, 200, COMPACT_HEAD + 4, 0 };
	struct compact_head head = { .sid = 1 };

	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		struct compact_reader again = new_reader();
		size_t bytes = compact_pack(packed, caps[i], r, &head);

		if (!bytes)
			continue;
		if (bytes > caps[i] || compact_open(&again, packed, bytes) != COMPACT_OK)
			abort();
		/* A note for every end, at the most. */
		if (!report_restore(&again, cpu, 0, &restored) ||
		    restored.records > 2 * records + 1)
			abort();
	}
}

static void mend(uint8_t *report, size_t bytes, const uint8_t *tables)
{
	static const uint8_t magic[4] = { 'N', 'F', 'R', COMPACT_VERSION };

	if (bytes < COMPACT_HEAD + 4)
		return;
	memcpy(report, magic, sizeof(magic));
	memcpy(report + 28, tables, 4);
	bytes_put_le32(report + 4, (uint32_t)bytes);
	bytes_put_le32(report + bytes - 4, crc32c(report, bytes - 4));
}

/* As many parts as there are; a mended one has the head that the others expect. */
static size_t join(const uint8_t *data, size_t bytes, unsigned parts, bool mended)
{
	struct compact_join j = { .out = joined, .cap = sizeof(joined) };
	size_t each = bytes / parts;

	for (unsigned n = 0; n < parts; n++) {
		size_t count = n + 1 == parts ? bytes - n * each : each;
		uint8_t *part = malloc(count + COMPACT_PART_HEAD);
		enum compact_state state;
		size_t head = 0;

		if (!part)
			abort();
		if (mended) {
			const uint8_t good[COMPACT_PART_HEAD] = {
				'N', 'F', 'V', COMPACT_VERSION, 1,
				2,   3,   4,   (uint8_t)n,      (uint8_t)parts
			};

			head = COMPACT_PART_HEAD;
			memcpy(part, good, head);
		}
		memcpy(part + head, data + n * each, count);
		state = compact_join(&j, part, head + count);
		free(part);
		if (state == COMPACT_OK)
			return j.used;
		if (state == COMPACT_DAMAGED)
			return 0;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct compact_reader r = new_reader();
	static struct compact_writer empty;
	static uint8_t sample[COMPACT_HEAD + 4];
	static const struct compact_head head;
	uint8_t *report;
	size_t count;
	bool mended;

	if (bytes < 2 || bytes > INPUT_MAX / 2)
		return 0;
	mended = data[0] & 0x80;
	count = join(data + 1, bytes - 1, 1 + data[0] % COMPACT_PARTS, mended);
	if (!count)
		return 0;
	/* Of its exact size, so that a read past it is seen. */
	report = malloc(count);
	if (!report)
		abort();
	memcpy(report, joined, count);
	compact_start(&empty, sample, sizeof(sample));
	compact_finish(&empty, &head);
	if (mended)
		mend(report, count, sample + 28);
	if (compact_open(&r, report, count) == COMPACT_OK) {
		uint64_t records = print_all(&r);

		pack(&r, records);
	}
	free(report);
	return 0;
}
