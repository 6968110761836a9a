/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `interfere`. */
#define RECORD_NAME  interfere
#define RECORD_ROWS  "core/kinds/interfere/interfere_rows.h"
#define RECORD_ABOUT "With `mode=stretch`: what a core at work does to another."
#include "core/records/record_define.h"
