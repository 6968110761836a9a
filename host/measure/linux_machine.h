/* SPDX-License-Identifier: BSD-2-Clause */
/* What Linux reports of the machine, as the probe finds it itself: for the `begin` record. */
#pragma once

#include "arch/arch.h"
#include "core/gaps/platform.h"
#include "core/records/record.h"

#include <stdint.h>

#define LINUX_DMI_STRINGS 7

struct linux_machine {
	char dmi[LINUX_DMI_STRINGS][120];
	char os[200];       /* "Linux 6.1.0-18-rt-amd64 #1 SMP PREEMPT_RT ..." */
	char apic_ids[400]; /* of the cores measured; "": not reported */
	struct arch_identity identity;
};

/*
 * Read it; what is not reported stays "". The cores' apic_id is filled in. `root`: where
 * /sys and /proc are ("": the machine's own).
 */
void linux_machine_read(struct linux_machine *m, struct platform *p, const char *root);

/* Into the record, whose strings are then the machine's. */
void linux_machine_describe(const struct linux_machine *m, struct record_begin *b);

/*
 * Bytes that this process may use: what is available, and no more than the limits of its cgroup
 * and of those above. 0: not known.
 */
uint64_t linux_memory_available(const char *root);

/* APIC id of core `cpu` in the text of /proc/cpuinfo. */
struct maybe linux_apic_id(const char *cpuinfo, uint32_t cpu);
