/* SPDX-License-Identifier: BSD-2-Clause */
/* Only `begin`, `window` and `end` are decoded; each of their parts adds what it has. */
#include "summary.h"

#include "record_decode.h"

#include "host/lib/text_sanitize.h"

#include "core/config/mode.h"
#include "core/lib/arith.h"

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

static void take_begin(struct summary *s, const struct record_begin *b)
{
	copy_text(s->uuid, sizeof(s->uuid), b->machine.uuid, &s->changes);
	copy_text(s->product, sizeof(s->product), b->machine.product, &s->changes);
	copy_text(s->bios, sizeof(s->bios), b->machine.bios_version, &s->changes);
	s->mode = s->mode ? s->mode : other_mode(b->config);
	copy_text(s->began, sizeof(s->began), b->began, &s->changes);
}

static void take_end(struct summary *s, const struct record_end *end, const struct line *line)
{
	copy_text(s->verdict, sizeof(s->verdict), end->verdict, &s->changes);
	copy_text(s->reason, sizeof(s->reason), end->reasons[0], &s->changes);
	copy_text(s->remark, sizeof(s->remark), end->remark, &s->changes);
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

bool summary_wants(const struct line *line)
{
	enum record_type type;

	return record_decode_type(line->type, line->type_bytes, &type) &&
	       (type == RECORD_BEGIN || type == RECORD_END);
}

void summary_line(struct summary *s, const struct line *line)
{
	struct record_decode decode = { .room = 0 };
	enum record_type type;
	TEXT_DEFINE(why, COMPLAINT);

	s->lines++;
	if (!record_decode_type(line->type, line->type_bytes, &type) ||
	    (type != RECORD_BEGIN && type != RECORD_WINDOW && type != RECORD_END))
		return;
	record_decode_start(&decode, type, line->whole);
	if (record_decode_line(&decode, line->text, line->whole, &why)) {
		if (type == RECORD_BEGIN)
			take_begin(s, &decode.record.begin);
		else if (type == RECORD_WINDOW)
			take_window(s, &decode.record.window);
		else
			take_end(s, &decode.record.end, line);
	}
	record_decode_free(&decode);
}

bool summary_complete(const struct summary *s)
{
	return s->ended && !s->lost;
}

enum verdict summary_outcome(const struct summary *s)
{
	return summary_complete(s) ? verdict_of(s->verdict) : VERDICT_INCOMPLETE;
}

const char *summary_verdict(const struct summary *s)
{
	return verdict_name(summary_outcome(s));
}

const char *summary_remark(const struct summary *s)
{
	return summary_outcome(s) == VERDICT_PASS ? s->remark : "";
}

int summary_exit_code(const struct summary *s)
{
	return (int)verdict_exit_code(summary_outcome(s));
}

void summary_set_mode(struct summary *s, const struct mode *mode)
{
	s->mode = mode == mode_at(0) ? NULL : mode;
}
