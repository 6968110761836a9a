/* SPDX-License-Identifier: BSD-2-Clause */
/* Few types of records are decoded; each of their lines adds what it has. */
#include "summary.h"

#include "record_decode.h"
#include "result.h"

#include "host/lib/text_sanitize.h"

#include "core/config/mode.h"
#include "core/lib/arith.h"
#include "core/records/record_field.h"

#include <stddef.h>
#include <string.h>

#define COMPLAINT 256

/* The first that is given. */
static void copy_text(char *to, size_t room, const char *text, unsigned *changes)
{
	if (!text || !*text || *to)
		return;
	text_sanitize_ascii(to, room, text);
	++*changes;
}

/* By its first word: config_print() begins with the mode. The default is none. */
static const struct mode *other_mode(const char *config)
{
	static const char key[] = "mode=";
	const struct mode *mode;

	if (!config || strncmp(config, key, sizeof(key) - 1) != 0)
		return NULL;
	config += sizeof(key) - 1;
	for (unsigned n = 1; (mode = mode_at(n)); n++) {
		size_t bytes = strlen(mode->name);

		if (strncmp(config, mode->name, bytes) == 0 && strchr(" ", config[bytes]))
			return mode;
	}
	return NULL;
}

static void copy_begin(struct summary *s, const struct record_begin *b)
{
	copy_text(s->uuid, sizeof(s->uuid), b->machine.uuid, &s->changes);
	copy_text(s->product, sizeof(s->product), b->machine.product, &s->changes);
	copy_text(s->bios, sizeof(s->bios), b->machine.bios_version, &s->changes);
	s->mode = s->mode ? s->mode : other_mode(b->config);
	copy_text(s->began, sizeof(s->began), b->began, &s->changes);
}

static void add_bad(struct summary *s, unsigned lines)
{
	s->begin.bad += lines;
	s->lost += lines;
}

/* The `begin` will never be whole: it names no machine. */
static void break_begin(struct summary *s)
{
	*s->uuid = *s->product = *s->bios = *s->began = '\0';
	s->mode = NULL;
	s->facts = (struct facts){ .known = false };
	s->begin.more = false;
	s->changes++;
	add_bad(s, s->begin.lines);
}

static bool is_next(const struct summary_begin *b, const struct line *line, struct text *why)
{
	if (b->lines && !b->more)
		text_add(why, "the run has a begin already");
	else if (b->lines && b->next != line->seq)
		text_add(why, "a part of it is missing");
	else if (b->lines == READER_BEGIN_PARTS_MAX)
		text_add(why, "too many parts");
	return !why->len;
}

static bool has_number(const struct summary_begin *b, const struct line *line, struct text *why)
{
	if (!line->part.known && (b->lines || line->more))
		text_add(why, "its parts have no numbers");
	else if (line->part.known && line->part.value != b->lines)
		text_add(why, "this is part %llu, and the part before it is missing",
			 (unsigned long long)line->part.value);
	return !why->len;
}

static unsigned count_evidence(const struct record_begin *b)
{
	unsigned n = 0;

	while (n < RECORD_STRINGS && b->evidence[n])
		n++;
	return n;
}

static bool read_begin(const struct summary_begin *b, struct record_decode *d,
		       const struct line *line, struct text *why)
{
	record_decode_resume(d, b->rows);
	for (unsigned n = 0; n < b->evidence; n++)
		d->record.begin.evidence[n] = "";
	return is_next(b, line, why) && record_decode_line(d, line, why) &&
	       has_number(b, line, why) && (line->more || record_decode_finish(d, why));
}

static bool take_begin(struct summary *s, struct record_decode *d, const struct line *line,
		       struct text *why)
{
	struct summary_begin *b = &s->begin;

	if (!read_begin(b, d, line, why)) {
		if (b->more)
			break_begin(s);
		add_bad(s, 1);
		if (!b->lines)
			b->lines = 1;
		return false;
	}
	copy_begin(s, &d->record.begin);
	facts_begin(&s->facts, &d->record.begin);
	s->facts.known = !line->more;
	b->next = line->seq + 1;
	b->rows = record_decode_rows(d);
	b->lines++;
	b->evidence = (uint8_t)count_evidence(&d->record.begin);
	b->more = line->more;
	return true;
}

static void copy_end(struct summary *s, const struct record_end *end)
{
	copy_text(s->verdict, sizeof(s->verdict), end->verdict, &s->changes);
	copy_text(s->reason, sizeof(s->reason), end->reasons[0], &s->changes);
	copy_text(s->remark, sizeof(s->remark), end->remark, &s->changes);
}

static void take_end(struct summary *s, const struct record_end *end, const struct line *line)
{
	copy_end(s, end);
	if (end->sampled_ns.known)
		s->facts.sampled_ns = end->sampled_ns;
	if (!line->more && !s->ended) {
		s->ended = true;
		s->changes++;
	}
}

static void take_window(struct summary *s, const struct record_window *w)
{
	uint64_t end = w->start_ns + w->len_ns;

	/* A sum that wraps is not a time. */
	if (end >= w->start_ns)
		s->length_ns = arith_max(s->length_ns, end);
}

/* Of several lines the first has all that counts: histograms are what makes them many. */
static bool is_first(const struct line *line)
{
	return !line->part.known || !line->part.value;
}

/* Did the line have these fields, by their places in the struct? */
static bool has_fields(const struct record_decode *d, const size_t *needed, size_t count)
{
	size_t had = 0;

	for (unsigned row = 0; d->fields[row].kind != FIELD_END; row++)
		for (size_t n = 0; n < count; n++)
			had += d->fields[row].offset == needed[n] && d->value[row].at;
	return had == count;
}

static void take_cpu(struct summary *s, const struct record_decode *d)
{
	static const size_t needed[] = { offsetof(struct record_cpu, exposure_ns),
					 offsetof(struct record_cpu, noise_ns),
					 offsetof(struct record_cpu, max_ns) };

	bool is_whole = has_fields(d, needed, 3);

	facts_cpu(&s->facts, is_whole ? &d->record.cpu : NULL);
	if (is_whole)
		figures_add_cpu(&s->figures, &d->record.cpu);
}

static void take_source(struct summary *s, const struct record_decode *d)
{
	static const size_t needed[] = { offsetof(struct record_source, period_ns) };

	if (has_fields(d, needed, 1))
		figures_add_source(&s->figures, &d->record.source);
}

static void take_stretch(struct summary *s, const struct record_decode *d)
{
	static const size_t needed[] = { offsetof(struct record_stretch, cpu),
					 offsetof(struct record_stretch, quanta),
					 offsetof(struct record_stretch, p999) };

	facts_stretch(&s->facts, has_fields(d, needed, 3) ? &d->record.stretch : NULL);
}

#define WANTED                                                                              \
	(1u << RECORD_BEGIN | 1u << RECORD_CPU | 1u << RECORD_PAUSE | 1u << RECORD_SOURCE | \
	 1u << RECORD_STRETCH | 1u << RECORD_SERVICE | 1u << RECORD_END)

bool summary_wants(const struct line *line)
{
	enum record_type type;

	return record_decode_type(line->type, line->type_bytes, &type) && WANTED >> type & 1;
}

/* Its `begin` may be lost. */
static void take_mode(struct summary *s, enum record_type type)
{
	if (!s->mode && type == RECORD_STRETCH)
		s->mode = &mode_stretch;
	else if (!s->mode && type == RECORD_SERVICE)
		s->mode = &mode_services;
}

/* False: the line cannot be used. */
static bool take(struct summary *s, enum record_type type, struct record_decode *d,
		 const struct line *line, struct text *why)
{
	if (type == RECORD_BEGIN)
		return take_begin(s, d, line, why);
	if (!record_decode_line(d, line, why)) {
		if (type == RECORD_CPU)
			facts_cpu(&s->facts, NULL);
		else if (type == RECORD_STRETCH)
			facts_stretch(&s->facts, NULL);
		return true;
	}
	take_mode(s, type);
	if (type == RECORD_WINDOW)
		take_window(s, &d->record.window);
	else if (type == RECORD_CPU && is_first(line))
		take_cpu(s, d);
	else if (type == RECORD_SOURCE && is_first(line))
		take_source(s, d);
	else if (type == RECORD_STRETCH && is_first(line))
		take_stretch(s, d);
	else if (type == RECORD_SERVICE && is_first(line))
		facts_service(&s->facts, &d->record.service);
	else if (type == RECORD_PAUSE)
		verdict_clock_faults_add(&s->facts.clock, &d->record.pause);
	else if (type == RECORD_END)
		take_end(s, &d->record.end, line);
	return true;
}

bool summary_line(struct summary *s, const struct line *line, struct text *why)
{
	struct record_decode decode = { .room = 0 };
	enum record_type type;
	bool taken;
	TEXT_DEFINE(own, COMPLAINT);

	s->lines++;
	if (!record_decode_type(line->type, line->type_bytes, &type) ||
	    !((WANTED | 1u << RECORD_WINDOW) >> type & 1))
		return true;
	if (type != RECORD_BEGIN && s->begin.more)
		break_begin(s);
	record_decode_start(&decode, type, line->whole);
	taken = take(s, type, &decode, line, why ? why : &own);
	record_decode_free(&decode);
	return taken;
}

void summary_of_run(struct summary *s, const struct result *run)
{
	*s = (struct summary){
		.ended = run->has_end,
		.lost = seqset_missing(&run->received->seen) + run->received->unusable,
	};
	if (run->has_begin)
		copy_begin(s, &run->begin);
	if (run->has_end)
		copy_end(s, &run->end);
}

static bool is_uuid(const char *text, const uint8_t uuid[UUID_BYTES])
{
	uint8_t named[UUID_BYTES];

	return uuid_parse(text, named) && memcmp(named, uuid, UUID_BYTES) == 0;
}

bool summary_names_other(const struct line *line, const uint8_t uuid[UUID_BYTES])
{
	struct record_decode d = { .room = 0 };
	enum record_type type;
	bool other = false;
	const char *name;
	TEXT_DEFINE(why, COMPLAINT);

	if (!record_decode_type(line->type, line->type_bytes, &type) || type != RECORD_BEGIN)
		return false;
	record_decode_start(&d, type, line->whole);
	if (record_decode_line(&d, line, &why)) {
		name = d.record.begin.machine.uuid;
		other = name ? !is_uuid(name, uuid) : is_first(line);
	}
	record_decode_free(&d);
	return other;
}

bool summary_complete(const struct summary *s)
{
	return s->ended && !s->lost;
}

enum verdict summary_own_outcome(const struct summary *s)
{
	return summary_complete(s) ? verdict_of(s->verdict) : VERDICT_INCOMPLETE;
}

enum verdict summary_outcome(const struct summary *s)
{
	return s->judged.set ? s->judged.verdict : summary_own_outcome(s);
}

const char *summary_reason(const struct summary *s)
{
	return s->judged.set ? s->judged.reason : s->reason;
}

const char *summary_node_verdict(const struct summary *s)
{
	return s->judged.set ? verdict_name(summary_own_outcome(s)) : NULL;
}

const char *summary_verdict(const struct summary *s)
{
	return verdict_name(summary_outcome(s));
}

const char *summary_remark(const struct summary *s)
{
	return !s->judged.set && summary_outcome(s) == VERDICT_PASS ? s->remark : "";
}

int summary_exit_code(const struct summary *s)
{
	return (int)verdict_exit_code(summary_outcome(s));
}
