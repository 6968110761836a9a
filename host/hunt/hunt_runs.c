/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the runs of a folder and their settings: pairs of files by name, whether the runs can be
 * compared, which settings differ, and which of these divide the runs into the same groups. Plans
 * the next runs.
 */
#include "hunt.h"

#include "host/capture/capture.h"
#include "host/lib/exit.h"
#include "host/lib/input.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/ticks.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUMP_SUFFIX ".bios.json"

static const char *const run_suffixes[] = { ".jsonl", ".nf", ".log", NULL };
static const char *const dump_suffixes[] = { DUMP_SUFFIX, NULL };

/* The bytes before one of the suffixes; 0: it has none. */
static size_t stem(const char *name, const char *const *suffix)
{
	size_t bytes = strlen(name);

	if (bytes > 3 && strcmp(name + bytes - 3, ".gz") == 0)
		bytes -= 3;
	for (; *suffix; suffix++) {
		size_t end = strlen(*suffix);

		if (bytes > end && memcmp(name + bytes - end, *suffix, end) == 0)
			return bytes - end;
	}
	return 0;
}

struct folder {
	struct hunt *h;
	const char *path, *stage;
	struct dirent **entry;
	int entries;
	char uuid[40];
	bool mixed;
	char file[PATH_MAX];
};

static void leave_out(struct folder *f, const char *name, const char *why)
{
	fprintf(stderr, "hunt: %s: %s; left out\n", text_sanitize_name(name), why);
	f->h->left_out++;
}

/* The entry of that stem and one of these suffixes; NULL: none. */
static const char *find_entry(const struct folder *f, const char *name, size_t bytes,
			      const char *const *suffix)
{
	for (int i = 0; i < f->entries; i++) {
		const char *other = f->entry[i]->d_name;

		if (stem(other, suffix) == bytes && memcmp(name, other, bytes) == 0)
			return other;
	}
	return NULL;
}

/* The path of a file, valid until the next call; "" if it is too long for Linux. */
static const char *path_of(struct folder *f, const char *name)
{
	int bytes = snprintf(f->file, sizeof(f->file), "%s/%s", f->path, name);

	return bytes < (int)sizeof(f->file) ? f->file : "";
}

static void read_gaps(struct hunt_run *run, const struct result_stage *stage)
{
	const struct record_cpu total = result_total(stage, stage->cpus);
	double cores = (double)stage->cpus;

	if (!total.exposure_ns)
		return;
	run->seconds = (double)total.exposure_ns / cores / NS_PER_S;
	run->has_smi = total.smi.known;
	run->value[HUNT_SMI] = (double)total.smi.value / cores;
	run->value[HUNT_GAPS] = (double)total.gaps / cores;
	run->value[HUNT_NOISE] = (double)total.noise_ns / cores;
	for (unsigned c = 0; c < CAUSES; c++)
		run->value[HUNT_CAUSE + c] = (double)total.cause[c].gaps / cores;
}

/* True if the run is comparable with the first run, which sets what the others must be. */
static bool is_alike(struct folder *f, const struct result *result, const char *name)
{
	struct result_identity id;
	struct hunt *h = f->h;

	result_identify(result, &id);
	if (!h->runs) {
		snprintf(h->machine, sizeof(h->machine), "%s", id.machine);
		memcpy(f->uuid, id.uuid, sizeof(f->uuid));
		h->threshold_ns = result_threshold(result);
	}
	f->mixed = true;
	if (strcmp(h->machine, id.machine) != 0 || strcmp(f->uuid, id.uuid) != 0)
		fprintf(stderr, "hunt: %s is of another machine: %s %s, not %s %s\n", name,
			id.machine, id.uuid, h->machine, f->uuid);
	else if (result_threshold(result) != h->threshold_ns)
		fprintf(stderr, "hunt: %s has another threshold: %llu ns, not %llu ns\n", name,
			(unsigned long long)result_threshold(result),
			(unsigned long long)h->threshold_ns);
	else
		f->mixed = false;
	return !f->mixed;
}

static void find_order(struct hunt *h)
{
	h->ordered = true;
	for (size_t a = 0; a < h->runs; a++) {
		const struct hunt_run *run = &h->run[a];

		h->ordered &= run->began_ns && run->zone == h->run[0].zone;
		for (size_t b = 0; b < h->runs; b++) {
			h->ordered &= a == b || h->run[b].began_ns != run->began_ns;
			h->order[a] += h->run[b].began_ns < run->began_ns;
		}
	}
}

static void take_run(struct folder *f, struct hunt_run *run, const struct capture_select *s,
		     const char *name)
{
	const struct result_stage *stage = capture_select_stage(s, f->stage);
	bool again = false;

	if (!stage) {
		leave_out(f, name, "it has no such stage");
		return;
	}
	if (!stage->cpus) {
		leave_out(f, name, "no gaps were looked for");
		return;
	}
	if (!f->stage) {
		text_sanitize_copy(f->h->stage, sizeof(f->h->stage), stage->name);
		f->stage = f->h->stage;
	}
	read_gaps(run, stage);
	run->sid = s->run->sid;
	run->began_ns = result_began_ns(s->run);
	run->zone = run->began_ns && strlen(s->run->begin.began) > strlen("2026-11-22T20:00:00");
	for (size_t r = 0; r < f->h->runs; r++)
		again = again || f->h->run[r].sid == run->sid;
	if (again)
		leave_out(f, name, "the same run as another");
	else if (!is_alike(f, s->run, s->capture.name))
		return;
	else if (!(run->seconds > 0))
		leave_out(f, name, "its cores have no exposure");
	else
		*MEMORY_ADD(f->h->run, f->h->runs) = *run;
}

static void read_records(struct folder *f, struct hunt_run *run, const char *name)
{
	struct capture_select s;

	if (!capture_select(&s, path_of(f, name), NULL))
		leave_out(f, name, "not one run");
	else if (capture_select_code(&s) != EXIT_PASS)
		leave_out(f, name, "records are missing");
	else
		take_run(f, run, &s, name);
	capture_close(&s.capture);
}

static void read_pair(struct folder *f, const char *name, const char *dump)
{
	size_t before = f->h->runs;
	struct hunt_run run = { .seconds = 0 };
	TEXT_DEFINE(why, 400);

	if (!bios_dump_read(&run.dump, path_of(f, dump), &why)) {
		leave_out(f, dump, why.buf);
	} else {
		snprintf(run.name, sizeof(run.name), "%.*s", (int)stem(name, run_suffixes), name);
		text_sanitize(run.name);
		read_records(f, &run, name);
	}
	if (f->h->runs == before)
		bios_dump_free(&run.dump);
}

static void read_entry(struct folder *f, const char *name)
{
	size_t run = stem(name, run_suffixes), dump = stem(name, dump_suffixes);
	const char *other;

	if (dump && !find_entry(f, name, dump, run_suffixes))
		leave_out(f, name, "no run beside it");
	if (!run)
		return;
	other = find_entry(f, name, run, dump_suffixes);
	if (!other)
		leave_out(f, name, "no " DUMP_SUFFIX " beside it");
	else if (find_entry(f, name, run, run_suffixes) != name)
		leave_out(f, name, "another file has its name");
	else if (!input_is_file(path_of(f, name)) || !input_is_file(path_of(f, other)))
		leave_out(f, name, "it or its " DUMP_SUFFIX " is no regular file");
	else
		read_pair(f, name, other);
}

static bool read_folder(struct hunt *h, const char *path, const char *stage)
{
	struct folder f = { .h = h, .path = path, .stage = stage };

	if (stage)
		snprintf(h->stage, sizeof(h->stage), "%s", stage);
	f.entries = scandir(path, &f.entry, NULL, alphasort);
	if (f.entries < 0) {
		fprintf(stderr, "hunt: %s: %s\n", text_sanitize_name(path), strerror(errno));
		return false;
	}
	for (int i = 0; i < f.entries && !f.mixed && h->runs <= HUNT_RUNS_MAX; i++)
		read_entry(&f, f.entry[i]->d_name);
	for (int i = 0; i < f.entries; i++)
		free(f.entry[i]);
	free(f.entry);
	if (h->runs > HUNT_RUNS_MAX)
		fprintf(stderr, "hunt: %s: more than %d runs\n", text_sanitize_name(path),
			HUNT_RUNS_MAX);
	else if (h->runs < 2 && !f.mixed)
		fprintf(stderr,
			"hunt: %s: %zu runs with gaps and a BIOS dump; at least two are "
			"compared\n",
			text_sanitize_name(path), h->runs);
	else
		return !f.mixed;
	return false;
}

/* ---- Settings and changes ---- */

/* Read the values of a setting. False if a dump lacks it. */
static bool take_values(const struct hunt *h, struct hunt_setting *s)
{
	for (size_t r = 0; r < h->runs; r++) {
		s->value[r] = bios_dump_value(&h->run[r].dump, s->name);
		if (!s->value[r])
			return false;
		for (s->same[r] = 0; strcmp(s->value[s->same[r]], s->value[r]) != 0;)
			s->same[r]++;
		s->values += s->same[r] == r;
	}
	return true;
}

static void add_setting(struct hunt *h, const char *name)
{
	struct hunt_setting s = { .name = name };

	if (!take_values(h, &s))
		h->unknown++;
	else if (s.values == 1)
		h->unchanged++;
	else if (s.values == h->runs && h->runs > 2)
		h->always++;
	else
		*MEMORY_ADD(h->setting, h->settings) = s;
}

/* True if the dump of an earlier run has the setting. */
static bool is_known(const struct hunt *h, size_t run, const char *name)
{
	while (run-- > 0)
		if (json_object_get(h->run[run].dump.values, name))
			return true;
	return false;
}

/* Runs with the value of run `of`, and the others; the first run is among those that are off. */
static bool split_by(struct hunt *h, size_t setting, size_t of)
{
	struct hunt_change new = { .settings = 0 }, *c = h->change;

	for (size_t r = h->runs; r-- > 0;) {
		new.on[r] = (h->setting[setting].same[r] == of) == (of != 0);
		new.first_on = new.on[r] ? r : new.first_on;
	}
	while (c < h->change + h->changes && memcmp(c->on, new.on, sizeof(new.on)) != 0)
		c++;
	if (c == h->change + HUNT_CHANGES_MAX)
		return false;
	if (c == h->change + h->changes)
		h->change[h->changes++] = new;
	*MEMORY_ADD(c->setting, c->settings) = setting;
	return true;
}

static bool find_settings(struct hunt *h)
{
	for (size_t r = 0; r < h->runs; r++) {
		const char *name;
		json_t *value;

		json_object_foreach(h->run[r].dump.values, name, value) if (!is_known(h, r, name))
			add_setting(h, name);
	}
	for (size_t i = 0; i < h->settings; i++) {
		const struct hunt_setting *s = &h->setting[i];

		/* With two values, one change covers both. */
		for (size_t r = s->values == 2; r < h->runs; r++)
			if (s->same[r] == r && !split_by(h, i, r))
				return false;
	}
	return true;
}

bool hunt_read(struct hunt *h, const char *path, const char *stage)
{
	*h = (struct hunt){ .runs = 0 };
	if (!read_folder(h, path, stage))
		return false;
	find_order(h);
	if (find_settings(h))
		return true;
	fprintf(stderr, "hunt: %s: more than %d changes that differ\n", text_sanitize_name(path),
		HUNT_CHANGES_MAX);
	return false;
}

/* ---- The next runs ---- */

/*
 * Choose a value for each planned run, in turn from all values of the setting. A value is named by
 * the first run that has it.
 */
static void lay(const struct hunt_setting *s, const struct hunt *h, size_t *as, size_t runs)
{
	size_t of = 0;

	for (size_t n = 0; n < runs; n++) {
		while (s->same[of] != of)
			of = (of + 1) % h->runs;
		as[n] = of;
		of = (of + 1) % h->runs;
	}
}

/* Each setting is shuffled by itself, so that settings that always changed together come apart. */
size_t *hunt_plan(const struct hunt *h, size_t runs)
{
	size_t *as = memory_new(runs * h->settings, sizeof(*as));
	uint64_t seed = runs;

	for (size_t r = 0; r < h->runs; r++)
		seed = seed * 31 + h->run[r].sid;
	for (size_t i = 0; i < h->settings; i++) {
		lay(&h->setting[i], h, as + i * runs, runs);
		shuffle_deal(as + i * runs, runs, &seed);
	}
	return as;
}

void hunt_free(struct hunt *h)
{
	for (size_t r = 0; r < h->runs; r++)
		bios_dump_free(&h->run[r].dump);
	for (size_t i = 0; i < h->changes; i++)
		free(h->change[i].setting);
	free(h->run);
	free(h->setting);
}
