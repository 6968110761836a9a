/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints about keys and values: each can be shown, and is counted. */
#pragma once

#include "core/config/config.h"
#include "tests/fuzz/input.h"

static unsigned reported;

static inline void complain(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx;
	(void)line;
	input_assert_showable(source, 64);
	input_assert_showable(text, CONFIG_COMPLAINT_MAX);
	reported++;
}
