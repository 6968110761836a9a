/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading configuration text, defaults, presets and the checks between keys. */
#include "config.h"

#include "config_keys.h"
#include "core/lib/mem.h"
#include "core/lib/units.h"
#include "mode.h"

/* Characters of a wrong word that a complaint quotes. */
#define QUOTE_MAX 40

/* The receiver of mistakes, and their number. */
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
	bool after_secret; /* the last word names a secret, of which the next may be a part */
};

/* A word or a time, as complaints print it. */
struct quoted {
	char s[QUOTE_MAX + sizeof("...")];
};

/*
 * The word in a form that is safe to print: bounded and printable. For a secret, only its length.
 */
static struct quoted quoted(struct span w, bool secret)
{
	struct quoted q;
	struct text t;

	text_init(&t, q.s, sizeof(q.s));
	if (secret)
		text_add(&t, "<%llu characters>", (unsigned long long)w.bytes);
	for (size_t i = 0; !secret && i < w.bytes && i < QUOTE_MAX; i++)
		text_char(&t, w.s[i] >= ' ' && w.s[i] <= '~' ? w.s[i] : '?');
	if (!secret && w.bytes > QUOTE_MAX)
		text_add(&t, "...");
	return q;
}

static struct quoted quoted_ns(uint64_t ns)
{
	struct quoted q;
	struct text t;

	text_init(&t, q.s, sizeof(q.s));
	units_print_ns(&t, ns);
	return q;
}

static void vblame(struct judge *judge, const char *source, unsigned line, const char *format,
		   va_list args)
{
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	text_vadd(&text, format, args);
	judge->mistakes++;
	judge->complain(judge->ctx, source, line, text.buf);
}

static unsigned line_here(const struct reader *r)
{
	return r->source->one_line ? 0 : r->line;
}

static void __attribute__((format(printf, 2, 3)))
blame_here(const struct reader *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vblame(r->judge, r->source->name, line_here(r), format, args);
	va_end(args);
}

static bool holds(const struct config_key *key, const struct config *c)
{
	return (key->platforms >> c->platform & 1) && !(c->no_smi && key->on_smi);
}

static void blame_unknown_key(const struct reader *r, struct span name)
{
	TEXT_DEFINE(known, CONFIG_COMPLAINT_MAX);

	for (const struct config_key *key = config_keys; key < config_keys + CONFIG_KEYS; key++)
		if (holds(key, r->config))
			text_add(&known, " %s", key->name);
	blame_here(r, "unknown key `%s`; known keys:%s", quoted(name, false).s, known.buf);
}

static void blame_platform(const struct reader *r, const struct config_key *key)
{
	bool is_here = key->platforms >> r->config->platform & 1;
	const char *why = r->config->why_not && !is_here ? r->config->why_not(key->name) : NULL;

	blame_here(r, "%s= does not apply %s%s%s", key->name,
		   is_here ? "on this processor" : "from inside an OS", why ? ": " : "",
		   why ? why : "");
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
static struct span take_word(struct reader *r, char stop)
{
	const char *start = r->at;

	while (r->at < r->end && !is_blank(*r->at) && *r->at != '\n' && *r->at != '#' &&
	       *r->at != stop)
		r->at++;
	return (struct span){ start, (size_t)(r->at - start) };
}

static void set_key(struct reader *r, struct span name, struct span value)
{
	const struct config_key *key = config_key_find(name);

	if (!key) {
		blame_unknown_key(r, name);
		return;
	}
	if (!holds(key, r->config)) {
		blame_platform(r, key);
		return;
	}

	const char *problem = value.bytes ? key->parse(r->config, key, value) : "has no value";

	if (problem)
		blame_here(r, "%s=%s %s; accepted: %s", key->name, quoted(value, key->secret).s,
			   problem, key->accepted);
	else
		r->config->place[key - config_keys] = (struct config_place){ r->source->name,
									     line_here(r), false };
}

static bool names_secret(struct span name)
{
	const struct config_key *key = config_key_find(name);

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
		key = config_key_find((struct span){ text + at, name - at });
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
	struct span name = take_word(r, '='), value;

	r->seen_word = true;
	skip_blanks(r);
	if (r->at == r->end || *r->at != '=') {
		/* A boot loader passes the image's name in front of the options. */
		if (!first || !r->source->one_line)
			blame_here(r, "`%s` has no value; accepted: key=value, as in duration=60s",
				   quoted(name, r->after_secret).s);
		r->after_secret = r->after_secret || names_secret(name);
		return;
	}
	r->after_secret = names_secret(name);
	r->at++;
	skip_blanks(r);
	/* NUL cannot occur in the text, so only the terminator stops this. */
	value = take_word(r, '\0');
	/* GRUB and PXELINUX pass the name in this form to programs that they start like Linux. */
	if (!first || !r->source->one_line || !span_is(name, "BOOT_IMAGE"))
		set_key(r, name, value);
}

/*
 * Set a key that was not given to the preset's value, or, if it is NULL, back from that of an
 * earlier preset. Done after each text, so that the order of `preset` and the keys does not matter.
 */
static void set_by_preset(struct config *c, const char *name, const char *value)
{
	const struct config_key *key = config_key_find(span_of(name));
	struct config_place *place = &c->place[key - config_keys];

	if (place->source ? !place->by_preset : !value)
		return;
	key->parse(c, key, span_of(value ? value : key->fallback));
	*place = value ? config_where(c, "preset") : (struct config_place){ NULL, 0, false };
	place->by_preset = value;
}

/* True if the text has no control character, which is reported. */
static bool is_text(struct reader r)
{
	const char *start = r.at;

	for (; r.at < r.end; r.at++) {
		unsigned char c = (unsigned char)*r.at;

		if (c == '\n')
			r.line++;
		else if ((c < ' ' && !is_blank(*r.at)) || c == 0x7f)
			break;
	}
	if (r.at < r.end)
		blame_here(&r,
			   "byte 0x%02x at offset %llu is not text; accepted: lines of key=value",
			   (unsigned char)*r.at, (unsigned long long)(r.at - start));
	return r.at == r.end;
}

unsigned config_apply(struct config *c, const struct config_source *source, const char *text,
		      size_t bytes, config_complaint *complain, void *ctx)
{
	struct judge judge = { complain, ctx, 0 };
	struct reader r = { .config = c, .source = source, .judge = &judge };

	if (bytes > CONFIG_TEXT_MAX) {
		blame_here(&r, "%llu bytes are too many; accepted: at most %u",
			   (unsigned long long)bytes, CONFIG_TEXT_MAX);
		return judge.mistakes;
	}

	r.at = text;
	r.end = text + bytes;
	r.line = 1;
	if (!is_text(r))
		return judge.mistakes;
	/* Editors on Windows put a byte order mark in front of UTF-8. */
	if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.at += 3;
	while (next_word(&r))
		read_assignment(&r);
	set_by_preset(c, "max", c->preset ? c->preset->max : NULL);
	set_by_preset(c, "threshold", c->preset ? c->preset->threshold : NULL);
	return judge.mistakes;
}

void config_defaults(struct config *c)
{
	memset(c, 0, sizeof(*c));
	for (const struct config_key *key = config_keys; key < config_keys + CONFIG_KEYS; key++)
		key->parse(c, key, span_of(key->fallback));
}

bool config_serial(const struct config *c, struct serial_port *p)
{
	bool mmio = c->serial.kind == SERIAL_MMIO32;
	uint8_t width = mmio ? 4 : 1;

	*p = (struct serial_port){ SERIAL_PORT_16550, "16550", "serial=", mmio,
				   c->serial.base,    width,   width,     false };
	return mmio || c->serial.kind == SERIAL_IO;
}

bool config_serial_is_chosen(const struct config *c)
{
	struct serial_port port;

	return config_serial(c, &port) && !serial_port_com(&port);
}

struct config_place config_where(const struct config *c, const char *key)
{
	const struct config_key *found = config_key_find(span_of(key));

	return found ? c->place[found - config_keys] : (struct config_place){ NULL, 0, false };
}

/* A check between keys failed: report it where `key` was given. */
static void __attribute__((format(printf, 4, 5)))
blame_key(const struct config *c, struct judge *judge, const char *key, const char *format, ...)
{
	struct config_place place = config_where(c, key);
	va_list args;

	va_start(args, format);
	vblame(judge, place.source ? place.source : "defaults", place.line, format, args);
	va_end(args);
}

static void check_cpus(const struct config *c, uint32_t cpus_found, struct judge *judge)
{
	TEXT_DEFINE(list, QUOTE_MAX + 2);
	TEXT_DEFINE(there, 16);

	if (cpulist_empty(&c->cpus) || cpulist_last(&c->cpus) < cpus_found)
		return;
	cpulist_print(&c->cpus, &list);
	text_add(&there, cpus_found == 1 ? " 0" : "s 0-");
	if (cpus_found > 1)
		text_add(&there, "%u", cpus_found - 1);
	blame_key(c, judge, "cpus",
		  "cpus=%s names cores that do not exist; accepted: this machine has core%s",
		  quoted((struct span){ list.buf, list.len }, false).s, there.buf);
}

/* A limit below all recorded gaps could be exceeded unnoticed. */
static void check_limit(const struct config *c, const char *key, const struct config_limit *limit,
			struct judge *judge)
{
	if (limit->set && limit->value < c->threshold_ns)
		blame_key(c, judge, key,
			  "%s=%s is below threshold=%s, so that gaps in between are not recorded; "
			  "accepted: %s no shorter than threshold",
			  key, quoted_ns(limit->value).s, quoted_ns(c->threshold_ns).s, key);
}

static void check_threshold(const struct config *c, struct judge *judge)
{
	if (c->threshold_ns >= c->window_ns)
		blame_key(c, judge, "threshold",
			  "threshold=%s is not below the window; accepted: shorter than %s",
			  quoted_ns(c->threshold_ns).s, quoted_ns(c->window_ns).s);
}

static const char *first_mode(unsigned modes)
{
	return mode_at((unsigned)__builtin_ctz(modes))->name;
}

static bool is_set(const struct config *c, const struct config_key *key)
{
	return ((const struct config_limit *)(const void *)((const char *)c + key->offset))->set;
}

/* A limit on an unmeasured value would always be met. */
static void check_limits(const struct config *c, struct judge *judge)
{
	for (const struct config_key *key = config_keys; key < config_keys + CONFIG_KEYS; key++)
		if (key->modes && !(key->modes >> c->mode & 1) && is_set(c, key))
			blame_key(c, judge, key->name,
				  "%s= is no limit of this mode; accepted: with mode=%s", key->name,
				  first_mode(key->modes));
}

static void check_mode(const struct config *c, struct judge *judge)
{
	if (c->no_modes >> c->mode & 1)
		blame_key(c, judge, "mode", "mode=%s has no %s; accepted: mode=%s",
			  mode_of(c)->name, mode_of(c)->needs, first_mode(~c->no_modes));
}

/* A mode that changes nothing runs in stage firmware, before anything is changed. */
static void check_stages(const struct config *c, struct judge *judge)
{
	if (mode_of(c)->reads && config_where(c, "stages").source &&
	    c->stages != 1u << STAGE_FIRMWARE)
		blame_key(c, judge, "stages",
			  "mode=%s reads the machine as the firmware left it; accepted: "
			  "stages=firmware",
			  mode_of(c)->name);
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
	for (const struct config_key *key = config_keys; key < config_keys + CONFIG_KEYS; key++)
		if (holds(key, c))
			print_key(c, key, out);
}

void config_print_limits(const struct config *c, struct text *out)
{
	for (const struct config_key *key = config_keys; key < config_keys + CONFIG_KEYS; key++)
		if (key->limit && is_set(c, key))
			print_key(c, key, out);
	if (c->preset)
		text_add(out, "%spreset=%s", out->len ? " " : "", c->preset->name);
}
