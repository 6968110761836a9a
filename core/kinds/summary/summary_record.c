/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `summary`. */
#include "core/records/record_kind.h"

const struct record_kind summary_record_kind = { 0 };
