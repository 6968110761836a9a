/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs in jq's language that turn records into another form, run by libjq. */
#pragma once

#include <stdbool.h>

/* The text of a filter that is built in, host/jq/NAME.jq; NULL: there is none of that name. */
const char *filter_text(const char *name);

/* False, with the reason on standard error: this program was built without libjq. */
bool filter_can(void);

/*
 * Run a filter, whose inputs are the lines of a descriptor, one by one, and print its results: a
 * string as a line of its own, all else as JSON. `name` is for messages. False, with the reason on
 * standard error: it is none, or it fails. Memory that it takes beyond a gigabyte ends the process.
 */
bool filter_run(const char *name, const char *text, int lines);
