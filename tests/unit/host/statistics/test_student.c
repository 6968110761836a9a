/* SPDX-License-Identifier: BSD-2-Clause */
/* Student's t against published tables. */
#include "host/statistics/student.h"

#include <math.h>

#include "tests/unit/common/test.h"

/* Tables of Student's t, two-sided (Abramowitz and Stegun, table 26.10). */
TEST(test_chance)
{
	static const struct {
		double t, chance;
		size_t freedom;
	} rows[] = {
		{ 1, 0.5, 1 },
		{ 12.706, 0.05, 1 },
		{ 4.303, 0.05, 2 },
		{ 5.841, 0.01, 3 },
		{ 4.604, 0.01, 4 },
		{ 3.250, 0.01, 9 },
		{ -3.169, 0.01, 10 },
		{ 0, 1, 7 },
		{ 1.960, 0.05, 0 },
		{ 2.576, 0.01, 0 },
		{ 2.576, 0.01, 1000000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (fabs(student_chance(rows[i].t, rows[i].freedom) / rows[i].chance - 1) > 1e-3)
			fail_msg("%zu: %g", i, student_chance(rows[i].t, rows[i].freedom));
}

/* The same tables, read the other way; up to where chance is taken as 0. */
TEST(test_limit)
{
	assert_true(fabs(student_limit(0.025, 2) - 4.303) < 0.001);
	assert_true(fabs(student_limit(0.005, 10) - 3.169) < 0.001);
	assert_true(fabs(student_limit(0.025, 0) - 1.960) < 0.001);
	assert_true(student_limit(0.5, 3) < 1e-9);
	assert_true(student_limit(1e-15, 0) > 7.8 && student_limit(1e-15, 0) < 8.3);
}
