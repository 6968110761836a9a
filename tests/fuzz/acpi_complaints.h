/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints of the readers of firmware's tables: text that can be shown, and not too many. */
#pragma once

#include "input.h"

static unsigned acpi_complaints; /* set to 0 before each read */

static inline void acpi_complaints_take(void *ctx, const char *text)
{
	(void)ctx;
	input_assert_showable(text, 256);
	if (++acpi_complaints > ACPI_COMPLAINTS_MAX)
		abort();
}
