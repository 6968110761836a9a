/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of a core's caches, as Linux reports them. */
#pragma once

#include "arch/work.h"

#include <stdint.h>

/* What is not reported is 0. `root`: where /sys is ("": the machine's own). */
void linux_caches_read(struct caches *c, uint32_t cpu, const char *root);
