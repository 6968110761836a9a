/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of a measurement beyond its output: by a `# noisefloor:` line, or by the tool's
 * command line. One table has the options of all tools that change what figures mean; other options
 * are ignored.
 */
#include "host/lib/text_sanitize.h"
#include "tool_format.h"

#include "core/lib/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define WORD_BYTES 1024
#define PROMPT_MAX 80

enum kind { FLAG, LEAST, TIME, HZ, CORES, MODE };

/* The line `# noisefloor:`, whose keys are options without dashes. */
#define STATED "noisefloor"

/* `tools` begins the tools' names. Of letters in one word, only the last may have a value. */
static const struct option {
	const char *tools;
	char letter;
	const char *word;
	enum kind kind;
	size_t offset;    /* of a bool for FLAG, else of a struct maybe */
	const char *unit; /* of a time; "s": unless the value has one; NULL: it must have one */
} options[] = {
#define OPTION(member) offsetof(struct tool_stated, member)
	{ "cyclictest", 'N', "nsecs", FLAG, OPTION(ns), NULL },
	{ "timerlat", 'n', "nano", FLAG, OPTION(ns), NULL },
	{ "timerlat", 0, "no-summary", FLAG, OPTION(no_summary), NULL },
	{ "osnoise", 0, "no-summary", FLAG, OPTION(no_summary), NULL },
	{ "turbostat", 'i', "interval", TIME, OPTION(period_ns), "s" },
	{ "detect-detour", 0, "threshold", TIME, OPTION(threshold_ns), "ns" },
	{ "osnoise", 'T', "threshold", TIME, OPTION(threshold_ns), "us" },
	{ "osnoise", 'a', "auto", LEAST, OPTION(threshold_ns), NULL },
	{ "osnoise", 'r', "runtime", TIME, OPTION(runtime_ns), "us" },
	{ "osnoise", 'p', "period", TIME, OPTION(period_ns), "us" },
	{ "osnoise", 'd', "duration", TIME, OPTION(duration_ns), "s" },
	{ "osnoise", 'c', "cpus", CORES, OPTION(cpus), NULL },
	{ "hwnoise", 'T', "threshold", TIME, OPTION(threshold_ns), "us" },
	{ STATED, 0, "threshold", TIME, OPTION(threshold_ns), NULL },
	{ STATED, 0, "exposure", TIME, OPTION(exposure_ns), NULL },
	{ STATED, 0, "window", TIME, OPTION(window_ns), NULL },
	{ STATED, 0, "width", TIME, OPTION(width_ns), NULL },
	{ STATED, 0, "cpus", CORES, OPTION(cpus), NULL },
	{ STATED, 0, "hz", HZ, OPTION(hz), NULL },
	{ STATED, 0, "mode", MODE, OPTION(has_mode), NULL },
};

#define OPTIONS (sizeof(options) / sizeof(options[0]))

/* The next word, whatever it is quoted in, up to the end of the command; a long one is "?". */
static bool next_word(const char **at, char word[WORD_BYTES])
{
	const char *from = *at + strspn(*at, " '\"");
	size_t bytes = strcspn(from, " '\"|<>&;)");

	snprintf(word, WORD_BYTES, "%.*s", bytes < WORD_BYTES ? (int)bytes : 1,
		 bytes < WORD_BYTES ? from : "?");
	*at = from + bytes;
	return bytes;
}

/* ---- Options ---- */

/*
 * "9000" in the option's unit; of seconds also "0.5", "60s", "1M". Other units are refused: rtla
 * takes "500ms" as 500 minutes, and turbostat as 500 s.
 */
static bool read_time(const char *value, const char *unit, struct maybe *ns)
{
	size_t whole = strspn(value, "0123456789");
	bool seconds = unit && *unit == 's';
	bool letter = seconds && isalpha((unsigned char)value[whole]) && !value[whole + 1];
	char text[40], *at = text;

	snprintf(text, sizeof(text), "%s%s", value, unit && !letter ? unit : "");
	for (; letter && *at; at++)
		*at = (char)tolower((unsigned char)*at);
	ns->known = units_parse_ns(text, strlen(text), &ns->value) == UNITS_OK &&
		    (!unit || seconds || ns->value);
	return ns->known;
}

/* False for a value that cannot be read. A clock's rate is 1 MHz to 16 GHz. */
static bool take_value(struct tool_stated *s, const struct option *o, const char *value)
{
	void *member = (char *)s + o->offset;
	struct maybe *m = member;
	const char *at = value;

	switch (o->kind) {
	case FLAG:
		return *(bool *)member = true;
	case LEAST:
		*m = (struct maybe){ NS_PER_US, true };
		return true;
	case TIME:
		return read_time(value, o->unit, m);
	case HZ:
		return m->known = scan_maybe(&at, m) && !*at && m->value >= 1000000 &&
				  m->value <= UINT64_C(16000000000);
	case CORES:
		return s->has_cpus = cpulist_parse(member, value, strlen(value));
	case MODE:
		s->per_cpu = strcmp(value, "per-cpu") == 0;
		return s->has_mode = s->per_cpu || strcmp(value, "none") == 0 ||
				     strcmp(value, "round-robin") == 0;
	}
	return false;
}

/* The tool's option of this letter or, if that is 0, of this word. */
static const struct option *find_option(const char *tool, char letter, const char *word)
{
	size_t bytes = strcspn(word, "=");

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option *o = &options[i];

		if (strncmp(tool, o->tools, strlen(o->tools)) == 0 &&
		    (letter ? o->letter == letter
			    : strlen(o->word) == bytes && !memcmp(o->word, word, bytes)))
			return o;
	}
	return NULL;
}

/* "--cpus=1", "--cpus" "1", "-c" "1", "-c1", "-qDc1": a value may be in the next word. */
static void take_option(struct tool_command *c, const char *word, const char **at)
{
	const struct option *o = NULL;
	char next[WORD_BYTES];
	const char *value;

	if (strncmp(word, "--", 2) == 0) {
		o = find_option(c->name, 0, word + 2);
		value = word + strcspn(word, "=");
		value += *value == '=';
	} else {
		for (value = word + 1; isalpha((unsigned char)*value) && !(o && o->kind != FLAG);) {
			o = find_option(c->name, *value++, "");
			if (o && o->kind == FLAG)
				take_value(&c->stated, o, "");
		}
	}
	if (!o || (o->kind == FLAG && word[1] != '-'))
		return;
	if (o->kind != FLAG && !*value && next_word(at, next))
		value = next;
	c->odd = !take_value(&c->stated, o, value) || c->odd;
}

/* ---- The tool ---- */

/* The text behind "root@rack7:~# " or "[user@rack7 tmp]$"; NULL: there is no prompt. */
static const char *skip_prompt(const char *at)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "-_.";
	size_t user, host, rest;

	at += strspn(at, " >|[");
	user = strspn(at, name);
	if (!user || at[user] != '@')
		return NULL;
	at += user + 1;
	host = strspn(at, name);
	rest = host + strcspn(at + host, "#$");
	if (!host || !strchr(":] ~", at[host]) || rest > PROMPT_MAX || !at[rest])
		return NULL;
	at += rest + 1;
	return !*at || *at == ' ' ? at + strspn(at, " ") : NULL;
}

/*
 * True if the tool is run here: an option follows or, without one, the tool begins the line or
 * stands behind the mark of a prompt, and at most a number or the end of the command follows.
 */
static bool is_run(const char *line, const char *at, const char *end)
{
	const char *begin = line + strspn(line, " >|#$+"), *next = end + strspn(end, " ");
	const char *after_mark = begin - (begin > line + 1 && begin[-1] == ' ');

	if ((at > line && !strchr(" /\"'(`;&|=", at[-1])) || (*end && !strchr(" |<>&;\"')", *end)))
		return false;
	if (*next == '-')
		return next[1] && next[1] != ' ';
	if (at - line >= 5 && memcmp(at - 5, "rtla ", 5) == 0)
		at -= 5;
	return (!*next || strchr("|<>&;\"')", *next) || isdigit((unsigned char)*next)) &&
	       (at == begin || (after_mark > line && strchr("#$+", after_mark[-1])));
}

/* Where a tool's name is that the line runs, up to *end; it is copied to c->name. NULL: none. */
static const char *find_tool(const char *line, struct tool_command *c, const char **end)
{
	for (size_t i = 0; tool_formats[i]; i++) {
		const char *names = tool_formats[i]->command;

		for (; names && *names; names += strspn(names, ", ")) {
			size_t bytes = strcspn(names, ",");

			snprintf(c->name, sizeof(c->name), "%.*s", (int)bytes, names);
			names += bytes;
			for (const char *at = line; (at = strstr(at, c->name)); at++) {
				*end = at + bytes;
				if (is_run(line, at, *end))
					return at;
			}
		}
	}
	c->name[0] = '\0';
	return NULL;
}

bool tool_command_read(const char *line, struct tool_command *c)
{
	struct tool_command found = { .odd = false };
	const char *end, *tool = find_tool(line, &found, &end), *prompt = skip_prompt(line);
	char word[WORD_BYTES];

	if (!tool && !prompt)
		return false;
	/* It may begin before the tool's name: "$ timeout 60 cyclictest -N". */
	snprintf(found.text, sizeof(found.text), "%s",
		 prompt ? prompt : line + strspn(line, " >|#$+"));
	text_sanitize(found.text);
	while (tool && next_word(&end, word)) {
		if (word[0] == '-')
			take_option(&found, word, &end);
	}
	*c = found;
	return true;
}

void tool_command_apply(const struct tool_command *c, const struct tool_format *format,
			struct tool_stated *stated)
{
	if (!c->name[0] || c->odd || !format->command || !strstr(format->command, c->name))
		return;
	stated->has_command = true;
	for (size_t i = 0; i < OPTIONS; i++) {
		void *to = (char *)stated + options[i].offset;
		const void *from = (const char *)&c->stated + options[i].offset;

		if (options[i].kind == FLAG)
			*(bool *)to |= *(const bool *)from;
		else if (options[i].kind == TIME && !((struct maybe *)to)->known)
			*(struct maybe *)to = *(const struct maybe *)from;
	}
	/* A core that is not in a table was not watched to the end of a period. */
	if (strstr(c->name, "hist") && c->stated.has_cpus && !stated->has_cpus) {
		stated->has_cpus = true;
		stated->cpus = c->stated.cpus;
	}
}

/* ---- "# noisefloor:" lines ---- */

bool tool_stated_read(struct tool_parse *p, const char *at, struct tool_stated *stated)
{
	static const char wanted[] = "wanted: threshold=1us exposure=5s window=1s width=500ms "
				     "cpus=0-3,8 hz=2597000000 mode=none, round-robin or per-cpu";
	char word[WORD_BYTES];
	bool good = true;

	while (next_word(&at, word)) {
		const struct option *o = find_option(STATED, 0, word);
		const char *value = word + strcspn(word, "=");

		if (o && *value && take_value(stated, o, value + 1))
			continue;
		tool_report(p, "%s not understood: \"%s\"; %s", TOOL_STATED_MARK, word, wanted);
		good = false;
	}
	if (scan_end(at))
		return good;
	tool_report(p, "%s not understood: \"%s\"; %s", TOOL_STATED_MARK, at, wanted);
	return false;
}

static void apply_threshold(struct tool_parse *p)
{
	struct tool *tool = p->tool;
	struct maybe stated = tool->stated.threshold_ns;

	if (!stated.known && p->given->threshold_ns && tool->threshold_from != TOOL_STATED)
		stated = (struct maybe){ p->given->threshold_ns, true };
	if (!stated.known)
		return;
	if (tool->threshold_from != TOOL_STATED)
		tool_threshold(tool, range_exact(stated.value), TOOL_STATED);
	else if (stated.value < tool->threshold_ns.low || stated.value > tool->threshold_ns.high)
		tool_report(p,
			    "its threshold is given as %llu ns; the output itself has %llu ns, "
			    "which is used",
			    (unsigned long long)stated.value,
			    (unsigned long long)tool->threshold_ns.low);
}

void tool_stated_apply(struct tool_parse *p)
{
	const struct tool_stated *s = &p->tool->stated;

	apply_threshold(p);
	/* A core that was watched and of which nothing was printed: nothing happened there. */
	for (uint32_t cpu = 0; s->has_cpus && cpu < CPULIST_MAX; cpu++) {
		if (cpulist_has(&s->cpus, cpu) && !tool_find(p->tool, cpu))
			tool_count_none(tool_core(p, cpu));
	}
	for (size_t i = 0; i < p->tool->cores && s->exposure_ns.known; i++) {
		struct tool_core *core = &p->tool->core[i];

		if (core->exposure_from != TOOL_STATED)
			tool_exposure(core, range_exact(s->exposure_ns.value), TOOL_STATED);
	}
}

const char *tool_unit_name(unsigned unit)
{
	static const char *const names[] = { "auto", "us", "ns" };

	return unit < TOOL_UNITS ? names[unit] : NULL;
}
