/* SPDX-License-Identifier: BSD-2-Clause */
/* One table of tools and one of options; options that are in neither are passed over. */
#include "tool_command.h"

#include "host/lib/text_sanitize.h"
#include "tool_format.h"
#include "tool_formats.h"

#include "core/lib/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define WORD_BYTES 128
#define PROMPT_MAX 80

/* `flags`: letters of options without a value; `needs`: one of these words follows the name. */
static const struct tool_row {
	const char *name, *flags;
	const char *needs[2];
} tools[] = {
	{ "rtla osnoise", "Dhq", { "top", "hist" } },
	{ "rtla timerlat", "Dhkmnqu", { "top", "hist" } },
	{ "rtla hwnoise", "Dhq", { NULL } },
	{ "osnoise", "Dhq", { "top", "hist" } },
	{ "timerlat", "Dhkmnqu", { "top", "hist" } },
	{ "hwnoise", "Dhq", { NULL } },
	{ "cyclictest", "MNRSUmnqrsuvwx", { NULL } },
	{ "oslat", "bmqsvz", { NULL } },
	{ "hwlatdetect", "hqv", { NULL } },
	{ "sysjitter", "", { NULL } },
	{ "detect-detour", "", { NULL } },
	{ "detect-detour.py", "", { NULL } },
	{ "jhiccup", "", { NULL } },
	{ "trace-cmd", "", { NULL } },
	{ "turbostat", "", { NULL } },
};

#define TOOLS (sizeof(tools) / sizeof(tools[0]))

enum kind { FLAG, LEAST, TIME_US, TIME_S, CORES };

/* `tools`: the end of their names. */
static const struct option {
	const char *tools;
	char letter;
	const char *word;
	enum kind kind;
	size_t offset; /* in struct tool_command, of a bool for FLAG, else of a struct maybe */
} options[] = {
	{ "cyclictest", 'N', "nsecs", FLAG, offsetof(struct tool_command, ns) },
	{ "timerlat", 'n', "nano", FLAG, offsetof(struct tool_command, ns) },
	{ "timerlat", 0, "no-summary", FLAG, offsetof(struct tool_command, no_summary) },
	{ "timerlat", 0, "no-header", FLAG, offsetof(struct tool_command, no_header) },
	{ "noise", 0, "no-summary", FLAG, offsetof(struct tool_command, no_summary) },
	{ "noise", 0, "no-header", FLAG, offsetof(struct tool_command, no_header) },
	{ "turbostat", 'i', "interval", TIME_S, offsetof(struct tool_command, period_ns) },
	{ "noise", 'T', "threshold", TIME_US, offsetof(struct tool_command, threshold_ns) },
	{ "noise", 'a', "auto", LEAST, offsetof(struct tool_command, threshold_ns) },
	{ "noise", 'r', "runtime", TIME_US, offsetof(struct tool_command, runtime_ns) },
	{ "noise", 'p', "period", TIME_US, offsetof(struct tool_command, period_ns) },
	{ "noise", 'd', "duration", TIME_S, offsetof(struct tool_command, duration_ns) },
	{ "noise", 'c', "cpus", CORES, 0 },
};

#define OPTIONS (sizeof(options) / sizeof(options[0]))

static bool ends_with(const char *name, const char *end)
{
	size_t bytes = strlen(end), of = strlen(name);

	return of >= bytes && strcmp(name + of - bytes, end) == 0;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

/* "root@rack7:~# ", "[user@rack7 tmp]$": behind it; NULL: no prompt. */
static const char *skip_prompt(const char *at)
{
	size_t user = 0, host = 0, rest;

	at += *at == '[';
	while (is_name(at[user]))
		user++;
	if (!user || at[user] != '@')
		return NULL;
	at += user + 1;
	while (is_name(at[host]))
		host++;
	rest = strcspn(at + host, "#$");
	if (!host || !strchr(":] ~", at[host]) || host + rest > PROMPT_MAX || !at[host + rest])
		return NULL;
	at += host + rest + 1;
	return !*at || *at == ' ' ? at + strspn(at, " ") : NULL;
}

/* ---- Words, as a shell has them ---- */

struct words {
	const char *at;
	char quote; /* that the command is in; 0: none */
	char word[WORD_BYTES];
};

static bool at_end(const struct words *w, const char *at)
{
	return !*at || strchr("|<>&;", *at) || (w->quote && *at == w->quote);
}

/* The next word, without its quotes; what is longer is cut. */
static bool next_word(struct words *w)
{
	size_t bytes = 0;
	char quote = 0;

	w->at += strspn(w->at, " ");
	if (at_end(w, w->at))
		return false;
	for (; *w->at && (quote || (*w->at != ' ' && !at_end(w, w->at))); w->at++) {
		if (quote ? *w->at == quote : *w->at == '\'' || *w->at == '"')
			quote = quote ? 0 : *w->at;
		else if (bytes < WORD_BYTES - 1)
			w->word[bytes++] = *w->at;
	}
	w->word[bytes] = '\0';
	return true;
}

/* 60, 60s, 1m */
static bool read_seconds(const char *value, struct maybe *ns)
{
	static const char units[] = "smhd";
	static const uint64_t seconds[] = { 1, 60, 3600, 86400 };
	const char *unit;

	if (!scan_maybe(&value, ns))
		return false;
	unit = *value ? strchr(units, tolower((unsigned char)*value)) : units;
	if (!unit || (*value && value[1]))
		return ns->known = false;
	ns->value = arith_times(arith_times(ns->value, seconds[unit - units]), NS_PER_S);
	return true;
}

static void take(struct tool_command *c, const struct option *o, const char *value)
{
	void *member = (char *)c + o->offset;
	struct maybe *ns = member;
	const char *at = value;

	switch (o->kind) {
	case FLAG:
		*(bool *)member = true;
		break;
	case LEAST:
		*ns = (struct maybe){ NS_PER_US, true };
		break;
	case TIME_US:
		ns->known = scan_maybe(&at, ns) && !*at && ns->value;
		c->odd = c->odd || !ns->known;
		ns->value = arith_times(ns->value, NS_PER_US);
		break;
	case TIME_S:
		c->odd = !read_seconds(value, ns) || c->odd;
		break;
	case CORES:
		c->has_cpus = cpulist_parse(&c->cpus, value, strlen(value));
		c->odd = c->odd || !c->has_cpus;
		break;
	}
}

static const struct option *find_option(const struct tool_command *c, char letter, const char *word)
{
	size_t bytes = strcspn(word, "=");

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option *o = &options[i];

		if (ends_with(c->tool, o->tools) &&
		    (letter ? o->letter == letter
			    : strlen(o->word) == bytes && !memcmp(o->word, word, bytes)))
			return o;
	}
	return NULL;
}

/* The value is in the option's own word, or in the next. */
static void take_option(struct tool_command *c, struct words *w, const struct option *o,
			const char *value)
{
	if (o && o->kind != FLAG && !*value && next_word(w))
		value = w->word;
	if (o)
		take(c, o, value);
}

/* "-qDT2": letters, the last of which may have a value. */
static void take_letters(struct tool_command *c, struct words *w, const char *flags)
{
	char word[WORD_BYTES];
	const char *at = word;

	memcpy(word, w->word + 1, WORD_BYTES - 1);
	word[WORD_BYTES - 1] = '\0';
	for (; *at && strchr(flags, *at); at++)
		take_option(c, w, find_option(c, *at, ""), "");
	if (*at)
		take_option(c, w, find_option(c, *at, ""), at + 1);
}

static void take_words(struct tool_command *c, struct words *w, const char *flags)
{
	while (next_word(w)) {
		char word[WORD_BYTES];
		const char *value;

		memcpy(word, w->word, sizeof(word));
		value = word + strcspn(word, "=");
		if (strcmp(word, "hist") == 0)
			c->histogram = true;
		else if (strncmp(word, "--", 2) == 0)
			take_option(c, w, find_option(c, 0, word + 2), value + (*value == '='));
		else if (word[0] == '-')
			take_letters(c, w, flags);
	}
}

/* ---- The tool ---- */

/* An odd number of a kind of quote before it opens one. */
static char quote_before(const char *line, const char *at)
{
	char quote = 0;

	for (; line < at; line++) {
		if (quote ? *line == quote : *line == '\'' || *line == '"')
			quote = quote ? 0 : *line;
	}
	return quote;
}

/* Nothing of the command follows, or an option does. */
static bool is_option(const char *at)
{
	at += strspn(at, " ");
	return !*at || strchr("|<>&;\"'", *at) || (*at == '-' && at[1] && at[1] != ' ');
}

/*
 * Is the tool run here? Without an option it is where a line begins with it, or with the mark of a
 * prompt.
 */
static bool is_run(const struct tool_row *t, const char *line, const char *at, const char *end)
{
	const char *next = end + strspn(end, " ");
	const char *begin = line + strspn(line, " >|#$+");
	size_t bytes = strcspn(next, " |<>&;\"'");

	if ((at > line && !strchr(" /\"'(`;&|=", at[-1])) || (*end && !strchr(" |<>&;\"'", *end)))
		return false;
	for (size_t i = 0; i < 2 && t->needs[i]; i++) {
		if (strlen(t->needs[i]) == bytes && !memcmp(t->needs[i], next, bytes))
			next += bytes + strspn(next + bytes, " ");
	}
	if (*next == '-')
		return is_option(next);
	return (is_option(next) || isdigit((unsigned char)*next)) &&
	       (at == begin || (begin > line && strchr("#$+", begin[-1 - (begin[-1] == ' ')])));
}

static const struct tool_row *find_tool(const char *line, const char **at, const char **end)
{
	for (size_t i = 0; i < TOOLS; i++) {
		size_t bytes = strlen(tools[i].name);

		for (*at = line; (*at = strstr(*at, tools[i].name)); ++*at) {
			*end = *at + bytes;
			if (is_run(&tools[i], line, *at, *end))
				return &tools[i];
		}
	}
	return NULL;
}

/* Before the tool's name too: "timeout 60 cyclictest -N". */
static void keep_text(struct tool_command *c, const char *line, const char *at)
{
	const char *mark = at;

	while (mark > line &&
	       !((mark[-1] == '$' || mark[-1] == '#' || mark[-1] == '+') && *mark == ' '))
		mark--;
	mark += strspn(mark, " >|");
	snprintf(c->text, sizeof(c->text), "%s", mark);
	text_sanitize(c->text);
}

bool tool_command_read(const char *line, struct tool_command *c)
{
	const char *prompt = skip_prompt(line + strspn(line, " >|")), *at, *end;
	const struct tool_row *t = find_tool(line, &at, &end);

	if (!t && !prompt)
		return false;
	*c = (struct tool_command){ .tool = t ? t->name : NULL };
	if (prompt)
		snprintf(c->text, sizeof(c->text), "%s", prompt);
	text_sanitize(c->text);
	if (t && !prompt)
		keep_text(c, line, at);
	if (t)
		take_words(c, &(struct words){ .at = end, .quote = quote_before(line, at) },
			   t->flags);
	return true;
}

/* The output is one of that tool. */
static bool is_of(const struct tool_command *c, const struct tool_format *format)
{
	const char *space = c->tool ? strrchr(c->tool, ' ') : NULL;
	const char *name = space ? space + 1 : c->tool;

	if (name && (format == &tool_cyclictest || format == &tool_turbostat))
		return strcmp(format->name, name) == 0;
	if (!name || strncmp(format->name, "rtla ", 5) != 0)
		return false;
	if (strcmp(name, "hwnoise") == 0)
		return format == &tool_rtla_top;
	return strstr(format->name, name) && ends_with(format->name, "hist") == c->histogram;
}

const struct tool_format *tool_command_untitled(const struct tool_command *c)
{
	for (size_t i = 0; c->no_header && !c->odd && i < tool_formats_count; i++) {
		if (is_of(c, tool_formats[i]))
			return tool_formats[i];
	}
	return NULL;
}

void tool_command_apply(const struct tool_command *c, const struct tool_format *format,
			struct tool_stated *stated)
{
	if (!is_of(c, format) || c->odd)
		return;
	stated->has_command = true;
	stated->ns = c->ns;
	stated->no_summary = c->no_summary;
	stated->no_header = c->no_header;
	if (!stated->threshold_ns.known)
		stated->threshold_ns = c->threshold_ns;
	stated->runtime_ns = c->runtime_ns;
	stated->period_ns = c->period_ns;
	stated->duration_ns = c->duration_ns;
	/* A core that is not in a table was not watched to the end of a period. */
	if (c->histogram && c->has_cpus && !stated->has_cpus) {
		stated->has_cpus = true;
		stated->cpus = c->cpus;
	}
}
