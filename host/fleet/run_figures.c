/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources are text: a line each, with period and cause. */
#define _GNU_SOURCE /* open_memstream */
#include "run_figures.h"

#include "host/capture/capture.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES_KNOWN = 1, FIGURES_IN_LINES = 2 }; /* of the column `figures` */

struct run_figures {
	struct capture capture;
};

static void leave_out(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file, (void)line, (void)text;
}

struct run_figures *run_figures_begin(void)
{
	const struct capture_want want = { .keep = 1u << RECORD_BEGIN | 1u << RECORD_CPU |
						   1u << RECORD_SOURCE | 1u << RECORD_SERVICE,
					   .complain = leave_out };
	struct run_figures *r = memory_new(1, sizeof(*r));

	capture_begin(&r->capture, "", &want);
	return r;
}

void run_figures_feed(struct run_figures *r, const char *text, size_t bytes)
{
	capture_feed(&r->capture, text, bytes);
}

void run_figures_end(struct run_figures *r, struct store_run *run, struct figures *f,
		     struct fleet_services *services)
{
	struct capture *c = &r->capture;

	*f = (struct figures){ .cores = 0 };
	capture_end(c);
	for (size_t i = 0; i < c->runs; i++) {
		if (c->run[i]->sid != run->sid)
			continue;
		summary_set_mode(&run->summary, result_mode(c->run[i])->mode);
		if (c->run[i]->stages)
			figures_read(f, c->run[i]);
		fleet_services_add(services, &run->summary, c->run[i]);
	}
	capture_close(c);
	free(r);
}

/* ---- Storing ---- */

static void bind_figures(sqlite3_stmt *s, const struct figures *f)
{
	char *sources = NULL;
	size_t bytes;
	FILE *to = memory_need(open_memstream(&sources, &bytes));

	for (size_t i = 0; i < f->sources; i++)
		fprintf(to, "%" PRIu64 " %s\n", f->source[i].period_ns, f->source[i].cause);
	if (fclose(to) != 0)
		memory_exhausted();
	sqlite3_bind_int64(s, 3, (sqlite3_int64)f->cores);
	sqlite3_bind_text(s, 4, f->stage, -1, SQLITE_TRANSIENT);
	for (int i = 0; i < FIGURES; i++)
		if (f->known[i])
			sqlite3_bind_double(s, 5 + i, f->value[i]);
	sqlite3_bind_text(s, 5 + FIGURES, sources, -1, free);
}

/* `f`: NULL: they are to be read of the run's lines. */
static int put(struct store *s, const struct store_run *run, const struct figures *f)
{
	sqlite3_stmt *update = NULL;
	const struct mode *mode = run->summary.mode;
	int code = sqlite3_prepare_v2(store_sql(s),
				      "UPDATE run SET figures=?2, cores=?3, stage=?4, "
				      "longest_ns=?5, noise_of_stage_ppm=?6, smi_per_hour=?7, "
				      "sources=?8, mode=?9 WHERE id=?1",
				      -1, &update, NULL);

	if (code == SQLITE_OK) {
		sqlite3_bind_int64(update, 1, (sqlite3_int64)run->id);
		sqlite3_bind_int(update, 2, f ? FIGURES_KNOWN : FIGURES_IN_LINES);
		sqlite3_bind_text(update, 9, mode ? mode->name : NULL, -1, SQLITE_STATIC);
		if (f)
			bind_figures(update, f);
		code = sqlite3_step(update);
	}
	sqlite3_finalize(update);
	return code == SQLITE_DONE ? 0 : EIO;
}

static void feed(void *ctx, const char *text, size_t bytes)
{
	run_figures_feed(ctx, text, bytes);
}

struct filled {
	struct store_run run;
	struct figures of;
	bool is_known;
};

/* What is damaged has none: it is reported to whoever reads the lines. */
static void read_run(struct store *s, struct filled *f)
{
	struct fleet_services services = { .count = 0 };
	struct store_chunks chunks = { .take = feed };
	int error;

	if (f->run.bytes > RUN_FIGURES_BYTES_MAX)
		return;
	chunks.ctx = run_figures_begin();
	error = store_chunks(s, f->run.id, &chunks);
	run_figures_end(chunks.ctx, &f->run, &f->of, &services);
	f->is_known = !error && !chunks.damaged && !services.count;
	free(services.at);
}

struct list {
	struct filled *at;
	size_t count;
};

static int add(void *ctx, const struct store_run *run)
{
	struct list *l = ctx;

	*MEMORY_ADD(l->at, l->count) = (struct filled){ .run = *run };
	return 0;
}

int run_figures_fill(struct store *s, unsigned most, unsigned *count)
{
	struct list list = { .count = 0 };
	char where[100];
	int error;

	snprintf(where, sizeof(where), "WHERE ended AND figures IS NULL ORDER BY id LIMIT %u",
		 most);
	error = store_each(s, where, NULL, add, &list);
	for (size_t i = 0; i < list.count; i++)
		read_run(s, &list.at[i]);
	*count = (unsigned)list.count;
	error = error || !list.count ? error : store_begin(s);
	if (!error && list.count) {
		for (size_t i = 0; i < list.count && !error; i++)
			error = put(s, &list.at[i].run,
				    list.at[i].is_known ? &list.at[i].of : NULL);
		error = store_end(s, error);
	}
	free(list.at);
	return error;
}

/* ---- Reading ---- */

struct each {
	int (*take)(void *ctx, const struct store_run *run, const struct figures *f);
	void *ctx;
};

static void read_sources(struct figures *f, const char *text)
{
	char *end;

	while (text && *text && f->sources < FIGURES_SOURCES) {
		struct figures_source *to = &f->source[f->sources];
		size_t bytes;

		to->period_ns = strtoull(text, &end, 10);
		end += *end == ' ';
		bytes = strcspn(end, "\n");
		snprintf(to->cause, sizeof(to->cause), "%.*s", (int)bytes, end);
		text_sanitize_ascii(to->cause, sizeof(to->cause), to->cause);
		text = end + bytes + (end[bytes] == '\n');
		f->sources++;
	}
}

static int take_figures(void *ctx, sqlite3_stmt *row)
{
	const struct each *e = ctx;
	struct store_run run;
	int at = store_read_run(row, &run);
	bool is_known = sqlite3_column_int(row, at) == FIGURES_KNOWN;
	struct figures f = { .cores = (uint64_t)sqlite3_column_int64(row, at + 1) };

	at += 2;
	text_sanitize_ascii(f.stage, sizeof(f.stage), (const char *)sqlite3_column_text(row, at++));
	for (int i = 0; i < FIGURES; i++, at++) {
		f.known[i] = sqlite3_column_type(row, at) != SQLITE_NULL;
		f.value[i] = f.known[i] ? sqlite3_column_double(row, at) : 0;
	}
	read_sources(&f, (const char *)sqlite3_column_text(row, at));
	return e->take(e->ctx, &run, is_known ? &f : NULL);
}

int run_figures_each(struct store *s, const char *where,
		     int (*take)(void *ctx, const struct store_run *run, const struct figures *f),
		     void *ctx)
{
	struct each e = { take, ctx };

	return store_each_row(s,
			      ", figures, cores, stage, longest_ns, noise_of_stage_ppm, "
			      "smi_per_hour, sources",
			      where, NULL, take_figures, &e);
}
