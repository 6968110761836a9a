/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Saves results in three steps: plan at the start, write between windows, leave the report at the
 * end.
 */
#include "probe/app.h"
#include "probe/door.h"
#include "probe/platform/platform_firmware.h"
#include "probe/runtime.h"

#include "arch/arch.h"
#include "core/lib/mem.h"

#define SAVED_GAPS  20u /* gap and event records per stage in the variables */
#define RUN_BYTES   524288u
#define RUN_PER_CPU 4096u
#define RUN_MORE    16384u /* bytes that packing adds to a run */

static void log_problem(const char *what)
{
	report_log(&app->report, app->options.config.save == SAVE_AUTO ? "info" : "warning",
		   "save: %s", what);
}

/* Files */

static void flush(void *ctx)
{
	struct save *s = ctx;

	volume_flush(&s->records);
	volume_flush(&s->page);
}

void save_record(struct save *s, const char *line, size_t bytes)
{
	if (volume_add(&s->records, line, bytes))
		platform_firmware_call(flush, s);
}

static void write_record(struct record_link *link, const char *line, size_t bytes)
{
	save_record((struct save *)(void *)((char *)link - offsetof(struct save, link)), line,
		    bytes);
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

void save_page_line(struct save *s, const char *line, size_t bytes)
{
	if (!s->page.handle)
		return;
	page_text(&s->page, line, bytes);
	if (volume_add(&s->page, "\n", 1))
		platform_firmware_call(flush, s);
}

void save_text(struct save *s, const char *line, size_t bytes)
{
	if (!s->takes_text)
		return;
	save_page_line(s, line, bytes);
	if (s->to_nvram && !app->report.passing)
		saved_run_text(&s->run, line, bytes);
}

static void open_page(struct save *s)
{
	static const char head[] =
		"<!DOCTYPE html>\n<meta charset=\"utf-8\"><title>noisefloor</title>\n"
		"<style>body{display:flex;flex-direction:column}h1,h2{order:-1;font-family:"
		"sans-serif}h1{font-size:5em}</style>\n<pre>\n";
	TEXT_DEFINE(name, VOLUME_NAME_MAX);

	text_bytes(&name, s->name, strlen(s->name) - (sizeof("jsonl") - 1));
	text_add(&name, "html");
	if (!volume_create(&s->volume, &s->page, name.buf))
		return;
	volume_add(&s->page, head, sizeof(head) - 1);
}

bool save_page_end(struct save *s)
{
	const char *remark = app->run.reasons.remark;
	TEXT_DEFINE(t, 80);

	if (!s->page.handle)
		return false;
	text_add(&t, "</pre>\n<h1>verdict: %s%s</h1>\n", verdict_name(app->run.reasons.verdict),
		 remark[0] ? ", but short" : "");
	volume_add(&s->page, t.buf, t.len);
	if (remark[0]) {
		volume_add(&s->page, "<h2>", 4);
		page_text(&s->page, remark, strlen(remark));
		volume_add(&s->page, "</h2>\n", 6);
	}
	return volume_close(&s->page);
}

bool save_create(struct save *s, uint64_t began, uint64_t sid, const char *suffix)
{
	struct text name;

	text_init(&name, s->name, sizeof(s->name));
	saved_run_name(&name, began, app->machine.smbios.product, app->machine.smbios.uuid);
	text_add(&name, "%s", suffix);
	if (!volume_choose(&s->volume, &name, sid) ||
	    !volume_create(&s->volume, &s->records, s->name))
		return false;
	open_page(s);
	return true;
}

/* Variables */

static bool open_nvram(struct save *s)
{
	size_t cap = RUN_BYTES + app->machine.acpi.cpu_count * RUN_PER_CPU;
	size_t packing = sizeof(struct end_page) + cap + RUN_MORE;
	uint8_t *run = app_pages(cap + packing, 0);

	s->work = app_pages(sizeof(*s->work), 0);
	s->packed = app_pages(2 * NVRAM_REPORT_MAX, 0);
	if (!run || !s->work || !s->packed)
		return false;
	s->work->contents = run + cap;
	s->work->cap = packing;
	saved_run_start(&s->run, s->sid, run, cap);
	return true;
}

static void write_variable(void *ctx)
{
	struct save *s = ctx;

	s->writes++;
	s->problem = nvram_write(s->packed, s->packed_bytes, s->packed + NVRAM_REPORT_MAX,
				 &s->full);
}

static void ask_left(void *ctx)
{
	uint64_t left;

	if (nvram_left(&left) && left < *(uint64_t *)ctx)
		*(uint64_t *)ctx = left;
}

/* Pack the report into s->packed. Returns its bytes, at most `cap`; 0: it does not fit. */
static size_t pack(struct save *s, size_t cap, bool delivered)
{
	const struct end_page *page = display_page(&app->display);
	const struct saved_run_head head = {
		.page_bytes = page ? sizeof(*page) : 0,
		.sid = s->sid,
		.began = s->began,
		.delivered = delivered,
		.verdict = (uint16_t)app->run.reasons.verdict,
	};

	if (page)
		memcpy(s->work->contents, page, sizeof(*page));
	return saved_run_pack(&s->run, &head, s->work, s->packed, cap);
}

/*
 * Write the report, of at most the bytes that were planned and that the store has now. If it is
 * fuller than it seemed, try half the size. Returns NULL, or the problem.
 */
static const char *write_report(struct save *s, bool delivered)
{
	uint64_t cap = s->room;

	runtime_call(ask_left, &cap);
	s->problem = "the report does not fit into the firmware's store";
	s->full = true;
	while (s->full && (s->packed_bytes = pack(s, (size_t)cap, delivered)) != 0) {
		cap = s->packed_bytes / 2;
		s->problem = "the firmware took an exception";
		s->full = false;
		runtime_call(write_variable, s);
	}
	return s->problem;
}

/* The plan */

/*
 * Returns true if the machine should restart after the run, which the file of what is measured
 * after ExitBootServices needs. Unless save=file asks for it, `then` must not ask for anything else
 * at the end.
 */
static bool wants_return(const struct config *c)
{
	bool free = c->then == THEN_AUTO || c->then == THEN_RESET;

	return c->stages & ~(1u << STAGE_FIRMWARE) && (c->save == SAVE_FILE || free);
}

static void plan_return(struct save *s)
{
	s->to_nvram = nvram_entry(&s->entry);
	s->returns = s->to_nvram && nvram_entry_is_ours(s->entry);
	if (!s->to_nvram)
		log_problem("the firmware does not report which boot entry started this: no file "
			    "of what comes after ExitBootServices");
	else if (!s->returns)
		log_problem("the boot entry that started this leads to another program, such as a "
			    "boot loader: the report stays in the firmware's variables until "
			    "noisefloor is started again");
}

static void plan_files(struct save *s)
{
	bool lent = app->options.config.stages & 1u << STAGE_FIRMWARE,
	     returns = wants_return(&app->options.config);
	bool goes_on = app->options.config.stages & ~(1u << STAGE_FIRMWARE), has_volume;

	if (!lent && !returns)
		return;
	has_volume = volume_open(&s->volume);
	/* The next start writes a file of the whole run; this one ends at ExitBootServices. */
	s->to_files = has_volume && lent &&
		      save_create(s, s->began, s->sid, goes_on ? "-firmware" : "");
	if (!has_volume || (lent && !s->to_files))
		log_problem(s->volume.problem);
	if (returns && (has_volume || s->sends))
		plan_return(s);
	/*
	 * No file can outlive the run, so its report waits in the variables. If the image came over
	 * the network, without a volume, save=file has to ask for that: nobody looks for files
	 * there.
	 */
	s->waits = !has_volume && (s->volume.is_there || app->options.config.save == SAVE_FILE);
	s->to_nvram |= s->waits;
}

void save_open(struct save *s, uint64_t sid)
{
	struct date date;

	if (app->options.config.save == SAVE_NONE)
		return;
	s->takes_text = true;
	s->sid = sid;
	if (door.time && door.time(&date))
		s->began = date_number(&date);
	s->to_nvram = app->options.config.save == SAVE_NVRAM;
	if (!s->to_nvram)
		plan_files(s);
	if (s->to_nvram) {
		s->room = nvram_room();
		s->to_nvram = s->room && open_nvram(s);
	}
	if (s->to_files) {
		s->link = (struct record_link){ .write = write_record, .sid = s->sid };
		report_add_link(&app->report, (struct report_link){ .to = &s->link,
								    .gaps_default = UINT64_MAX,
								    .each_window = true });
	}
	if (s->to_nvram)
		report_add_link(&app->report, (struct report_link){ .to = &s->run.link,
								    .gaps_default = SAVED_GAPS,
								    .gaps_bounded = true });
	else if (s->returns || s->waits || app->options.config.save == SAVE_NVRAM)
		log_problem("the firmware's store has no room: no report after ExitBootServices");
	s->returns &= s->to_nvram;
	if (s->returns && s->sends)
		report_log(&app->report, "info",
			   "report: after the run the machine restarts, and the firmware's network "
			   "driver sends it");
}

/* Going on */

void save_between(struct save *s)
{
	if (!s->to_files || door.is_gone())
		return;
	platform_firmware_call(flush, s);
	if (s->records.handle)
		return;
	s->to_files = false;
	log_problem(s->volume.problem);
}

static void close_files(struct save *s)
{
	bool page = save_page_end(s);

	if (!s->to_files)
		return;
	s->to_files = false;
	/* No record may follow the end record, so the result is printed as text. */
	if (volume_close(&s->records))
		report_text(&app->report, "saved: " VOLUME_FOLDER "%s%s", s->name,
			    page ? ", and a page beside it" : "");
	else
		report_text(&app->report, "save: %s", s->volume.problem);
}

void save_leave_firmware(struct save *s)
{
	if (s->to_files)
		report_log(&app->report, "info",
			   "the file " VOLUME_FOLDER "%s ends here: there are "
			   "no files after ExitBootServices",
			   s->name);
	close_files(s);
	/* A restart that is not counted could be repeated for ever. */
	if (s->returns &&
	    !(s->volume.folder && volume_set_pending(&s->volume, volume_pending() + 1)))
		s->returns = nvram_set_pending(nvram_pending() + 1, &s->writes);
	if (s->volume.folder)
		door.file->close(s->volume.folder);
}

/* The end */

static void choose_next(void *ctx)
{
	struct save *s = ctx;

	s->returns = nvram_boot_next(s->entry, &s->writes);
}

static const char *leave_report(struct save *s, bool delivered)
{
	bool wants_next = s->returns;
	const char *problem = write_report(s, delivered);

	if (problem)
		return problem;
	s->is_saved = true;
	s->returns = false;
	if (wants_next)
		runtime_call(choose_next, s);
	if (wants_next && !s->returns)
		return "the firmware does not take BootNext: the next start of noisefloor writes "
		       "the file";
	return NULL;
}

/* Report where the result is, as text and on the screen. */
static void report_saved(const struct save *s)
{
	if (door_resumes()) {
		report_text(&app->report,
			    "saved for Linux, which is started again; `noisefloor boot "
			    "fetch` prints it there");
		return;
	}
	report_text(&app->report,
		    "saved in the firmware's variables; writes to its store in this run: %u%s",
		    s->writes, s->returns ? "; restarting to write the file" : "");
	if (s->returns)
		return;
	report_text(&app->report, "they outlive a reset, and are fetched by " SAVE_FETCH);
	display_note(&app->display, "The result is in the firmware's variables, which outlive a "
				    "reset. It is fetched by " SAVE_FETCH ".");
}

void save_finish(struct save *s, bool delivered)
{
	const char *problem;

	if (!door.is_gone())
		close_files(s);
	if (!s->to_nvram || (s->returns && !door.is_gone())) {
		s->returns = false;
		return;
	}
	/* The collector has the report: the variables are not needed. */
	if (delivered && s->waits && !s->returns && app->options.config.save == SAVE_AUTO)
		return;
	problem = leave_report(s, delivered);
	if (problem)
		report_text(&app->report, "save: %s", problem);
	if (s->is_saved)
		report_saved(s);
	s->returns &= s->is_saved;
}
