/* SPDX-License-Identifier: BSD-2-Clause */
/* In the guest: print the clock that the injector's log is in. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
	printf("%" PRIu64 "\n", (uint64_t)__builtin_ia32_rdtsc());
	return 0;
}
