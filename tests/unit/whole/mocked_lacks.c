/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of arch/ for modes that no test runs on the mocked machine. Their types do not matter.
 */
#include <stdio.h>
#include <stdlib.h>

void mocked_lacks(void);

void mocked_lacks(void)
{
	fprintf(stderr, "the mocked machine has no kernels, services and surveys\n");
	abort();
}

#define LACKS(name) void name(void) __attribute__((alias("mocked_lacks")))

LACKS(arch_enable_vectors);
LACKS(arch_work_bytes);
LACKS(arch_work_ring_bytes);
LACKS(arch_work_lay);
LACKS(arch_work_find);
LACKS(arch_service_open);
LACKS(arch_service_call);
LACKS(arch_survey);
