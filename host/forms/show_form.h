/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms in which `noisefloor show` prints runs: one row each, in the form's own file. */
#pragma once

#include "host/capture/capture.h"
#include "host/program/options.h"

#include "core/config/preset.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

/* The options given. */
struct show_options {
	const struct preset *preset; /* to judge by; NULL: by the run's own limits */
	const enum verdict *judged;  /* by a collector's policy; NULL: by none */
	const char *run;             /* its sid: only this one; NULL: all */
	bool has_began;
	uint64_t began_ns;  /* wall time of the runs' begin, ns since 1970 */
	const char *output; /* a file, or a folder; NULL: standard output */
};

/* The output of a form. */
enum show_output {
	SHOW_OUTPUT_NONE,   /* to standard output */
	SHOW_OUTPUT_FILE,   /* to a file, or else to standard output */
	SHOW_OUTPUT_FOLDER, /* a new folder */
};

struct show_form {
	uint32_t keep; /* kept data of each run: capture_want.keep */
	/* All of these are optional; what they print goes to standard output. */
	void (*start)(void);
	void (*line)(const char *line, size_t bytes);
	/*
	 * Called at the end of the capture. False, with errno set: the output folder cannot be
	 * written.
	 */
	bool (*capture)(const struct show_options *o, const struct capture *c);
	/* Called for each run at the end of the capture. */
	void (*run)(const struct show_options *o, const struct capture *c, struct result *run);
	/* EXIT_ERROR: the output is incomplete; the reason is on standard error. */
	int (*finish)(void);
	bool without_runs; /* run() gets NULL, once, for a capture that has none */
	bool has_flaws;    /* in the output; else they are printed on standard error */
	bool wants_began;  /* the output has wall times, which standard input does not have */
	enum show_output output;
	bool of_summary; /* the form also makes sense for a run of which there is only a summary */
};

extern const struct show_form show_form_text, show_form_json, show_form_junit, show_form_influx,
	show_form_html, show_form_ctf;

/*
 * Create the file of `show --share FILE`, which must not exist, for the form that writes to it.
 * False: it cannot be created; the reason is on standard error.
 */
bool show_share_create(const char *path);
extern const struct show_form show_share_form;

/*
 * Print lines of a run (a struct result) that the text and a page have in common, on standard
 * output: its machine and configuration; when the clock itself was wrong, and faults of the probe;
 * what it logged, and what its TPM quoted.
 */
void show_text_machine(const void *run);
void show_text_troubles(const void *run);
void show_text_messages(const void *run);

/* Print a capture that has ended. False as show_form.capture. */
static inline bool show_form_capture(const struct show_form *form, const struct show_options *o,
				     const struct capture *c)
{
	for (size_t n = 0; form->run && n < c->runs; n++)
		form->run(o, c, c->run[n]);
	if (form->without_runs && !c->runs)
		form->run(o, c, NULL);
	return !form->capture || form->capture(o, c);
}

/* The form of a number, enum form; NULL past the last. */
const struct show_form *show_form_at(unsigned form);
