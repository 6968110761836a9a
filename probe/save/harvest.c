/* SPDX-License-Identifier: BSD-2-Clause */
/* Harvesting: reads, saves and removes the report in the variables. */
#include "harvest.h"

#include "probe/app.h"
#include "probe/door.h"

#include "core/lib/mem.h"
#include "core/keep/saved_name.h"
#include "core/report/report_saved.h"

#define PART_NAME    "harvest.part"
#define PENDING_MOST 2u /* runs without a report; one may have been cut short by its owner */

enum filed {
	FILED_NOT,
	FILED,          /* written, and read back */
	FILED_UNPROVED, /* written, and read back; the next reset may lose it */
	FILED_BEFORE,   /* written by an earlier start, and a reset has not lost it */
};

struct found {
	struct report *report;
	struct display *display;
	struct save *save;
	struct network *network;
	struct verdict_reasons *reasons;
	uint64_t sid; /* the sid of this start */
	struct compact_reader reader;
	struct report_restored *restored;
	char note[200];
	enum filed filed;
};

/* Print a note on the serial port, and on the page that this start shows. */
static void note(struct found *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct found *f, const char *format, ...)
{
	TEXT_DEFINE(t, DISPLAY_NOTE_MAX);
	va_list args;

	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	report_text(f->report, "harvest: %s", t.buf);
	display_note(f->display, t.buf);
}

/* Restore it twice: only then it is known how many cores there are. */
static enum compact_state restore(struct found *f)
{
	struct report_restored *restored = f->restored;
	struct report *r = f->report;
	struct cpu *cpu;
	uint32_t n;

	if (!report_restore(&f->reader, NULL, 0, restored))
		return COMPACT_DAMAGED;
	n = restored->cpus + 1;
	cpu = door.pages(n * sizeof(*cpu), 0);
	r->cpus = door.pages(n * sizeof(*r->cpus), 0);
	r->order = door.pages(n * sizeof(*r->order), 0);
	if (!cpu || !r->cpus || !r->order)
		return COMPACT_OVER;
	report_restore(&f->reader, cpu, n, restored);
	return COMPACT_OK;
}

/* Read the report. COMPACT_OVER: there is none. */
static enum compact_state read(struct found *f)
{
	void *report = door.pages((size_t)COMPACT_PARTS * NVRAM_REPORT_MAX, 0);
	void *part = door.pages(NVRAM_REPORT_MAX, 0);
	enum compact_state state;
	size_t bytes;

	f->reader.pairs = door.pages(HIST_BUCKETS * sizeof(*f->reader.pairs), 0);
	f->reader.pair_cap = HIST_BUCKETS;
	f->restored = door.pages(sizeof(*f->restored), 0);
	if (!report || !part || !f->reader.pairs || !f->restored)
		return COMPACT_OVER;
	state = saved_read(&nvram_variables, report, part, NVRAM_REPORT_MAX, &bytes);
	if (state != COMPACT_OK)
		return state;
	state = compact_open(&f->reader, report, bytes);
	return state == COMPACT_OK ? restore(f) : state;
}

static void write_note(struct found *f)
{
	const struct compact_head *head = &f->reader.head;
	struct text t;

	text_init(&t, f->note, sizeof(f->note));
	if (!(head->flags & COMPACT_ENDED))
		text_add(&t, "the run broke off: this is what its last checkpoint held; ");
	text_add(&t, "saved in %u of the firmware's variables, which took %u writes to its store",
		 head->variables, head->writes);
}

static void no_line(void *ctx, const char *line, size_t bytes)
{
	(void)ctx, (void)line, (void)bytes;
}

/* Write the records to the open file. */
static void replay(struct found *f)
{
	save_link_file(f->save, f->reader.head.sid);
	report_replay(f->report, &f->reader, f->restored->cpus, f->note);
}

static bool write_as(struct found *f, const char *name)
{
	struct save *s = f->save;

	if (!volume_create(&s->volume, &s->records, name))
		return false;
	save_page(s, s->name);
	replay(f);
	save_page_end(s);
	return volume_close(&s->records, name == s->name ? NULL : s->name);
}

/* True if the file exists with all the records, which are made again and compared. */
static bool is_whole(struct found *f)
{
	void (*line)(void *, const char *, size_t) = f->report->line;
	struct save *s = f->save;

	if (!volume_compare(&s->volume, &s->records, s->name))
		return false;
	f->report->line = no_line;
	replay(f);
	f->report->line = line;
	return volume_same(&s->records);
}

/*
 * Write the file under another name, then rename it, so that a file with its own name is whole. If
 * it cannot be renamed, write it under its own name.
 */
static bool write_whole(struct found *f)
{
	void (*line)(void *, const char *, size_t) = f->report->line;
	struct save *s = f->save;
	bool written;

	if (!write_as(f, PART_NAME)) {
		f->report->line = no_line;
		written = write_as(f, s->name);
		f->report->line = line;
		if (!written)
			return false;
	}
	if (is_whole(f))
		return true;
	s->volume.problem = "what is read back from it is not what was written";
	return false;
}

static enum filed write_files(struct found *f)
{
	struct save *s = f->save;
	struct text name;
	bool is_proved;

	text_init(&name, s->name, sizeof(s->name));
	saved_name(&name, f->reader.head.began_s, f->restored->begin.machine.product,
		   f->restored->begin.machine.uuid);
	if (!volume_open(&s->volume) || !volume_choose(&s->volume, &name, f->reader.head.sid))
		return FILED_NOT;
	is_proved = s->volume.medium == BOOT_PATH_LASTS;
	/* No start has written this file since the last reset: see nvram_mark(). */
	if (!is_proved && is_whole(f))
		return FILED_BEFORE;
	if (!write_whole(f))
		return FILED_NOT;
	return is_proved ? FILED : FILED_UNPROVED;
}

/*
 * Send the report under a sid of its own: a collector may have half of the run under the run's sid.
 * True: the report has been acknowledged.
 */
static bool send(struct found *f)
{
	struct report *r = f->report;
	void (*line)(void *, const char *, size_t) = r->line;

	if (f->reader.head.flags & COMPACT_DELIVERED)
		return false;
	network_open(f->network, f->sid);
	network_start_firmware(f->network);
	r->line = no_line;
	report_replay(r, &f->reader, 0, f->note);
	r->line = line;
	network_finish(f->network);
	return network_is_delivered(f->network);
}

static void note_file(struct found *f)
{
	const char *name = f->save->name;

	if (f->filed == FILED_NOT)
		note(f, "no file: %s", f->save->volume.problem);
	else if (f->filed == FILED_BEFORE)
		note(f, VOLUME_FOLDER "%s has outlived a reset", name);
	else
		note(f, "saved as " VOLUME_FOLDER "%s, with a page for a browser beside it", name);
	if (f->filed == FILED_UNPROVED)
		note(f, "the volume may be memory: the variables stay until the file has outlived "
			"a reset");
}

/*
 * Remove the variables, but only after a file that outlives a reset was read back, or a collector
 * has stored the whole report.
 */
static void release(struct found *f, bool sent)
{
	bool is_safe = f->filed == FILED || f->filed == FILED_BEFORE || sent;

	if (is_safe && saved_remove(&nvram_variables))
		report_text(f->report, "harvest: the variables are removed");
	else if (f->filed != FILED_UNPROVED || is_safe)
		note(f, "the variables stay. They are fetched by " SAVE_FETCH
			"; save=none measures all the same");
}

/* Records go to the file and to the network only: the serial port has had them already. */
static void deliver(struct found *f)
{
	struct report *r = f->report;
	bool sent;

	*f->reasons = f->restored->reasons;
	write_note(f);
	report_text(r, "harvest: the report of an earlier run is in the firmware's variables");
	f->filed = write_files(f);
	r->links = 0;
	note_file(f);
	if (f->filed == FILED_NOT || f->filed == FILED_BEFORE)
		report_replay(r, &f->reader, f->restored->cpus, f->note);
	sent = f->reader.head.flags & COMPACT_ENDED && send(f);
	if (f->save->volume.folder)
		volume_set_pending(&f->save->volume, 0);
	nvram_set_pending(0, &f->save->writer.writes);
	release(f, sent);
}

/* Save and send the report. True: the run was whole, and was saved by no earlier start. */
static bool take(struct found *f)
{
	struct report *r = f->report;
	struct record_link *link[REPORT_LINKS];
	unsigned links = r->links;

	memcpy(link, r->link, sizeof(link));
	deliver(f);
	memcpy(r->link, link, sizeof(link));
	r->links = links;
	memset(&r->summary, 0, sizeof(r->summary));
	return f->reader.head.flags & COMPACT_ENDED && f->filed != FILED_BEFORE;
}

/*
 * Returns true if several runs in a row should have left a report, and there is none: the firmware
 * accepts variables and loses them at the reset. Another run would fare no better, nor the next
 * one, for ever.
 */
static bool gives_up(struct found *f)
{
	unsigned runs = volume_pending() + nvram_pending();

	if (runs < PENDING_MOST)
		return false;
	note(f,
	     "%u runs in a row have left no report: the firmware loses its variables, or the power "
	     "went. Nothing is measured, but with save=none, or without " VOLUME_FOLDER
	     "pending or the variable NoisefloorPending",
	     runs);
	return true;
}

/*
 * Decide what this start does about the report. True: nothing is measured, as the report may be of
 * the run just before.
 */
static bool judge(struct found *f, enum compact_state state)
{
	if (state == COMPACT_OK)
		return take(f);
	if (state == COMPACT_OVER)
		return gives_up(f);
	if (state == COMPACT_FOREIGN)
		note(f,
		     "the firmware's variables hold a report of noisefloor %s, which this one "
		     "cannot read: they stay",
		     f->reader.head.version);
	else
		note(f, "the report in the firmware's variables %s: %s", compact_state_text(state),
		     saved_remove(&nvram_variables) ? "removed" : "it cannot be removed");
	return state == COMPACT_CUT || state == COMPACT_DAMAGED;
}

static const char *what_next(enum config_then then)
{
	switch (then) {
	case THEN_AUTO:
		return "A key continues with the boot order. This machine may be switched off.";
	case THEN_HALT:
		return "This machine may be switched off.";
	case THEN_SHUTDOWN:
		return "This machine switches itself off.";
	default:
		return "The boot order continues.";
	}
}

bool harvest(struct app *a)
{
	enum compact_state state;
	struct found *f;

	if (a->options.config.save == SAVE_NONE)
		return false;
	nvram_clear_boot_next();
	a->harvested = nvram_is_marked();
	if (a->harvested) {
		report_text(&a->report, "harvest: done already; reset the machine to measure, or "
					"set save=none");
		a->options.config.then = THEN_EXIT;
		return true;
	}
	f = door.pages(sizeof(*f), 0);
	if (!f)
		return false;
	f->report = &a->report;
	f->display = &a->display;
	f->save = &a->save;
	f->network = &a->network;
	f->reasons = &a->run.reasons;
	f->sid = a->output.link.sid;
	state = read(f);
	a->harvested = judge(f, state);
	if (!a->harvested) {
		a->run.reasons = (struct verdict_reasons){ .verdict = VERDICT_NONE };
		return false;
	}
	nvram_mark();
	describe_machine(&a->begin.record, &a->machine);
	/* A whole run is shown as it was at its end; else only the notes are. */
	display_harvest(f->display, state == COMPACT_OK && f->restored->begun ? f->restored : NULL,
			what_next(a->options.config.then));
	return true;
}
