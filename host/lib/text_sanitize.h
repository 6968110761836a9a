/* SPDX-License-Identifier: BSD-2-Clause */
/* A text without anything that would steer a terminal: control bytes become '?'. */
#ifndef HOST_TEXT_SANITIZE_H
#define HOST_TEXT_SANITIZE_H

void text_sanitize(char *text);

#endif
