/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `gap`. */
#include "core/records/record_kind.h"

const struct record_kind gap_record_kind = { .text = NULL };
