/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether LeakSanitizer looks for leaks when this process ends. */
#pragma once

#include <stdbool.h>

extern bool leaks_unchecked;
