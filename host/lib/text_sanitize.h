/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a text safe for a terminal: control bytes become '?'. */
#pragma once

void text_sanitize(char *text);
