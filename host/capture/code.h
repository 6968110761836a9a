/* SPDX-License-Identifier: BSD-2-Clause */
/* The code on the probe's screen, as a phone or zbarimg(1) reads it, as a capture of one run. */
#pragma once

#include "capture.h"

#include <stdbool.h>

/*
 * The run that the text is of: its `summary` and an `end` with the same verdict. "-" reads the text
 * from standard input. White space around it and zbarimg's "QR-Code:" are skipped. False, with the
 * reason on standard error, where it is damaged; otherwise capture_close() is due.
 */
bool code_open(struct capture *c, const char *text, const struct capture_want *want);
