/* SPDX-License-Identifier: BSD-2-Clause */
/* From records to figures per stage and core. */
#include "measured.h"

#include "reader.h"
#include "host/lib/list.h"
#include "host/lib/memory.h"
#include "host/lib/progress.h"
#include "search.h"
#include "shown.h"

#include "core/table/ladder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES    ((size_t)1 << 20)
#define COMPLAINTS_MAX 20
#define STAGES_MAX     64

struct measured_reader {
	struct reader *reader;
	char file[256];
	measured_complain *complain;
	void *ctx;
	uint64_t said;
};

static void complain_line(void *ctx, uint64_t line, const char *text)
{
	struct measured_reader *m = ctx;
	char clean[512];

	if (m->said++ >= COMPLAINTS_MAX)
		return;
	snprintf(clean, sizeof(clean), "%s", text);
	shown_clean(clean);
	m->complain(m->ctx, m->file, line, clean);
}

static struct measured_run *run_of(struct reader_run *run)
{
	if (!run->user)
		run->user = memory_new(1, sizeof(struct measured_run));
	return run->user;
}

/* A word for each thing that tells machines apart. */
static void add_word(char *to, size_t bytes, const char *word)
{
	size_t used = strlen(to);

	if (word && *word)
		snprintf(to + used, bytes - used, "%s%s", used ? " " : "", word);
}

static void keep_begin(struct measured_run *run, const struct record_begin *b)
{
	if (run->has_begin)
		return;
	run->has_begin = true;
	run->threshold_ns = search_threshold(b->config);
	add_word(run->version, sizeof(run->version), b->version);
	add_word(run->machine, sizeof(run->machine), b->machine.vendor);
	add_word(run->machine, sizeof(run->machine), b->machine.product);
	add_word(run->machine, sizeof(run->machine), b->machine.board);
	if (b->machine.uuid && b->machine.uuid[strspn(b->machine.uuid, "0-")])
		add_word(run->uuid, sizeof(run->uuid), b->machine.uuid);
	add_word(run->hypervisor, sizeof(run->hypervisor), b->hypervisor);
	shown_clean(run->version);
	shown_clean(run->machine);
	shown_clean(run->uuid);
	shown_clean(run->hypervisor);
}

static struct measured_stage *stage_of(struct measured_run *run, const char *name)
{
	struct measured_stage *stage;
	char clean[sizeof(stage->name)];

	snprintf(clean, sizeof(clean), "%s", name ? name : "n/a");
	shown_clean(clean);
	for (size_t i = 0; i < run->stages; i++) {
		if (strcmp(run->stage[i].name, clean) == 0)
			return &run->stage[i];
	}
	if (run->stages == STAGES_MAX)
		return NULL;
	run->stage = list_grow(run->stage, run->stages, sizeof(*run->stage));
	stage = &run->stage[run->stages++];
	*stage = (struct measured_stage){ 0 };
	memcpy(stage->name, clean, sizeof(clean));
	return stage;
}

static void keep_cpu(struct measured_run *run, const struct record_cpu *c)
{
	struct measured_stage *stage = stage_of(run, c->stage);
	struct measured_core *core;

	if (!stage || stage->cores == CPULIST_MAX || measured_core(stage, c->cpu))
		return;
	stage->core = list_grow(stage->core, stage->cores, sizeof(*stage->core));
	core = &stage->core[stage->cores++];
	*core = (struct measured_core){ .cpu = c->cpu,
					.exposure_ns = c->exposure_ns,
					.noise_ns = c->noise_ns,
					.max_ns = c->max_ns,
					.gaps = c->gaps,
					.dropped = c->dropped,
					.smi = c->smi,
					.nmi = c->nmi,
					.pairs = c->histogram.count };
	memcpy(core->cause, c->cause, sizeof(core->cause));
	core->pair = memory_copy(c->histogram.at, core->pairs, sizeof(*core->pair));
}

static void keep_window(struct measured_run *run, const struct record_window *w)
{
	struct measured_stage *stage = stage_of(run, w->stage);

	if (!stage || !w->len_ns)
		return;
	stage->windows++;
	stage->gaps += (double)w->gaps;
	stage->length_ns += (double)w->len_ns;
	stage->squares += (double)w->gaps * (double)w->gaps / (double)w->len_ns;
}

static void keep_pause(struct measured_run *run, const struct record_pause *p)
{
	struct measured_stage *stage = stage_of(run, p->stage);

	if (stage)
		stage->clock_wrong = true;
}

static void keep(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	(void)ctx;
	if (record->type == RECORD_BEGIN)
		keep_begin(run_of(run), &record->record->begin);
	else if (record->type == RECORD_CPU)
		keep_cpu(run_of(run), &record->record->cpu);
	else if (record->type == RECORD_WINDOW)
		keep_window(run_of(run), &record->record->window);
	else if (record->type == RECORD_PAUSE)
		keep_pause(run_of(run), &record->record->pause);
}

struct measured_reader *measured_start(const char *file, measured_complain *complain, void *ctx)
{
	struct measured_reader *m = memory_new(1, sizeof(*m));
	struct reader_hooks hooks = { .wanted = 1u << RECORD_BEGIN | 1u << RECORD_CPU |
						1u << RECORD_WINDOW | 1u << RECORD_PAUSE,
				      .record = keep,
				      .complain = complain_line,
				      .ctx = m };

	m->reader = memory_need(reader_new(&hooks));
	snprintf(m->file, sizeof(m->file), "%s", file);
	m->complain = complain;
	m->ctx = ctx;
	return m;
}

void measured_feed(struct measured_reader *m, const char *bytes, size_t count)
{
	reader_feed(m->reader, bytes, count);
}

static void free_run(struct measured_run *run)
{
	for (size_t i = 0; i < run->stages; i++) {
		for (size_t n = 0; n < run->stage[i].cores; n++)
			free(run->stage[i].core[n].pair);
		free(run->stage[i].core);
	}
	free(run->stage);
}

static bool has_cores(const struct measured_run *run)
{
	for (size_t i = 0; i < run->stages; i++) {
		if (run->stage[i].cores)
			return true;
	}
	return false;
}

void measured_end(struct measured_reader *m, struct measured *out)
{
	struct reader_run *r;

	*out = (struct measured){ 0 };
	reader_finish(m->reader);
	for (size_t n = 0; (r = reader_run(m->reader, n)); n++) {
		struct measured_run *run = run_of(r);

		run->sid = r->sid;
		run->has_end = r->has_end;
		run->whole = reader_run_whole(r);
		if (!run->has_begin)
			run->threshold_ns = search_threshold(NULL);
		if (has_cores(run)) {
			out->run = list_grow(out->run, out->runs, sizeof(*out->run));
			out->run[out->runs++] = *run;
		} else {
			free_run(run);
		}
		free(run);
		r->user = NULL;
	}
	reader_free(m->reader);
	free(m);
}

bool measured_read(const char *path, struct measured *out, measured_complain *complain, void *ctx)
{
	static char chunk[CHUNK_BYTES];
	bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "standard input" : path;
	FILE *file = standard ? stdin : fopen(path, "rb");
	struct measured_reader *m;
	int error = 0;
	size_t count;

	*out = (struct measured){ 0 };
	if (!file) {
		complain(ctx, name, 0, strerror(errno));
		return false;
	}
	m = measured_start(name, complain, ctx);
	progress_start_file(name, file);
	while ((count = fread(chunk, 1, sizeof(chunk), file)) > 0) {
		measured_feed(m, chunk, count);
		progress_add(count);
	}
	if (ferror(file))
		error = errno;
	if (!standard)
		fclose(file);
	progress_stop();
	measured_end(m, out);
	if (error)
		complain(ctx, name, 0, strerror(error));
	return !error;
}

void measured_free(struct measured *m)
{
	for (size_t i = 0; i < m->runs; i++)
		free_run(&m->run[i]);
	free(m->run);
	*m = (struct measured){ 0 };
}

const struct measured_stage *measured_stage(const struct measured_run *run, const char *name)
{
	for (size_t i = 0; i < run->stages; i++) {
		if (run->stage[i].cores && strcmp(run->stage[i].name, name) == 0)
			return &run->stage[i];
	}
	return NULL;
}

const struct measured_core *measured_core(const struct measured_stage *stage, uint32_t cpu)
{
	for (size_t i = 0; i < stage->cores; i++) {
		if (stage->core[i].cpu == cpu)
			return &stage->core[i];
	}
	return NULL;
}

double measured_burst(const struct measured_stage *stage)
{
	double chi, burst;

	if (stage->windows < LADDER_WINDOWS_MIN || stage->gaps <= 0 || !stage->cores)
		return 1;
	chi = stage->squares * stage->length_ns / stage->gaps - stage->gaps;
	burst = chi / (double)(stage->windows - 1) / (double)stage->cores;
	return burst > 1 ? burst : 1;
}
