/* SPDX-License-Identifier: BSD-2-Clause */
/* Only `begin` and `end` are parsed; their parts each give what they have. */
#include "summary.h"

#include "host/lib/exit.h"
#include "records.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define COMPLAINT 256

/* Cut to `room`, and harmless on a terminal. */
static void copy_text(char *to, size_t room, json_t *value, unsigned *changes)
{
	const char *text = json_string_value(value);
	size_t n = 0;

	if (!text || !*text || *to)
		return;
	for (; text[n] && n < room - 1; n++)
		to[n] = (text[n] >= ' ' && text[n] <= '~') ? text[n] : '?';
	to[n] = '\0';
	++*changes;
}

static void take_begin(struct summary *s, json_t *object)
{
	json_t *machine = json_object_get(object, "machine");

	copy_text(s->uuid, sizeof(s->uuid), json_object_get(machine, "uuid"), &s->changes);
	copy_text(s->product, sizeof(s->product), json_object_get(machine, "product"), &s->changes);
	copy_text(s->bios, sizeof(s->bios), json_object_get(machine, "bios_version"), &s->changes);
}

static void take_end(struct summary *s, json_t *object, const struct line *line)
{
	copy_text(s->verdict, sizeof(s->verdict), json_object_get(object, "verdict"), &s->changes);
	copy_text(s->reason, sizeof(s->reason),
		  json_array_get(json_object_get(object, "reasons"), 0), &s->changes);
	if (!line->more && !s->ended) {
		s->ended = true;
		s->changes++;
	}
}

static bool is_type(const struct line *line, enum record_type wanted)
{
	enum record_type type;

	return records_type(line->type, line->type_bytes, &type) && type == wanted;
}

bool summary_wants(const struct line *line)
{
	return is_type(line, RECORD_BEGIN) || is_type(line, RECORD_END);
}

void summary_line(struct summary *s, const struct line *line)
{
	char complaint[COMPLAINT];
	struct text why;
	json_t *object;

	s->lines++;
	if (!summary_wants(line))
		return;
	text_init(&why, complaint, sizeof(complaint));
	object = records_parse(line->text, line->whole, &why);
	if (object && is_type(line, RECORD_BEGIN))
		take_begin(s, object);
	else if (object)
		take_end(s, object, line);
	json_decref(object);
}

bool summary_complete(const struct summary *s)
{
	return s->ended && !s->lost;
}

static const struct {
	const char *word;
	int code;
} verdicts[] = {
	{ "pass", EXIT_PASS },
	{ "none", EXIT_PASS },
	{ "fail", EXIT_FAIL },
	{ "error", EXIT_ERROR },
	{ "incomplete", EXIT_INCOMPLETE },
};

#define VERDICTS (sizeof(verdicts) / sizeof(verdicts[0]))

const char *summary_verdict(const struct summary *s)
{
	if (!summary_complete(s))
		return "incomplete";
	for (size_t i = 0; i < VERDICTS; i++) {
		if (strcmp(verdicts[i].word, s->verdict) == 0)
			return verdicts[i].word;
	}
	return "error";
}

int summary_exit_code(const struct summary *s)
{
	const char *word = summary_verdict(s);

	for (size_t i = 0; i < VERDICTS; i++) {
		if (strcmp(verdicts[i].word, word) == 0)
			return verdicts[i].code;
	}
	return EXIT_ERROR;
}
