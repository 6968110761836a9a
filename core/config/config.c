/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading configuration text, defaults, presets and the checks between keys. */
#include "config.h"

#include "config_keys.h"
#include "core/lib/mem.h"
#include "core/lib/units.h"
#include "mode.h"

/* Characters of a wrong word that a complaint quotes. */
#define QUOTE_MAX 40

/* Where mistakes are reported, and their number. */
struct judge {
	config_complaint *complain;
	void *ctx;
	unsigned mistakes;
};

/* A text being read. */
struct reader {
	struct config *config;
	const struct config_source *source;
	struct judge *judge;
	const char *at;
	const char *end;
	unsigned line;
	bool seen_word;    /* the first token was read */
	bool after_secret; /* the word before names a secret: what follows may be part of it */
	bool from_preset;  /* the text is a preset's: given keys win */
	struct config_place preset_place;
};

/* Append a word in a form that is safe to print: bounded, printable. */
static void quote(struct text *out, struct config_word w)
{
	for (size_t i = 0; i < w.bytes && i < QUOTE_MAX; i++)
		text_char(out, w.s[i] >= ' ' && w.s[i] <= '~' ? w.s[i] : '?');
	if (w.bytes > QUOTE_MAX)
		text_add(out, "...");
}

static void blame(struct judge *judge, const char *source, unsigned line, const char *text)
{
	judge->mistakes++;
	judge->complain(judge->ctx, source, line, text);
}

static void blame_here(const struct reader *r, const char *text)
{
	blame(r->judge, r->source->name, r->source->one_line ? 0 : r->line, text);
}

static size_t key_index(struct config_word name)
{
	const struct config_key *key;
	size_t i;

	for (i = 0; (key = config_key_at(i)); i++) {
		if (config_word_is(name, key->name))
			break;
	}
	return i;
}

static bool holds(const struct config_key *key, const struct config *c)
{
	return (key->platforms >> c->platform & 1) && !(c->no_smi && key->on_smi);
}

static void blame_unknown_key(const struct reader *r, struct config_word name)
{
	const struct config_key *key;
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	text_add(&text, "unknown key `");
	quote(&text, name);
	text_add(&text, "`; known keys:");
	for (size_t i = 0; (key = config_key_at(i)); i++)
		if (holds(key, r->config))
			text_add(&text, " %s", key->name);
	blame_here(r, text.buf);
}

static void blame_platform(const struct reader *r, const struct config_key *key)
{
	bool is_here = key->platforms >> r->config->platform & 1;
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	text_add(&text, "%s= does not apply %s", key->name,
		 is_here ? "on this processor" : "from inside an OS");
	if (r->config->why_not && !is_here)
		text_add(&text, ": %s", r->config->why_not(key->name));
	blame_here(r, text.buf);
}

static void blame_value(const struct reader *r, const struct config_key *key,
			struct config_word value, const char *problem)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	text_add(&text, "%s=", key->name);
	if (key->secret)
		text_add(&text, "<%llu characters>", (unsigned long long)value.bytes);
	else
		quote(&text, value);
	text_add(&text, " %s; accepted: %s", problem, key->accepted);
	blame_here(r, text.buf);
}

static void blame_bare_word(const struct reader *r, struct config_word word)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	text_add(&text, "`");
	if (r->after_secret)
		text_add(&text, "<%llu characters>", (unsigned long long)word.bytes);
	else
		quote(&text, word);
	text_add(&text, "` has no value; accepted: key=value, as in duration=60s");
	blame_here(r, text.buf);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
}

/* Go to the next word, over blanks, comments and line ends; false at the end. */
static bool next_word(struct reader *r)
{
	for (;;) {
		skip_blanks(r);
		if (r->at < r->end && *r->at == '#') {
			while (r->at < r->end && *r->at != '\n')
				r->at++;
		}
		if (r->at == r->end)
			return false;
		if (*r->at != '\n')
			return true;
		r->at++;
		r->line++;
	}
}

/* Read a word that ends at a blank, a line end, a comment or `stop`. */
static struct config_word take_word(struct reader *r, char stop)
{
	const char *start = r->at;

	while (r->at < r->end && !is_blank(*r->at) && *r->at != '\n' && *r->at != '#' &&
	       *r->at != stop)
		r->at++;
	return (struct config_word){ start, (size_t)(r->at - start) };
}

static struct config_place place_here(const struct reader *r)
{
	if (r->from_preset)
		return r->preset_place;
	return (struct config_place){ r->source->name, r->source->one_line ? 0 : r->line, false };
}

/* A key that was given overrides every preset. */
static bool is_given(const struct config_place *place)
{
	return place->source && !place->by_preset;
}

static void set_key(struct reader *r, struct config_word name, struct config_word value)
{
	size_t i = key_index(name);
	const struct config_key *key = config_key_at(i);

	if (!key) {
		blame_unknown_key(r, name);
		return;
	}
	if (!holds(key, r->config)) {
		blame_platform(r, key);
		return;
	}
	if (r->from_preset && is_given(&r->config->place[i]))
		return;

	const char *problem = value.bytes ? key->parse(r->config, key, value) : "has no value";

	if (problem)
		blame_value(r, key, value, problem);
	else
		r->config->place[i] = place_here(r);
}

static bool names_secret(struct config_word name)
{
	const struct config_key *key = config_key_at(key_index(name));

	return key && key->secret;
}

void config_mask_secrets(char *text, size_t bytes)
{
	bool is_secret = false;
	size_t name, end;

	for (size_t at = 0; at < bytes; at = end + 1) {
		const struct config_key *key;

		for (end = at; end < bytes && !is_blank(text[end]);)
			end++;
		for (name = at; name < end && text[name] != '=';)
			name++;
		key = config_key_at(key_index((struct config_word){ text + at, name - at }));
		if (key && (key->secret || name < end)) {
			is_secret = key->secret;
			at = name < end ? name + 1 : end;
		}
		if (is_secret)
			memset(text + at, '*', end - at);
	}
}

/* Read one key=value, with or without blanks around the '='. */
static void read_assignment(struct reader *r)
{
	bool first = !r->seen_word;
	struct config_word name = take_word(r, '='), value;

	r->seen_word = true;
	skip_blanks(r);
	if (r->at == r->end || *r->at != '=') {
		/* A boot loader passes the image's name in front of the options. */
		if (!first || !r->source->one_line)
			blame_bare_word(r, name);
		r->after_secret = r->after_secret || names_secret(name);
		return;
	}
	r->after_secret = names_secret(name);
	r->at++;
	skip_blanks(r);
	/* NUL cannot occur in the text, so only the terminator stops this. */
	value = take_word(r, '\0');
	/* GRUB and PXELINUX pass the name in this form to what they start as a Linux. */
	if (!first || !r->source->one_line || !config_word_is(name, "BOOT_IMAGE"))
		set_key(r, name, value);
}

static void read_text(struct reader *r)
{
	while (next_word(r))
		read_assignment(r);
}

/* Put the keys an earlier preset had set back to their defaults. */
static void drop_preset(struct config *c)
{
	const struct config_key *key;

	for (size_t i = 0; (key = config_key_at(i)); i++) {
		struct config_word fallback = { key->fallback, strlen(key->fallback) };

		if (!c->place[i].by_preset)
			continue;
		key->parse(c, key, fallback);
		c->place[i] = (struct config_place){ NULL, 0, false };
	}
}

/*
 * Apply the preset in force to the keys that were not given. Done after each text, so that the
 * order of `preset` and the keys does not matter.
 */
static void apply_preset(struct config *c, struct judge *judge)
{
	static const struct config_source source = { "preset", true };

	drop_preset(c);
	if (!c->preset)
		return;

	struct reader r = {
		.config = c,
		.source = &source,
		.judge = judge,
		.at = c->preset->settings,
		.end = c->preset->settings + strlen(c->preset->settings),
		.from_preset = true,
		.preset_place = config_where(c, "preset"),
	};

	r.preset_place.by_preset = true;
	read_text(&r);
}

/*
 * The first control character that is invalid in a text, or the end. Advances r->line, so that a
 * complaint can name it.
 */
static const char *find_binary(struct reader *r)
{
	const char *s;

	for (s = r->at; s < r->end; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
			break;
		if (c == '\n')
			r->line++;
	}
	return s;
}

/* True if the text may be read; else the mistake was reported. */
static bool is_text(struct reader r)
{
	const char *start = r.at;
	const char *bad = find_binary(&r);
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	if (bad == r.end)
		return true;
	text_add(&text, "byte 0x%02x at offset %llu is not text; accepted: lines of key=value",
		 (unsigned char)*bad, (unsigned long long)(bad - start));
	blame_here(&r, text.buf);
	return false;
}

static void blame_size(const struct reader *r, size_t bytes)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	text_add(&text, "%llu bytes are too many; accepted: at most %u", (unsigned long long)bytes,
		 CONFIG_TEXT_MAX);
	blame_here(r, text.buf);
}

/* Editors on Windows put a byte order mark in front of UTF-8. */
static void skip_byte_order_mark(struct reader *r)
{
	if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0)
		r->at += 3;
}

unsigned config_apply(struct config *c, const struct config_source *source, const char *text,
		      size_t bytes, config_complaint *complain, void *ctx)
{
	struct judge judge = { complain, ctx, 0 };
	struct reader r = { .config = c, .source = source, .judge = &judge };

	if (bytes > CONFIG_TEXT_MAX) {
		blame_size(&r, bytes);
		return judge.mistakes;
	}

	r.at = text;
	r.end = text + bytes;
	r.line = 1;
	if (!is_text(r))
		return judge.mistakes;
	skip_byte_order_mark(&r);
	read_text(&r);
	apply_preset(c, &judge);
	return judge.mistakes;
}

void config_defaults(struct config *c)
{
	const struct config_key *key;

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; (key = config_key_at(i)); i++)
		key->parse(c, key, (struct config_word){ key->fallback, strlen(key->fallback) });
}

struct config_place config_where(const struct config *c, const char *key)
{
	size_t i = key_index((struct config_word){ key, strlen(key) });

	return config_key_at(i) ? c->place[i] : (struct config_place){ NULL, 0, false };
}

/* A check between keys failed: report it where `key` was given. */
static void blame_key(const struct config *c, struct judge *judge, const char *key,
		      const struct text *text)
{
	struct config_place place = config_where(c, key);

	blame(judge, place.source ? place.source : "defaults", place.line, text->buf);
}

static void check_cpus(const struct config *c, uint32_t cpus_found, struct judge *judge)
{
	TEXT_DEFINE(list, QUOTE_MAX + 2);
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	if (cpulist_empty(&c->cpus) || cpulist_last(&c->cpus) < cpus_found)
		return;

	cpulist_print(&c->cpus, &list);
	text_add(&text, "cpus=");
	quote(&text, (struct config_word){ list.buf, list.len });
	if (cpus_found == 1)
		text_add(&text,
			 " names cores that do not exist; accepted: this machine has core 0");
	else
		text_add(&text,
			 " names cores that do not exist; accepted: this machine has cores 0-%u",
			 cpus_found - 1);
	blame_key(c, judge, "cpus", &text);
}

/* A limit below all recorded gaps could be exceeded unnoticed. */
static void check_limit(const struct config *c, const char *key, const struct config_limit *limit,
			struct judge *judge)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	if (!limit->set || limit->value >= c->threshold_ns)
		return;

	text_add(&text, "%s=", key);
	units_print_ns(&text, limit->value);
	text_add(&text, " is below threshold=");
	units_print_ns(&text, c->threshold_ns);
	text_add(&text,
		 ", so that gaps in between are not recorded; accepted: %s no shorter than "
		 "threshold",
		 key);
	blame_key(c, judge, key, &text);
}

static void check_threshold(const struct config *c, struct judge *judge)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	if (c->threshold_ns < c->window_ns)
		return;

	text_add(&text, "threshold=");
	units_print_ns(&text, c->threshold_ns);
	text_add(&text, " is not below the window; accepted: shorter than ");
	units_print_ns(&text, c->window_ns);
	blame_key(c, judge, "threshold", &text);
}

static const char *first_mode(unsigned modes)
{
	return mode_at((unsigned)__builtin_ctz(modes))->name;
}

/* A limit on what is not measured would be met whatever happens. */
static void check_limits(const struct config *c, struct judge *judge)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);
	const struct config_key *key;

	for (size_t i = 0; (key = config_key_at(i)); i++) {
		const struct config_limit *limit = (const void *)((const char *)c + key->offset);

		if (!key->modes || key->modes >> c->mode & 1 || !limit->set)
			continue;
		text_reset(&text);
		text_add(&text, "%s= is no limit of this mode; accepted: with mode=%s", key->name,
			 first_mode(key->modes));
		blame_key(c, judge, key->name, &text);
	}
}

static void check_mode(const struct config *c, struct judge *judge)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	if (!(c->no_modes >> c->mode & 1))
		return;
	text_add(&text, "mode=%s has no %s; accepted: mode=%s", mode_of(c)->name, mode_of(c)->needs,
		 first_mode(~c->no_modes));
	blame_key(c, judge, "mode", &text);
}

/* What changes nothing is done before anything is changed. */
static void check_stages(const struct config *c, struct judge *judge)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	if (!mode_of(c)->reads || !config_where(c, "stages").source ||
	    c->stages == 1u << STAGE_FIRMWARE)
		return;
	text_add(&text,
		 "mode=%s reads the machine as the firmware left it; accepted: stages=firmware",
		 mode_of(c)->name);
	blame_key(c, judge, "stages", &text);
}

void config_settle(struct config *c)
{
	if (mode_of(c)->reads)
		c->stages = 1u << STAGE_FIRMWARE;
}

unsigned config_check(struct config *c, uint32_t cpus_found, config_complaint *complain, void *ctx)
{
	struct judge judge = { complain, ctx, 0 };

	if (c->quiet || c->window_ns > c->duration_ns)
		c->window_ns = c->duration_ns;
	check_cpus(c, cpus_found, &judge);
	check_limit(c, "max", &c->limit[LIMIT_MAX], &judge);
	check_limit(c, "stop", &c->stop_ns, &judge);
	check_threshold(c, &judge);
	check_limits(c, &judge);
	check_mode(c, &judge);
	check_stages(c, &judge);
	return judge.mistakes;
}

static void print_key(const struct config *c, const struct config_key *key, struct text *out)
{
	text_add(out, "%s%s=", out->len ? " " : "", key->name);
	key->print(c, key, out);
}

void config_print(const struct config *c, struct text *out)
{
	const struct config_key *key;

	for (size_t i = 0; (key = config_key_at(i)); i++)
		if (holds(key, c))
			print_key(c, key, out);
}

static bool is_set_limit(const struct config *c, const struct config_key *key)
{
	const struct config_limit *limit = (const void *)((const char *)c + key->offset);

	return key->limit && limit->set;
}

void config_print_limits(const struct config *c, struct text *out)
{
	const struct config_key *key;

	for (size_t i = 0; (key = config_key_at(i)); i++)
		if (is_set_limit(c, key))
			print_key(c, key, out);
	if (c->preset)
		text_add(out, "%spreset=%s", out->len ? " " : "", c->preset->name);
}
