/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `show --share`: records without what identifies one machine or its owner, so that they can be
 * published. It is found by its form: a new message needs no entry here. What is replaced is
 * numbered: equal values stay equal.
 */
#define _GNU_SOURCE /* strndup */
#include "show_form.h"

#include "host/capture/line.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"

#include "core/lib/crc32c.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum redact_kind {
	REDACT_UUID, /* a machine's or a partition's */
	REDACT_MAC,  /* with colons or dashes, or as in a device path: MAC(001122334455 */
	REDACT_IP,   /* IPv4 and IPv6 */
	REDACT_KEY,  /* 32 or more hex digits */
	REDACT_PATH, /* absolute path of a file */
	REDACT_KINDS,
};

static struct redact {
	char **value; /* replaced values, in the order of their occurrence */
	uint8_t *kind;
	size_t values;
	uint64_t places[REDACT_KINDS];
} redact;

#define UUID_BYTES     36
#define MAC_PAIRS      6
#define MAC_DIGITS     12
#define KEY_DIGITS_MIN 32

static const struct {
	const char *name, *token;
} kinds[REDACT_KINDS] = {
	[REDACT_UUID] = { "UUID", "uuid" },      [REDACT_MAC] = { "MAC address", "mac" },
	[REDACT_IP] = { "IP address", "ip" },    [REDACT_KEY] = { "key", "key" },
	[REDACT_PATH] = { "file path", "path" },
};

/* Strings that are copied as they are. */
static const char *const kept[] = {
	"version",
	"vendor",
	"product",
	"board",
	"bios_vendor",
	"bios_version",
	"bios_date",
	"brand",
	/* A part of a survey, which is made without names: probe/survey/machine_survey.c. */
	"data",
};

/* The rest of a string. */
struct rest {
	const char *begin, *at, *end;
};

static size_t left(const struct rest *s)
{
	return (size_t)(s->end - s->at);
}

static char byte_at(const struct rest *s, size_t n)
{
	return n < left(s) ? s->at[n] : '\0';
}

static char byte_before(const struct rest *s)
{
	return s->at > s->begin ? s->at[-1] : ' ';
}

static size_t hex_digits(const struct rest *s, size_t from)
{
	size_t n = from;

	while (isxdigit((unsigned char)byte_at(s, n)))
		n++;
	return n - from;
}

static bool follows(const struct rest *s, const char *what)
{
	size_t bytes = strlen(what);

	return (size_t)(s->at - s->begin) >= bytes && memcmp(s->at - bytes, what, bytes) == 0;
}

/* Each function returns how many bytes at the beginning of `s` are of its kind; 0: none. */

static size_t uuid(const struct rest *s)
{
	static const size_t group[] = { 8, 4, 4, 4, 12 };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(group) / sizeof(group[0]); i++) {
		if (hex_digits(s, n) != group[i])
			return 0;
		n += group[i];
		if (n < UUID_BYTES && byte_at(s, n++) != '-')
			return 0;
	}
	return n;
}

static size_t mac(const struct rest *s)
{
	char separator = byte_at(s, 2);
	size_t n = 0;

	if (follows(s, "MAC(") && hex_digits(s, 0) >= MAC_DIGITS)
		return hex_digits(s, 0);
	if (separator != ':' && separator != '-')
		return 0;
	for (unsigned pair = 0; pair < MAC_PAIRS; pair++, n += 2)
		if ((pair && byte_at(s, n++) != separator) || hex_digits(s, n) != 2)
			return 0;
	return byte_at(s, n) == separator && hex_digits(s, n + 1) ? 0 : n;
}

static size_t address(const struct rest *s, int family, const char *bytes_of)
{
	char text[INET6_ADDRSTRLEN];
	unsigned char parsed[sizeof(struct in6_addr)];
	size_t n = 0;

	while (n < left(s) && strchr(bytes_of, tolower((unsigned char)s->at[n])))
		n++;
	/*
	 * Punctuation at the end of a sentence, or a colon before a port, is not part of the
	 * address.
	 */
	while (n &&
	       (s->at[n - 1] == '.' || (s->at[n - 1] == ':' && !(n > 1 && s->at[n - 2] == ':'))))
		n--;
	if (!n || n >= sizeof(text) || isalnum((unsigned char)byte_at(s, n)))
		return 0;
	memcpy(text, s->at, n);
	text[n] = '\0';
	return inet_pton(family, text, parsed) == 1 ? n : 0;
}

static size_t ip(const struct rest *s)
{
	size_t n = byte_before(s) == '.' ? 0 : address(s, AF_INET, "0123456789.");

	return n || byte_before(s) == ':' ? n : address(s, AF_INET6, "0123456789abcdef:.");
}

static size_t key(const struct rest *s)
{
	size_t n = hex_digits(s, 0);

	return n >= KEY_DIGITS_MIN && !isalnum((unsigned char)byte_at(s, n)) ? n : 0;
}

/* A file path begins with / or with \\, as JSON writes one backslash. */
static size_t path(const struct rest *s)
{
	bool root = byte_at(s, 0) == '/' && (isalnum((unsigned char)byte_at(s, 1)) ||
					     byte_at(s, 1) == '.' || byte_at(s, 1) == '_');
	size_t n = 0;

	if (!strchr(" =(\"'", byte_before(s)))
		return 0;
	if (!root && !(byte_at(s, 0) == '\\' && byte_at(s, 1) == '\\' && byte_at(s, 2) > ' '))
		return 0;
	while (n < left(s) && s->at[n] != ' ' && !strchr(",;)\"'", s->at[n]) &&
	       !(s->at[n] == '\\' && byte_at(s, n + 1) != '\\' && byte_at(s, n + 1) != '/'))
		n += s->at[n] == '\\' ? 2 : 1;
	while (s->at[n - 1] == '.' || s->at[n - 1] == ':')
		n--;
	return n;
}

/* The number of a value among those of its kind, from 1. */
static size_t index_of(struct redact *r, enum redact_kind kind, const char *at, size_t bytes)
{
	size_t number = 1, n;

	for (n = 0; n < r->values; n++) {
		if (r->kind[n] != kind)
			continue;
		if (strlen(r->value[n]) == bytes && strncasecmp(r->value[n], at, bytes) == 0)
			return number;
		number++;
	}
	r->value = memory_grow(r->value, n, sizeof(*r->value));
	r->kind = memory_grow(r->kind, n, sizeof(*r->kind));
	r->value[n] = memory_need(strndup(at, bytes));
	r->kind[n] = (uint8_t)kind;
	r->values++;
	return number;
}

/* Replace the value that begins here; false if none does. */
static bool redact_replace(struct redact *r, struct rest *s, FILE *to)
{
	static size_t (*const length[REDACT_KINDS])(const struct rest *s) = {
		[REDACT_UUID] = uuid, [REDACT_MAC] = mac,   [REDACT_IP] = ip,
		[REDACT_KEY] = key,   [REDACT_PATH] = path,
	};

	for (enum redact_kind kind = 0; kind < REDACT_KINDS; kind++) {
		size_t bytes = length[kind](s);

		if (!bytes)
			continue;
		r->places[kind]++;
		fprintf(to, "<%s-%zu>", kinds[kind].token, index_of(r, kind, s->at, bytes));
		s->at += bytes;
		return true;
	}
	return false;
}

/* A value's string, without its quotes. */
static void redact_string(struct redact *r, const char *begin, const char *end, FILE *to)
{
	struct rest s = { begin, begin, end };

	while (s.at < s.end) {
		bool word = isalnum((unsigned char)byte_before(&s));

		if (!word && redact_replace(r, &s, to))
			continue;
		/* An escape is one character. */
		fputc(*s.at, to);
		if (*s.at++ == '\\' && s.at < s.end)
			fputc(*s.at++, to);
	}
}

static const char *string_end(const char *at, const char *end)
{
	while (at < end && *at != '"')
		at += *at == '\\' ? 2 : 1;
	return at < end ? at : end;
}

static bool is_kept(const char *name, size_t bytes)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (strlen(kept[i]) == bytes && memcmp(kept[i], name, bytes) == 0)
			return true;
	return false;
}

/*
 * Print a record's JSON, which is valid. Its names stay, and the strings that name the machine's
 * make and firmware, where a version may look like an address.
 */
static void redact_record(struct redact *r, const char *json, size_t bytes, FILE *to)
{
	const char *at = json, *end = json + bytes;
	bool keep = false;

	while (at < end) {
		const char *string = at + 1, *close;

		if (*at != '"') {
			fputc(*at++, to);
			continue;
		}
		close = string_end(string, end);
		fputc('"', to);
		if (close + 1 < end && close[1] == ':') {
			keep = is_kept(string, (size_t)(close - string));
			fwrite(string, 1, (size_t)(close - string), to);
		} else if (keep) {
			fwrite(string, 1, (size_t)(close - string), to);
		} else {
			redact_string(r, string, close, to);
		}
		if (close < end)
			fputc('"', to);
		at = close + 1;
	}
}

/* Number of different values of the kind that were replaced. */
static size_t redact_values(const struct redact *r, enum redact_kind kind)
{
	size_t values = 0;

	for (size_t n = 0; n < r->values; n++)
		values += r->kind[n] == kind;
	return values;
}

static void redact_free(struct redact *r)
{
	for (size_t n = 0; n < r->values; n++)
		free(r->value[n]);
	free(r->value);
	free(r->kind);
	*r = (struct redact){ 0 };
}

/* ---- Each verified record gets a checksum of its own ---- */

static const char *name;
static FILE *file;
static uint64_t records;

bool show_share_create(const char *path)
{
	/* A file that exists is never overwritten: it may be the capture. */
	file = fopen(path, "wx");
	if (!file)
		warn("show: --share %s", path);
	name = path;
	records = 0;
	return file;
}

static void write_line(const char *line, size_t bytes)
{
	char *text = NULL;
	size_t count = 0;
	FILE *to = memory_need(open_memstream(&text, &count));

	redact_record(&redact, line, bytes - LINE_CHECKSUM_BYTES, to);
	if (fclose(to) != 0)
		memory_exhausted();
	fprintf(file, "%s,\"crc\":\"%08" PRIx32 "\"}\n", text, crc32c(text, count));
	free(text);
	records++;
}

static void print_removed(void)
{
	const char *before = "";

	printf("removed: ");
	for (enum redact_kind kind = 0; kind < REDACT_KINDS; kind++) {
		if (!redact.places[kind])
			continue;
		printf("%s%s: %zu, in %" PRIu64 " places", before, kinds[kind].name,
		       redact_values(&redact, kind), redact.places[kind]);
		before = "; ";
	}
	puts(*before ? "" : "nothing was found that had to be");
}

static int redact_finish(void)
{
	if (fclose(file) != 0)
		err(EXIT_ERROR, "show: %s", name);
	printf("%s: %" PRIu64 " records\n", name, records);
	print_removed();
	puts("kept: machine, firmware, processor, clock, evidence, configuration, all results and "
	     "messages; read the file before you publish it");
	redact_free(&redact);
	return EXIT_PASS;
}

const struct show_form show_share_form = {
	.line = write_line,
	.finish = redact_finish,
};
