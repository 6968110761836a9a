/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the report in the firmware's variables, saves it, and removes it from there. */
#include "probe/app.h"
#include "probe/door.h"

#include "core/lib/mem.h"

#define PRINTED_MAX  (512u << 10) /* bytes of text; some 45 s of a serial port */
#define PENDING_MOST 2u /* runs without a report; a person may have cut one of them short */

struct found {
	struct saved_contents contents;
	struct end_page *page; /* NULL: the report has no page */
	char *back;            /* memory for its file, and one byte more */
	bool is_filed;         /* its file was written, and read back */
	bool has_page;         /* a page for a browser was written beside the file */
};

/* Print a note on the serial port, and on the page that this start shows. */
static void harvest_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void harvest_note(const char *format, ...)
{
	TEXT_DEFINE(t, DISPLAY_NOTE_MAX);
	va_list args;

	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	report_text(&app->report, "harvest: %s", t.buf);
	display_note(&app->display, t.buf);
}

/* Inflate the report, and check its page. SAVED_STATE_UNREAD: there is no memory. */
static enum saved_state inflate(struct found *f)
{
	struct saved_contents *c = &f->contents;
	void *out = door.pages(c->head.page_bytes + c->head.lines_bytes, 0);
	void *work = door.pages(DEFLATE_WORK_BYTES, 0);

	f->back = door.pages(c->head.lines_bytes + 1, 0);
	if (!out || !work || !f->back)
		return SAVED_STATE_UNREAD;
	if (!saved_run_inflate(c, out, work))
		return SAVED_STATE_DAMAGED;
	f->page = (struct end_page *)(void *)c->page;
	if (!end_page_check(f->page, c->head.page_bytes))
		f->page = NULL;
	return SAVED_STATE_OK;
}

/* Read the report. SAVED_STATE_UNREAD: the firmware refuses, or there is no memory. */
static enum saved_state harvest_read(struct found *f)
{
	void *report = door.pages(NVRAM_REPORT_MAX, 0);
	enum saved_state state;
	size_t bytes;

	if (!report)
		return SAVED_STATE_UNREAD;
	state = nvram_read(report, NVRAM_REPORT_MAX, &bytes);
	if (state != SAVED_STATE_OK)
		return state;
	state = saved_run_open(&f->contents, report, bytes);
	return state == SAVED_STATE_OK ? inflate(f) : state;
}

/* Write the report's lines to the open files. */
static void write_lines(const struct found *f)
{
	struct saved_line line;

	for (size_t at = 0; saved_run_line(&f->contents, &at, &line);) {
		if (line.is_record)
			save_record(&app->save, line.at, line.bytes);
		else
			save_page_line(&app->save, line.at, line.bytes);
	}
}

/* Print the report's text for people. */
static void print_text(const struct found *f)
{
	struct saved_line line;
	size_t printed = 0;

	for (size_t at = 0; printed < PRINTED_MAX && saved_run_line(&f->contents, &at, &line);) {
		if (line.is_record)
			continue;
		app->report.line(app->report.ctx, line.at, line.bytes);
		printed += line.bytes;
	}
}

/* True if the file exists, and has these records and no others. */
static bool is_whole(const struct found *f)
{
	size_t bytes = f->contents.head.lines_bytes + 1, same = 0;
	struct saved_line line;

	if (!volume_read(&app->save.volume, app->save.name, f->back, &bytes))
		return false;
	for (size_t at = 0; saved_run_line(&f->contents, &at, &line);) {
		if (!line.is_record)
			continue;
		if (line.bytes > bytes - same || memcmp(f->back + same, line.at, line.bytes))
			return false;
		same += line.bytes;
	}
	return same == bytes;
}

/*
 * Write the file, and read it back. A file that a power cut truncates has the run's sid: the next
 * start replaces it.
 */
static bool write_files(struct found *f)
{
	const struct saved_run_head *head = &f->contents.head;
	struct save *s = &app->save;

	if (!volume_open(&s->volume) || !save_create(s, head->began, head->sid, ""))
		return false;
	write_lines(f);
	f->has_page = save_page_end(s);
	if (!volume_close(&s->records))
		return false;
	if (is_whole(f))
		return true;
	s->volume.problem = "what is read back from it is not what was written";
	return false;
}

/*
 * Send the report under a sid of its own: a collector may have half of the run under the run's sid.
 * True: the report has been acknowledged.
 */
static bool harvest_send(struct found *f)
{
	struct report *r = &app->report;
	const struct report_link serial = r->link[0];
	unsigned links = r->links;
	struct saved_line line;

	if (f->contents.head.delivered)
		return false;
	/* A record of this start, which measures nothing, would be a second run on the serial line.
	 */
	r->links = 0;
	network_open(&app->network, app->output.link.sid);
	network_start_firmware(&app->network);
	for (size_t at = 0; r->links && saved_run_line(&f->contents, &at, &line);)
		if (line.is_record)
			record_resend(r->link[0].to, line.at, line.bytes);
	network_finish(&app->network);
	r->link[0] = serial;
	r->links = links;
	return network_is_delivered(&app->network);
}

static void note_file(struct found *f)
{
	if (!f->is_filed)
		harvest_note("no file: %s", app->save.volume.problem);
	else
		harvest_note("saved as " VOLUME_FOLDER "%s, %s", app->save.name,
			     f->has_page ? "with a page for a browser beside it"
					 : "but its page for a browser cannot be written");
}

/* Remove the variable, unless nothing else has the whole report. */
static void harvest_release(bool is_safe)
{
	if (is_safe && nvram_remove())
		report_text(&app->report, "harvest: the variable is removed");
	else
		harvest_note("the variable stays. It is fetched by " SAVE_FETCH
			     "; save=none measures all the same");
}

/*
 * Save and send the report. Records go to the file and to the network only: the serial port has had
 * them already.
 */
static void harvest_take(struct found *f)
{
	const struct saved_run_head *head = &f->contents.head;
	bool sent;

	app->run.reasons.verdict = head->verdict < VERDICTS ? (enum verdict)head->verdict
							    : VERDICT_ERROR;
	if (f->page)
		app->run.reasons = f->page->reasons;
	report_text(&app->report,
		    "harvest: the report of an earlier run is in the firmware's variables");
	print_text(f);
	f->is_filed = write_files(f);
	note_file(f);
	sent = harvest_send(f);
	if (app->save.volume.folder)
		volume_set_pending(&app->save.volume, 0);
	nvram_set_pending(0, &app->save.writes);
	harvest_release(f->is_filed || sent);
}

/*
 * Returns true if several runs in a row should have left a report, and there is none: the firmware
 * accepts variables and loses them at the reset. Further runs would lose theirs, too, for ever.
 */
static bool gives_up(void)
{
	unsigned runs = volume_pending() + nvram_pending();

	if (runs < PENDING_MOST)
		return false;
	harvest_note(
		"%u runs in a row have left no report: the firmware loses its variables or refused "
		"ExitBootServices, or the power went. Nothing is measured, but with save=none, or "
		"without " VOLUME_FOLDER "pending or the variable NoisefloorPending",
		runs);
	return true;
}

/*
 * Decide what this start does about the report. True: nothing is measured, as the report may be of
 * the run just before.
 */
static bool harvest_judge(struct found *f, enum saved_state state)
{
	if (state == SAVED_STATE_NONE)
		return gives_up();
	if (state == SAVED_STATE_OK)
		harvest_take(f);
	else if (state == SAVED_STATE_FOREIGN)
		harvest_note(
			"the firmware's variables hold a report of another version of noisefloor, "
			"which this one cannot read: it stays until a run replaces it");
	else if (state == SAVED_STATE_UNREAD)
		harvest_note(
			"the firmware's variables cannot be read, or there is no memory for what "
			"they hold: they stay. save=none measures all the same");
	else
		harvest_note("the report in the firmware's variables %s: %s",
			     saved_state_text(state),
			     nvram_remove() ? "removed" : "it cannot be removed");
	return state != SAVED_STATE_FOREIGN;
}

bool save_harvest(struct app *a)
{
	enum saved_state state;
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
	state = harvest_read(f);
	a->harvested = harvest_judge(f, state);
	if (!a->harvested) {
		a->run.reasons = (struct verdict_reasons){ .verdict = VERDICT_NONE };
		return false;
	}
	nvram_mark();
	describe_machine();
	/* A report that was read is shown with its own verdict; otherwise only notes are. */
	if (state != SAVED_STATE_OK)
		a->run.reasons.verdict = VERDICT_INCOMPLETE;
	display_harvest(&a->display, f->page);
	return true;
}
