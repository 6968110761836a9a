/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan, and what there is to report. */
#pragma once

#include "plan_file.h"

#include <efi.h>

/* Find, read and check the plan. If there is none, print that on the console. */
EFI_STATUS plan_load(EFI_HANDLE device, struct plan **plan);

/* One line on the firmware's console, after "inject: "; formats as text_add() does. */
void inject_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
