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

/* Names of tools, with the subcommand where there are several; `rtla` may precede a name. */
static const char *const tools[] = { "osnoise hist",
				     "osnoise top",
				     "osnoise",
				     "timerlat hist",
				     "timerlat top",
				     "timerlat",
				     "hwnoise",
				     "cyclictest",
				     "oslat",
				     "hwlatdetect",
				     "sysjitter",
				     "detect-detour",
				     "detect-detour.py",
				     "jhiccup",
				     "trace-cmd",
				     "turbostat",
				     NULL };

enum kind { FLAG, LEAST, TIME_NS, TIME_US, TIME_S, TIME, HZ, CORES, MODE };

/* The line `# noisefloor:`, whose keys are options without dashes. */
#define STATED "noisefloor"

/* `tools` begins the tools' names. Of letters in one word, only the last may have a value. */
static const struct option {
	const char *tools;
	char letter;
	const char *word;
	enum kind kind;
	size_t offset; /* of a bool for FLAG, else of a struct maybe */
} options[] = {
#define OPTION(member) offsetof(struct tool_stated, member)
	{ "cyclictest", 'N', "nsecs", FLAG, OPTION(ns) },
	{ "timerlat", 'n', "nano", FLAG, OPTION(ns) },
	{ "timerlat", 0, "no-summary", FLAG, OPTION(no_summary) },
	{ "osnoise", 0, "no-summary", FLAG, OPTION(no_summary) },
	{ "turbostat", 'i', "interval", TIME_S, OPTION(period_ns) },
	{ "detect-detour", 0, "threshold", TIME_NS, OPTION(threshold_ns) },
	{ "osnoise", 'T', "threshold", TIME_US, OPTION(threshold_ns) },
	{ "osnoise", 'a', "auto", LEAST, OPTION(threshold_ns) },
	{ "osnoise", 'r', "runtime", TIME_US, OPTION(runtime_ns) },
	{ "osnoise", 'p', "period", TIME_US, OPTION(period_ns) },
	{ "osnoise", 'd', "duration", TIME_S, OPTION(duration_ns) },
	{ "osnoise", 'c', "cpus", CORES, OPTION(cpus) },
	{ "hwnoise", 'T', "threshold", TIME_US, OPTION(threshold_ns) },
	{ STATED, 0, "threshold", TIME, OPTION(threshold_ns) },
	{ STATED, 0, "exposure", TIME, OPTION(exposure_ns) },
	{ STATED, 0, "window", TIME, OPTION(window_ns) },
	{ STATED, 0, "width", TIME, OPTION(width_ns) },
	{ STATED, 0, "cpus", CORES, OPTION(cpus) },
	{ STATED, 0, "hz", HZ, OPTION(hz) },
	{ STATED, 0, "mode", MODE, OPTION(has_mode) },
};

#define OPTIONS (sizeof(options) / sizeof(options[0]))

/* ---- Words, as a shell has them ---- */

struct words {
	const char *at;
	char word[WORD_BYTES];
};

/* The next word, whatever it is quoted in, up to the end of the command; a long one is "?". */
static bool next_word(struct words *w)
{
	size_t bytes;

	w->at += strspn(w->at, " '\"");
	bytes = strcspn(w->at, " '\"|<>&;)");
	snprintf(w->word, sizeof(w->word), "%.*s", bytes < WORD_BYTES ? (int)bytes : 1,
		 bytes < WORD_BYTES ? w->at : "?");
	w->at += bytes;
	return bytes;
}

/* ---- Options ---- */

/* Read seconds, such as 60, 60s or 1m. */
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

/* True for the rate of a clock: 1 MHz to 16 GHz. */
static bool is_rate(uint64_t hz)
{
	return hz >= 1000000 && hz <= UINT64_C(16000000000);
}

/* False for a value that cannot be read. */
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
	case TIME_NS:
	case TIME_US:
		m->known = scan_maybe(&at, m) && !*at && m->value;
		m->value = arith_times(m->value, o->kind == TIME_US ? NS_PER_US : 1);
		return m->known;
	case TIME_S:
		return read_seconds(value, m);
	case TIME:
		return m->known = units_parse_ns(value, strlen(value), &m->value) == UNITS_OK;
	case HZ:
		return m->known = scan_maybe(&at, m) && !*at && is_rate(m->value);
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
static void take_option(struct tool_command *c, struct words *w)
{
	char word[WORD_BYTES];
	const struct option *o = NULL;
	const char *value;

	memcpy(word, w->word, sizeof(word));
	if (strncmp(word, "--", 2) == 0) {
		o = find_option(c->name, 0, word + 2);
		value = word + strcspn(word, "=");
		value += *value == '=';
	} else {
		for (value = word + 1; isalpha((unsigned char)*value);) {
			o = find_option(c->name, *value++, "");
			if (o && o->kind == FLAG)
				take_value(&c->stated, o, "");
			if (o && o->kind != FLAG)
				break;
		}
	}
	if (!o || (o->kind == FLAG && word[1] != '-'))
		return;
	if (o->kind != FLAG && !*value && next_word(w))
		value = w->word;
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

	if ((at > line && !strchr(" /\"'(`;&|=", at[-1])) || (*end && !strchr(" |<>&;\"')", *end)))
		return false;
	if (*next == '-')
		return next[1] && next[1] != ' ';
	if (at - line >= 5 && memcmp(at - 5, "rtla ", 5) == 0)
		at -= 5;
	return (!*next || strchr("|<>&;\"')", *next) || isdigit((unsigned char)*next)) &&
	       (at == begin || (begin > line && strchr("#$+", begin[-1 - (begin[-1] == ' ')])));
}

/* The name of a tool that the line runs; *at, *end: where it is. */
static const char *find_tool(const char *line, const char **at, const char **end)
{
	*at = *end = NULL;
	for (const char *const *tool = tools; *tool; tool++) {
		for (*at = line; (*at = strstr(*at, *tool)); ++*at) {
			*end = *at + strlen(*tool);
			if (is_run(line, *at, *end))
				return *tool;
		}
	}
	return NULL;
}

/* Where the command begins, which may be before the tool's name: "timeout 60 cyclictest -N". */
static const char *begin_of(const char *line, const char *at)
{
	const char *mark = at;

	while (mark > line &&
	       !((mark[-1] == '$' || mark[-1] == '#' || mark[-1] == '+') && *mark == ' '))
		mark--;
	return mark + strspn(mark, " >|");
}

bool tool_command_read(const char *line, struct tool_command *c)
{
	const char *prompt = skip_prompt(line), *at, *end, *tool = find_tool(line, &at, &end);

	if (!tool && !prompt)
		return false;
	*c = (struct tool_command){ .odd = false };
	snprintf(c->text, sizeof(c->text), "%s", prompt ? prompt : begin_of(line, at));
	text_sanitize(c->text);
	if (!tool)
		return true;
	snprintf(c->name, sizeof(c->name), "%s", tool);
	for (struct words w = { .at = end }; next_word(&w);) {
		if (w.word[0] == '-')
			take_option(c, &w);
	}
	return true;
}

void tool_command_apply(const struct tool_command *c, const struct tool_format *format,
			struct tool_stated *stated)
{
	const struct tool_stated *from = &c->stated;

	if (!c->name[0] || c->odd || !format->command || !strstr(format->command, c->name))
		return;
	stated->has_command = true;
	stated->ns = from->ns;
	stated->no_summary = from->no_summary;
	if (!stated->threshold_ns.known)
		stated->threshold_ns = from->threshold_ns;
	stated->runtime_ns = from->runtime_ns;
	stated->period_ns = from->period_ns;
	stated->duration_ns = from->duration_ns;
	/* A core that is not in a table was not watched to the end of a period. */
	if (strstr(c->name, "hist") && from->has_cpus && !stated->has_cpus) {
		stated->has_cpus = true;
		stated->cpus = from->cpus;
	}
}

/* ---- "# noisefloor:" lines ---- */

bool tool_stated_read(struct tool_parse *p, const char *at, struct tool_stated *stated)
{
	static const char *const wanted[] = {
		[TIME] = "a time with a unit",
		[CORES] = "a list of cores, as 0-3,8",
		[HZ] = "ticks per second of the numbers that follow",
		[MODE] = "none, round-robin or per-cpu",
	};
	struct words w = { .at = at };
	bool good = true;

	while (next_word(&w)) {
		const struct option *o = find_option(STATED, 0, w.word);
		const char *value = w.word + strcspn(w.word, "=");

		if (o && *value && take_value(stated, o, value + 1))
			continue;
		good = false;
		if (o)
			tool_report(p, "%s: not understood: \"%s\"; wanted: %s", TOOL_STATED_MARK,
				    w.word, wanted[o->kind]);
		else
			tool_report(p,
				    "%s: unknown key in \"%s\"; known: threshold exposure window "
				    "width cpus hz mode",
				    TOOL_STATED_MARK, w.word);
	}
	if (!scan_end(w.at))
		tool_report(p, "%s: not understood: \"%s\"; wanted: keys with values",
			    TOOL_STATED_MARK, w.at);
	return good && scan_end(w.at);
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
