/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts about a measurement beyond its output: by a `# noisefloor:` line, or by the tool's command
 * line. One table has the options of all tools that change what figures mean; other options are
 * ignored.
 */
#include "host/lib/text_sanitize.h"
#include "tool_format.h"

#include "core/lib/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define WORD_BYTES 1024
#define PROMPT_MAX 80

/* The line `# noisefloor:`, whose keys are options without dashes. */
#define STATED "noisefloor"

/* `tools` begins the tools' names. Of letters in one word, only the last may have a value. */
static const struct option {
	const char *tools;
	char letter;
	const char *word;
	size_t offset;    /* offset of a number in struct tool_stated, or of `cpus` */
	const char *unit; /* unit of a time; "s": unless the value has one; NULL: it must */
	uint64_t set;     /* value that the option alone sets; 0: it has one of its own */
} options[] = {
#define OPTION(member) offsetof(struct tool_stated, member)
	{ "cyclictest", 'N', "nsecs", OPTION(in_ns), NULL, 1 },
	{ "timerlat", 'n', "nano", OPTION(in_ns), NULL, 1 },
	{ "timerlat", 0, "no-summary", OPTION(no_summary), NULL, 1 },
	{ "osnoise", 0, "no-summary", OPTION(no_summary), NULL, 1 },
	{ "turbostat", 'i', "interval", OPTION(period_ns), "s", 0 },
	{ "detect-detour", 0, "threshold", OPTION(threshold_ns), "ns", 0 },
	{ "osnoise", 'T', "threshold", OPTION(threshold_ns), "us", 0 },
	{ "osnoise", 'a', "auto", OPTION(threshold_ns), NULL, NS_PER_US },
	{ "osnoise", 'r', "runtime", OPTION(runtime_ns), "us", 0 },
	{ "osnoise", 'p', "period", OPTION(period_ns), "us", 0 },
	{ "osnoise", 'd', "duration", OPTION(duration_ns), "s", 0 },
	{ "osnoise", 'c', "cpus", OPTION(cpus), NULL, 0 },
	{ "hwnoise", 'T', "threshold", OPTION(threshold_ns), "us", 0 },
	{ STATED, 0, "threshold", OPTION(threshold_ns), NULL, 0 },
	{ STATED, 0, "exposure", OPTION(exposure_ns), NULL, 0 },
	{ STATED, 0, "cpus", OPTION(cpus), NULL, 0 },
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
static bool read_time(const char *value, const char *unit, uint64_t *ns)
{
	size_t whole = strspn(value, "0123456789");
	bool seconds = unit && *unit == 's';
	bool letter = seconds && isalpha((unsigned char)value[whole]) && !value[whole + 1];
	char text[40], *at = text;

	snprintf(text, sizeof(text), "%s%s", value, unit && !letter ? unit : "");
	for (; letter && *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return !units_parse_ns(text, strlen(text), ns) && *ns;
}

/* False for a value that cannot be read. */
static bool take_value(struct tool_stated *s, const struct option *o, const char *value)
{
	uint64_t *number = (uint64_t *)((char *)s + o->offset);

	if (o->offset == OPTION(cpus))
		return s->has_cpus = cpulist_parse(&s->cpus, value, strlen(value));
	*number = o->set;
	return o->set || read_time(value, o->unit, number);
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
		for (value = word + 1; isalpha((unsigned char)*value) && !(o && !o->set);) {
			o = find_option(c->name, *value++, "");
			if (o && o->set)
				take_value(&c->stated, o, "");
		}
	}
	if (!o || (o->set && word[1] != '-'))
		return;
	if (!o->set && !*value && next_word(at, next))
		value = next;
	c->odd = !take_value(&c->stated, o, value) || c->odd;
}

/* ---- The tool ---- */

/* The text behind "root@rack7:~# " or "[user@rack7 tmp]$"; NULL: there is no prompt. */
static const char *skip_prompt(const char *line)
{
	const char *user = line + strspn(line, " >|["), *host = user + strcspn(user, " @");
	const char *mark = strpbrk(host, "#$");

	if (*host != '@' || host == user || !mark || mark - host > PROMPT_MAX)
		return NULL;
	return mark[1] && mark[1] != ' ' ? NULL : mark + 1 + strspn(mark + 1, " ");
}

/*
 * True if the tool is run here: an option follows it or, if it begins the command or a mark
 * precedes that, at most a number.
 */
static bool is_run(const char *begin, bool marked, const char *at, const char *end)
{
	const char *next = end + strspn(end, " ");

	if ((at > begin && !strchr(" /\"'(`;&|=", at[-1])) || (*end && !strchr(" |<>&;\"')", *end)))
		return false;
	if (*next == '-')
		return next[1] && next[1] != ' ';
	if (at > begin + 1 && at[-2] == ':')
		return false; /* a title: "# tracer: osnoise" */
	return (marked || at == begin || (at == begin + 5 && memcmp(begin, "rtla ", 5) == 0)) &&
	       (!*next || strchr("|<>&;\"')0123456789", *next));
}

/* Find the name of the tool that a command runs, and copy it to c->name. Returns what follows. */
static const char *find_tool(const char *begin, bool marked, struct tool_command *c)
{
	for (size_t i = 0; tool_formats[i]; i++) {
		const char *names = tool_formats[i]->command;

		for (; names && *names; names += strspn(names, ", ")) {
			size_t bytes = strcspn(names, ",");

			snprintf(c->name, sizeof(c->name), "%.*s", (int)bytes, names);
			names += bytes;
			for (const char *at = begin; (at = strstr(at, c->name)); at++) {
				if (is_run(begin, marked, at, at + bytes))
					return at + bytes;
			}
		}
	}
	c->name[0] = '\0';
	return NULL;
}

bool tool_command_read(const char *line, struct tool_command *c)
{
	const char *prompt = skip_prompt(line), *mark = line + strspn(line, " >|");
	const char *begin = prompt ?: mark + strspn(mark, "#$+"), *at;
	bool marked = !prompt && begin > mark && *begin == ' ';
	char word[WORD_BYTES];

	begin += strspn(begin, " ");
	*c = (struct tool_command){ .odd = false };
	at = find_tool(begin, marked, c);
	if (!at && !prompt)
		return false;
	snprintf(c->text, sizeof(c->text), "%s", begin);
	text_sanitize(c->text);
	while (at && next_word(&at, word)) {
		if (word[0] == '-')
			take_option(c, word, &at);
	}
	return true;
}

void tool_command_apply(const struct tool_command *c, const struct tool_format *format,
			struct tool_stated *stated)
{
	if (!c->name[0] || c->odd || !format->command || !strstr(format->command, c->name))
		return;
	stated->has_command = true;
	for (size_t i = 0; i < OPTIONS; i++) {
		uint64_t *to = (uint64_t *)((char *)stated + options[i].offset);

		if (options[i].offset != OPTION(cpus) && !*to)
			*to = *(const uint64_t *)((const char *)&c->stated + options[i].offset);
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
	static const char wanted[] = "wanted: threshold=1us exposure=5s cpus=0-3,8";
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
	uint64_t stated = tool->stated.threshold_ns;

	if (!stated)
		return;
	if (tool->threshold_from != TOOL_STATED) {
		tool_threshold(tool, range_exact(stated), TOOL_STATED);
		tool->over_ns = 0; /* belonged to the assumed threshold */
	} else if (stated < tool->threshold_ns.low || stated > tool->threshold_ns.high) {
		tool_report(p,
			    "its threshold is given as %llu ns; the output itself has %llu ns, "
			    "which is used",
			    (unsigned long long)stated, (unsigned long long)tool->threshold_ns.low);
	}
}

void tool_stated_apply(struct tool_parse *p)
{
	const struct tool_stated *s = &p->tool->stated;
	bool named = s->has_cpus && !tool_find(p->tool, TOOL_ANY_CPU); /* all that happened */

	apply_threshold(p);
	/* A core that was watched and of which nothing was printed: nothing happened there. */
	for (uint32_t cpu = 0; named && cpu < CPULIST_MAX; cpu++) {
		if (cpulist_has(&s->cpus, cpu) && !tool_find(p->tool, cpu))
			tool_count_none(tool_core(p, cpu));
	}
	for (size_t i = 0; i < p->tool->cores && s->exposure_ns; i++) {
		struct tool_core *core = &p->tool->core[i];

		if (core->exposure_from != TOOL_STATED)
			tool_exposure(core, range_exact(s->exposure_ns), TOOL_STATED);
	}
}
