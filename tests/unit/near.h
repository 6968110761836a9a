/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that need not be equal. */
#pragma once

#include <math.h>

#include "tests/unit/common/test.h"

static inline void assert_near(double value, double wanted, double within)
{
	if (!(fabs(value - wanted) <= within))
		fail_msg("%.9g is not %.9g", value, wanted);
}
