/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface between the parts of the mocked machine. */
#pragma once

#include "mocked.h"
#include "mocked_storage.h"
#include "percpu.h"

#define MOCKED_SERIAL_MAX  (4u << 20)
#define MOCKED_CONSOLE_MAX (256u << 10)

/* Memory that the process of the run shares with the test. */
struct mocked_shared {
	enum mocked_end end;
	unsigned code;
	bool left;
	uint64_t ended_ns;
	unsigned paintings;
	size_t bytes, console_bytes;
	char serial[MOCKED_SERIAL_MAX], console[MOCKED_CONSOLE_MAX];
};

extern const struct mocked *mocked;
extern struct mocked_shared *mocked_shared;

/* The machine ends here. */
void mocked_end(enum mocked_end end, unsigned code) __attribute__((noreturn));

static inline uint64_t mocked_ticks(uint64_t ns)
{
	return ns * (MOCKED_HZ / MOCKED_S);
}

/* ---- mocked_cores.c ---- */

/* Begin with the boot core, on the calling stack. */
void mocked_power_on(void);
uint32_t mocked_self(void);
struct percpu *mocked_percpu(uint32_t core);
uint64_t mocked_clock(void); /* without reading it */
void mocked_pass(uint64_t ticks);
void mocked_count_nmi(uint32_t core, uint32_t ticks);

/* Run that on another core, from the calling core's time on. */
void mocked_run_on(uint32_t core, void (*what)(uint32_t core));
bool mocked_is_off(uint32_t core);
void mocked_sleep(void);
void mocked_wake(uint32_t core);
void mocked_halt(void) __attribute__((noreturn));

/* The calling core takes an exception; have another one take one that ends its hang. */
void mocked_trap(void) __attribute__((noreturn));
void mocked_break_off(uint32_t core);

/* Interrupts of the calling core, and the firmware's timer, which needs them on the boot core. */
bool mocked_mask(bool masked);
void mocked_watch(void (*tick)(void));

/* The calling core has left its window, if it was in one. */
void mocked_end_window(void);

/* True if the program's last step begins with this text; always for NULL. */
bool mocked_at_step(const char *step);

/* ---- mocked_devices.c ---- */

uint64_t mocked_tables(void); /* address of the RSDP */

/* Fetch the key once it is typed. The machine halts after LOOKS_MAX looks in vain. */
bool mocked_take_key(void);

/* ---- mocked_door.c ---- */

/* Each mocked function of the firmware calls this first. */
void mocked_call(void);

/*
 * A first core enters a window, or the last one leaves it: the run ends if the screen is written to
 * meanwhile. And write to it what it shows.
 */
void mocked_keep_screen(bool begins);
void mocked_scribble(void);

/* ---- mocked_storage.c ---- */

/*
 * Start the machine: the power comes on, or the firmware continues after a run that returned to it;
 * and end a run. These do nothing without a storage.
 */
void mocked_storage_start(void);
void mocked_storage_end(bool stays_on);

/* The number of earlier starts. */
unsigned mocked_starts(void);
/* Minutes by which the real-time clock is ahead of the first start, at power on. */
uint64_t mocked_minutes(void);

/* Count a change. True if the power is cut at it, which happens at most once in a run. */
bool mocked_is_cut(void);

extern const struct door_variables mocked_door_variables;

/* ---- mocked_volume.c ---- */

extern const struct door_files mocked_door_files;
