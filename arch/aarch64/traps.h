/* SPDX-License-Identifier: BSD-2-Clause */
/* Exception vectors. */
#pragma once

#include "percpu.h"

#include <stdint.h>

/* What the firmware had on a core, to be put back. */
struct traps_saved {
	uint64_t vectors, thread, daif;
};

void traps_save(struct traps_saved *s);
void traps_restore(const struct traps_saved *s);

/* Our vectors on the calling core; what they count is in *p. */
void traps_load(struct percpu *p);
