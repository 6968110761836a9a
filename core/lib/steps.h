/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probe's last steps: a ring of the steps of setting up, read when a core cannot go on. Any
 * core may note one, at the cost of a few stores; none does while cores sample.
 */
#pragma once

#include "text.h"

#define STEPS_KEPT 32u

/* Note a step. `what` must live as long as the program: "starting the cores". */
void steps_note(const char *what);

/* steps_note() with a number below 2^62, which is printed after it: "reading MSR" 0x34. */
void steps_note_at(const char *what, uint64_t number);

/*
 * steps_note() with a PCI register, at its offset in ECAM, the segment from bit 32 on. Of several
 * in a row the last is kept.
 */
void steps_note_pci(const char *what, uint64_t place);

/* Note progress without a step: a call has returned, a line is printed. */
void steps_go_on(void);

/* Number of calls of all these functions, modulo 2^32: it shows progress. */
uint32_t steps_count(void);

/*
 * Append the step that is `back` before the last, as in "reading MSR 0x34". Immediate repetitions
 * are one step. False: there is no such step.
 */
bool steps_print(unsigned back, struct text *t);
