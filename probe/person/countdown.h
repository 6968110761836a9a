/* SPDX-License-Identifier: BSD-2-Clause */
/* The last moment before the run: it shows the configuration, and a person may change it. */
#pragma once

#include <stdbool.h>

struct app;

/* Returns false when the person wants to leave. Nothing is asked where nobody may be there. */
bool countdown(struct app *app);
