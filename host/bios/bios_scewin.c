/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the script that AMI's SCEWIN and SCELNX export, which has a block for each setup question:
 *
 *   Setup Question	= Hyper-Threading
 *   Help String	= Text, of several lines in some
 *   Token	=4D	// Do NOT change this line
 *   Options	=[00]Disabled	// Move "*" to the desired Option
 *            *[01]Enabled
 *
 * or, in place of options, a line `Value	=7FFF`. Other keys are skipped. The same question
 * recurs for each port, for example: its token distinguishes them.
 */
#include "bios_dump.h"

#include "host/lib/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS    " \t\r"
#define KEY_BYTES 40
#define FOUND_MAX 30 /* bytes of the offending text that an error prints */
#define BLOCK     "\"Setup Question = NAME\" (AMI's script), or JSON"

struct script {
	struct bios_dump *d;
	struct text *why;
	const char *text;
	const char *line, *end; /* the current line, without blanks at its ends */
	const char *question;   /* start of the current block; NULL: before the first */
	char *name, *value;
	unsigned long token; /* 0: none so far */
	bool options, help;  /* true: the next line may continue them */
};

/* "line 7: found "..."; wanted: ...", for `at` within the text. Returns false. */
static bool refuse(const struct script *s, const char *at, const char *wanted)
{
	const char *text = s->text;
	unsigned line = 1;
	size_t bytes = strcspn(at, "\r\n");

	for (; text < at; text++)
		line += *text == '\n';
	if (bytes > FOUND_MAX)
		bytes = FOUND_MAX;
	text_add(s->why, "line %u: ", line);
	text_add(s->why, bytes ? "found \"" : "the line ends");
	for (size_t i = 0; i < bytes; i++)
		text_char(s->why, at[i] == '\t' ? ' ' : at[i]);
	text_add(s->why, "%s; wanted: %s", bytes ? "\"" : "", wanted);
	return false;
}

static const char *trim_end(const char *from, const char *end)
{
	while (end > from && strchr(BLANKS, end[-1]))
		end--;
	return end;
}

/* A copy without surrounding blanks, and without a comment: a blank, "//" and the rest. */
static char *copy(const char *from, const char *end)
{
	char *text;

	for (const char *at = from; at + 2 < end; at++)
		if (strchr(BLANKS, at[0]) && at[1] == '/' && at[2] == '/')
			end = at;
	while (from < end && strchr(BLANKS, *from))
		from++;
	end = trim_end(from, end);
	text = memory_new((size_t)(end - from) + 1, 1);
	memcpy(text, from, (size_t)(end - from));
	return text;
}

/* End the current block, and add its attribute to the dump. */
static bool add_question(struct script *s)
{
	char *name;
	struct text t;

	if (!s->question)
		return true;
	if (!s->token)
		return refuse(s, s->question, "a block with \"Token = NUMBER\"");
	name = memory_new(strlen(s->name) + 20, 1);
	text_init(&t, name, strlen(s->name) + 20);
	text_add(&t, "%s#%04lX", s->name, s->token);
	if (!bios_dump_add(s->d, name, s->value, s->why)) {
		s->value = NULL;
		return false;
	}
	s->value = NULL;
	s->question = NULL;
	return true;
}

static bool take_question(struct script *s, const char *value)
{
	if (!add_question(s))
		return false;
	free(s->name);
	s->name = copy(value, s->end);
	s->question = s->line;
	s->token = 0;
	return true;
}

/* "*[01]Enabled": the asterisk marks the option that is set. */
static bool take_option(struct script *s, const char *at)
{
	bool set = *at == '*';
	size_t digits;

	at += set;
	digits = *at == '[' ? strspn(at + 1, "0123456789ABCDEFabcdef") : 0;
	if (!digits || at[1 + digits] != ']')
		return refuse(s, s->line, "an option, as *[01]Enabled");
	if (set && s->value)
		return refuse(s, s->line, "one option with an asterisk");
	if (set)
		s->value = copy(at + 2 + digits, s->end);
	return true;
}

/* "7FFF" or "<200>". A checkbox has a comment: "1	// Enabled = 1, Disabled = 0". */
static bool take_value(struct script *s, const char *at)
{
	static const char *const checked[] = { "Disabled", "Enabled" };
	static const char box[] = "// Enabled = 1, Disabled = 0";
	size_t bytes;

	if (s->value)
		return refuse(s, s->line, "one value");
	if (s->end - at > (ptrdiff_t)sizeof(box) && (*at == '0' || *at == '1') &&
	    strchr(BLANKS, at[1]) &&
	    memcmp(s->end - (sizeof(box) - 1), box, sizeof(box) - 1) == 0) {
		s->value = memory_text(checked[*at == '1']);
		return true;
	}
	s->value = copy(at, s->end);
	bytes = strlen(s->value);
	if (bytes >= 2 && s->value[0] == '<' && s->value[bytes - 1] == '>') {
		memmove(s->value, s->value + 1, bytes - 2);
		s->value[bytes - 2] = '\0';
	}
	return true;
}

static bool is_key(const char *line, size_t bytes, const char *key)
{
	return bytes == strlen(key) && memcmp(line, key, bytes) == 0;
}

/* Read a token, which is hexadecimal and may have a comment behind it; 0 is none. */
static bool take_token(struct script *s, const char *value)
{
	char *end;

	s->token = value < s->end && isxdigit((unsigned char)*value) ? strtoul(value, &end, 16) : 0;
	if (s->token && (end == s->end || strchr(BLANKS, *end) || *end == '/'))
		return true;
	return refuse(s, s->line, "\"Token = NUMBER\", in hexadecimal and not 0");
}

/* Read a line whose key has `bytes` bytes. */
static bool take_key(struct script *s, size_t bytes, const char *value)
{
	if (is_key(s->line, bytes, "Setup Question")) {
		s->help = s->options = false;
		return take_question(s, value);
	}
	if (!s->question) /* the file's head: HIICrc32 */
		return true;
	if (is_key(s->line, bytes, "Help String")) {
		s->help = true;
		s->options = false;
		return true;
	}
	s->options = is_key(s->line, bytes, "Options");
	if (s->options && value < s->end && !take_option(s, value))
		return false;
	if (is_key(s->line, bytes, "Token")) {
		s->help = false;
		return take_token(s, value);
	}
	if (is_key(s->line, bytes, "Value"))
		return take_value(s, value);
	s->help = s->help && !s->options;
	return true;
}

static bool take_line(struct script *s)
{
	const char *equals = memchr(s->line, '=', (size_t)(s->end - s->line));
	const char *key = equals ? trim_end(s->line, equals) : s->line;
	const char *value = equals ? equals + 1 : s->end;

	if (s->line == s->end || strncmp(s->line, "//", 2) == 0)
		return true;
	if (s->options && (*s->line == '*' || *s->line == '['))
		return take_option(s, s->line);
	while (value < s->end && strchr(BLANKS, *value))
		value++;
	if (key > s->line && key - s->line <= KEY_BYTES && *s->line != '[' && *s->line != '*')
		return take_key(s, (size_t)(key - s->line), value);
	return s->help || refuse(s, s->line, BLOCK);
}

bool bios_scewin_read(struct bios_dump *d, const char *text, struct text *why)
{
	struct script s = { .d = d, .why = why, .text = text };
	bool taken = true;

	d->recurs = true;
	for (const char *next = text; taken && *next;) {
		s.line = next + strspn(next, BLANKS);
		next += strcspn(next, "\n");
		s.end = s.line < next ? trim_end(s.line, next) : s.line;
		next += *next == '\n';
		taken = take_line(&s);
	}
	taken = taken && add_question(&s);
	if (taken && !d->count)
		taken = refuse(&s, text, BLOCK);
	free(s.name);
	free(s.value);
	return taken;
}
