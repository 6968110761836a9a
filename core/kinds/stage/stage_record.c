/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `stage`. */
#define RECORD_NAME  stage
#define RECORD_ROWS  "core/kinds/stage/stage_rows.h"
#define RECORD_ABOUT "A stage begins: the state of the platform that it is measured in."
#include "core/records/record_define.h"
