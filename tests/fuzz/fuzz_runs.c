/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs of runs that were read: a form of `show`, the page, a prediction, and the comparison of
 * the first run with the last. Lines are signed on their way in. The first byte chooses preset and
 * form. A trace is read back by the layout that host/forms/show_ctf.c gives its events, and nothing
 * may be left over.
 */
#include "host/diff/diff.h"
#include "host/predict/predict.h"
#include "host/forms/show_form.h"

#include "tests/fuzz/signed.h"
#include "tests/fuzz/take.h"

#include <inttypes.h>
#include <unistd.h>

#define FILE_MAX     ((size_t)1 << 20)
#define HEADER_BYTES 40

static char folder[64]; /* folder of traces, made by the form */

static void remove_folder(void)
{
	rmdir(folder);
}

/* Names and numbers are checked; what is printed goes nowhere. */
static void start(void)
{
	snprintf(folder, sizeof(folder), "%s/fuzz_runs.XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	insist(mkdtemp(folder));
	rmdir(folder);
	atexit(remove_folder);
	insist(freopen("/dev/null", "w", stdout));
	stderr = fopen("/dev/null", "w");
	insist(stderr);
}

/* ---- Traces ---- */

static uint64_t take_le(unsigned bytes)
{
	uint64_t value = 0;

	insist((size_t)(take.end - take.at) >= bytes);
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)take_byte() << 8 * i;
	return value;
}

static void take_string(void)
{
	insist_showable((const char *)take.at, (size_t)(take.end - take.at));
	take.at += strlen((const char *)take.at) + 1;
}

static uint64_t take_event(void)
{
	uint64_t is_gap = take_le(1), t_ns = take_le(8);

	insist(is_gap <= 1);
	take_string();
	insist(t_ns + take_le(8) >= t_ns);
	if (is_gap) {
		take_string();
		take_le(4);
	}
	return t_ns;
}

/* Check that the file is one packet, with its events in the order of time. */
static void check_stream(void)
{
	uint64_t bits = (uint64_t)(take.end - take.at) * 8, last, end;

	insist(bits >= HEADER_BYTES * 8 && take_le(4) == 0xc1fc1fc1 && !take_le(4));
	last = take_le(8);
	end = take_le(8);
	insist(take_le(8) == bits && take_le(8) == bits);
	while (take_more()) {
		uint64_t t_ns = take_event();

		insist(t_ns >= last);
		last = t_ns;
	}
	insist(last == end);
}

/* Each line ends outside a string, and each brace is closed. */
static void check_metadata(const char *at)
{
	bool quoted = false;
	int depth = 0;

	for (; *at; at++) {
		insist(*at == '\n' || *at == '\t' || (*at >= ' ' && *at <= '~'));
		insist(*at != '\n' || !quoted);
		if (quoted && *at == '\\')
			insist(*++at == '"' || *at == '\\');
		else if (*at == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (*at == '{') - (*at == '}');
		insist(depth >= 0);
	}
	insist(!depth && !quoted);
}

/* The text of a file, which is removed. */
static const char *take_file(const char *trace, const char *name)
{
	static char text[FILE_MAX + 1];
	char path[512];
	size_t bytes;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, trace, name);
	f = fopen(path, "rb");
	insist(f);
	bytes = fread(text, 1, FILE_MAX, f);
	insist(bytes < FILE_MAX);
	text[bytes] = '\0';
	fclose(f);
	unlink(path);
	take_from((const uint8_t *)text, bytes);
	return text;
}

static void check_traces(const struct capture *c)
{
	for (size_t n = 0; n < c->runs; n++) {
		char trace[17], path[512];
		const char *metadata;

		snprintf(trace, sizeof(trace), "%016" PRIx64, c->run[n]->sid);
		metadata = take_file(trace, "metadata");
		insist(strlen(metadata) == (size_t)(take.end - take.at));
		check_metadata(metadata);
		take_file(trace, "stream");
		check_stream();
		snprintf(path, sizeof(path), "%s/%s", folder, trace);
		insist(rmdir(path) == 0);
	}
}

/* ---- Runs ---- */

static void ignore(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file, (void)line, (void)text;
}

static void read_all(struct capture *c, const struct show_form *form, const char *text,
		     size_t bytes)
{
	const struct capture_want want = { .keep = form ? form->keep : RESULT_ALL,
					   .line = form ? form->line : NULL,
					   .complain = ignore };

	capture_begin(c, "fuzz", &want);
	capture_feed(c, text, bytes);
	capture_end(c);
}

/* The steps of `show`. */
static void show(enum form name, const struct preset *preset, const char *text, size_t bytes)
{
	const struct show_form *form = show_form_at(name);
	const bool traces = form && form->output == SHOW_OUTPUT_FOLDER;
	const struct show_options own = { .preset = preset,
					  .has_began = true,
					  .output = traces ? folder : NULL };
	static struct capture c;

	if (!form)
		return;
	if (form->start)
		form->start();
	read_all(&c, form, text, bytes);
	insist(show_form_capture(form, &own, &c));
	if (form->finish)
		form->finish();
	if (traces)
		check_traces(&c);
	capture_close(&c);
}

/* Predict, and check that a slowdown is at least 1, whatever was measured. */
static void predict(const struct result *run, struct result_stage *stage)
{
	static struct predict_noise n;
	TEXT_DEFINE(why, 300);

	if (!predict_noise_read(&n, run, stage, 1000000, &why))
		return;
	insist(predict_slowdown(n.seen, n.seen_count, 1000, 1e6) >= 1);
	insist(predict_slowdown(n.bound, n.seen_count + 1, 1000, 1e6) >= 1);
}

static void look(const struct result *run)
{
	for (size_t i = 0; i < run->stages; i++) {
		if (run->stage[i].cpus)
			predict(run, &run->stage[i]);
	}
}

/* Compare the first of the runs with the last. */
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
	diff_junit(&c);
	diff_compared_free(&c);
}

static void look_at_all(const char *text, size_t bytes)
{
	static struct capture c;

	read_all(&c, NULL, text, bytes);
	for (size_t n = 0; n < c.runs; n++)
		look(c.run[n]);
	if (c.runs)
		compare(&c);
	capture_close(&c);
}

FUZZ(1, 1 << 15)
{
	const struct preset *preset;
	char *lines;
	size_t count;

	if (!*folder)
		start();
	preset = preset_at(data[0] & 7);
	lines = signed_new((const char *)data + 1, bytes - 1, &count);
	show(data[0] >> 3, preset, lines, count);
	show(FORM_HTML, preset, lines, count);
	look_at_all(lines, count);
	free(lines);
}
