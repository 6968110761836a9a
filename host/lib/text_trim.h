/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of files that people write. */
#pragma once

/* What separates words there. */
#define TEXT_BLANKS " \t\r"

/* The text without blanks before and after it; the latter are overwritten. */
char *text_trim(char *text);
