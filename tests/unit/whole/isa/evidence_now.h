/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of a mocked core. */
#pragma once

#include "core/gaps/cpu.h"

#include <stdint.h>

/* 0 if the core has no SMI counter. */
uint32_t evidence_register(const struct cpu_counter *c);
