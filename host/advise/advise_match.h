/* SPDX-License-Identifier: BSD-2-Clause */
/* Which rows are for a machine, and which of its BIOS's attributes they mean. */
#pragma once

#include "advise_settings.h"

#include <stdbool.h>

/* The vendor whose rows are meant by the manufacturer's name in SMBIOS; NULL: none of these. */
const char *advise_vendor(const char *manufacturer);

/* Is the row one for machines of this vendor, or NULL? */
bool advise_setting_fits(const struct advise_setting *setting, const char *vendor);

/* Do a name or a value mean the same, but for case, spaces and a number that a BIOS appends? */
bool advise_is_alike(const char *a, const char *b);

/* True if the value is a word for "Disabled", or for "Enabled". Most values are neither. */
bool advise_is_off(const char *value);
bool advise_is_on(const char *value);

/* Is this value what the row sets it to? */
bool advise_is_set(const struct advise_setting *setting, const char *value);
