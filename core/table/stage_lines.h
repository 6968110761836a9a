/* SPDX-License-Identifier: BSD-2-Clause */
/* What people read of the state that a stage was measured in: by the probe and by `noisefloor
 * show`. */
#pragma once

#include "core/records/record.h"
#include "table_lines.h"

/*
 * A line for the firmware's mode and one for the chipset's SMI sources, without
 * what is not known:
 *
 *   ACPI mode on (SCI_EN 1)  USB owner os: xhci 0000:00:14.0 os
 *   SMI sources enabled (Intel ICH9): GBL_SMI APMC TCO; timers: TCO timer 1.2 s
 */
void stage_print(const struct record_stage *stage, table_line *line, void *ctx);
