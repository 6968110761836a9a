/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's other cores. Source: PI 1.8 vol. 2, 13.4 (EFI_MP_SERVICES_PROTOCOL). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Implement door.lend(), door.is_lent() and door.end_loan(). */
bool firmware_cores_lend(void (*procedure)(void), uint32_t *others);
bool firmware_cores_are_lent(void);
void firmware_cores_end(void);
