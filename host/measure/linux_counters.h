/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What counts SMIs, NMIs, machine checks and interrupts of each core under Linux:
 * MSR_SMI_COUNT through /dev/cpu/N/msr, the rest in /proc/interrupts. All are read
 * between windows, so that their steps belong to a window and to no gap. What is not
 * there, or cannot be read, is not known.
 */
#pragma once

#include "core/gaps/platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one core, since it was started. */
struct linux_counts {
	struct maybe smi;      /* 32 bits, wraps; believed once it is not 0: it may not exist */
	struct maybe nmi, mce; /* 32 bits, wrap */
	struct maybe irq;      /* all other rows, the kernel's own interrupts too */
};

struct linux_counters {
	char root[256];
	struct platform *platform;
	int interrupts; /* an open file; -1: none */
	char *text;     /* of it */
	size_t cap;
	struct linux_core_counts {
		int msr; /* an open file; -1: none */
		struct linux_counts last;
		uint64_t smi_out, nmi_out; /* before the current window */
		struct maybe irqs;         /* inside windows */
		bool smi_lost;             /* a reading failed: its sum has a hole */
	} * core;
};

/*
 * Open what is there under `root` ("": the machine's own), and note in each core's
 * `blind` what is not. False: no memory.
 */
bool linux_counters_open(struct linux_counters *c, struct platform *p, const char *root);
void linux_counters_close(struct linux_counters *c);

/* platform.count. No allocation. */
void linux_counters_step(struct linux_counters *c, bool after);

/* The SMIs that the core at a position has counted now, modulo 2^32; 0 where that is not known. */
uint32_t linux_counters_smi(const struct linux_counters *c, uint32_t position);

/*
 * Find core `cpu`'s counts in the text of /proc/interrupts. Not known: a core that
 * has no column, a row that is not there or too short.
 */
void linux_counters_parse(const char *text, uint32_t cpu, struct linux_counts *counts);
