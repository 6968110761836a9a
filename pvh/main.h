/* SPDX-License-Identifier: BSD-2-Clause */
/* Where pvh/entry.S enters C. */
#pragma once

#include <stdint.h>

/*
 * Start the program with the start info at this address. The first 4 GiB are mapped; interrupts are
 * masked, and there are no handlers for exceptions.
 */
void main_enter(uint32_t start_info) __attribute__((noreturn));
