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
#include "host/lib/text_sanitize.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 48 /* bytes behind a name: its token, and how often both came */
#define BLOCK   "\"Setup Question = NAME\" (AMI's script), or JSON"

struct script {
	struct bios_dump *d;
	struct text *why;
	char *line;       /* the current one, without blanks at its ends */
	unsigned number;  /* its number, from 1 */
	char *question;   /* the first line of the current block; NULL: before the first */
	unsigned started; /* number of that line */
	char *name, *value;
	json_t *times;       /* by name and token: how often they came */
	unsigned long token; /* 0: none so far */
	bool options;        /* the next line may continue them */
};

/* "line 7: found "..."; wanted: ...", with at most 30 bytes of the line. Returns false. */
static bool bios_scewin_refuse(const struct script *s, unsigned number, const char *line,
			       const char *wanted)
{
	text_add(s->why, "line %u: ", number);
	if (*line)
		text_add(s->why, "found \"%.30s\"", line);
	else
		text_add(s->why, "the line ends");
	text_add(s->why, "; wanted: %s", wanted);
	return false;
}

/* The current line. */
static bool refuse_line(const struct script *s, const char *wanted)
{
	return bios_scewin_refuse(s, s->number, s->line, wanted);
}

/* A copy without a comment: a blank, "//" and the rest. The line loses it, too. */
static char *copy(char *text)
{
	for (char *at = text; (at = strstr(at, "//")); at++)
		if (at > text && strchr(TEXT_BLANKS, at[-1])) {
			*at = '\0';
			break;
		}
	return memory_text(text_trim(text));
}

/* End the current block, and add its attribute to the dump. */
static bool add_question(struct script *s)
{
	char *value = s->value, *name;
	struct text t;
	json_int_t n;

	if (!s->question)
		return true;
	if (!s->token)
		return bios_scewin_refuse(s, s->started, s->question,
					  "a block with \"Token = NUMBER\"");
	name = memory_new(strlen(s->name) + NUMBERS, 1);
	text_init(&t, name, strlen(s->name) + NUMBERS);
	text_add(&t, "%s#%04lX", s->name, s->token);
	text_sanitize(name);
	n = json_integer_value(json_object_get(s->times, name)) + 1;
	json_object_set_new_nocheck(s->times, name, json_integer(n));
	if (n > 1)
		text_add(&t, "/%lld", (long long)n);
	s->value = NULL;
	s->question = NULL;
	return bios_dump_add(s->d, name, value, s->why);
}

static bool take_question(struct script *s, char *value)
{
	if (!add_question(s))
		return false;
	free(s->name);
	s->name = copy(value);
	s->question = s->line;
	s->started = s->number;
	s->token = 0;
	return true;
}

/* "*[01]Enabled": the asterisk marks the option that is set. */
static bool take_option(struct script *s, char *at)
{
	bool set = *at == '*';
	size_t digits;

	at += set;
	digits = *at == '[' ? strspn(at + 1, "0123456789ABCDEFabcdef") : 0;
	if (!digits || at[1 + digits] != ']')
		return refuse_line(s, "an option, as *[01]Enabled");
	if (set && s->value)
		return refuse_line(s, "one option with an asterisk");
	if (set)
		s->value = copy(at + 2 + digits);
	return true;
}

/* "7FFF" or "<200>". A checkbox has a comment: "1	// Enabled = 1, Disabled = 0". */
static bool take_value(struct script *s, char *at)
{
	static const char *const checked[] = { "Disabled", "Enabled" };
	static const char box[] = "// Enabled = 1, Disabled = 0";
	const char *comment = strstr(at, box);
	size_t bytes;

	if (s->value)
		return refuse_line(s, "one value");
	if (comment && !comment[strlen(box)] && strchr("01", *at) && strchr(TEXT_BLANKS, at[1])) {
		s->value = memory_text(checked[*at == '1']);
		return true;
	}
	s->value = copy(at);
	bytes = strlen(s->value);
	if (bytes >= 2 && s->value[0] == '<' && s->value[bytes - 1] == '>') {
		memmove(s->value, s->value + 1, bytes - 2);
		s->value[bytes - 2] = '\0';
	}
	return true;
}

/* Read a token, which is hexadecimal and may have a comment behind it; 0 is none. */
static bool take_token(struct script *s, const char *value)
{
	char *end;

	s->token = isxdigit((unsigned char)*value) ? strtoul(value, &end, 16) : 0;
	if (s->token && strchr(TEXT_BLANKS "/", *end))
		return true;
	return refuse_line(s, "\"Token = NUMBER\", in hexadecimal and not 0");
}

static bool is_key(const struct script *s, size_t bytes, const char *key)
{
	return bytes == strlen(key) && memcmp(s->line, key, bytes) == 0;
}

/* Lines without a key are skipped: comments, and what continues a help text. */
static bool take_line(struct script *s)
{
	const char *equals = strchr(s->line, '=');
	size_t bytes = equals ? (size_t)(equals - s->line) : 0;
	char *value = s->line + bytes + 1;

	if (s->options && (*s->line == '*' || *s->line == '['))
		return take_option(s, s->line);
	if (!equals)
		return true;
	while (bytes && strchr(TEXT_BLANKS, s->line[bytes - 1]))
		bytes--;
	value += strspn(value, TEXT_BLANKS);
	s->options = is_key(s, bytes, "Options");
	if (is_key(s, bytes, "Setup Question"))
		return take_question(s, value);
	if (!s->question) /* the file's head: HIICrc32 */
		return true;
	if (s->options)
		return !*value || take_option(s, value);
	if (is_key(s, bytes, "Token"))
		return take_token(s, value);
	return !is_key(s, bytes, "Value") || take_value(s, value);
}

bool bios_scewin_read(struct bios_dump *d, char *text, struct text *why)
{
	struct script s = { .d = d, .why = why, .times = json_object() };
	bool taken = true;
	char *rest = text;

	for (char *at = text; (at = strchr(at, '\t'));)
		*at = ' ';
	while (taken && (s.line = strsep(&rest, "\n"))) {
		s.number++;
		s.line = text_trim(s.line);
		taken = take_line(&s);
	}
	taken = taken && add_question(&s);
	if (taken && !json_object_size(d->values))
		taken = bios_scewin_refuse(&s, 1, text, BLOCK);
	json_decref(s.times);
	free(s.name);
	free(s.value);
	return taken;
}
