/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of records where a machine's names and numbers may be anything: the input fills them
 * in, field by field. Their lines are whole for a reader, and each point is one of the line
 * protocol, by a parser of its own.
 */
#include "core/records/record_field.h"
#include "host/capture/reader.h"
#include "host/forms/influx.h"

#include "tests/fuzz/take.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 15)
#define STRINGS   64
#define PAIRS     40
#define POINT_MAX 65536
#define RECORDS   64

static struct {
	char *string[STRINGS];
	unsigned strings;
	uint64_t pairs[PAIRS][2];
	struct reader *reader;
	uint64_t lines;
} f;

/* ---- The line protocol ---- */

static const char *digits(const char *at)
{
	insist(*at >= '0' && *at <= '9');
	return at + strspn(at, "0123456789");
}

/* ",name=value": blanks, commas and equals signs of the value are escaped, nothing else is. */
static const char *tag(const char *at)
{
	size_t name = strspn(++at, "abcdefghijklmnopqrstuvwxyz_0123456789");
	const char *value = at + name + 1;

	insist(name && at[name] == '=');
	for (at = value; *at != ' ' && *at != ','; at++) {
		insist((uint8_t)*at > ' ' && *at != 0x7f && *at != '=');
		if (*at == '\\')
			insist(strchr(" ,=", *++at) && *at);
	}
	insist(at > value);
	return at;
}

/* "name=-12i" or "name=1.5", with what is before it. */
static const char *field(const char *at)
{
	size_t name = strspn(++at, "abcdefghijklmnopqrstuvwxyz_0123456789");
	const char *value = at + name + 1;

	insist(name && at[name] == '=');
	at = digits(value + (*value == '-'));
	insist(*at == 'i' && at - value <= 20);
	insist(*value == '-' || at - value < 19 ||
	       (at - value == 19 && strncmp(value, "9223372036854775807", 19) <= 0));
	return at + 1;
}

static const char *check_point(const char *at)
{
	insist(strncmp(at, "noisefloor_", 11) == 0);
	at += 11 + strspn(at + 11, "abcdefghijklmnopqrstuvwxyz_");
	insist(strncmp(at, ",run=", 5) == 0);
	while (*at == ',')
		at = tag(at);
	insist(*at == ' ');
	do
		at = field(at);
	while (*at == ',');
	if (*at == ' ')
		at = digits(at + 1);
	insist(*at == '\n');
	return at + 1;
}

/* A point has a field. */
static bool has_series(enum record_type type)
{
	const struct record_field *row = record_fields(type);

	while (row->kind != FIELD_END && row->role <= FIELD_ROLE_TAG)
		row++;
	return row->kind != FIELD_END;
}

static void check_points(enum record_type type, const union record *r)
{
	static char room[POINT_MAX];
	uint64_t ns = take_sized();
	FILE *point = fmemopen(room, sizeof(room), "w");

	insist(point);
	if (type == RECORD_BEGIN)
		influx_info(point, 1, &r->begin, ns);
	else if (type == RECORD_END)
		influx_end(point, 1, &(struct influx_end){ &r->end, ns, ns & 1 }, ns);
	else if (has_series(type))
		influx_record(point, 1, type, r, ns);
	for (size_t n = 0; type == RECORD_CPU && n < r->cpu.histogram.count;)
		n = influx_bucket(point, 1, &r->cpu, n, ns);
	/* It is not full, and ends with a zero. */
	insist(ftell(point) < (long)sizeof(room) && fclose(point) == 0);
	for (const char *at = room; *at;)
		at = check_point(at);
}

/* ---- Lines of records ---- */

static void write_line(struct record_link *link, const char *line, size_t bytes)
{
	(void)link;
	insist(bytes <= RECORD_LINE_MAX && line[bytes - 1] == '\n');
	for (size_t i = 0; i < bytes - 1; i++)
		insist(line[i] >= ' ' && line[i] <= '~');
	reader_feed(f.reader, line, bytes);
	f.lines++;
}

/* Numbers in places where there can be none are not wrong in the line, which is all that counts. */
static void ignore(void *ctx, uint64_t line, const char *text)
{
	(void)ctx, (void)line;
	insist(*text);
}

/* ---- Records ---- */

static const char *take_string(void)
{
	size_t bytes = take_byte();
	char *s;

	if (!bytes || f.strings == STRINGS)
		return NULL;
	s = f.string[f.strings++] = malloc(bytes);
	insist(s);
	for (size_t i = 0; i < bytes - 1; i++)
		s[i] = (char)take_byte();
	s[bytes - 1] = '\0';
	return s;
}

static struct record_pairs take_pairs(void)
{
	struct record_pairs pairs = { f.pairs, take_byte() % (PAIRS + 1) };

	/* In order, as a histogram has them. */
	for (size_t n = 0; n < pairs.count; n++) {
		f.pairs[n][0] = take_sized() >> 8;
		if (n && f.pairs[n][0] <= f.pairs[n - 1][0])
			f.pairs[n][0] = f.pairs[n - 1][0] + 1;
		f.pairs[n][1] = take_sized();
	}
	return pairs;
}

static void take_causes(struct cause_sum *sums)
{
	for (unsigned c = 0; c < CAUSES; c++)
		sums[c] = (struct cause_sum){ .gaps = take_sized(), .ns = take_sized() };
}

static void take_field(const struct record_field *row, void *at)
{
	switch (row->kind) {
	case FIELD_U64:
	case FIELD_I64:
		*(uint64_t *)at = take_sized();
		break;
	case FIELD_U32:
		*(uint32_t *)at = (uint32_t)take_sized();
		break;
	case FIELD_BOOL:
		*(bool *)at = take_byte() & 1;
		break;
	case FIELD_STRING:
		*(const char **)at = take_string();
		break;
	case FIELD_MAYBE:
		*(struct maybe *)at = (struct maybe){ take_sized(), take_byte() & 1 };
		break;
	case FIELD_PAIRS:
		*(struct record_pairs *)at = take_pairs();
		break;
	case FIELD_STRINGS:
		for (unsigned n = take_byte() % RECORD_STRINGS, i = 0; i < n; i++)
			((const char **)at)[i] = take_string();
		break;
	case FIELD_CAUSES:
		take_causes(at);
		break;
	case FIELD_TIMERS:
		/* Their names are ours. */
		for (unsigned n = take_byte() % RECORD_TIMERS, i = 0; i < n; i++)
			((struct period_timer *)at)[i] = (struct period_timer){ "TCO timer",
										take_sized() };
		break;
	default:
		break;
	}
}

static void take_record(enum record_type type, union record *r)
{
	memset(r, 0, sizeof(*r));
	for (const struct record_field *row = record_fields(type); row->kind != FIELD_END; row++)
		take_field(row, (char *)r + row->offset);
}

static void forget(void)
{
	while (f.strings)
		free(f.string[--f.strings]);
}

static void send_all(struct record_link *lines)
{
	for (unsigned n = 0; n < RECORDS && take_more(); n++) {
		enum record_type type = take_byte() % RECORD_TYPES;
		union record r;

		take_record(type, &r);
		record_send(lines, type, &r);
		check_points(type, &r);
		forget();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct reader_hooks hooks = { .wanted = 0, .complain = ignore };
	struct record_link lines = { .write = write_line, .sid = 1 };

	if (bytes > INPUT_MAX)
		return 0;
	take_from(data, bytes);
	f.lines = 0;
	f.reader = reader_new(&hooks);
	insist(f.reader);
	send_all(&lines);
	reader_finish(f.reader);
	insist(reader_totals(f.reader)->lines == f.lines && !reader_totals(f.reader)->damaged);
	reader_free(f.reader);
	return 0;
}
