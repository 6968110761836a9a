/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the plan. */
#pragma once

#include "plan_file.h"

#include <efi.h>

/*
 * Find, read and check the plan. On success *plan is to be freed with
 * FreePool(). Otherwise prints on the console what is wrong.
 */
EFI_STATUS plan_load(EFI_HANDLE device, struct plan **plan);
