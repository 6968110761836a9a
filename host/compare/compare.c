/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor compare`: reads the floor, then compares each file of the OS's measurements with it.
 */
#include "compare.h"
#include "inside.h"
#include "host/lib/exit.h"
#include "host/capture/capture.h"
#include "host/lib/json_name.h"
#include "host/subcommands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static struct options {
	const char *stage, *run;
	bool force, list;
	struct compare_limits limits;
	struct form_choice form;
} options;

static void (*const printers[FORMS])(const struct compare_results *c) = {
	[FORM_TEXT] = compare_text,
	[FORM_JSON] = compare_json,
	[FORM_JUNIT] = compare_junit,
};

static bool prints(unsigned form)
{
	return printers[form];
}

void compare_complain(void *ctx, const char *file, uint64_t line, const char *text)
{
	capture_print(NULL, file, line, text);
	json_array_append_new(ctx, json_pack("{s:o,s:o,s:o}", "file", json_name(file), "line",
					     line ? json_number(line) : json_null(), "text",
					     json_name(text)));
}

/* A program that reads JSON finds the reason there, too. */
static int compare_fail(struct compare_results *c)
{
	c->verdict = VERDICT_ERROR;
	if (c->form == FORM_JSON)
		compare_json(c);
	return EXIT_ERROR;
}

static int compare_floor(struct compare_results *c, const struct capture *capture, char **paths,
			 int count)
{
	struct inside inside = { .any_stage = false };
	struct split_result *split;
	struct floor floor;
	int code;

	if (!floor_choose(capture, options.stage, &floor))
		return compare_fail(c);
	inside.runs.floor_ns = floor.threshold_ns;
	for (int i = 0; i < count; i++)
		inside_read(&inside, paths[i], compare_complain, c->complaints);
	split = split_make_all(&floor, &inside.runs, options.force, &code);
	c->floor = &floor;
	c->split = split;
	c->count = inside.runs.count;
	c->verdict = compare_judge(&options.limits, split, c->count);
	code = exit_worst(code, (int)verdict_exit_code(c->verdict));
	printers[c->form](c);
	split_free_all(split, c->count);
	if (inside.runs.failed)
		code = EXIT_ERROR;
	inside_free(&inside);
	return code;
}

/* Return true if --list has a meaning with all options that are set; else print why not. */
static bool check_list(const struct options *o)
{
	const struct compare_limits *l = &o->limits;

	if (o->stage || o->run || o->force || l->preset || l->limit[LIMIT_MAX] ||
	    l->limit[LIMIT_MAX_NOISE])
		fputs("compare: --list compares nothing; accepted with it: --format\n", stderr);
	else if (!form_is_text_or_json(o->form.form))
		fputs("compare: --list has two formats: text, json\n", stderr);
	else
		return true;
	return false;
}

static int compare_run(int count, char **paths)
{
	struct compare_results c = { .form = options.form.form };
	struct capture_want want = { .keep = FLOOR_KEEP,
				     .run = options.run,
				     .complain = compare_complain };
	struct capture capture;
	int code;

	if (!capture_check("compare", count, (const char *const *)paths))
		return EXIT_ERROR;
	if (options.list)
		return check_list(&options) ? compare_list(options.form.form, count, paths)
					    : EXIT_ERROR;
	want.ctx = c.complaints = json_array();
	capture_open(&capture, paths[0], &want);
	if (capture.error) {
		compare_complain(c.complaints, capture.name, 0, capture.error);
		code = compare_fail(&c);
	} else {
		code = compare_floor(&c, &capture, paths + 1, count - 1);
	}
	capture_close(&capture);
	json_decref(c.complaints);
	return code;
}

static const struct options_row rows[] = {
	OPTIONS_STAGE(struct options, stage,
		      "the stage to use as the floor; by default handoff, else the last"),
	OPTIONS_RUN(struct options, run, "the run to use, if FLOOR has several"),
	{ "list", NULL, "list the runs that INSIDE... holds, by number, without a FLOOR",
	  options_flag, .offset = offsetof(struct options, list), .for_file = true },
	{ "force", NULL, "compare what is refused as unsound", options_flag,
	  .offset = offsetof(struct options, force) },
	{ "max", "TIME", "the longest gap that the machine and the OS may have", options_time,
	  .offset = offsetof(struct options, limits.limit[LIMIT_MAX]) },
	{ "max-noise", "PPM", "the most noise that a core may have, in ppm of its exposure",
	  options_count, offsetof(struct options, limits.limit[LIMIT_MAX_NOISE]), .most = 1000000 },
	OPTIONS_PRESET(struct options, limits.preset),
	OPTIONS_FORM(struct options, form, prints),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand compare_subcommand = {
	.name = "compare",
	.run = compare_run,
	.summary = "a floor, and what an OS saw from inside: who owns the noise",
	.arguments = "FLOOR INSIDE...",
	.least = 2,
	.reads_input = true,
	.most = OPTIONS_MANY,
	.about = "Compares the noise that an OS saw with the floor of the machine. FLOOR is a "
		 "capture or record file of noisefloor; INSIDE is what was measured from inside, "
		 "recognised by content: " TOOL_KNOWN
		 ". A file may hold several outputs; - is standard input. With --list, the runs "
		 "in a text: the line in which each begins, how long it watched, its longest gap "
		 "or latency, the command line before it and the machine where the text has them, "
		 "and what is missing.",
	.exit_code = "0 all compared or listed, and limits met; 1 a limit is exceeded; 2 error, or "
		     "refused; "
		     "3 incomplete: the floor's run was cut short, parts of an output are missing, "
		     "or whether a limit is met is not known.",
	.rows = rows,
	.options = &options,
};
