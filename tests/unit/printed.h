/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command's JSON output, member by member. A path has names, numbers of a list's elements and,
 * for the first element with a member that begins so, name=text: "findings|what=SMIs|after".
 */
#pragma once

#include "tests/unit/command.h"
#include "tests/unit/near.h"

#include <jansson.h>
#include <stdarg.h>

static json_t *printed_root; /* `out`, parsed */

static inline void printed_read(void)
{
	json_error_t error;

	json_decref(printed_root);
	printed_root = json_loads(out, JSON_REJECT_DUPLICATES, &error);
	if (!printed_root)
		fail_msg("%s at %d in\n%s%s", error.text, error.position, out, err);
}

static inline json_t *printed_element(json_t *list, char *name)
{
	char *wanted = strchr(name, '=');
	json_t *one;
	size_t i;

	if (!json_is_array(list))
		return json_object_get(list, name);
	if (!wanted)
		return json_array_get(list, strtoul(name, NULL, 10));
	*wanted++ = '\0';
	json_array_foreach(list, i, one)
	{
		const char *text = json_string_value(json_object_get(one, name));

		if (text && strncmp(text, wanted, strlen(wanted)) == 0)
			return one;
	}
	return NULL;
}

/* NULL: it is not there. */
static inline json_t *printed_at(const char *path_of, ...) __attribute__((format(printf, 1, 2)));

static inline json_t *printed_at(const char *path_of, ...)
{
	char names[200], *rest;
	json_t *at = printed_root;
	va_list args;

	va_start(args, path_of);
	vsnprintf(names, sizeof(names), path_of, args);
	va_end(args);
	for (char *name = strtok_r(names, "|", &rest); name; name = strtok_r(NULL, "|", &rest))
		at = printed_element(at, name);
	return at;
}

static inline double printed_number(const char *path_of)
{
	if (!json_is_number(printed_at("%s", path_of)))
		fail_msg("%s is no number in %s", path_of, out);
	return json_number_value(printed_at("%s", path_of));
}

static inline void assert_number(const char *path_of, double wanted, double within)
{
	assert_near(printed_number(path_of), wanted, within);
}

/* A string as it is, anything else as JSON has it: "true", "null", "228000". */
static inline void assert_printed_is(const char *path_of, const char *wanted)
{
	const json_t *at = printed_at("%s", path_of);
	char *text = json_is_string(at) ? NULL : json_dumps(at, JSON_COMPACT | JSON_ENCODE_ANY);
	const char *is = text ? text : json_string_value(at);

	if (!is || strcmp(is, wanted) != 0)
		fail_msg("%s is %s, not %s, in %s", path_of, is ? is : "not there", wanted, out);
	free(text);
}

static inline void assert_printed_count(const char *path_of, size_t wanted)
{
	assert_int_equal(json_array_size(printed_at("%s", path_of)), wanted);
}
