/* SPDX-License-Identifier: BSD-2-Clause */
/* The last step before the run: it shows the configuration, which a person may change. */
#pragma once

#include <stdbool.h>

struct app;

/* Returns false if the person wants to leave. Nothing is asked if nobody may be there. */
bool countdown(struct app *app);
