/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One query per measurement for InfluxDB, one per field for VictoriaMetrics; the answers become
 * rows of labels and numbers, and these machines. Whatever an answer contains, it is checked.
 */
#include "engine.h"

#include "engine_answer.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECONDS    300                 /* of one query */
#define ANSWER_MAX ((size_t)256 << 20) /* VictoriaMetrics: a field of about a million machines */
#define QUERY_MAX  1024
/* Points of the last ten years; and a little ahead, where the clocks of collectors are. */
#define RANGE   "[3650d]"
#define AHEAD_S 86400
#define EXACT   (UINT64_C(1) << 53)

/* What the points have; the first field is in each point. */
enum node_field {
	LINES,
	SID_HIGH,
	SID_LOW,
	ENDED_MS,
	VERDICT,
	LOST,
	CORES,
	SOURCES,
	KNOWN,
	LONGEST,
	NOISE,
	SMI,
	BEGAN_S
};
enum node_label { UUID, RUN, PRODUCT, BIOS, STAGE };
enum source_field { PERIOD_NS, SOURCE_SID_LOW };
enum source_label { SOURCE = RUN + 1, CAUSE };

static const struct engine_answer_kind nodes_kind = {
	.name = "node",
	.label = { "uuid", "run", "product", "bios", "stage" },
	.identifying = 2,
	.field = { "lines", "sid_high", "sid_low", "ended_ms", "verdict", "lost", "cores",
		   "sources", "known", "longest_ns", "noise_ppm", "smi_per_hour", "began_s" },
};
static const struct engine_answer_kind sources_kind = {
	.name = "node_source",
	.label = { "uuid", "run", "source", "cause" },
	.identifying = 4,
	.field = { "period_ns", "sid_low" },
};

struct engine {
	const char *subcommand, *url;
	char shown[HTTP_SHOWN];
	char uuid[200]; /* as a regular expression; "": all machines */
	struct http *http;
	struct http_target target;
	bool is_influx;
	struct engine_nodes *nodes;
};

static bool fail(const struct engine *e, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", e->subcommand, e->shown, why);
	return false;
}

/* ---- Queries ---- */

/* A parameter of a form: all but letters and digits escaped. */
static void add_escaped(struct text *t, const char *value)
{
	for (; *value; value++) {
		if (isalnum((unsigned char)*value))
			text_char(t, *value);
		else
			text_add(t, "%%%02x", (unsigned char)*value);
	}
}

/*
 * InfluxDB cuts an answer that is not in chunks at max-row-limit, and calls one of 10,000 rows
 * partial though it is whole: so it comes in one chunk.
 */
#define ONE_CHUNK "chunked=true&chunk_size=1000000000&q="

/* POST the query. NULL, with the reason printed. */
static json_t *ask(struct engine *e, const char *query)
{
	char body[3 * QUERY_MAX + 64], why[200];
	struct http_request r = { .type = "application/x-www-form-urlencoded",
				  .body = body,
				  .seconds = SECONDS,
				  .most = ANSWER_MAX };
	struct http_answer a;
	struct text t;
	json_t *answer;

	text_init(&t, body, sizeof(body));
	if (!e->is_influx)
		text_add(&t, "nocache=1&time=%lld&", (long long)time(NULL) + AHEAD_S);
	text_add(&t, e->is_influx ? ONE_CHUNK : "query=");
	add_escaped(&t, query);
	r.bytes = t.len;
	http_post(e->http, &e->target, &r, &a);
	answer = engine_answer_load(&a, why);
	free(a.body);
	if (!answer)
		fail(e, why);
	return answer;
}

static void add_names(struct text *t, const char *const *name, size_t from)
{
	for (size_t i = from; name[i]; i++)
		text_add(t, ",%s", name[i]);
}

/* The latest point of each machine, in one table. */
static void influx_query(const struct engine *e, const struct engine_answer_kind *k, struct text *t)
{
	text_add(t, "SELECT %s", k->field[0]);
	add_names(t, k->field, 1);
	add_names(t, k->label, 0);
	text_add(t, " FROM (SELECT LAST(%s) AS %s", k->field[0], k->field[0]);
	add_names(t, k->field, 1);
	add_names(t, k->label, k->identifying);
	text_add(t, " FROM noisefloor_%s", k->name);
	if (*e->uuid)
		text_add(t, " WHERE uuid =~ /(?i)^%s$/", e->uuid);
	text_add(t, " GROUP BY uuid");
	for (size_t i = 1; i < k->identifying; i++)
		text_add(t, ",%s", k->label[i]);
	text_char(t, ')');
}

/* Points of a field; in strings, backslashes are escaped. */
static void add_selector(const struct engine *e, const char *name, const char *field,
			 struct text *t)
{
	text_add(t, "noisefloor_%s_%s", name, field);
	if (*e->uuid)
		text_add(t, "{uuid=~\"(?i)");
	for (const char *at = e->uuid; *at; at++)
		text_add(t, *at == '\\' ? "\\\\" : "%c", *at);
	text_add(t, *e->uuid ? "\"}" RANGE : RANGE);
}

/* Add the rows of the answer. False, with the reason printed. */
static bool ask_rows(struct engine *e, const char *query, const struct engine_answer_kind *k,
		     size_t field, struct engine_answer *rows)
{
	json_t *answer = ask(e, query);
	const char *why;

	if (!answer)
		return false;
	why = e->is_influx ? engine_answer_influx(rows, k, answer)
			   : engine_answer_victoria(rows, k, field, answer);
	json_decref(answer);
	/* Or the same machines, once more in each answer, would add up. */
	why = why ? why : engine_answer_join(rows, ENGINE_ANSWER_ROWS);
	return !why || fail(e, why);
}

static bool read_kind(struct engine *e, const struct engine_answer_kind *k,
		      struct engine_answer *rows)
{
	size_t queries = e->is_influx ? 1 : ENGINE_ANSWER_FIELDS;
	bool well = true;

	for (size_t i = 0; i < queries && k->field[i] && well; i++) {
		TEXT_DEFINE(query, QUERY_MAX);

		if (e->is_influx) {
			influx_query(e, k, &query);
		} else {
			text_add(&query, "last_over_time(");
			add_selector(e, k->name, k->field[i], &query);
			text_char(&query, ')');
		}
		well = ask_rows(e, query.buf, k, i, rows);
	}
	return well;
}

/* A run may have been sent twice: VictoriaMetrics keeps both. */
static bool count_runs(struct engine *e)
{
	static const struct engine_answer_kind kind = { .field = { "runs" } };
	struct engine_answer rows = { 0 };
	bool well;
	TEXT_DEFINE(query, QUERY_MAX);

	text_add(&query, e->is_influx ? "SELECT COUNT(lines) AS runs FROM noisefloor_node"
				      : "sum(distinct_over_time(");
	if (!e->is_influx) {
		add_selector(e, "node", "sid_low", &query);
		text_add(&query, "))");
	} else if (*e->uuid) {
		text_add(&query, " WHERE uuid =~ /(?i)^%s$/", e->uuid);
	}
	well = ask_rows(e, query.buf, &kind, 0, &rows);
	if (rows.count && rows.row[0].value[0] >= 0 && rows.row[0].value[0] < (double)EXACT)
		e->nodes->runs = (uint64_t)rows.row[0].value[0];
	engine_answer_free(&rows);
	return well;
}

/* ---- Machines ---- */

/* An integer up to `most`. */
static bool take(const struct engine_answer_row *r, unsigned field, uint64_t most, uint64_t *to)
{
	double value = r->value[field];

	if (!(value >= 0 && value <= (double)most) || value != floor(value))
		return false;
	*to = (uint64_t)value;
	return true;
}

static void take_label(char *to, size_t room, const struct engine_answer_row *r, unsigned label)
{
	text_sanitize_ascii(to, room, r->label[label]);
}

static void put_began(struct summary *s, uint64_t began_s)
{
	time_t t = (time_t)began_s;
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(s->began, sizeof(s->began), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static bool take_figures(const struct engine_answer_row *r, uint64_t known, struct figures *f)
{
	for (unsigned n = 0; n < FIGURES; n++) {
		f->known[n] = known >> n & 1;
		f->value[n] = f->known[n] ? r->value[LONGEST + n] : 0;
		if (!(f->value[n] >= 0))
			return false;
	}
	return true;
}

static bool take_node(const struct engine_answer_row *r, struct fleet_node *n)
{
	uint64_t high, low, ended_ms, verdict, known, sources, began_s;
	struct summary *s = &n->run.summary;

	*n = (struct fleet_node){ .runs = 1 };
	if (!take(r, SID_HIGH, UINT32_MAX, &high) || !take(r, SID_LOW, UINT32_MAX, &low) ||
	    !take(r, ENDED_MS, EXACT, &ended_ms) || !take(r, VERDICT, VERDICTS - 1, &verdict) ||
	    !take(r, LINES, EXACT, &s->lines) || !take(r, LOST, EXACT, &s->lost) ||
	    !take(r, CORES, EXACT, &n->of.cores) || !take(r, SOURCES, FIGURES_SOURCES, &sources) ||
	    !take(r, KNOWN, EXACT, &known) || !take_figures(r, known, &n->of))
		return false;
	n->run.sid = high << 32 | low;
	n->run.rank = (size_t)ended_ms;
	n->of.sources = (size_t)sources;
	s->ended = true;
	snprintf(s->verdict, sizeof(s->verdict), "%s", verdict_name((enum verdict)verdict));
	take_label(s->uuid, sizeof(s->uuid), r, UUID);
	take_label(s->product, sizeof(s->product), r, PRODUCT);
	take_label(s->bios, sizeof(s->bios), r, BIOS);
	take_label(n->of.stage, sizeof(n->of.stage), r, STAGE);
	for (unsigned i = 1; mode_at(i); i++)
		s->mode = known & FIGURES_MODE(i) ? mode_at(i) : s->mode;
	if (known & FIGURES_SHORT)
		snprintf(s->remark, sizeof(s->remark), "it is shorter than its preset requires");
	if (!(known & FIGURES_BEGAN))
		return true;
	if (!take(r, BEGAN_S, INT32_MAX * UINT64_C(16), &began_s))
		return false;
	put_began(s, began_s);
	return true;
}

/* A machine, and of its runs the one that a point of its sources names. */
static int by_machine(const void *a, const void *b)
{
	const struct fleet_node *x = a, *y = b;

	return strcmp(x->run.summary.uuid, y->run.summary.uuid)
		       ?: ORDER((uint32_t)x->run.sid, (uint32_t)y->run.sid);
}

/* The sources of earlier runs are left out. */
static void add_source(struct engine_nodes *n, const struct engine_answer_row *r)
{
	struct fleet_node key = { .runs = 0 }, *node;
	const char *source = r->label[SOURCE];
	uint64_t period_ns, at;

	take_label(key.run.summary.uuid, sizeof(key.run.summary.uuid), r, UUID);
	if (!n->count || !take(r, SOURCE_SID_LOW, UINT32_MAX, &key.run.sid) ||
	    !take(r, PERIOD_NS, EXACT, &period_ns) ||
	    units_parse_u64(source, strlen(source), &at) != UNITS_OK)
		return;
	node = bsearch(&key, n->node, n->count, sizeof(key), by_machine);
	if (!node || at >= node->of.sources)
		return;
	node->of.source[at].period_ns = period_ns;
	take_label(node->of.source[at].cause, sizeof(node->of.source[at].cause), r, CAUSE);
}

static bool has_sources(const struct fleet_node *n)
{
	for (size_t i = 0; i < n->of.sources; i++) {
		if (!*n->of.source[i].cause)
			return false;
	}
	return true;
}

static void make_nodes(struct engine_nodes *n, const struct engine_answer *nodes,
		       const struct engine_answer *sources)
{
	size_t kept = 0;

	n->node = memory_new(nodes->count, sizeof(*n->node));
	for (size_t i = 0; i < nodes->count; i++)
		n->count += take_node(&nodes->row[i], &n->node[n->count]);
	ORDER_SORT(n->node, n->count, by_machine);
	for (size_t i = 0; i < sources->count; i++)
		add_source(n, &sources->row[i]);
	for (size_t i = 0; i < n->count; i++) {
		if (has_sources(&n->node[i]))
			n->node[kept++] = n->node[i];
	}
	n->count = kept;
	n->unread = nodes->count - kept;
}

/* The argument as it is, whatever a regular expression would make of it. */
static bool keep_uuid(struct engine *e, const char *uuid)
{
	struct text t;

	text_init(&t, e->uuid, sizeof(e->uuid));
	for (; *uuid; uuid++) {
		if (isalnum((unsigned char)*uuid) || *uuid == '-')
			text_char(&t, *uuid);
		else
			text_add(&t, "\\x%02x", (unsigned char)*uuid);
	}
	return !t.overflow;
}

static bool is_target(struct engine *e)
{
	const char *query;

	if (!http_target(e->url, &e->target))
		return false;
	query = strchr(e->target.path, '?');
	e->is_influx = query && strstr(query, "db=") && query - e->target.path >= 6 &&
		       strncmp(query - 6, "/query", 6) == 0;
	return e->is_influx || (!query && strstr(e->target.path, "/api/v1/query"));
}

static bool read_all(struct engine *e)
{
	struct engine_answer nodes = { 0 }, sources = { 0 };
	bool done = read_kind(e, &nodes_kind, &nodes) && read_kind(e, &sources_kind, &sources) &&
		    count_runs(e);

	if (done)
		make_nodes(e->nodes, &nodes, &sources);
	engine_answer_free(&nodes);
	engine_answer_free(&sources);
	return done;
}

bool engine_read(const char *subcommand, const struct engine_choice *from, const char *uuid,
		 struct engine_nodes *n)
{
	struct engine e = { .subcommand = subcommand, .url = from->url, .nodes = n };
	char why[HTTP_SHOWN];
	bool done;

	*n = (struct engine_nodes){ 0 };
	http_shown(from->url, e.shown);
	if (!is_target(&e)) {
		const char *reason = http_unsupported(from->url);

		return fail(&e,
			    reason ? reason : "not an engine's address; accepted: " ENGINE_FORMS);
	}
	if (uuid && !keep_uuid(&e, uuid))
		return fail(&e, "the UUID is too long");
	e.http = http_open(e.subcommand, &from->access, why);
	if (!e.http)
		return fail(&e, why);
	done = read_all(&e);
	http_close(e.http);
	return done;
}
