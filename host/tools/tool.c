/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file becomes lines, and these become outputs of tools, in one pass. Of a line terminal escapes
 * and blanks at its end are left out; lines of noisefloor's own records are passed over. One piece
 * is read at a time, until another begins; a command line and a `# noisefloor:` line are of the
 * next one. A file of which any line of an output cannot be read is refused, and none of it is
 * read.
 */
#include "tool.h"

#include "host/capture/line.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"
#include "tool_format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/*
 * Prefix of each line of an output in a log: the time, a container's or a host's name, the "> " of
 * a quote. It is learned from the line in which the output begins and from the next one; numbers
 * and times change in it, nothing else does.
 */
#define PREFIX_MAX 1024

struct frame {
	char prefix[PREFIX_MAX]; /* "": the lines stand alone */
	bool learned;            /* by a second line */
};

struct tool_reader {
	struct tool_list *tools;
	size_t first; /* number of the file's first piece */
	const char *name;
	struct line_splitter lines;
	uint64_t line;
	struct tool_parse parse; /* .format: NULL between pieces */
	struct tool piece;
	bool found;                /* an output, whether or not it can be read */
	bool failed;               /* complained of */
	struct tool_stated stated; /* for the next piece, from this line; 0: none */
	uint64_t stated_line;
	struct tool_command command; /* for the next piece, from this line */
	uint64_t command_line;
	struct frame frame;              /* frame of the piece */
	uint64_t row_line;               /* the last line that gave figures */
	char row_first;                  /* its first character */
	char pending[TOOL_LINE_MAX + 1]; /* a line that fills it is too long */
	char clean[TOOL_LINE_MAX + 1];
};

/* ---- Texts that are not as the tool printed them ---- */

/*
 * A line that looks like the end of a row: numbers alone, what follows a separator, or a field that
 * may be the last of a row.
 */
static bool is_rest(const char *line)
{
	const char *at = line + strspn(line, " >"), *field = at + strspn(at, "0123456789. ");

	return (*at && strchr(",|)]%", *at)) || strncmp(field, "count:", 6) == 0 ||
	       strncmp(field, "nmi-", 4) == 0 || strncmp(field, "SMI:", 4) == 0 ||
	       (isdigit((unsigned char)at[*at == '.']) && !strpbrk(at, LETTERS));
}

/* The line's first character that quotes nothing. */
static char first_of(const char *line)
{
	return line[strspn(line, " >")];
}

/* A row that a terminal or a mail program has broken. */
static void refuse_broken(struct tool_reader *r, const char *line)
{
	char first = first_of(line);

	/* Where rows have a separator before them, so may other lines. */
	if (first == r->row_first && !isdigit((unsigned char)first))
		return;
	if (r->row_line + 1 == r->line && is_rest(line))
		tool_refuse(&r->parse, "the row before this line goes on in it: it was broken");
}

/* Refuse what mails, pages and strings do to a text, beyond what is valid in the line. */
static void refuse_encoded(struct tool_reader *r, enum tool_markup valid, const char *line)
{
	static const char *const marks[][10] = {
		[TOOL_MARKUP] = { "&lt;", "&gt;", "&nbsp;", "&#", "<br", "<td", "</", "**",
				  "\xc2\xa0" },
		[TOOL_JSON] = { "\"}", "=3D\"", "=3D=3D" },
		[TOOL_OUTSIDE] = { "\\n", "\\t", "\\u0", "\\x1b", "#012", "#033", "\\\"" },
		[TOOL_NOWHERE] = { "Content-Transfer-Encoding: quoted-printable",
				   "Content-Transfer-Encoding: base64", "<html", "<pre", "<table" },
	};

	for (unsigned n = valid + 1; n <= TOOL_NOWHERE; n++) {
		for (unsigned i = 0; marks[n][i]; i++) {
			if (strstr(line, marks[n][i]))
				tool_refuse(&r->parse, "the output is in a string, a page or a "
						       "mail, which changed it");
		}
	}
}

/* ---- The prefix, compared word by word ---- */

/*
 * Digits and what stands between them in a date, a time or its zone; or a day's or month's name. A
 * number with nothing but a colon behind it is a name, as `srun --label` writes it.
 */
static bool is_time(const char *word, size_t bytes)
{
	size_t digits = 0, letters = 0;

	for (size_t i = 0; i < bytes; i++) {
		digits += isdigit((unsigned char)word[i]) != 0;
		letters += isalpha((unsigned char)word[i]) && !strchr("TZ", word[i]);
		if (!isalnum((unsigned char)word[i]) && !strchr("[]().,:;+-/", word[i]))
			return false;
	}
	if (digits)
		return !letters && !(digits + 1 == bytes && word[digits] == ':');
	return letters == bytes && bytes <= 3 && bytes > 1;
}

/* The line without the prefix; NULL: the line is another's. */
static const char *peel(struct frame *f, const char *line)
{
	char *p = f->prefix;
	const char *at = line;

	if (scan_end(line))
		return line;
	while (*(p += strspn(p, " "))) {
		size_t word = strcspn(p, " "), other;

		at += strspn(at, " ");
		other = strcspn(at, " ");
		if (!is_time(p, word) || !is_time(at, other)) {
			/* The last word may have no blank behind it: "[1,0]<stdout>:". */
			if (strncmp(p, at, word) != 0 || (word != other && !scan_end(p + word)))
				break;
			other = word;
		}
		p += word;
		at += other;
	}
	if (*p && f->learned)
		return NULL;
	/* Each line has the part that the second has, or it stood before the first alone. */
	f->learned = true;
	*p = '\0';
	return at + strspn(at, " ");
}

/* ---- Begin and end of a piece ---- */

static ORDER_BY(by_cpu, struct tool_core, cpu);

/* A core has all its rows. What the format does not print, or cannot have, was none. */
static void end_core(const struct tool_format *format, struct tool_core *core)
{
	free(core->more);
	core->more = NULL;
	if (format->complete)
		tool_count_none(core);
	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		if (format->without & 1u << c)
			range_count_none(&core->cause_ns[c]);
	}
}

/* Keep the piece, unless it has no figures or the file is refused. */
static void end_piece(struct tool_reader *r)
{
	struct tool_parse *p = &r->parse;
	bool refused = p->refused;

	if (!p->format)
		return;
	if (p->entries)
		tool_cut(p, "last entries");
	if (p->format->finish)
		p->format->finish(p);
	tool_stated_apply(p);
	for (size_t i = 0; i < r->piece.cores; i++)
		end_core(p->format, &r->piece.core[i]);
	if (!r->piece.cores && !p->reported)
		tool_report(p, "%s: no figures in it", p->format->name);
	if (!refused && p->refused)
		p->refused = r->piece.line;
	if (r->piece.cores && !p->refused) {
		ORDER_SORT(r->piece.core, r->piece.cores, by_cpu);
		*MEMORY_ADD(r->tools->at, r->tools->count) = r->piece;
	} else {
		r->failed = true;
		free(r->piece.core);
	}
	free(p->state);
	p->state = NULL;
	p->format = NULL;
}

/* An output begins at `at` in the line. */
static void begin_piece(struct tool_reader *r, const struct tool_format *format, const char *line,
			const char *at)
{
	struct tool_parse *p = &r->parse;
	struct tool *piece = &r->piece;

	r->found = true;
	end_piece(r);
	if (r->tools->count - r->first == TOOL_PIECES_MAX)
		tool_refuse(p, "more than %d outputs in one file: split it", TOOL_PIECES_MAX);
	*piece = (struct tool){ .line = r->stated_line ? r->stated_line : r->line,
				.tool = format->name,
				.notes = format->notes,
				.stated = r->stated };
	snprintf(piece->file, sizeof(piece->file), "%s", r->name);
	tool_command_apply(&r->command, format, &piece->stated);
	memcpy(piece->command, r->command.text, sizeof(piece->command));
	r->stated = (struct tool_stated){ 0 };
	r->command = (struct tool_command){ 0 };
	r->stated_line = r->row_line = 0;
	r->frame = (struct frame){ .learned = false };
	if (at - line < PREFIX_MAX)
		memcpy(r->frame.prefix, line, (size_t)(at - line));
	p->format = format;
	p->floor_ns = r->tools->floor_ns;
	p->reported = false;
	p->entries = 0;
	p->state = format->state_bytes ? memory_new(1, format->state_bytes) : NULL;
	memset(&p->v, 0xff, sizeof(p->v)); /* TOOL_NONE */
}

/* ---- Formats ---- */

/* The first place of any of these patterns; NULL: nowhere. */
static const char *find_first(const char *line, const char *const patterns[TOOL_BODY_MAX])
{
	const char *at = NULL;

	for (size_t i = 0; i < TOOL_BODY_MAX && patterns[i]; i++) {
		const char *found = tool_scan_word(line, patterns[i]);

		at = found && (!at || found < at) ? found : at;
	}
	return at;
}

/* The first output that begins in this line, which is `mine` without the prefix, and where. */
static const struct tool_format *find_format(const struct tool_format *now, const char *line,
					     const char *mine, const char **at)
{
	const struct tool_format *first = NULL;

	*at = NULL;
	for (size_t n = 0; tool_formats[n]; n++) {
		const struct tool_format *format = tool_formats[n];
		const char *found = find_first(line, format->opens);

		if (!found && (format == now || !now || !now->mixed || !format->mixed)) {
			found = find_first(line, format->body);
			/* A row of a trace is the whole line. */
			if (found && format->trace)
				found = *line == '#' ? NULL : line;
			/* A row behind another prefix is another writer's. */
			if (format == now && mine && (found == mine || format->trace))
				found = NULL;
		}
		if (found && (!*at || found < *at)) {
			first = format;
			*at = found;
		}
	}
	return first;
}

/* ---- Lines ---- */

/* Parse a line, without its prefix. Returns the text behind the end of the piece, or NULL. */
static const char *take_row(struct tool_reader *r, const char *line)
{
	struct tool_parse *p = &r->parse;
	uint64_t rows = r->piece.rows;

	p->rest = NULL;
	if (p->format->parse)
		p->format->parse(p, line);
	else
		tool_take_row(p, p->format->row, line);
	if (r->piece.rows > rows) {
		r->row_line = r->line;
		r->row_first = first_of(r->clean);
	} else if (!p->rest) {
		refuse_broken(r, line);
	}
	refuse_encoded(r, p->format->markup, line);
	return p->rest;
}

static void take_stated(struct tool_reader *r, const char *at)
{
	end_piece(r);
	r->stated = (struct tool_stated){ 0 };
	r->stated_line = r->line;
	if (!tool_stated_read(&r->parse, at + strlen(TOOL_STATED_MARK), &r->stated))
		r->failed = true;
}

/* A command separates runs, and its options are those of the next piece. */
static void take_command(struct tool_reader *r, const char *line)
{
	const struct tool_format *now = r->parse.format;
	struct tool_command c;

	/* JSON and rteval's report have a command within, and tags with the names of tools. */
	if ((now && now->markup &&
	     (strstr(line, "cmdline") || strstr(line, "ommand") || strchr(line, '<'))) ||
	    !tool_command_read(line, &c))
		return;
	/*
	 * Somebody may type while a trace is printed: only a command that prints a trace ends it.
	 */
	if (now && now->trace && !c.name[0] && !strstr(c.text, "trace"))
		return;
	if (!now || r->piece.rows)
		end_piece(r);
	/* A prompt alone leaves the command before it in force. */
	if (!c.text[0])
		return;
	if (strstr(c.text, " --no-header"))
		tool_refuse(&r->parse, "--no-header leaves out of which cores the numbers are");
	r->command = c;
	r->command_line = r->line;
}

/*
 * Take a line by the output that begins in it, or else by the one that is being read. A row that
 * begins the next run has the same prefix as this one; any other rest is a line of its own.
 */
static void take_line(struct tool_reader *r, const char *line)
{
	const struct tool_format *now = r->parse.format, *format = NULL;
	const char *mine = now ? peel(&r->frame, line) : NULL, *at, *rest;

	/* A line without letters begins no output. */
	if (strpbrk(line, LETTERS))
		format = find_format(now, line, mine, &at);
	if (format) {
		begin_piece(r, format, line, at);
		mine = at;
	} else if (r->command_line + 1 == r->line && isdigit((unsigned char)first_of(line))) {
		/* The command may go on in this line, broken within a number. */
		r->command.odd = true;
	}
	if (!mine) {
		if (now)
			refuse_broken(r, line);
		return;
	}
	rest = take_row(r, mine);
	if (rest == mine) {
		begin_piece(r, r->parse.format, line, mine);
		rest = take_row(r, mine);
	}
	if (rest)
		end_piece(r);
	if (rest && *rest)
		take_line(r, rest);
}

static void take_text(struct tool_reader *r, const char *line)
{
	const char *stated = tool_scan_word(line, TOOL_STATED_MARK);

	if (scan_end(line)) {
		if (r->parse.format)
			take_row(r, line);
		return;
	}
	refuse_encoded(r, TOOL_OUTSIDE, line);
	if (stated) {
		take_stated(r, stated);
	} else {
		take_command(r, line);
		take_line(r, line);
	}
	snprintf(r->parse.before, sizeof(r->parse.before), "%.*s", TOOL_COMMAND_MAX - 1, line);
}

/* A cursor that is moved within a line, or a screen that is cleared, separates texts: blanks. */
static void blank_moves(char *line)
{
	for (; (line = strchr(line, '\x1b')); line++) {
		size_t bytes = line[1] == '[' ? 2 + strspn(line + 2, "0123456789;?") : 0;

		if (bytes && line[bytes] && strchr("ABCDEFGHJdf", line[bytes]))
			memset(line, ' ', bytes + 1);
	}
}

/* To r->clean. "^C" is what a terminal shows where somebody ended a tool. */
static void tool_clean(struct tool_reader *r, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		r->clean[i] = bytes[i] == '\t' ? ' ' : bytes[i];
	r->clean[count] = '\0';
	blank_moves(r->clean);
	count = line_strip(r->clean, count, r->clean);
	while (count && r->clean[count - 1] == ' ')
		count--;
	if (count >= 2 && memcmp(r->clean + count - 2, "^C", 2) == 0)
		count -= 2;
	r->clean[count] = '\0';
}

/* Take a line of host/capture/line.h. */
static size_t take_bytes(void *ctx, const char *bytes, size_t count, bool goes_on)
{
	struct tool_reader *r = ctx;

	r->line += !r->lines.goes_on;
	r->parse.line = r->line;
	if (memchr(bytes, '\0', count))
		tool_refuse(&r->parse, "binary data; outputs of tools are text");
	if (goes_on || r->lines.goes_on || count > TOOL_LINE_MAX) {
		tool_refuse(&r->parse, "a line of more than a mebibyte");
		return 0;
	}
	tool_clean(r, bytes, count);
	if (!strstr(r->clean, LINE_MARK) && !(r->found && r->parse.refused))
		take_text(r, r->clean);
	return 0;
}

/* ---- Files ---- */

struct tool_reader *tool_begin(struct tool_list *tools, const char *name, tool_complain *complain,
			       void *ctx)
{
	struct tool_reader *r = memory_new(1, sizeof(*r));

	r->lines = (struct line_splitter){
		.line = take_bytes, .ctx = r, .text = r->pending, .room = sizeof(r->pending)
	};
	r->tools = tools;
	r->first = tools->count;
	r->name = name;
	r->parse = (struct tool_parse){ .tool = &r->piece, .complain = complain, .ctx = ctx };
	snprintf(r->piece.file, sizeof(r->piece.file), "%s", name);
	return r;
}

void tool_feed(struct tool_reader *r, const char *bytes, size_t count)
{
	line_splitter_feed(&r->lines, bytes, count);
}

static void drop_all(struct tool_reader *r)
{
	while (r->tools->count > r->first)
		free(r->tools->at[--r->tools->count].core);
	tool_remark(&r->parse, r->parse.refused,
		    "this line cannot be read, so that nothing of the file is: save the tool's own "
		    "output, as it printed it");
	r->failed = true;
}

bool tool_end(struct tool_reader *r, bool others)
{
	uint64_t ended = r->line;
	bool good;

	line_splitter_end(&r->lines);
	/* In a line that does not end, the last number may be a part of one. */
	if (r->parse.format && r->parse.format->markup == TOOL_PLAIN && r->line > ended &&
	    r->row_line == r->line)
		tool_cut(&r->parse, "end of line");
	end_piece(r);
	if (r->stated_line && !r->parse.refused) {
		tool_remark(&r->parse, r->stated_line,
			    "no output follows that this line could describe");
		r->failed = true;
	}
	good = !r->parse.refused || !r->found;
	if (!good) {
		drop_all(r);
	} else if (!r->found && !others && !r->failed) {
		r->failed = true;
		tool_remark(&r->parse, 0, "%s", r->line ? "no known output" : "empty");
	}
	r->tools->failed = r->tools->failed || r->failed;
	free(r);
	return good;
}

void tool_free(struct tool_list *tools)
{
	while (tools->count)
		free(tools->at[--tools->count].core);
	free(tools->at);
	*tools = (struct tool_list){ 0 };
}
