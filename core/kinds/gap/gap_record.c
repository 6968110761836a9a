/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `gap`. */
#include "core/records/record_kind.h"

#define RECORD_NAME  gap
#define RECORD_ROWS  "core/kinds/gap/gap_rows.h"
#define RECORD_ABOUT "A gap of one core. `gaps` limits how many there are."
#include "core/records/record_define.h"
