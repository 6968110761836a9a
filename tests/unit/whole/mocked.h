/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of probe/ from the beginning to the end of a run, on a mocked machine: one to
 * MOCKED_CORES cores, a serial port, a clock, and a firmware that mocked_door.c makes up. Nothing
 * is random, and no time of the computer that runs the test is looked at.
 *
 * Time: each core has a clock of MOCKED_HZ ticks per second, which begins with 0 at power on. A
 * core takes MOCKED_READ ticks to read its clock, and that is also the distance of two samples.
 * Between its samples it does nothing, so that the time up to the next gap is passed over.
 *
 * Gaps: a test lists them with their start, in ns from power on, and their length. A core that
 * samples sees a gap as its length and MOCKED_READ. A gap at a time in which a core does not sample
 * moves its counters all the same.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mocked_storage;

#define MOCKED_CORES 4
#define MOCKED_HZ    UINT64_C(2000000000)
#define MOCKED_READ  20 /* ticks */
#define MOCKED_IMAGE UINT64_C(0x7e000000)

#define MOCKED_MS UINT64_C(1000000) /* ns */
#define MOCKED_S  UINT64_C(1000000000)

struct mocked_gap {
	uint64_t at_ns, ns;
	uint32_t cores;    /* a bit per core */
	uint32_t smi, nmi; /* steps of the counters */
	uint64_t every_ns; /* period; 0: once */
	unsigned times;    /* number of times; 0: without an end */
};

/* An exception that the program takes. */
struct mocked_fault {
	bool wanted;
	uint32_t core;
	uint64_t at_ns;   /* from then on */
	const char *step; /* not until this step (core/lib/steps.h) is the last; NULL: any */
	bool hangs;       /* the core hangs instead, until another one breaks it off */
};

/* A call of the firmware that takes long. */
struct mocked_hang {
	bool wanted;
	uint64_t at_ns;   /* the first call from then on */
	const char *step; /* only after this step; NULL: any */
	uint64_t ns;      /* 0: it does not return */
};

/* Effect of the firmware's ResetSystem. */
enum mocked_reset { MOCKED_RESETS, MOCKED_RETURNS, MOCKED_FAULTS, MOCKED_SPINS };

#define MOCKED_SPCR    44                   /* bytes of that table after its header */
#define MOCKED_DEVICES UINT64_C(0x80000000) /* from here to 4 GiB there is no memory */

struct mocked {
	const char *config;  /* noisefloor.conf; NULL: there is none */
	size_t config_bytes; /* 0: up to the NUL */
	uint32_t cores;      /* 0: one */
	uint32_t absent;     /* a bit per core that the tables list and that never answers */
	bool no_smi_counter, no_serial, no_exit;
	bool no_rtc;     /* by the FADT: another device has its ports */
	bool unmasked;   /* masking does not work */
	uint64_t key_at; /* ns: from then on `key` is typed on the serial port, once */
	char key;
	enum mocked_reset reset;
	bool resumes; /* the door can start an OS again */
	bool after_linux;
	const char *reset_problem;
	const struct mocked_gap *gap;
	unsigned gaps;
	const uint8_t *spcr; /* besides MADT and FADT; NULL: there is none */
	struct mocked_fault fault;
	struct mocked_hang hang;
	uint32_t patience; /* s without a step after which a core hangs; 0: as the program has it */
	bool screen;       /* the firmware has a linear framebuffer */
	bool scribbles;    /* a core writes to it at each gap, in its window */
	bool s5;           /* ACPI can switch the machine off */
	/* The volume and the variables (mocked_storage.h); NULL: the machine has neither. */
	struct mocked_storage *storage;
	bool makes_up; /* the firmware's timer makes up for the ticks that it has missed */
};

enum mocked_end {
	MOCKED_CRASHED, /* the process of the run ended otherwise: its stderr has why */
	MOCKED_RETURNED,
	MOCKED_HALTED,
	MOCKED_RESET,       /* by the firmware */
	MOCKED_RESET_ALONE, /* by the core, without the firmware */
	MOCKED_RESUMED,     /* the OS was started again */
	MOCKED_OFF,
	MOCKED_OFF_ALONE, /* by ACPI */
	MOCKED_QEMU_EXIT,
	MOCKED_ASLEEP,    /* all cores sleep */
	MOCKED_HANGS,     /* MOCKED_LONGEST is over */
	MOCKED_CUT,       /* the power was cut */
	MOCKED_SCRIBBLED, /* the screen was written to in a window */
};

#define MOCKED_LONGEST (3600 * MOCKED_S)

struct mocked_run {
	enum mocked_end end;
	unsigned code;      /* exit code, for MOCKED_RETURNED and MOCKED_QEMU_EXIT */
	char *text;         /* output of the serial port */
	char *console;      /* output on the firmware's console */
	json_t *records;    /* records by mocked_add_record(), without other lines */
	uint64_t ended_ns;  /* from power on */
	bool left;          /* boot services were ended */
	unsigned paintings; /* changes of the screen from one window to the next */
};

/*
 * Run the program on that machine in a process of its own. Fails the test if that crashes. The run
 * is freed once MOCKED_RUNS others have been started.
 */
#define MOCKED_RUNS 64
const struct mocked_run *mocked_start(const struct mocked *m);
#define MOCKED(...) mocked_start(&(const struct mocked){ __VA_ARGS__ })

/* Keep an array until the program ends. Arrays that these functions return are borrowed. */
json_t *mocked_lend(json_t *array);

/*
 * Add a line's record, which is given away, to those before it: the parts of a record are joined,
 * and members that differ between links are removed.
 */
void mocked_add_record(json_t *records, json_t *record);

/* The records of that type. */
json_t *mocked_of_type(const json_t *records, const char *type);
size_t mocked_count(const struct mocked_run *r, const char *type);

/* The n-th record of that type, which must be there. */
const json_t *mocked_record(const struct mocked_run *r, const char *type, size_t n);

/* A member of a record, which must be there. */
int64_t mocked_number(const json_t *record, const char *name);
const char *mocked_string(const json_t *record, const char *name);

/* True if a log record, or a reason of the end, contains `part`. */
bool mocked_logged(const struct mocked_run *r, const char *part);
bool mocked_reason(const struct mocked_run *r, const char *part);
