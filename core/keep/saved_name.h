/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of a run's file: "20261121-190501-X11DPH-T-4c4c4544-0042-....jsonl", without its ending.
 * The time when it began (UTC, if the machine's clock is), the SMBIOS product, the UUID; what is
 * not known is left out. In the product everything but letters, digits, '.', '-' and '_' becomes
 * '_', and so does a leading '.', so that whatever the firmware reports the name stays in its
 * folder and is valid on FAT.
 */
#pragma once

#include "core/lib/text.h"

#include <stdint.h>

/* began_s: s since 1970, 0: not known. NULL or "": not known. */
void saved_name(struct text *out, uint64_t began_s, const char *product, const char *uuid);
