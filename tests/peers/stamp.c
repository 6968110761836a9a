/* SPDX-License-Identifier: BSD-2-Clause */
/* In the guest: print the clock that the injector's log is in. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
	uint64_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	printf("%" PRIu64 "\n", high << 32 | low);
	return 0;
}
