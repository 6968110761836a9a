/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is made of runs that were read: a form of `show`, the page, a prediction, and
 * the comparison of the first run with the last. Lines are signed on their way in.
 * The first byte chooses preset and form.
 */
#include "host/diff/diff.h"
#include "host/html/html.h"
#include "host/predict/predict.h"
#include "host/forms/show_form.h"

#include "tests/fuzz/signed.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 15)

static void ignore(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file, (void)line, (void)text;
}

static void read_all(struct capture *c, const struct show_form *form, const char *text,
		     size_t bytes)
{
	const struct capture_want want = { .keep = form ? form->keep : RESULT_ALL,
					   .line = form ? form->line : NULL,
					   .record = form ? form->record : NULL,
					   .complain = ignore };

	capture_begin(c, "fuzz", &want);
	capture_feed(c, text, bytes);
	capture_end(c);
}

/* As `show` does. */
static void show(enum form name, const struct show_options *o, const char *text, size_t bytes)
{
	const struct show_form *form = show_form_at(name);
	static struct capture c;

	/* One that writes a folder has no place for it; `show` refuses it without. */
	if (!form || form->output)
		return;
	if (form->start)
		form->start(name);
	read_all(&c, form, text, bytes);
	if (!show_form_capture(form, o, &c))
		abort();
	if (form->finish)
		form->finish();
	capture_close(&c);
}

/* A slowdown is one, whatever was measured. */
static void predict(const struct result *run, const char *stage)
{
	struct predict_options o = { .grain_ns = 1000000, .unseen_ns = 1000000, .stage = stage };
	const struct capture_select s = { .capture.name = "fuzz", .run = run };
	static struct predict_result p;

	for (o.cores = PREDICT_AUTO; o.cores <= PREDICT_TOGETHER; o.cores++) {
		p = (struct predict_result){ &o, &s, 1, .nodes = { 1000 }, .rows = 1 };
		text_init(&p.about, p.about_text, sizeof(p.about_text));
		if (!predict_gaps(&p))
			continue;
		if (!(p.factor[0][0] >= 1 && p.factor[1][0] >= 1))
			abort();
		json_decref(p.document);
	}
}

static void look(FILE *f, const struct result *run, const struct preset *preset)
{
	const struct html_options o = { .preset = preset };
	TEXT_DEFINE(title, 400);

	html_run(f, "fuzz", run, &o, &title);
	for (size_t i = 0; i < run->stages; i++) {
		if (run->stage[i].cpus)
			predict(run, run->stage[i].name);
	}
}

/* The first of its runs with the last. */
static void compare(const struct capture *capture)
{
	static struct diff_compared c;

	memset(&c, 0, sizeof(c));
	c.before.capture.name = c.after.capture.name = "fuzz";
	c.before.run = capture->run[0];
	c.after.run = capture->run[capture->runs - 1];
	diff_compared_check(&c, NULL);
	diff_compared_read(&c);
	diff_text(&c);
	diff_json(&c);
	for (unsigned i = 0; i < 2; i++) {
		c.form = i ? FORM_TAP : FORM_JUNIT;
		diff_ci(&c);
	}
	diff_compared_free(&c);
}

static void look_at_all(const char *text, size_t bytes, const struct preset *preset)
{
	FILE *f = fopen("/dev/null", "w");
	static struct capture c;

	if (!f)
		abort();
	read_all(&c, NULL, text, bytes);
	for (size_t n = 0; n < c.runs; n++)
		look(f, c.run[n], preset);
	if (c.runs)
		compare(&c);
	fclose(f);
	capture_close(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static bool quiet;
	struct show_options o = { .has_began = true };
	const char *text = (const char *)data + 1;
	char *lines;
	size_t count;

	if (!bytes || bytes > INPUT_MAX)
		return 0;
	if (!quiet && (!freopen("/dev/null", "w", stdout) || !(stderr = fopen("/dev/null", "w"))))
		abort();
	quiet = true;
	o.preset = preset_at(data[0] & 7);
	lines = malloc(signed_room(text, bytes - 1));
	if (!lines)
		abort();
	count = signed_lines(text, bytes - 1, lines);
	show(data[0] >> 3, &o, lines, count);
	look_at_all(lines, count, o.preset);
	free(lines);
	return 0;
}
