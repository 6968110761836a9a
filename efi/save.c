/* SPDX-License-Identifier: BSD-2-Clause */
/* Saving: what is decided at the start, done between windows, and left at the end. */
#include "save.h"

#include "app.h"
#include "ground_firmware.h"

#include "core/records/compact_pack.h"
#include "core/lib/mem.h"
#include "core/records/saved_name.h"
#include "core/lib/ticks.h"
#include "drivers/rtc.h"

#define Y2000_S UINT64_C(946684800) /* from 1970 */

#define SAVED_GAPS      20u /* gap and event records per stage in a compact report */
#define CAPTURE_BYTES   131072u
#define CAPTURE_PER_CPU 1024u
#define CAPTURE_SPARE   4096u /* for the end record */

/* What is known of the cores is written after a window when that takes no more of the time than
 * one part in so many. */
#define TAIL_SHARE 20u

static struct app *app_of(struct save *s)
{
	return (struct app *)(void *)((char *)s - offsetof(struct app, save));
}

static void say_problem(struct app *a, const char *what)
{
	report_log(&a->report, a->config.save == SAVE_AUTO ? "info" : "warning", "save: %s", what);
}

/* Files */

static void flush(struct app *a)
{
	volume_flush(&a->save.records);
	volume_flush(&a->save.page);
}

static void write_record(struct record_link *link, const char *line, size_t bytes)
{
	struct save *s = (struct save *)(void *)((char *)link - offsetof(struct save, link));

	if (volume_add(&s->records, line, bytes))
		ground_firmware_call(flush, app_of(s));
}

static void page_text(struct volume_file *page, const char *s, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (s[i] == '<')
			volume_add(page, "&lt;", 4);
		else if (s[i] == '&')
			volume_add(page, "&amp;", 5);
		else
			volume_add(page, &s[i], 1);
	}
}

static void page_line(void *ctx, const char *line, size_t bytes)
{
	struct app *a = ctx;
	struct save *s = &a->save;

	s->line(s->line_ctx, line, bytes);
	page_text(&s->page, line, bytes);
	if (volume_add(&s->page, "\n", 1))
		ground_firmware_call(flush, a);
}

void save_link_file(struct app *a, uint64_t sid)
{
	a->save.link = (struct record_link){ .write = write_record, .sid = sid };
	a->report.link[0] = &a->save.link;
	a->report.links = 1;
}

void save_page(struct app *a, const char *records_name)
{
	static const char head[] =
		"<!DOCTYPE html>\n<meta charset=\"utf-8\"><title>noisefloor</title>\n"
		"<style>body{display:flex;flex-direction:column}h1{order:-1;font:bold 5em "
		"sans-serif}</style>\n<pre>\n";
	struct save *s = &a->save;
	char name[VOLUME_NAME_MAX];
	struct text t;

	text_init(&t, name, sizeof(name));
	text_bytes(&t, records_name, strlen(records_name) - (sizeof("jsonl") - 1));
	text_add(&t, "html");
	if (!volume_create(&s->volume, &s->page, name))
		return;
	volume_add(&s->page, head, sizeof(head) - 1);
	s->line = a->report.line;
	s->line_ctx = a->report.ctx;
	a->report.line = page_line;
	a->report.ctx = a;
}

bool save_page_end(struct app *a)
{
	struct save *s = &a->save;
	char buffer[80];
	struct text t;

	if (!s->line)
		return false;
	a->report.line = s->line;
	a->report.ctx = s->line_ctx;
	s->line = NULL;
	text_init(&t, buffer, sizeof(buffer));
	text_add(&t, "</pre>\n<h1>verdict: %s</h1>\n", verdict_name(a->run.reasons.verdict));
	volume_add(&s->page, t.buf, t.len);
	return volume_close(&s->page, NULL);
}

static bool open_files(struct app *a)
{
	struct save *s = &a->save;
	struct text name;

	text_init(&name, s->name, sizeof(s->name));
	saved_name(&name, s->began_s, a->smbios.product, a->smbios.uuid);
	/* Of a ladder the steps after ExitBootServices go to a file of their own, with these. */
	if (a->config.stages & ~(1u << STAGE_FIRMWARE))
		text_add(&name, "-firmware");
	if (!volume_choose(&s->volume, &name, a->serial.sid) ||
	    !volume_create(&s->volume, &s->records, s->name))
		return false;
	save_page(a, s->name);
	return true;
}

/* Variables */

/* The end finds room, whatever came before it, and so do cores: their histograms make way. */
static void take_record(struct record_link *link, enum record_type type, const void *data)
{
	struct save *s = (struct save *)(void *)((char *)link - offsetof(struct save, compact));
	static const struct record_log note = {
		.level = "warning", .text = "memory was short: histograms or records were not saved"
	};
	struct record_cpu cpu;

	if (type == RECORD_END) {
		s->capture.cap += CAPTURE_SPARE;
		if (s->lost)
			compact_add(&s->capture, RECORD_LOG, &note);
	}
	if (type == RECORD_CPU && s->capture.used > s->capture.cap / 2) {
		cpu = *(const struct record_cpu *)data;
		s->lost += cpu.histogram.count != 0;
		cpu.histogram.count = 0;
		data = &cpu;
	}
	s->lost += !compact_add(&s->capture, type, data);
}

static bool open_nvram(struct app *a)
{
	struct save *s = &a->save;
	size_t cap = CAPTURE_BYTES + a->acpi.cpu_count * CAPTURE_PER_CPU;
	void *capture = firmware_pages(cap, 0);

	s->packed = firmware_pages(NVRAM_REPORT_MAX, 0);
	s->part = firmware_pages(NVRAM_REPORT_MAX, 0);
	s->pairs = firmware_pages(HIST_BUCKETS * sizeof(*s->pairs), 0);
	a->memory_bytes += cap + 2 * NVRAM_REPORT_MAX + HIST_BUCKETS * sizeof(*s->pairs);
	if (!capture || !s->packed || !s->part || !s->pairs)
		return false;
	compact_start(&s->capture, capture, cap - CAPTURE_SPARE);
	s->compact = (struct record_link){ .take = take_record, .sid = a->serial.sid };
	return true;
}

/* What a fault in the firmware's own code, which nobody else calls like this, may cut short. */
struct writing {
	struct save *save;
	size_t bytes;
	const char *problem;
};

static void write_variables(void *ctx)
{
	struct writing *w = ctx;
	struct save *s = w->save;

	w->problem = nvram_write(s->packed, w->bytes, s->part, s->room.part, &s->writes);
}

static const char *write_packed(struct app *a, size_t bytes)
{
	struct writing w = { &a->save, bytes, "the firmware took an exception" };

	if (a->taken_over)
		arch_try(write_variables, &w);
	else
		write_variables(&w);
	return w.problem;
}

/* NULL, or why not. */
static const char *write_report(struct app *a, uint32_t flags)
{
	struct save *s = &a->save;
	struct compact_reader from = { .pairs = s->pairs, .pair_cap = HIST_BUCKETS };
	struct compact_head head = { .sid = a->serial.sid, .began_s = s->began_s, .flags = flags };
	size_t bytes = compact_finish(&s->capture, &head);

	if (compact_open(&from, s->capture.out, bytes) != COMPACT_OK)
		return "the report is damaged";
	bytes = compact_pack(s->packed, s->room.bytes, &from, &head);
	if (!bytes)
		return "the report does not fit into the firmware's store";
	/* Once more: now it is known how many writes it takes. */
	head.variables = (uint16_t)compact_parts(bytes, s->room.part);
	head.writes = (uint16_t)(s->writes + head.variables +
				 (s->returns && flags & COMPACT_ENDED));
	compact_pack(s->packed, s->room.bytes, &from, &head);
	return write_packed(a, bytes);
}

static void start_clock(struct app *a, uint64_t *due, uint64_t ns)
{
	*due = a->platform.now() + ns_to_ticks(ns, a->platform.hz);
}

/* What is known so far, and then as if nothing had been added. */
static void checkpoint(struct app *a)
{
	struct save *s = &a->save;
	struct compact_writer before = s->capture;
	struct record_link link = s->compact;
	const char *problem;

	report_snapshot(&a->report, &s->compact, SAVED_GAPS, true);
	problem = write_report(a, 0);
	s->capture = before;
	s->compact = link;
	if (problem)
		report_log(&a->report, "warning", "checkpoint: %s", problem);
}

static void checkpoint_if_due(struct app *a)
{
	uint64_t every = config_checkpoint_ns(&a->config);
	struct save *s = &a->save;

	if (!every || !a->taken_over)
		return;
	if (s->checkpoint_due && a->platform.now() >= s->checkpoint_due) {
		checkpoint(a);
		s->checkpoint_due = 0;
	}
	if (!s->checkpoint_due)
		start_clock(a, &s->checkpoint_due, every);
}

/* The plan */

/*
 * A file of what is measured after ExitBootServices takes a reset. Unless asked for, only where
 * nobody waits for the machine to do something else at the end.
 */
static bool wants_return(const struct config *c)
{
	bool free = c->then == THEN_AUTO || c->then == THEN_RESET;

	return c->stages & ~(1u << STAGE_FIRMWARE) && (c->save == SAVE_FILE || free);
}

static void plan_files(struct app *a)
{
	struct save *s = &a->save;
	bool lent = a->config.stages & 1u << STAGE_FIRMWARE, returns = wants_return(&a->config);

	if (!lent && !returns)
		return;
	if (!volume_open(&s->volume)) {
		say_problem(a, s->volume.problem);
		return;
	}
	s->to_files = lent && open_files(a);
	if (lent && !s->to_files)
		say_problem(a, s->volume.problem);
	if (returns && !nvram_entry(&s->entry))
		say_problem(a, "the firmware does not say which boot entry started this: no file "
			       "of what comes after ExitBootServices");
	else
		s->returns = s->to_nvram = returns;
}

static void add_link(struct app *a, struct record_link *link, uint64_t gaps, bool each_window)
{
	struct report *r = &a->report;

	r->gaps_default[r->links] = gaps;
	r->gaps_bounded[r->links] = gaps != UINT64_MAX;
	r->each_window[r->links] = each_window;
	r->link[r->links++] = link;
}

void save_open(struct app *a)
{
	struct save *s = &a->save;
	uint64_t seconds;

	if (a->config.save == SAVE_NONE || a->mistakes)
		return;
	if (rtc_read(&seconds))
		s->began_s = Y2000_S + seconds;
	s->to_nvram = a->config.save == SAVE_NVRAM;
	if (!s->to_nvram)
		plan_files(a);
	if (s->to_nvram) {
		s->room = nvram_room();
		s->to_nvram = s->room.bytes && open_nvram(a);
	}
	if (s->to_files) {
		s->link = (struct record_link){ .write = write_record, .sid = a->serial.sid };
		add_link(a, &s->link, UINT64_MAX, true);
	}
	if (s->to_nvram)
		add_link(a, &s->compact, SAVED_GAPS, false);
	else if (s->returns || a->config.save == SAVE_NVRAM)
		say_problem(a,
			    "the firmware's store has no room: no report after ExitBootServices");
	s->returns &= s->to_nvram;
}

/* Going on */

static void say_file_problem(struct app *a)
{
	struct save *s = &a->save;

	if (s->records.handle || !s->to_files)
		return;
	s->to_files = false;
	say_problem(a, s->volume.problem);
}

/* Written over by what comes next. */
static void write_tail(struct app *a)
{
	struct save *s = &a->save;
	struct record_link before = s->link;
	uint64_t at = s->records.at, began = a->platform.now();

	report_snapshot(&a->report, &s->link, SAVED_GAPS, false);
	flush(a);
	volume_rewind(&s->records, at);
	s->link = before;
	s->tail_due = a->platform.now() + TAIL_SHARE * (a->platform.now() - began);
}

static void flush_window(struct app *a)
{
	flush(a);
	if (a->platform.now() >= a->save.tail_due)
		write_tail(a);
}

void save_between(struct app *a)
{
	struct save *s = &a->save;

	if (s->to_files && !a->taken_over) {
		ground_firmware_call(flush_window, a);
		say_file_problem(a);
	}
	if (s->to_nvram)
		checkpoint_if_due(a);
}

static void close_files(struct app *a)
{
	struct save *s = &a->save;
	bool page = save_page_end(a);

	if (!s->to_files)
		return;
	s->to_files = false;
	/* After the end no record may come. */
	if (volume_close(&s->records, NULL))
		report_text(&a->report, "saved: " VOLUME_FOLDER "%s%s", s->name,
			    page ? ", and a page beside it" : "");
	else
		report_text(&a->report, "save: %s", s->volume.problem);
}

void save_leave_firmware(struct app *a)
{
	struct save *s = &a->save;

	if (s->to_files)
		report_log(&a->report, "info",
			   "the file " VOLUME_FOLDER "%s ends here: there are "
			   "no files after ExitBootServices",
			   s->name);
	close_files(a);
	if (s->volume.folder)
		s->volume.folder->Close(s->volume.folder);
}

/* The end */

static const char *leave_report(struct app *a)
{
	struct save *s = &a->save;
	bool delivered = a->network.wanted && outlet_is_delivered(a);
	const char *problem = write_report(a, COMPACT_ENDED | (delivered ? COMPACT_DELIVERED : 0));

	if (problem)
		return problem;
	s->is_saved = true;
	if (s->returns && !nvram_boot_next(s->entry, &s->writes)) {
		s->returns = false;
		return "the firmware does not take BootNext: the next start of noisefloor writes "
		       "the file";
	}
	return NULL;
}

void save_finish(struct app *a)
{
	struct save *s = &a->save;
	const char *problem;

	if (!a->taken_over)
		close_files(a);
	if (!s->to_nvram || (s->returns && !a->taken_over)) {
		s->returns = false;
		return;
	}
	problem = leave_report(a);
	if (problem)
		report_text(&a->report, "save: %s", problem);
	if (s->is_saved)
		report_text(&a->report,
			    "saved in the firmware's variables; writes to its store in this run: "
			    "%u%s",
			    s->writes, s->returns ? "; restarting to write the file" : "");
	s->returns &= s->is_saved;
}
