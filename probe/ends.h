/* SPDX-License-Identifier: BSD-2-Clause */
/* The ends of a run, each of which comes about although the one before it, or the run, faults. */
#pragma once

struct app;

/* Report, display, network and files end, each once. The context is the struct app. */
void ends_run(void *app);

/* A fault has ended the run: report what was measured before it. */
void ends_early(struct app *a);

/* As leave(), by other means where that faults. */
unsigned ends_leave(struct app *a);
