/* SPDX-License-Identifier: BSD-2-Clause */
/* The C entry, which pvh/entry.S calls. */
#pragma once

#include <stdint.h>

/*
 * Run the probe. `start_info` is the physical address of the loader's start info. The caller has
 * mapped the first 4 GiB and masked interrupts; exception handlers are not set up yet.
 */
void main_enter(uint32_t start_info) __attribute__((noreturn));
