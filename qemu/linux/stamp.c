/* SPDX-License-Identifier: BSD-2-Clause */
/* In the guest: print the clock that the injector's log is in. */
#include "clock_now.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	printf("%" PRIu64 "\n", clock_now());
	return 0;
}
