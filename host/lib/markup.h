/* SPDX-License-Identifier: BSD-2-Clause */
/* Text inside XML and HTML, whatever the text is. */
#pragma once

#include <stdio.h>

/*
 * Write a text, for an element or a quoted attribute: markup is escaped, control characters and
 * invalid UTF-8 become '?'. NULL is "n/a".
 */
void markup_text(FILE *to, const char *text);
