/* SPDX-License-Identifier: BSD-2-Clause */
/* Options as getopt_long() takes them; those of rtla osnoise top, hist and hwnoise up to 6.17. */
#include "tool_command.h"

#include "tool_format.h"
#include "tool_frame.h"

#include <ctype.h>
#include <string.h>

#define WORD_BYTES 128

static bool take_us(const char *value, struct maybe *ns)
{
	ns->known = scan_maybe(&value, ns) && !*value && ns->value;
	ns->value = arith_times(ns->value, NS_PER_US);
	return ns->known;
}

static bool take_threshold(struct tool_command *c, const char *value)
{
	return take_us(value, &c->threshold_ns);
}

/* To stop at a noise of so many us; it lowers the threshold. */
static bool take_auto(struct tool_command *c, const char *value)
{
	bool good = take_us(value, &c->threshold_ns);

	c->threshold_ns.value = NS_PER_US;
	return good;
}

static bool take_runtime(struct tool_command *c, const char *value)
{
	return take_us(value, &c->runtime_ns);
}

static bool take_period(struct tool_command *c, const char *value)
{
	return take_us(value, &c->period_ns);
}

/* 60, 60s, 1M */
static bool take_duration(struct tool_command *c, const char *value)
{
	static const struct {
		char unit;
		uint64_t s;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	uint64_t s = *value && !value[strspn(value, "0123456789")];

	if (!scan_maybe(&value, &c->duration_ns))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !s; i++) {
		if (tolower((unsigned char)*value) == units[i].unit && !value[1])
			s = units[i].s;
	}
	c->duration_ns.value = arith_times(arith_times(c->duration_ns.value, s), NS_PER_S);
	return s != 0;
}

static bool take_cpus(struct tool_command *c, const char *value)
{
	return c->has_cpus = cpulist_parse(&c->cpus, value, strlen(value));
}

enum value { NONE, NEEDED, MAYBE /* attached, or a word that is no option */ };

static const struct {
	char letter;
	const char *word;
	enum value value;
	bool (*take)(struct tool_command *c, const char *value); /* NULL: of no concern */
} options[] = {
	{ 'a', "auto", NEEDED, take_auto },
	{ 'b', "bucket-size", NEEDED, NULL },
	{ 'c', "cpus", NEEDED, take_cpus },
	{ 'C', "cgroup", MAYBE, NULL },
	{ 'd', "duration", NEEDED, take_duration },
	{ 'D', "debug", NONE, NULL },
	{ 'e', "event", NEEDED, NULL },
	{ 'E', "entries", NEEDED, NULL },
	{ 'H', "house-keeping", NEEDED, NULL },
	{ 'p', "period", NEEDED, take_period },
	{ 'P', "priority", NEEDED, NULL },
	{ 'q', "quiet", NONE, NULL },
	{ 'r', "runtime", NEEDED, take_runtime },
	{ 's', "stop", NEEDED, NULL },
	{ 'S', "stop-total", NEEDED, NULL },
	{ 't', "trace", MAYBE, NULL },
	{ 'T', "threshold", NEEDED, take_threshold },
	{ 0, "filter", NEEDED, NULL },
	{ 0, "no-header", NONE, NULL },
	{ 0, "no-index", NONE, NULL },
	{ 0, "no-summary", NONE, NULL },
	{ 0, "on-end", NEEDED, NULL },
	{ 0, "on-threshold", NEEDED, NULL },
	{ 0, "trace-buffer-size", NEEDED, NULL },
	{ 0, "trigger", NEEDED, NULL },
	{ 0, "warm-up", NEEDED, NULL },
	{ 0, "with-zeros", NONE, NULL },
};

#define OPTIONS (sizeof(options) / sizeof(options[0]))

/* What a shell reads: words up to a pipe, a redirection, or the end of the string it is in. */
struct words {
	const char *at;
	char word[WORD_BYTES];
};

/* A quote behind a blank begins a word, which is not read. */
static bool at_end(const char *at)
{
	size_t blanks = strspn(at, " ");

	at += blanks;
	if (!*at || strchr("|<>&;#", *at) || ((*at == '1' || *at == '2') && at[1] == '>'))
		return true;
	return !blanks && strchr("\"'`\\)", *at);
}

static bool next_word(struct words *w)
{
	size_t bytes;

	if (at_end(w->at))
		return false;
	w->at += strspn(w->at, " ");
	bytes = strcspn(w->at, " |<>&;#\"'`\\)");
	if (!bytes || bytes >= WORD_BYTES)
		return false;
	memcpy(w->word, w->at, bytes);
	w->word[bytes] = '\0';
	w->at += bytes;
	return true;
}

/* `attached`: the value, if there was one in the option's own word. */
static bool take_option(struct tool_command *c, struct words *w, size_t option,
			const char *attached)
{
	const char *value = attached;

	if (options[option].value == NONE)
		return !attached;
	if (options[option].value == MAYBE)
		return attached || at_end(w->at) || w->at[strspn(w->at, " ")] == '-' ||
		       next_word(w);
	if (!value) {
		if (!next_word(w))
			return false;
		value = w->word;
	}
	return !options[option].take || options[option].take(c, value);
}

static bool take_long(struct tool_command *c, struct words *w, const char *name)
{
	size_t bytes = strcspn(name, "=");

	for (size_t i = 0; i < OPTIONS; i++) {
		if (strlen(options[i].word) == bytes && !memcmp(options[i].word, name, bytes))
			return take_option(c, w, i, name[bytes] ? name + bytes + 1 : NULL);
	}
	return false;
}

/* -qDT2: letters, the last of which may have a value. */
static bool take_short(struct tool_command *c, struct words *w, const char *letter)
{
	for (; *letter; letter++) {
		size_t i = 0;

		while (i < OPTIONS && options[i].letter != *letter)
			i++;
		if (i == OPTIONS)
			return false;
		if (options[i].value != NONE)
			return take_option(c, w, i, letter[1] ? letter + 1 : NULL);
	}
	return true;
}

static bool take_words(struct tool_command *c, struct words *w)
{
	while (!at_end(w->at)) {
		if (!next_word(w) || w->word[0] != '-' || !w->word[1])
			return false;
		if (w->word[1] == '-' ? !take_long(c, w, w->word + 2)
				      : !take_short(c, w, w->word + 1))
			return false;
	}
	return true;
}

void tool_command_read(const char *line, bool broken, struct tool_command *c)
{
	static const char *const marks[] = { "rtla osnoise", "rtla hwnoise" };
	struct words w = { .at = NULL };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !w.at; i++) {
		w.at = tool_frame_word(line, marks[i]);
		w.at = w.at ? w.at + strlen(marks[i]) : NULL;
	}
	if (!w.at)
		return;
	*c = (struct tool_command){ .histogram = scan_literal(&w.at, "hist") };
	if (!c->histogram)
		scan_literal(&w.at, "top");
	c->known = !broken && (*w.at == ' ' || at_end(w.at)) && take_words(c, &w);
}

void tool_command_apply(const struct tool_command *c, const struct tool_format *format,
			struct tool_stated *stated)
{
	if (!c->known || format != (c->histogram ? &tool_rtla_hist : &tool_rtla_top))
		return;
	stated->has_command = true;
	if (!stated->threshold_ns.known)
		stated->threshold_ns = c->threshold_ns;
	stated->runtime_ns = c->runtime_ns;
	stated->period_ns = c->period_ns;
	stated->duration_ns = c->duration_ns;
	/* Of a table a core that is not in it was not watched to the end of a period. */
	if (c->histogram && c->has_cpus && !stated->has_cpus) {
		stated->has_cpus = true;
		stated->cpus = c->cpus;
	}
}
