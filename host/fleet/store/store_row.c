/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that are larger than SQLite's largest are stored as that. */
#include "store.h"

#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <inttypes.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	KIND_NUMBER,
	KIND_BOOL,
	KIND_TEXT,
	KIND_SID,
	KIND_MODE,
	KIND_HEX,
	KIND_MAYBE,
	KIND_VERDICT,
	KIND_ATTEST,
	KIND_FIGURE, /* a member of struct figures, which has its `known` beside it */
	KIND_SOURCES
};

static const char *const attested[ATTEST_FACTS_STATES] = {
	[ATTEST_FACTS_NONE] = "none",   [ATTEST_FACTS_BAD] = "bad",
	[ATTEST_FACTS_LARGE] = "large", [ATTEST_FACTS_UNKNOWN] = "unknown",
	[ATTEST_FACTS_GOOD] = "good",
};

/* Bytes of the longest column in hex. */
#define HEX_MAX (ATTEST_FACTS_STARTED * SHA256_BYTES)

#define COLUMN(name, kind, type, member, derived)                        \
	{                                                                \
		name, type, kind, offsetof(struct store_run, member),    \
			sizeof(((struct store_run *)0)->member), derived \
	}
#define NUMBER(name, member) COLUMN(name, KIND_NUMBER, "INTEGER NOT NULL", member, true)
#define BOOL(name, member)   COLUMN(name, KIND_BOOL, "INTEGER NOT NULL", member, true)
#define TEXT(name, member)   COLUMN(name, KIND_TEXT, "TEXT NOT NULL", member, true)
#define FACT(name)           NUMBER(#name, summary.facts.name)
#define HEX(name, member)    COLUMN(name, KIND_HEX, "TEXT", member, true)
#define WORST(name, limit)                                           \
	NUMBER(name, summary.facts.worst[limit].value),              \
		NUMBER(name "_cpu", summary.facts.worst[limit].cpu), \
		BOOL(name "_unknown", summary.facts.worst[limit].unknown)
#define FIGURE(name, figure) COLUMN(name, KIND_FIGURE, "REAL", summary.figures.value[figure], true)
#define ATTEST(name, member) \
	COLUMN(name, KIND_NUMBER, "INTEGER NOT NULL", summary.facts.attest.member, false)

const struct store_column store_row_run[] = {
	COLUMN("sid", KIND_SID, "TEXT NOT NULL UNIQUE", sid, true),
	COLUMN("host", KIND_TEXT, "TEXT NOT NULL", host, false),
	COLUMN("owner", KIND_TEXT, "TEXT NOT NULL", owner, false),
	COLUMN("begun_s", KIND_NUMBER, "INTEGER NOT NULL", begun_s, false),
	COLUMN("ended_s", KIND_NUMBER, "INTEGER NOT NULL", ended_s, false),
	COLUMN("uuid", KIND_TEXT, "TEXT NOT NULL COLLATE NOCASE", summary.uuid, true),
	TEXT("product", summary.product),
	TEXT("bios", summary.bios),
	COLUMN("mode", KIND_MODE, "TEXT", summary.mode, true),
	TEXT("began", summary.began),
	BOOL("ended", summary.ended),
	TEXT("node_verdict", summary.verdict),
	TEXT("node_reason", summary.reason),
	TEXT("remark", summary.remark),
	COLUMN("policy_verdict", KIND_VERDICT, "TEXT", summary.judged, false),
	COLUMN("policy_reason", KIND_TEXT, "TEXT NOT NULL", summary.judged.reason, false),
	COLUMN("length_ns", KIND_NUMBER, "INTEGER NOT NULL", summary.length_ns, false),
	TEXT("version", summary.facts.version),
	HEX("config", summary.facts.config),
	FACT(threshold_ns),
	FACT(found),
	FACT(measured),
	FACT(cpus),
	FACT(stages),
	COLUMN("sampled_ns", KIND_MAYBE, "INTEGER", summary.facts.sampled_ns, true),
#define LIMIT(id, name, ...) WORST(name, LIMIT_##id),
#include "core/config/limit_rows.h"
	NUMBER("hidden_ns", summary.facts.clock.hidden_ns),
	NUMBER("ahead_ns", summary.facts.clock.ahead_ns),
	FACT(works),
	FACT(calls),
	FACT(work),
	FACT(workers),
	ATTEST("attest_lines", lines),
	COLUMN("attest_state", KIND_ATTEST, "TEXT NOT NULL", summary.facts.attest.state, false),
	ATTEST("attest_item", item),
	ATTEST("attest_count", count),
	ATTEST("attest_resets", resets),
	ATTEST("attest_restarts", restarts),
	ATTEST("attest_clock_ms", clock_ms),
	COLUMN("attest_key", KIND_HEX, "TEXT", summary.facts.attest.key, false),
	COLUMN("attest_started", KIND_HEX, "TEXT", summary.facts.attest.started, false),
	NUMBER("cores", summary.figures.cores),
	TEXT("stage", summary.figures.stage),
	FIGURE("longest_ns", FIGURE_LONGEST),
	FIGURE("noise_of_stage_ppm", FIGURE_NOISE),
	FIGURE("smi_per_hour", FIGURE_SMI),
	NUMBER("exposure_of_stage_ns", summary.figures.exposure_ns),
	NUMBER("noise_of_stage_ns", summary.figures.noise_ns),
	COLUMN("sources", KIND_SOURCES, "TEXT NOT NULL", summary.figures.source, true),
	NUMBER("begin_next", summary.begin.next),
	NUMBER("begin_rows", summary.begin.rows),
	NUMBER("begin_bad", summary.begin.bad),
	NUMBER("begin_lines", summary.begin.lines),
	NUMBER("begin_evidence", summary.begin.evidence),
	BOOL("begin_more", summary.begin.more),
	{ NULL, NULL, KIND_NUMBER, 0, 0, false },
};

const char store_row_quotes[] =
	"CREATE INDEX run_key ON run(attest_key) WHERE attest_state='good';"
	"CREATE VIEW latest_quote AS SELECT id AS run FROM run WHERE attest_state='good' AND NOT"
	" EXISTS (SELECT 1 FROM run AS later WHERE later.attest_state='good' AND later.attest_key ="
	" run.attest_key AND (later.attest_resets, later.attest_restarts, later.attest_clock_ms) >"
	" (run.attest_resets, run.attest_restarts, run.attest_clock_ms));";

const struct store_column store_row_progress[] = {
	NUMBER("next", next),
	NUMBER("bytes", bytes),
	NUMBER("lines", summary.lines),
	NUMBER("lost", summary.lost),
	COLUMN("heard_s", KIND_NUMBER, "INTEGER NOT NULL", heard_s, false),
	{ NULL, NULL, KIND_NUMBER, 0, 0, false },
};

void store_row_names(const struct store_column *columns, char form, sqlite3_str *to)
{
	for (const struct store_column *c = columns; c->name; c++)
		sqlite3_str_appendf(to, "%s%s%s%s", c == columns ? "" : ", ",
				    form == 'Q' ? "?" : c->name, form == 'D' ? " " : "",
				    form == 'D'   ? c->type
				    : form == 'S' ? "=?"
						  : "");
}

/* ---- Writing ---- */

/* Read a member of 1, 4 or 8 bytes; a bool has one byte. */
static uint64_t get_number(const void *member, size_t bytes)
{
	uint32_t word;
	uint64_t number;

	if (bytes == 1)
		return *(const uint8_t *)member;
	if (bytes == sizeof(word)) {
		memcpy(&word, member, sizeof(word));
		return word;
	}
	memcpy(&number, member, sizeof(number));
	return number;
}

static int bind_number(sqlite3_stmt *s, int at, uint64_t number)
{
	return sqlite3_bind_int64(s, at, number > INT64_MAX ? INT64_MAX : (sqlite3_int64)number);
}

/* NULL: all bytes are zero. */
static int bind_hex(sqlite3_stmt *s, int at, const uint8_t *bytes, size_t count)
{
	static const uint8_t none[HEX_MAX];
	TEXT_DEFINE(digits, 2 * HEX_MAX + 1);

	if (memcmp(bytes, none, count) == 0)
		return sqlite3_bind_null(s, at);
	text_hex(&digits, bytes, count);
	return sqlite3_bind_text(s, at, digits.buf, -1, SQLITE_TRANSIENT);
}

/* [[period, cause], ...] */
static int bind_sources(sqlite3_stmt *s, int at, const struct figures *f)
{
	json_t *sources = json_array();
	char *text;

	for (size_t i = 0; i < f->sources; i++)
		json_array_append_new(sources,
				      json_pack("[o, s]", json_number(f->source[i].period_ns),
						f->source[i].cause));
	text = json_dumps(sources, JSON_COMPACT);
	json_decref(sources);
	return text ? sqlite3_bind_text(s, at, text, -1, free) : sqlite3_bind_null(s, at);
}

static bool *is_figure_known(const struct store_column *c, struct figures *f)
{
	return &f->known[(c->offset - offsetof(struct store_run, summary.figures.value)) /
			 sizeof(f->value[0])];
}

static void bind_one(const struct store_column *c, sqlite3_stmt *s, int at,
		     const struct store_run *run)
{
	const void *member = (const char *)run + c->offset;
	const struct maybe *maybe = member;
	const struct summary_judged *judged = member;
	const struct mode *const *mode = member;
	char sid[STORE_SID];

	switch (c->kind) {
	case KIND_NUMBER:
	case KIND_BOOL:
		bind_number(s, at, get_number(member, c->bytes));
		break;
	case KIND_ATTEST:
		sqlite3_bind_text(s, at, attested[run->summary.facts.attest.state], -1,
				  SQLITE_STATIC);
		break;
	case KIND_TEXT:
		sqlite3_bind_text(s, at, member, -1, SQLITE_TRANSIENT);
		break;
	case KIND_SID:
		snprintf(sid, sizeof(sid), "%016" PRIx64, run->sid);
		sqlite3_bind_text(s, at, sid, -1, SQLITE_TRANSIENT);
		break;
	case KIND_MODE:
		sqlite3_bind_text(s, at, *mode ? (*mode)->name : NULL, -1, SQLITE_STATIC);
		break;
	case KIND_HEX:
		bind_hex(s, at, member, c->bytes);
		break;
	case KIND_MAYBE:
		if (maybe->known)
			bind_number(s, at, maybe->value);
		else
			sqlite3_bind_null(s, at);
		break;
	case KIND_FIGURE:
		if (*is_figure_known(c, (struct figures *)&run->summary.figures))
			sqlite3_bind_double(s, at, *(const double *)member);
		else
			sqlite3_bind_null(s, at);
		break;
	case KIND_SOURCES:
		bind_sources(s, at, &run->summary.figures);
		break;
	default:
		sqlite3_bind_text(s, at, judged->set ? verdict_name(judged->verdict) : NULL, -1,
				  SQLITE_STATIC);
	}
}

int store_row_bind(const struct store_column *columns, sqlite3_stmt *s, int first,
		   const struct store_run *run)
{
	for (; columns->name; columns++)
		bind_one(columns, s, first++, run);
	return first;
}

/* ---- Reading ---- */

static uint64_t read_number(sqlite3_stmt *s, int at)
{
	sqlite3_int64 number = sqlite3_column_int64(s, at);

	return number > 0 ? (uint64_t)number : 0;
}

static void put_number(void *member, size_t bytes, uint64_t number)
{
	uint32_t word = (uint32_t)number;

	if (bytes == 1)
		*(uint8_t *)member = (uint8_t)number;
	else if (bytes == sizeof(word))
		memcpy(member, &word, sizeof(word));
	else
		memcpy(member, &number, sizeof(number));
}

static void read_mode(struct summary *summary, const char *name)
{
	for (unsigned n = 1; name && mode_at(n); n++)
		if (strcmp(name, mode_at(n)->name) == 0)
			summary->mode = mode_at(n);
}

/* A word that is none of them counts as an error. */
static void read_verdict(struct summary_judged *judged, const char *name)
{
	judged->set = name != NULL;
	judged->verdict = VERDICT_ERROR;
	for (unsigned v = 0; name && v < VERDICTS; v++)
		if (strcmp(name, verdict_name((enum verdict)v)) == 0)
			judged->verdict = (enum verdict)v;
}

/* A word that is none of them: it is to be checked again. */
static void read_attest(struct attest_facts *f, const char *name)
{
	f->state = ATTEST_FACTS_UNKNOWN;
	for (unsigned n = 0; name && n < ATTEST_FACTS_STATES; n++)
		if (strcmp(name, attested[n]) == 0)
			f->state = (enum attest_facts_state)n;
}

static void read_sources(struct figures *f, const char *text)
{
	json_t *sources = text ? json_loads(text, 0, NULL) : NULL;
	json_int_t period;
	const char *cause;

	for (f->sources = 0; f->sources < FIGURES_SOURCES; f->sources++) {
		struct figures_source *to = &f->source[f->sources];

		if (json_unpack(json_array_get(sources, f->sources), "[I, s]", &period, &cause))
			break;
		to->period_ns = period > 0 ? (uint64_t)period : 0;
		text_sanitize_ascii(to->cause, sizeof(to->cause), cause);
	}
	json_decref(sources);
}

static void read_figure(const struct store_column *c, sqlite3_stmt *s, int at, struct figures *f)
{
	bool is_known = sqlite3_column_type(s, at) != SQLITE_NULL;

	*is_figure_known(c, f) = is_known;
	f->value[is_figure_known(c, f) - f->known] = is_known ? sqlite3_column_double(s, at) : 0;
}

static void read_one(const struct store_column *c, sqlite3_stmt *s, int at, struct store_run *run)
{
	void *member = (char *)run + c->offset;
	const char *text = NULL;

	if (c->kind != KIND_NUMBER && c->kind != KIND_BOOL && c->kind != KIND_MAYBE &&
	    c->kind != KIND_FIGURE)
		text = (const char *)sqlite3_column_text(s, at);
	switch (c->kind) {
	case KIND_NUMBER:
		put_number(member, c->bytes, read_number(s, at));
		break;
	case KIND_BOOL:
		*(bool *)member = read_number(s, at) != 0;
		break;
	case KIND_ATTEST:
		read_attest(&run->summary.facts.attest, text);
		break;
	case KIND_TEXT:
		text_sanitize_ascii(member, c->bytes, text);
		break;
	case KIND_SID:
		run->sid = text ? strtoull(text, NULL, 16) : 0;
		break;
	case KIND_MODE:
		read_mode(&run->summary, text);
		break;
	case KIND_HEX:
		if (!text || text_unhex(text, member, c->bytes) != c->bytes)
			memset(member, 0, c->bytes);
		break;
	case KIND_MAYBE:
		*(struct maybe *)member = (struct maybe){
			read_number(s, at), sqlite3_column_type(s, at) != SQLITE_NULL
		};
		break;
	case KIND_FIGURE:
		read_figure(c, s, at, &run->summary.figures);
		break;
	case KIND_SOURCES:
		read_sources(&run->summary.figures, text);
		break;
	default:
		read_verdict(member, text);
	}
}

int store_row_read(const struct store_column *columns, sqlite3_stmt *s, int first,
		   struct store_run *run)
{
	for (; columns->name; columns++)
		read_one(columns, s, first++, run);
	return first;
}

static bool is_equal(const struct store_column *c, const void *a, const void *b)
{
	const struct maybe *x = a, *y = b;

	if (c->kind == KIND_TEXT)
		return strcmp(a, b) == 0;
	if (c->kind == KIND_MAYBE)
		return x->known == y->known && (!x->known || x->value == y->value);
	if (c->kind == KIND_NUMBER && c->bytes == sizeof(uint64_t)) {
		uint64_t m = get_number(a, c->bytes), n = get_number(b, c->bytes);

		return m == n || (m > INT64_MAX && n == INT64_MAX) ||
		       (n > INT64_MAX && m == INT64_MAX);
	}
	return memcmp(a, b, c->bytes) == 0;
}

const char *store_row_differs(const struct store_column *columns, const struct store_run *a,
			      const struct store_run *b)
{
	for (; columns->name; columns++)
		if (columns->is_derived && !is_equal(columns, (const char *)a + columns->offset,
						     (const char *)b + columns->offset))
			return columns->name;
	return NULL;
}
