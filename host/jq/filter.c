/* SPDX-License-Identifier: BSD-2-Clause */
/* libjq asks for the next line when the filter does, so none but the current one is in memory. */
#include "filter.h"

#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <jq.h>
#include <jv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* The value of `error`, of halt_error, of `debug`. Takes it. */
static void print_value(void *name, jv why)
{
	if (jv_get_kind(why) != JV_KIND_STRING)
		why = jv_dump_string(why, 0);
	print_error(name, jv_string_value(why));
	jv_free(why);
}

static jv next_line(jq_state *jq, void *ctx)
{
	struct lines *l = ctx;
	ssize_t bytes = getline(&l->text, &l->room, l->file);

	(void)jq;
	return bytes < 0 ? jv_invalid() : jv_parse_sized(l->text, (int)bytes);
}

/* Safe for a terminal, as all JSON is that is printed here. */
static void print_result(jv value)
{
	if (jv_get_kind(value) != JV_KIND_STRING)
		value = jv_dump_string(value, 0);
	json_put(stdout, jv_string_value(value), (size_t)jv_string_length_bytes(jv_copy(value)));
	putchar('\n');
	jv_free(value);
}

/* `halt` has no exit code, halt_error one that is not 0, and the reason. */
static bool is_good_halt(jq_state *jq, const char *name)
{
	jv code = jq_get_exit_code(jq);
	bool good = !jv_is_valid(code) ||
		    (jv_get_kind(code) == JV_KIND_NUMBER && jv_number_value(code) == 0);

	jv_free(code);
	if (!good)
		print_value((void *)name, jq_get_error_message(jq));
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
		print_value((void *)name, jv_invalid_get_msg(value));
	else
		jv_free(value);
	return well && (!jq_halted(jq) || is_good_halt(jq, name));
}

/* A gigabyte more than the process has now. */
static bool limit_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;
	struct rlimit memory;

	if (!file)
		return false;
	if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		errno = EINVAL;
	fclose(file);
	memory.rlim_cur = memory.rlim_max = MEMORY_MAX + pages * (rlim_t)sysconf(_SC_PAGESIZE);
	return pages && setrlimit(RLIMIT_DATA, &memory) == 0;
}

bool filter_can(void)
{
	return true;
}

bool filter_run(const char *name, const char *text, int lines)
{
	struct lines l = { .file = fdopen(lines, "r") };
	jq_state *jq = jq_init();
	bool well = false;

	if (!l.file || !jq || !limit_memory()) {
		print_error(name, strerror(errno));
	} else {
		jq_set_error_cb(jq, on_error, (void *)name);
		jq_set_debug_cb(jq, print_value, (void *)name);
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
