/* SPDX-License-Identifier: BSD-2-Clause */
/* The platform as a BIOS with legacy support leaves it, which OVMF is not. */
#pragma once

#include <stdbool.h>

/*
 * On q35: ACPI mode off by SMI_CMD, EHCI's owner the BIOS with its SMIs enabled,
 * UHCI's traps on. QEMU keeps what is written and does nothing with it, so
 * nobody lets go when asked. Otherwise prints on the console what failed.
 */
bool legacy_pose(void);
