/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chipset's SMI sources: enabled ones by the names of its manual, and the timers among them
 * with their periods. Everything is only read; a register that would have to be written to be read
 * is not.
 */
#pragma once

#include "pci.h"
#include "core/firmware/acpi.h"
#include "core/events/period.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stdint.h>

#define CHIPSET_NAMES_MAX 400 /* bytes of a list of names */
#define CHIPSET_TIMER_MAX 40  /* bytes of a timer's name */

/* Texts of a reading, to which the record points: names with spaces between, cut to fit. */
struct chipset_texts {
	char enabled[CHIPSET_NAMES_MAX];
	char timer[RECORD_TIMERS][CHIPSET_TIMER_MAX];
};

struct chipset {
	const char *name; /* "Intel ICH9"; NULL: an unknown chipset */
	/* Id of the LPC bridge, for a person to look up: vendor and device; 0: none found. */
	uint32_t lpc_id;
	void (*read)(const struct chipset *c, struct chipset_texts *texts,
		     struct record_stage *stage);
	/* Ticks that the watchdog has left, or CHIPSET_HALTED; NULL: none is known. */
	uint16_t (*watchdog_left)(const struct chipset *c);
	const struct pci *pci;
	uint16_t pm_base;  /* Intel; 0: none */
	uint16_t smi_base; /* SMI_EN is at +30h */
	uint16_t tco_base; /* Intel: TCO registers; 0: not known */
	uint32_t rates;    /* Intel: GEN_PMCON's rate fields, as SWSMI << 2 | periodic */
	bool rates_known;
	uint16_t watchdog; /* watchdog_left() when last called; CHIPSET_HALTED */
	bool watchdog_runs;
};

#define CHIPSET_HALTED UINT16_MAX

/* Find the chipset, and the addresses of its registers. `pci` must live as long as *c. */
void chipset_find(struct chipset *c, const struct pci *pci, const struct acpi_info *acpi);

/* Read the chipset into the record, which stays as it is if the chipset is unknown. */
void chipset_read(const struct chipset *c, struct chipset_texts *texts, struct record_stage *stage);

/*
 * True, once, when the watchdog is found running; *left_ns is the time until it expires. A stopped
 * watchdog has a count as well, so it takes two calls, at least a tick of 0.6 s apart, to see
 * whether it runs. Intel only.
 */
bool chipset_watchdog(struct chipset *c, uint64_t *left_ns);

/* Find a chipset of Intel's; false, without a change of *c: it is another's. */
bool chipset_intel(struct chipset *c, const struct acpi_info *acpi);

/* Find a chipset of AMD's or Hygon's. */
void chipset_amd(struct chipset *c);

#define CHIPSET_TCO_TICK_NS UINT64_C(600000000)

/* A source's number in its chipset, and its name in the manual. */
struct chipset_source {
	uint8_t number;
	char name[17];
};

/*
 * Append a source's name to a list of CHIPSET_NAMES_MAX bytes; if it has none, `unnamed` and its
 * number. One that does not fit ends the list with "...".
 */
void chipset_add_source(char *list, const struct chipset_source *sources, size_t count,
			unsigned number, const char *unnamed);

/* Add a timer, named "<what> <period>", to the record; one past RECORD_TIMERS is left out. */
void chipset_add_timer(struct chipset_texts *texts, struct record_stage *stage, const char *what,
		       uint64_t period_ns);
