/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the probe has done last: a ring of the steps of setting up, read when a core cannot go on.
 * Any core may note one, at the cost of a few stores; none does while cores sample.
 */
#pragma once

#include "text.h"

#define STEPS_KEPT 32u

/* `what` lives as long as the program: "starting the cores". */
void steps_note(const char *what);

/* The same with a number below 2^62, which is printed after it: "reading MSR" 0x34. */
void steps_note_at(const char *what, uint64_t number);

/*
 * The same of a register of PCI: its place as ECAM has it, the segment from bit 32 on. Of several
 * in a row the last is kept.
 */
void steps_note_pci(const char *what, uint64_t place);

/* Things go on, if by no step that is worth a place: a call has returned, a line is printed. */
void steps_go_on(void);

/* How often one was noted, also the same again, or things went on; modulo 2^32. */
uint32_t steps_count(void);

/*
 * Append the step that is `back` before the last, "reading MSR 0x34". Times that it was repeated at
 * once are not kept. False: it is not kept.
 */
bool steps_print(unsigned back, struct text *t);
