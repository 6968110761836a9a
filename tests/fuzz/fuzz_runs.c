/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is made of runs that were read: a form of `show`, the page, a prediction, and
 * the comparison of the first run with the last. Lines are signed on their way in.
 * The first byte chooses preset and form.
 */
#include "host/diff/diff_compared.h"
#include "host/diff/diff_forms.h"
#include "host/diff/diff_json.h"
#include "host/diff/diff_text.h"
#include "host/html/page_run.h"
#include "host/predict/profile.h"
#include "host/forms/show_form.h"
#include "host/capture/shown.h"

#include "tests/fuzz/signed.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 15)

static void keep(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	(void)ctx;
	shown_keep_whole(run, record);
}

static void ignore(void *ctx, uint64_t line, const char *text)
{
	(void)ctx, (void)line, (void)text;
}

static struct reader *read_all(const struct show_form *form, const char *text, size_t bytes)
{
	const struct reader_hooks hooks = { .wanted = UINT32_MAX,
					    .line = form ? form->line : NULL,
					    .record = form && form->record ? form->record : keep,
					    .complain = ignore };
	struct reader *r = reader_new(&hooks);

	if (!r)
		abort();
	reader_feed(r, text, bytes);
	reader_finish(r);
	return r;
}

/* As `show` does. */
static void tell(const struct show_form *form, const struct show_options *o, const char *text,
		 size_t bytes)
{
	struct intake in = { .name = "fuzz" };

	if (form->start)
		form->start();
	in.reader = read_all(form, text, bytes);
	if (form->capture && !form->capture(o, &in))
		abort();
	if (form->finish)
		form->finish();
	intake_free(&in);
}

/* A slowdown is one, whatever was measured. */
static void predict(const struct shown *s, const char *stage)
{
	static struct profile profile;
	static struct noise_class class[PROFILE_CLASSES];
	char reason[256];
	struct text why;
	size_t count;

	for (unsigned how = PROFILE_AUTO; how <= PROFILE_TOGETHER; how++) {
		text_init(&why, reason, sizeof(reason));
		if (!profile_read(&profile, s, stage, (enum profile_cores)how, &why))
			continue;
		count = profile_classes(&profile, class);
		if (!(slowdown(class, count, 1000, 1e6) >= 1))
			abort();
		count = profile_bound(&profile, 1e6, class);
		if (!(slowdown(class, count, 1000, 1e6) >= 1))
			abort();
	}
}

static void look(FILE *f, struct reader_run *run, const struct preset *preset)
{
	const struct page_options o = { .preset = preset };
	const struct shown *s = shown_of(run);
	const char *stage[STAGES_MAX];
	bool more;
	size_t stages = shown_stages(s, stage, &more);

	page_run(f, "fuzz", run, &o);
	for (size_t i = 0; i < stages; i++)
		predict(s, stage[i]);
}

static void compare(struct reader *r, struct reader_run *last)
{
	static struct compared c;

	memset(&c, 0, sizeof(c));
	c.before.in.name = c.after.in.name = "fuzz";
	c.before.run = reader_run(r, 0);
	c.before.shown = shown_of(c.before.run);
	c.after.run = last;
	c.after.shown = shown_of(last);
	compared_check(&c, NULL);
	compared_read(&c);
	diff_text(&c);
	diff_json(&c);
	diff_junit(&c);
	diff_tap(&c);
	diff_influx(&c);
	diff_prom(&c);
	compared_free(&c);
}

static void look_at_all(const char *text, size_t bytes, const struct preset *preset)
{
	struct intake in = { .name = "fuzz", .reader = read_all(NULL, text, bytes) };
	FILE *f = fopen("/dev/null", "w");
	struct reader_run *run, *last = NULL;

	if (!f)
		abort();
	for (size_t n = 0; (run = reader_run(in.reader, n)); n++) {
		look(f, run, preset);
		last = run;
	}
	if (last)
		compare(in.reader, last);
	fclose(f);
	intake_free(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static bool quiet;
	struct show_options o = { .has_began = true };
	const char *text = (const char *)data + 1;
	const struct show_form *form;
	char *lines;
	size_t count;

	if (!bytes || bytes > INPUT_MAX)
		return 0;
	if (!quiet && !freopen("/dev/null", "w", stdout))
		abort();
	quiet = true;
	o.preset = preset_at(data[0] & 7);
	lines = malloc(signed_room(text, bytes - 1));
	if (!lines)
		abort();
	count = signed_lines(text, bytes - 1, lines);
	form = show_form_at(data[0] >> 3);
	if (form)
		tell(form, &o, lines, count);
	look_at_all(lines, count, o.preset);
	free(lines);
	return 0;
}
