/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs as text for people: what the probe itself prints, from its records. */
#pragma once

#include "show_form.h"

/* The reader's record hook. */

bool show_text_capture(const struct show_options *o, const struct capture *c);
