/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records through a filter, which a child runs: it takes them one by one from a pipe, so that
 * memory stays bounded, and what it breaks is its own process. The capture is read here.
 */
#include "show_jq.h"
#include "show_form.h"

#include "host/jq/filter.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/whole_file.h"

#include "core/lib/ticks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUFFIX   ".jq"
#define TEXT_MAX ((size_t)1 << 20)

static struct {
	const char *name, *text;
	FILE *to; /* the child */
	pid_t child;
} filter;

bool show_jq_is_path(const char *form)
{
	size_t bytes = strlen(form);

	return bytes > strlen(SUFFIX) && strcmp(form + bytes - strlen(SUFFIX), SUFFIX) == 0;
}

static const char *read_text(const char *path)
{
	size_t bytes;
	char *text = (char *)whole_file_read(path, TEXT_MAX, &bytes);
	const char *why = !text ? strerror(errno) : memchr(text, 0, bytes) ? "not a text" : NULL;

	if (!text && errno == EFBIG)
		why = "longer than 1 MiB";
	if (why) {
		fprintf(stderr, "show: %s: %s\n", path, why);
		free(text);
		return NULL;
	}
	text[bytes] = '\0';
	return text;
}

bool show_jq_choose(const char *form)
{
	filter.name = form;
	if (!filter_can())
		return false;
	filter.text = show_jq_is_path(form) ? read_text(form) : filter_text(form);
	return filter.text;
}

static void run_child(int lines)
{
	const struct rlimit none = { 0, 0 };
	bool good;

	setrlimit(RLIMIT_CORE, &none);
	good = filter_run(filter.name, filter.text, lines);
	fflush(stderr);
	_exit(good ? EXIT_PASS : EXIT_ERROR);
}

static void start(enum form form)
{
	int end[2];

	(void)form;
	fflush(NULL);
	/* A filter need not read all. */
	signal(SIGPIPE, SIG_IGN);
	if (pipe(end) != 0)
		return;
	filter.child = fork();
	if (filter.child == 0) {
		close(end[1]);
		run_child(end[0]);
	}
	close(end[0]);
	filter.to = filter.child > 0 ? fdopen(end[1], "w") : NULL;
}

static void put_line(const char *line, size_t bytes)
{
	if (!filter.to)
		return;
	fwrite(line, 1, bytes, filter.to);
	putc('\n', filter.to);
}

/* [s, ns], as a number of jq's is exact up to 2^53 only. */
static json_t *wall_time(uint64_t ns)
{
	return json_pack("[o,o]", json_number(ns / NS_PER_S), json_number(ns % NS_PER_S));
}

static json_t *run_found(const struct show_options *o, const struct result *run)
{
	uint64_t began = o->has_began ? o->began_ns : result_began_ns(run);
	struct result_identity id;

	result_identify(run, &id);
	return json_pack("{s:o,s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "sid", json_sid(run->sid),
			 "exit_code", result_exit_code(run), "threshold_ns",
			 json_number(result_threshold(run)), "hz", json_number(run->begin.clock.hz),
			 "began", began ? wall_time(began) : json_null(), "origin",
			 wall_time(o->has_began ? o->began_ns : 0), "length_ns",
			 json_number(result_length_ns(run)), "machine", json_name(id.machine),
			 "version", json_name(id.version));
}

/* What takes all of a capture to know, behind its records: host/jq/records.jq. */
static bool end_capture(const struct show_options *o, const struct capture *c)
{
	json_t *found = json_pack("{s:o,s:o}", "name", json_name(c->name), "runs",
				  JSON_ARRAY(n, n < c->runs, run_found(o, c->run[n])));
	char *line = memory_need(json_dumps(found, JSON_COMPACT));

	put_line(line, strlen(line));
	free(line);
	json_decref(found);
	return true;
}

static bool finish(void)
{
	int status = 0;

	if (!filter.to) {
		fprintf(stderr, "show: %s: %s\n", filter.name, strerror(errno));
		return false;
	}
	fclose(filter.to);
	while (waitpid(filter.child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		fprintf(stderr, "show: %s: ended by signal %d; it may have 1 GiB of memory\n",
			filter.name, WTERMSIG(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_PASS;
}

const struct show_form show_form_jq = {
	.start = start,
	.line = put_line,
	.finish = finish,
	.flaws_apart = true,
};

const struct show_form show_form_jq_stages = {
	.only = &mode_gaps,
	.keep = RESULT_FEW,
	.start = start,
	.line = put_line,
	.capture = end_capture,
	.finish = finish,
	.flaws_apart = true,
};
