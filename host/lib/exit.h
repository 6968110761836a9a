/* SPDX-License-Identifier: BSD-2-Clause */
/* The exit codes of the host tool: the probe's own. */
#pragma once

enum exit_code {
	EXIT_PASS = 0, /* all limits are met, or none is set */
	EXIT_FAIL = 1,
	EXIT_ERROR = 2, /* bad usage and unreadable files too */
	EXIT_INCOMPLETE = 3,
};

/* The worst of two: error, fail, incomplete, pass. */
static inline int exit_worst(int a, int b)
{
	static const int rank[] = {
		[EXIT_PASS] = 0, [EXIT_INCOMPLETE] = 1, [EXIT_FAIL] = 2, [EXIT_ERROR] = 3
	};

	return rank[a] > rank[b] ? a : b;
}
