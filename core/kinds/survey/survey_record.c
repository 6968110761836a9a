/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `survey`. */
#include "core/records/record_kind.h"

const struct record_kind survey_record_kind = { .text = NULL };
