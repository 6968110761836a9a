/* SPDX-License-Identifier: BSD-2-Clause */
/* Exception vectors. */
#pragma once

#include "percpu.h"

/* Save the firmware's state of a core, for arch_give_back(). */
void traps_save(struct arch_borrowed *b);

/* Our vectors on the calling core; what they count is in *p. */
void traps_load(struct percpu *p);
