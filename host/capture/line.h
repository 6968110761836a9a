/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One line of records, before its JSON is looked at: where it is, its checksum, its header. And how
 * lines are made of bytes.
 */
#pragma once

#include "core/lib/text.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every record begins so, and no string in a record can hold it: quotes are escaped there. */
#define LINE_MARK "{\"nf\":"

/* The end of a line: ,"crc":"01234567"} */
#define LINE_CHECKSUM_BYTES 18

/* A line with a correct checksum. Pointers go into the capture's bytes. */
struct line {
	const char *text;   /* from LINE_MARK */
	const char *fields; /* behind the type */
	size_t bytes;       /* length of the text, up to the checksum */
	size_t whole;       /* with the checksum and the closing brace */
	uint64_t sid;
	uint64_t seq;
	const char *type;
	size_t type_bytes;
	struct maybe part; /* its number among the lines of the record; not known: there is one */
	bool more;         /* another part of the record follows */
};

enum line_result {
	LINE_OK,
	LINE_DAMAGED, /* truncated, or checksum or header wrong */
	LINE_VERSION, /* whole, of a format this program does not read */
};

/* The first LINE_MARK in `count` bytes; NULL when there is none. */
const char *line_find(const char *bytes, size_t count);

/*
 * Look at the record that begins at `text` (at a LINE_MARK) and ends within `count` bytes. For all
 * but LINE_OK, *why has the reason.
 */
enum line_result line_read(const char *text, size_t count, struct line *line, struct text *why);

/*
 * Copy without terminal escapes (ECMA-48 sequences and strings) and other
 * control bytes, none of which belongs in a record. `out` holds `count` bytes.
 */
size_t line_strip(const char *bytes, size_t count, char *out);

/* ---- Bytes that come in any pieces, as lines ---- */

struct line_splitter {
	/*
	 * A line, without its newline. With `goes_on` it is longer than the room, and this is its
	 * beginning; the function then returns how many of the last bytes are to be passed again,
	 * before the bytes that follow.
	 */
	size_t (*line)(void *ctx, const char *bytes, size_t count, bool goes_on);
	void *ctx;
	char *text; /* has room for so many bytes */
	size_t room;
	size_t held;  /* bytes of a line that has not ended */
	bool goes_on; /* the line began before these bytes */
};

void line_splitter_feed(struct line_splitter *s, const char *bytes, size_t count);

/* The input has ended: treat the bytes held as a line. */
void line_splitter_end(struct line_splitter *s);
