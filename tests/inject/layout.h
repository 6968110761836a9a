/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where things lie in physical memory and what they look like there: shared by the injector's C and
 * its SMM handler. truth.py reads them from outside; a change here is a new HEADER_VERSION there.
 *
 * SMM_REGION holds the handlers and the save state of every core:
 *
 *   SMM_DEFAULT_BASE + 0x8000           the handler that moves a core's SMBASE, used once
 *   SMM_BASE(i) + 0x8000                core i's own handler
 *   SMM_BASE(i) + 0xfe00 .. + 0xffff    core i's save state
 *
 * source_header_address (source.h) holds struct header, which locates the log of each core and the
 * schedule. All of it is reserved memory, so it outlives ExitBootServices and nobody else writes
 * there.
 */
#pragma once

#define SMM_REGION       0x30000
#define SMM_REGION_PAGES 0x30
#define SMM_DEFAULT_BASE 0x30000 /* SDM vol. 3, 32.4: after RESET */
#define SMM_CORES        16
#define SMM_BASE(i)      (0x40000 + (i)*0x1000)
#define SMM_ENTRY        0x8000 /* from SMBASE */
#define SMM_SAVED_BASE   0xff00 /* SMBASE field, from SMBASE: AMD APM vol. 2, table 10-1 */

#define HEADER_PAGES   1
#define HEADER_MAGIC   0x5443454a4e49464e /* "NFINJECT" */
#define HEADER_VERSION 1

#define PLAN_MAX 200000 /* SMIs in a schedule */
#define LOG_MAX  210000 /* SMIs logged per core, unplanned ones included */

/* Offsets in struct core, for the handler's assembly. */
#define CORE_LOG          8
#define CORE_CAPACITY     12
#define CORE_COUNT        16
#define CORE_LOST         20
#define CORE_UNPLANNED    24
#define CORE_SCHEDULE     28
#define CORE_PLANNED      32
#define CORE_NEXT         36
#define CORE_HPET         40
#define CORE_COMPARE_HIGH 44
#define CORE_POLL         48
#define CORE_NMI          52
#define CORE_EFFECTS      56
#define CORE_STOLEN       60
#define CORE_BYTES        64

/* Further effects of the level that takes the core on AArch64: bits. */
#define EFFECT_IS_KVM    0 /* the injector answers with KVM's UID */
#define EFFECT_PV_TIME   1 /* the injector offers a structure of stolen time */
#define EFFECT_STEALS    2 /* the injector adds the time that it takes to that structure */
#define EFFECT_SERROR    3 /* each time ends with an SError */
#define EFFECT_HIDES     4 /* the virtual counter is set back by each length */
#define EFFECT_PROHIBITS 5 /* level 3 lets no cycles be counted in it */
#define EFFECT_SLOW_TRNG 6 /* with PV_TIME: TRNG_VERSION, of SLOW_TRNG_TICKS */
#define EFFECT_POWER_ON  7 /* level 3 has begun the schedule before it starts the firmware */

#define SLOW_TRNG_TICKS 12500 /* ticks of QEMU's 62.5 MHz: 200 us */

/* struct span: one SMI in the log. */
#define SPAN_ENTRY 0
#define SPAN_EXIT  8
#define SPAN_SHIFT 4

/* struct step: one SMI of the schedule. */
#define STEP_LENGTH 0
#define STEP_REARM  4
#define STEP_SHIFT  3

#define STEP_REARM_MIN 2 /* ticks of the timer; the handler writes within one of reading */

/* HPET registers, IA-PC HPET specification 1.0a, chapter 2.3. */
#define HPET_CAPABILITIES  0x000
#define HPET_CONFIG        0x010
#define HPET_COUNTER       0x0f0
#define HPET_TIMER(n)      (0x100 + 0x20 * (n))
#define HPET_TIMER_CONFIG  0x00
#define HPET_TIMER_COMPARE 0x08
#define HPET_TIMER_ROUTE   0x10
#define HPET_TIMER_ENABLE  0x0004 /* interrupt enable */
#define HPET_TIMER_FSB     0x4000 /* deliver as a message */
#define HPET_SMI           2      /* timer that raises SMIs */
#define HPET_NMI           1      /* timer that raises NMIs */

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/* One core's share of the injection. Written by that core in SMM. */
struct core {
	uint32_t apic_id;
	uint32_t smbase;
	uint32_t log; /* struct span[capacity] */
	uint32_t capacity;
	uint32_t count;     /* spans complete */
	uint32_t lost;      /* SMIs after the log was full */
	uint32_t unplanned; /* SMIs beyond the schedule: logged, and left at once */
	uint32_t schedule;  /* struct step[planned] */
	uint32_t planned;
	uint32_t next;         /* step of the next SMI */
	uint32_t hpet;         /* HPET's address; 0: another core re-arms the comparator */
	uint32_t compare_high; /* upper half of the comparator, as last written */
	uint32_t poll;    /* 1: burn time with PAUSE, so that the other cores get on under icount */
	uint32_t nmi;     /* 1: NMIs run from the first SMI to the last */
	uint32_t effects; /* 1 << EFFECT_ */
	uint32_t stolen;  /* its structure of stolen time; 0: none */
};

/* Ticks of the TSC: the first thing the handler does, and the last before it stores and leaves. */
struct span {
	uint64_t entry, exit;
};

struct step {
	uint32_t length; /* TSC ticks from entry to exit, below 2^31 */
	uint32_t rearm;  /* timer ticks from entry to the next SMI, at least STEP_REARM_MIN */
};

struct header {
	uint64_t magic;
	uint32_t version;
	uint32_t mode;       /* enum plan_mode: PLAN_HANDLER or PLAN_TCO */
	uint64_t tsc_hz;     /* rate calibrated against the HPET */
	uint64_t armed_tsc;  /* when the first SMI's delay, or the watchdog, was started */
	uint64_t start_ns;   /* from armed_tsc to the first SMI */
	uint64_t period_ns;  /* PLAN_TCO: from one SMI to the next */
	uint32_t hpet_fs;    /* HPET tick, femtoseconds */
	uint32_t cores;      /* in core[] */
	uint32_t core_bytes; /* size of one core[] */
	uint32_t planned;    /* SMIs in the schedule */
	uint64_t reserved[8];
	struct core core[SMM_CORES];
};

#define CORE_AT(field, offset) \
	_Static_assert(offsetof(struct core, field) == (offset), "struct core: " #field)
CORE_AT(log, CORE_LOG);
CORE_AT(capacity, CORE_CAPACITY);
CORE_AT(count, CORE_COUNT);
CORE_AT(lost, CORE_LOST);
CORE_AT(unplanned, CORE_UNPLANNED);
CORE_AT(schedule, CORE_SCHEDULE);
CORE_AT(planned, CORE_PLANNED);
CORE_AT(next, CORE_NEXT);
CORE_AT(hpet, CORE_HPET);
CORE_AT(compare_high, CORE_COMPARE_HIGH);
CORE_AT(poll, CORE_POLL);
CORE_AT(nmi, CORE_NMI);
CORE_AT(effects, CORE_EFFECTS);
CORE_AT(stolen, CORE_STOLEN);
_Static_assert(sizeof(struct core) == CORE_BYTES, "struct core");
_Static_assert(sizeof(struct span) == 1 << SPAN_SHIFT, "struct span");
_Static_assert(sizeof(struct step) == 1 << STEP_SHIFT, "struct step");
_Static_assert(sizeof(struct header) <= HEADER_PAGES * 4096, "struct header");
#undef CORE_AT

#endif
