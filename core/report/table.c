/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of a run for people. The columns are the labelled fields of a core's record. */
#include "table.h"

#include "core/lib/arith.h"
#include "core/lib/ratio.h"
#include "core/lib/ticks.h"
#include "core/records/record_field.h"

#define CELL_MAX  24
#define GUTTER    2
#define TOTAL_CPU UINT32_MAX /* the `cpu` of the total row */

struct column {
	const struct record_field *field; /* NULL: computed */
	unsigned cause;                   /* number of gaps by it; CAUSES: %AVAILABLE */
};

/* Columns: one per field, a computed one, and the causes. */
#define COLUMNS_MAX (RECORD_FIELDS_MAX + 1 + CAUSES)

struct table {
	const struct record_cpu *cpus;
	size_t count;
	unsigned flags; /* enum table_flag */
	uint32_t *order;
	size_t rows; /* the first rows of `order` are printed */
	struct record_cpu total;
	struct column column[COLUMNS_MAX];
	unsigned columns;
	unsigned causes; /* number of columns by cause, which are the last ones */
	size_t width[COLUMNS_MAX];
};

#define AVAILABLE_DIGITS 7 /* percent with five decimals, rounded down as osnoise does */

static void put_available(struct text *t, const struct record_cpu *row)
{
	uint64_t exposure = row->exposure_ns;
	uint64_t noise = arith_min(row->noise_ns, exposure);

	if (exposure)
		text_fixed(t, ratio_share(exposure - noise, exposure, AVAILABLE_DIGITS, false),
			   AVAILABLE_DIGITS - 2, 0);
	else
		text_add(t, "n/a");
}

static bool is_time(const struct record_field *f)
{
	return f->unit == FIELD_UNIT_NS || f->unit == FIELD_UNIT_LONG_NS;
}

/* "RUNTIME(us)", "%AVAILABLE", "smi" */
static void put_head(struct text *t, const struct column *c)
{
	const char *label = c->field ? c->field->label : "";

	for (; *label; label++)
		text_char(t, *label >= 'a' && *label <= 'z' ? (char)(*label - 'a' + 'A') : *label);
	if (c->field)
		text_add(t, "%s", is_time(c->field) ? "(us)" : "");
	else
		text_add(t, "%s",
			 c->cause == CAUSES ? "%AVAILABLE" : cause_name((enum cause)c->cause));
}

static void put_field(struct text *t, const struct record_field *f, const struct record_cpu *row)
{
	struct maybe number = record_field_number(f, row);

	if (f->offset == offsetof(struct record_cpu, cpu) && row->cpu == TOTAL_CPU)
		text_add(t, "all");
	else if (f->unit == FIELD_UNIT_LONG_NS)
		text_fixed(t, arith_rounded(number.value, 1000), 0, 0);
	else if (f->unit == FIELD_UNIT_NS)
		text_fixed(t, arith_rounded(number.value, 100), 1, 0);
	else
		text_maybe(t, number);
}

/* Put a core's cell of a column; without a core, its head. */
static void put_cell(struct text *cell, const struct column *c, const struct record_cpu *row)
{
	if (!row)
		put_head(cell, c);
	else if (c->field)
		put_field(cell, c->field, row);
	else if (c->cause == CAUSES)
		put_available(cell, row);
	else
		text_fixed(cell, row->cause[c->cause].gaps, 0, 0);
}

static void make_total(struct table *t)
{
	t->total.cpu = TOTAL_CPU;
	record_total_start(RECORD_CPU, &t->total);
	for (size_t i = 0; i < t->count; i++)
		record_total_add(RECORD_CPU, &t->total, &t->cpus[i]);
}

static void add_column(struct table *t, const struct record_field *field, unsigned cause)
{
	t->column[t->columns++] = (struct column){ field, cause };
}

/* True for a field with a label that belongs in this table. */
static bool is_column(const struct table *t, const struct record_field *f)
{
	if (!f->label || (t->flags & TABLE_NO_SMI && f->on_smi))
		return false;
	return !(t->flags & TABLE_BRIEF && f->unit == FIELD_UNIT_LONG_NS);
}

static void choose_columns(struct table *t)
{
	const struct record_field *fields = record_fields(RECORD_CPU);
	bool brief = t->flags & TABLE_BRIEF;

	for (const struct record_field *f = fields; f->kind != FIELD_END; f++) {
		if (!f->if_any && is_column(t, f))
			add_column(t, f, 0);
		if (!brief && f->offset == offsetof(struct record_cpu, noise_ns))
			add_column(t, NULL, CAUSES);
	}
	for (const struct record_field *f = fields; f->kind != FIELD_END; f++)
		if (f->if_any && is_column(t, f) && record_field_number(f, &t->total).value)
			add_column(t, f, 0);
	for (unsigned c = 0; !brief && c < CAUSES; c++) {
		if (!t->total.cause[c].gaps)
			continue;
		add_column(t, NULL, c);
		t->causes++;
	}
}

static bool is_worse(const struct record_cpu *a, const struct record_cpu *b)
{
	if (a->max_ns != b->max_ns)
		return a->max_ns > b->max_ns;
	if (a->noise_ns != b->noise_ns)
		return a->noise_ns > b->noise_ns;
	return a->cpu < b->cpu;
}

/* Sort the rows that are printed to the front. */
static void choose_rows(struct table *t)
{
	for (size_t i = 0; i < t->count; i++)
		t->order[i] = (uint32_t)i;
	t->rows = t->count;
	if (t->count <= (t->flags & TABLE_BRIEF ? TABLE_FEW : TABLE_ALL))
		return;

	t->rows = arith_min(t->count, TABLE_WORST);
	for (size_t i = 0; i < t->rows; i++) {
		for (size_t j = i + 1; j < t->count; j++) {
			uint32_t first = t->order[i], other = t->order[j];

			if (!is_worse(&t->cpus[other], &t->cpus[first]))
				continue;
			t->order[i] = other;
			t->order[j] = first;
		}
	}
}

/* Printed lines: the heads, the rows and, for several cores, the total. */
static size_t lines_of(const struct table *t)
{
	return 1 + t->rows + (t->count > 1);
}

/* The core of a printed line; NULL: the heads. */
static const struct record_cpu *row_at(const struct table *t, size_t line)
{
	if (!line)
		return NULL;
	return line <= t->rows ? &t->cpus[t->order[line - 1]] : &t->total;
}

static void measure_columns(struct table *t)
{
	for (unsigned c = 0; c < t->columns; c++)
		for (size_t i = 0; i < lines_of(t); i++) {
			TEXT_DEFINE(cell, CELL_MAX);

			put_cell(&cell, &t->column[c], row_at(t, i));
			t->width[c] = arith_max(t->width[c], cell.len);
		}
}

/* The width of a table of the first column, and of those in [from, to). */
static size_t width_of(const struct table *t, unsigned from, unsigned to)
{
	size_t width = t->width[0];

	for (unsigned c = from; c < to; c++)
		width += GUTTER + t->width[c];
	return width;
}

#define BY_CAUSE "gaps by cause"

static void add_cell(struct text *out, const struct table *t, unsigned c,
		     const struct record_cpu *row)
{
	TEXT_DEFINE(cell, CELL_MAX);

	put_cell(&cell, &t->column[c], row);
	text_add(out, "%*s", (int)((c ? GUTTER : 0) + t->width[c]), cell.buf);
}

/* Print the first column and those in [from, to), with a heading over the last ones by cause. */
static void print_part(struct lines *p, const struct table *t, unsigned from, unsigned to)
{
	if (t->causes && to == t->columns) {
		text_add(&p->out, "%*s", (int)width_of(t, from, to), BY_CAUSE);
		lines_end(p);
	}
	for (size_t i = 0; i < lines_of(t); i++) {
		for (unsigned c = 0; c < to; c = c ? c + 1 : from)
			add_cell(&p->out, t, c, row_at(t, i));
		lines_end(p);
	}
}

/* Print the causes beside the other columns, or below if that would be too wide. */
static void print_parts(struct lines *p, const struct table *t)
{
	unsigned from = 1;

	if (t->causes && width_of(t, 1, t->columns) > LINES_COLUMNS) {
		from = t->columns - t->causes;
		print_part(p, t, 1, from);
	}
	print_part(p, t, from, t->columns);
}

/* The unit of time in which a rate of 3/exposure is a convenient number. */
struct rate_unit {
	uint64_t ns;
	const char *name;
	uint64_t from_ns; /* exposure from which it is used */
};

static const struct rate_unit rate_units[] = {
	{ 86400 * NS_PER_S, "day", 86400 * NS_PER_S },
	{ 3600 * NS_PER_S, "hour", 3600 * NS_PER_S },
	{ 60 * NS_PER_S, "minute", NS_PER_S },
	{ NS_PER_S, "second", 0 },
};

/*
 * The 95 % upper bound of a rate when nothing was seen: 3/exposure, the "rule
 * of three" (-ln 0.05 = 2.996; Hanley and Lippman-Hand, JAMA 249, 1983).
 * Rounded up, as a bound must be.
 */
static void add_bound(struct text *out, uint64_t exposure_ns, bool per_core)
{
	const struct rate_unit *unit = rate_units;

	if (!exposure_ns) {
		text_add(out, ": no bound on the rate");
		return;
	}
	while (exposure_ns < unit->from_ns)
		unit++;

	uint64_t hundredths = 3 * 100 * unit->ns;

	text_add(out, ": at most ");
	text_fixed(out, hundredths / exposure_ns + (hundredths % exposure_ns != 0), 2, 0);
	text_add(out, " per %s%s (95 %%)", unit->name, per_core ? " and core" : "");
}

/* Cores that saw none of something, and the range of their exposures. */
struct quiet {
	size_t cores;
	uint64_t least_ns, most_ns;
};

static void add_claim(struct text *out, const struct table *t, const struct record_field *count,
		      const struct quiet *q)
{
	text_add(out, "no %s ", count->label);
	if (t->count == 1)
		text_add(out, "in ");
	else if (q->cores == t->count)
		text_add(out, "on any of %zu cores in ", t->count);
	else
		text_add(out, "on %zu of %zu cores in ", q->cores, t->count);
	text_duration(out, q->least_ns);
	if (t->count > 1)
		text_add(out, q->least_ns < q->most_ns ? " or more each" : " each");
	add_bound(out, q->least_ns, t->count > 1);
}

/*
 * Print the bound for the cores that saw none, with their least exposure, so that it holds for
 * each.
 */
static void print_claim(struct lines *p, const struct table *t, const struct record_field *count)
{
	struct quiet q = { .least_ns = UINT64_MAX };

	for (size_t i = 0; i < t->count; i++) {
		struct maybe seen = record_field_number(count, &t->cpus[i]);
		uint64_t exposure = t->cpus[i].exposure_ns;

		if (!seen.known || seen.value)
			continue;
		q.cores++;
		q.least_ns = arith_min(q.least_ns, exposure);
		q.most_ns = arith_max(q.most_ns, exposure);
	}
	if (!q.cores)
		return;
	add_claim(&p->out, t, count, &q);
	lines_wrap(p, LINES_CONTINUED);
}

/* Print a claim for each count of events that cores may not have seen at all. */
static void print_claims(struct lines *p, const struct table *t)
{
	for (unsigned c = 0; c < t->columns; c++) {
		const struct record_field *f = t->column[c].field;

		if (f && f->role == FIELD_ROLE_COUNT && !f->if_any)
			print_claim(p, t, f);
	}
}

static void put_outside(struct text *out, const char *before, const char *name, struct maybe count,
			bool *any)
{
	text_add(out, "%s%s ", before, name);
	text_maybe(out, count);
	*any |= count.known && count.value;
}

/* Print counts between windows: they are never gaps. */
static void print_outside(struct lines *p, const struct table *t)
{
	const char *before = " ";
	bool any = false;

	text_add(&p->out, "between windows, all cores together:");
#define OUTSIDE_INTERRUPT(name)                                         \
	put_outside(&p->out, before, #name, t->total.name##_out, &any); \
	before = ", ";
#define OUTSIDE_ERROR(name)
#define COUNTED(id, name, from, kind, ...) OUTSIDE_##kind(name)
#include "core/cause/counted_rows.h"
	if (any)
		lines_wrap(p, LINES_CONTINUED);
	else
		text_reset(&p->out);
}

void table_print(struct lines *out, const struct record_cpu *cpus, size_t count, unsigned flags,
		 uint32_t *order)
{
	struct table t = { .cpus = cpus, .count = count, .flags = flags, .order = order };

	if (!count)
		return;
	make_total(&t);
	choose_columns(&t);
	choose_rows(&t);
	measure_columns(&t);
	if (t.rows < t.count) {
		text_add(&out->out, "the %zu worst of %zu cores", t.rows, t.count);
		lines_end(out);
	}
	print_parts(out, &t);
	if (flags & TABLE_BRIEF)
		return;
	print_claims(out, &t);
	print_outside(out, &t);
}

/* ---- Events ---- */

static const char *const scope_words[SCOPES] = {
	[SCOPE_CPU] = "on one cpu",       [SCOPE_CORE] = "of a core",
	[SCOPE_PACKAGE] = "of a package", [SCOPE_MACHINE] = "of the machine",
	[SCOPE_UNKNOWN] = "of scope n/a",
};

void table_event_scopes(struct text *out, const uint64_t scope[SCOPES])
{
	const char *before = ": ";

	for (unsigned s = 0; s < SCOPES; s++) {
		if (!scope[s])
			continue;
		text_add(out, "%s%llu %s", before, (unsigned long long)scope[s], scope_words[s]);
		before = ", ";
	}
}

void table_events(uint64_t events, const uint64_t scope[SCOPES], uint32_t listed, lines_put *line,
		  void *ctx)
{
	struct lines p;

	lines_init(&p, line, ctx);
	text_add(&p.out, "%llu %s", (unsigned long long)events, events == 1 ? "event" : "events");
	if (scope)
		table_event_scopes(&p.out, scope);
	if (listed && listed < events)
		text_add(&p.out, "; the %u longest:", listed);
	else if (listed)
		text_char(&p.out, ':');
	lines_wrap(&p, LINES_CONTINUED);
}
