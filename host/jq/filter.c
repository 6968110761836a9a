/* SPDX-License-Identifier: BSD-2-Clause */
/* libjq asks for the next line when the filter does, so none but the current one is in memory. */
#include "filter.h"

#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <jq.h>
#include <jv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MEMORY_MAX ((rlim_t)1 << 30)
#define WHY_MAX    400

struct lines {
	FILE *file;
	char *text;
	size_t room;
};

static void print_error(const char *name, const char *why)
{
	char safe[WHY_MAX];

	text_sanitize_ascii(safe, sizeof(safe), why);
	fprintf(stderr, "show: %s: %s\n", name, safe);
}

/* Each of a program that is none: they begin with "jq: ". */
static void on_error(void *name, jv message)
{
	const char *text = jv_get_kind(message) == JV_KIND_STRING ? jv_string_value(message) : "";

	print_error(name, strncmp(text, "jq: ", 4) == 0 ? text + 4 : text);
	jv_free(message);
}

static jv next_line(jq_state *jq, void *ctx)
{
	struct lines *l = ctx;
	ssize_t bytes = getline(&l->text, &l->room, l->file);

	(void)jq;
	return bytes < 0 ? jv_invalid() : jv_parse_sized(l->text, (int)bytes);
}

static void print_result(jv value)
{
	if (jv_get_kind(value) == JV_KIND_STRING) {
		fwrite(jv_string_value(value), 1, (size_t)jv_string_length_bytes(jv_copy(value)),
		       stdout);
		jv_free(value);
	} else {
		jv_dumpf(value, stdout, 0);
	}
	putchar('\n');
}

/* The value of `error`, or of halt_error. Takes it. */
static void print_failure(const char *name, jv why)
{
	if (jv_get_kind(why) != JV_KIND_STRING)
		why = jv_dump_string(why, 0);
	print_error(name, jv_string_value(why));
	jv_free(why);
}

/* `halt` has no exit code, halt_error one that is not 0, and the reason. */
static bool is_good_halt(jq_state *jq, const char *name)
{
	jv code = jq_get_exit_code(jq);
	bool good = !jv_is_valid(code) ||
		    (jv_get_kind(code) == JV_KIND_NUMBER && jv_number_value(code) == 0);

	jv_free(code);
	if (!good)
		print_failure(name, jq_get_error_message(jq));
	return good;
}

static bool run(jq_state *jq, const char *name)
{
	jv value;
	bool well;

	jq_start(jq, jv_null(), 0);
	while (jv_is_valid(value = jq_next(jq)))
		print_result(value);
	well = !jv_invalid_has_msg(jv_copy(value));
	if (!well)
		print_failure(name, jv_invalid_get_msg(value));
	else
		jv_free(value);
	return well && (!jq_halted(jq) || is_good_halt(jq, name));
}

bool filter_can(void)
{
	return true;
}

bool filter_run(const char *name, const char *text, int lines)
{
	const struct rlimit memory = { MEMORY_MAX, MEMORY_MAX };
	struct lines l = { .file = fdopen(lines, "r") };
	jq_state *jq = jq_init();
	bool well = false;

	if (!l.file || !jq || setrlimit(RLIMIT_DATA, &memory) != 0) {
		print_error(name, strerror(errno));
	} else {
		jq_set_error_cb(jq, on_error, (void *)name);
		/* A filter is one file. */
		jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
		jq_set_input_cb(jq, next_line, &l);
		well = jq_compile(jq, text) && run(jq, name);
		if (well && (fflush(stdout) != 0 || ferror(stdout))) {
			print_error("standard output", strerror(errno));
			well = false;
		}
	}
	if (jq)
		jq_teardown(&jq);
	if (l.file)
		fclose(l.file);
	free(l.text);
	return well;
}
