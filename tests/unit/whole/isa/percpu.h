/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a mocked core: its counters, and where it goes on after an exception. */
#pragma once

#include "arch/trap_try.h"
#include "core/gaps/cpu.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

/* State in which arch_try() continues if an exception ends its function. */
struct trap_escape {
	jmp_buf at;
	bool is_last; /* an exception is reported as last words */
};

struct percpu {
	struct cpu *cpu; /* NULL: the core is the firmware's */
	volatile uint64_t nmi_count, mce_count;
	struct trap_escape *escape; /* innermost escape, or NULL */
	struct record_fault fault;  /* the exception that cut arch_try() short */
};

struct percpu *percpu_self(void);
