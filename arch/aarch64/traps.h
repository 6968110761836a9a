/* SPDX-License-Identifier: BSD-2-Clause */
/* Exception vectors. */
#pragma once

#include "percpu.h"

/* Our vectors on the calling core; what they count is in *p. */
void traps_load(struct percpu *p);

/* Save the firmware's state of the core before, for arch_give_back(). */
void traps_borrow(struct percpu *p, struct arch_borrowed *b);
