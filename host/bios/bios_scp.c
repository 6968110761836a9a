/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads Dell's Server Configuration Profile as XML. Only this is accepted:
 *
 *   <SystemConfiguration ...>
 *     <Component FQDD="BIOS.Setup.1-1">            components may be nested
 *       <Attribute Name="BootMode">Uefi</Attribute>
 *       <!-- <Attribute Name="SystemModelName">PowerEdge</Attribute>-->
 *
 * An attribute in a comment cannot be imported: it is read-only, or depends on another. Its value
 * is in force nevertheless. Other comments are skipped.
 */
#include "bios_shape.h"

#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS    " \t\r\n"
#define DEPTH_MAX 16
#define ATTRIBUTE "<Attribute Name=\"NAME\">VALUE</Attribute>"

struct scp {
	struct bios_dump *d;
	struct text *why;
	const char *text, *at;
	unsigned depth; /* number of open elements, the outermost included */
	unsigned bios;  /* depth of the open BIOS component; 0: none is open */
	bool found;     /* a BIOS component was seen */
	bool ended;     /* the outermost element has ended */
};

static bool refuse(const struct scp *s, const char *wanted)
{
	return bios_dump_refuse(s->why, s->text, s->at, wanted);
}

/* Skip `word` if it is next. */
static bool skip(struct scp *s, const char *word)
{
	size_t bytes = strlen(word);

	if (strncmp(s->at, word, bytes) != 0)
		return false;
	s->at += bytes;
	return true;
}

static void skip_blanks(struct scp *s)
{
	s->at += strspn(s->at, BLANKS);
}

/* A copy of `bytes` bytes with XML's five entities replaced; NULL: there is an unknown entity. */
static char *unescape(const char *from, size_t bytes)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
	char *text = memory_new(bytes + 1, 1), *to = text;

	for (const char *end = from + bytes; from < end; to++) {
		size_t n = 0;

		if (*from != '&') {
			*to = *from++;
			continue;
		}
		while (n < 5 && strncmp(from, entities[n], strlen(entities[n])) != 0)
			n++;
		if (n == 5) {
			free(text);
			return NULL;
		}
		*to = "&<>\"'"[n];
		from += strlen(entities[n]);
	}
	return text;
}

/*
 * Read the rest of a tag, after its name. *value is the value of the attribute `key`, which the
 * caller frees, or NULL. *empty: the tag ends in "/>".
 */
static bool read_tag(struct scp *s, const char *key, char **value, bool *empty)
{
	*value = NULL;
	for (skip_blanks(s); *s->at && !strchr("/>", *s->at); skip_blanks(s)) {
		size_t name = strcspn(s->at, "=/>\"" BLANKS), bytes;
		bool wanted = name == strlen(key) && strncmp(s->at, key, name) == 0;

		if (!name || strncmp(s->at + name, "=\"", 2) != 0)
			break;
		bytes = strcspn(s->at + name + 2, "\"<");
		if (s->at[name + 2 + bytes] != '"' || (wanted && *value))
			break;
		if (wanted && !(*value = unescape(s->at + name + 2, bytes)))
			break;
		s->at += name + 2 + bytes + 1;
	}
	*empty = skip(s, "/>");
	if (*empty || skip(s, ">"))
		return true;
	free(*value);
	return refuse(s, "KEY=\"VALUE\" or the end of the tag");
}

static bool take_attribute(struct scp *s)
{
	const char *start = s->at;
	char *name, *value;
	size_t bytes;
	bool empty;

	skip(s, "<Attribute");
	if (!read_tag(s, "Name", &name, &empty))
		return false;
	bytes = empty ? 0 : strcspn(s->at, "<");
	value = name ? unescape(s->at, bytes) : NULL;
	if (value)
		s->at += bytes;
	if (value && (empty || skip(s, "</Attribute>"))) {
		if (s->bios)
			return bios_dump_add(s->d, name, value, s->why);
		free(name);
		free(value);
		return true;
	}
	free(name);
	free(value);
	s->at = name ? s->at : start;
	return refuse(s, ATTRIBUTE);
}

static bool take_comment(struct scp *s)
{
	const char *end;

	skip(s, "<!--");
	end = strstr(s->at, "-->");
	if (!end)
		return refuse(s, "-->");
	skip_blanks(s);
	if (strncmp(s->at, "<Attribute ", 11) == 0) {
		if (!take_attribute(s))
			return false;
		skip_blanks(s);
		return skip(s, "-->") || refuse(s, "-->");
	}
	s->at = end + 3;
	return true;
}

static bool take_component(struct scp *s)
{
	char *name;
	bool empty;

	skip(s, "<Component");
	if (!read_tag(s, "FQDD", &name, &empty))
		return false;
	if (!empty && s->depth++ && !s->bios && name && strncmp(name, "BIOS.", 5) == 0) {
		s->bios = s->depth;
		s->found = true;
	}
	free(name);
	return true;
}

static bool take_end(struct scp *s)
{
	if (!skip(s, s->depth > 1 ? "</Component>" : "</SystemConfiguration>"))
		return refuse(s, s->depth > 1 ? "</Component>" : "</SystemConfiguration>");
	if (s->bios == s->depth)
		s->bios = 0;
	s->ended = !--s->depth;
	return true;
}

static bool is_next(const struct scp *s, const char *tag)
{
	size_t bytes = strlen(tag);

	return strncmp(s->at, tag, bytes) == 0 && s->at[bytes] && strchr("/>" BLANKS, s->at[bytes]);
}

static bool take_next(struct scp *s)
{
	if (strncmp(s->at, "<!--", 4) == 0)
		return take_comment(s);
	if (s->depth && strncmp(s->at, "</", 2) == 0)
		return take_end(s);
	if (s->depth > 1 && is_next(s, "<Attribute"))
		return take_attribute(s);
	if (s->depth && s->depth < DEPTH_MAX && is_next(s, "<Component"))
		return take_component(s);
	return refuse(s, s->ended ? "the end of the file"
				  : "a <Component FQDD=\"NAME\">, an " ATTRIBUTE ", or a comment");
}

static bool take_start(struct scp *s)
{
	char *none;
	bool empty;

	skip_blanks(s);
	if (strncmp(s->at, "<?xml ", 6) == 0 && strstr(s->at, "?>"))
		s->at = strstr(s->at, "?>") + 2;
	skip_blanks(s);
	if (!is_next(s, "<SystemConfiguration"))
		return refuse(s, "<SystemConfiguration>, Dell's Server Configuration Profile");
	skip(s, "<SystemConfiguration");
	if (!read_tag(s, "", &none, &empty))
		return false;
	s->depth = !empty;
	return true;
}

bool bios_scp_read(struct bios_dump *d, const char *text, struct text *why)
{
	struct scp s = { .d = d, .why = why, .text = text, .at = text };

	if (!take_start(&s))
		return false;
	for (skip_blanks(&s); *s.at; skip_blanks(&s))
		if (!take_next(&s))
			return false;
	if (s.depth)
		return refuse(&s, s.depth > 1 ? "</Component>" : "</SystemConfiguration>");
	if (!s.found)
		text_add(why, "no <Component FQDD=\"BIOS.Setup.1-1\">");
	return s.found;
}
