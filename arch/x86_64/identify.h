/* SPDX-License-Identifier: BSD-2-Clause */
/* What the processor reports of itself, by registers that tests can play. */
#pragma once

#include "arch/arch.h"
#include "regs.h"

/* arch_clock_sources() by these registers. */
unsigned identify_clock(const struct regs *regs, struct tsc_rate_source source[ARCH_CLOCK_SOURCES]);
