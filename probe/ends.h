/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps that end a run. Each is done even if the run, or the step before it, has faulted. */
#pragma once

struct app;

/* End the report, the display, the network and the files, each once. `app` is the struct app. */
void ends_run(void *app);

/* Called after a fault has ended the run: report what was measured before it. */
void ends_early(struct app *a);

/* Do leave(); if it faults, leave_at_once(). */
unsigned ends_leave(struct app *a);
