/* SPDX-License-Identifier: BSD-2-Clause */
/* Forms that are filters in jq's language. */
#pragma once

#include <stdbool.h>

/* Is it the path of a filter's file, and not the name of a form? */
bool show_jq_is_path(const char *form);

/*
 * The filter that the form prints by: one that is built in, or a file. False, with the reason on
 * standard error: it cannot be read, or there is no libjq.
 */
bool show_jq_choose(const char *form);
