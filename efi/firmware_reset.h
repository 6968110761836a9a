/* SPDX-License-Identifier: BSD-2-Clause */
/* ResetSystem. Source: UEFI 2.10, 8.5.1. */
#pragma once

#include <stdbool.h>

/*
 * Read from EFI_RT_PROPERTIES_TABLE if ResetSystem is supported after ExitBootServices. Call it
 * before.
 */
void firmware_reset_look(void);

/* Implement door.reset_problem() and door.reset(). */
const char *firmware_reset_problem(void);
void firmware_reset(bool off);
