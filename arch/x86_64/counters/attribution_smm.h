/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules of attribution for processors with SMM. */
#pragma once

#include "core/cause/attribution_rules.h"

extern const struct attribution_rules attribution_smm;
