/* SPDX-License-Identifier: BSD-2-Clause */
/* What arch_survey() has found. */
#pragma once

#include "hypervisor.h"

const struct hypervisor *survey_hypervisor(void);
