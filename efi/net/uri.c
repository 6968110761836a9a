/* SPDX-License-Identifier: BSD-2-Clause */
/* URIs. */
#include "uri.h"

#include "core/lib/mem.h"
#include "core/lib/span.h"
#include "core/lib/text.h"

/* Number of characters before the first of `stops`. */
static size_t length_to(struct span in, const char *stops)
{
	size_t n = 0;

	while (n < in.bytes && !memchr(stops, in.s[n], strlen(stops)))
		n++;
	return n;
}

static bool take_word(struct span *in, const char *word)
{
	size_t bytes = strlen(word);

	if (in->bytes < bytes)
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (text_lower(in->s[i]) != word[i])
			return false;
	span_take(in, bytes);
	return true;
}

static bool is_printable(struct span in)
{
	for (size_t i = 0; i < in.bytes; i++)
		if (in.s[i] <= ' ' || in.s[i] > '~')
			return false;
	return true;
}

/* The part of "user@host:80" after the last '@'. */
static struct span without_user(struct span authority)
{
	struct span host = authority;

	for (size_t i = 0; i < authority.bytes; i++)
		if (authority.s[i] == '@')
			host = (struct span){ authority.s + i + 1, authority.bytes - i - 1 };
	return host;
}

/* "192.0.2.1:80", "[2001:db8::1]:80" */
static struct ipaddr address_of(struct span host)
{
	struct ipaddr a = { .family = IPADDR_NONE };

	if (host.bytes && host.s[0] == '[') {
		span_take(&host, 1);
		ipaddr_parse(&a, host.s, length_to(host, "]"));
	} else {
		ipaddr_parse(&a, host.s, length_to(host, ":"));
	}
	return a;
}

/* Bytes of the folder, including its last '/'. */
static size_t folder_bytes(struct span path)
{
	size_t bytes = 0, end = length_to(path, "?#");

	for (size_t i = 0; i < end; i++)
		if (path.s[i] == '/')
			bytes = i + 1;
	return bytes;
}

bool uri_read(struct uri *u, const char *s, size_t bytes)
{
	struct span in = { s, bytes }, host;
	struct text base, t;

	while (in.bytes && !in.s[in.bytes - 1])
		in.bytes--;
	if (in.bytes > URI_MAX - sizeof("https:///") || !is_printable(in))
		return false;
	u->scheme = take_word(&in, "https://") ? "https" : "http";
	if (in.s == s && !take_word(&in, "http://"))
		return false;
	host = without_user(span_take(&in, length_to(in, "/?#")));
	if (!host.bytes || host.s[0] == ':')
		return false;
	u->address = address_of(host);
	text_init(&t, u->host, sizeof(u->host));
	text_bytes(&t, host.s, host.bytes);
	text_init(&base, u->base, sizeof(u->base));
	text_add(&base, "%s://%s", u->scheme, u->host);
	text_bytes(&base, in.s, folder_bytes(in));
	if (!folder_bytes(in))
		text_char(&base, '/');
	return true;
}
