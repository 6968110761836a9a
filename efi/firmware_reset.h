/* SPDX-License-Identifier: BSD-2-Clause */
/* ResetSystem. Source: UEFI 2.10, 8.5.1. */
#pragma once

#include <stdbool.h>

/* Before ExitBootServices: read what is supported after it (EFI_RT_PROPERTIES_TABLE). */
void firmware_reset_look(void);

/* As door.reset_problem() and door.reset(). */
const char *firmware_reset_problem(void);
void firmware_reset(bool off);
