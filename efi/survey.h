/* SPDX-License-Identifier: BSD-2-Clause */
/* What machine is this? ACPI tables, SMBIOS, processor, clock: read, not changed. */
#ifndef EFI_SURVEY_H
#define EFI_SURVEY_H

#include "app.h"

void survey(struct app *app);

#endif
