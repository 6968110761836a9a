/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a text safe for a terminal: control bytes become '?'. */
#ifndef HOST_TEXT_SANITIZE_H
#define HOST_TEXT_SANITIZE_H

void text_sanitize(char *text);

#endif
