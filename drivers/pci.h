/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI configuration space: what is there, and its registers. Source: PCI Local
 * Bus Specification 3.0, chapter 6; PCI Firmware Specification 3.3, 4.1 (MCFG).
 */
#pragma once

#include "core/firmware/acpi.h"

#include <stdbool.h>
#include <stdint.h>

struct pci_address {
	uint16_t segment;
	uint8_t bus, device, function;
};

static inline bool pci_same_place(const struct pci_address *a, const struct pci_address *b)
{
	return a->segment == b->segment && a->bus == b->bus && a->device == b->device &&
	       a->function == b->function;
}

/* Offsets of registers in every function's configuration space. */
#define PCI_ID       0x00 /* 31:16 device, 15:0 vendor */
#define PCI_COMMAND  0x04 /* 16 bits; status above */
#define PCI_CLASS    0x08 /* 31:8 class, subclass, interface */
#define PCI_HEADER   0x0c /* 22:16 layout, 23 more functions */
#define PCI_BAR0     0x10
#define PCI_CAP_LIST 0x34

#define PCI_COMMAND_IO      0x0001u
#define PCI_COMMAND_MEMORY  0x0002u
#define PCI_COMMAND_MASTER  0x0004u
#define PCI_COMMAND_NO_INTX 0x0400u

#define PCI_ABSENT UINT32_MAX /* what a register reads as where nobody answers */

/* How configuration space is reached. */
struct pci {
	bool ports; /* CF8h/CFCh: segment 0, the first 256 bytes */
	uint32_t ecam_count;
	struct acpi_ecam ecam[ACPI_ECAMS_MAX]; /* in memory, mapped */
};

/*
 * Find out how. The ports are preferred where they exist, as the one way that
 * needs no table; MCFG's regions serve segments that have no ports. A region
 * that cannot be mapped, or that does not answer as the ports do, is left out
 * and reported.
 */
void pci_open(struct pci *pci, const struct acpi_info *acpi, acpi_complaint *complain, void *ctx);

/*
 * Registers; `offset` is below 256, and aligned. PCI_ABSENT where nobody
 * answers or no way leads there; such writes are dropped. Not while another
 * core, or firmware whose interrupts are on, may use the ports.
 */
uint32_t pci_read32(const struct pci *pci, const struct pci_address *at, unsigned offset);
uint16_t pci_read16(const struct pci *pci, const struct pci_address *at, unsigned offset);
uint8_t pci_read8(const struct pci *pci, const struct pci_address *at, unsigned offset);
void pci_write8(const struct pci *pci, const struct pci_address *at, unsigned offset,
		uint8_t value);
void pci_write16(const struct pci *pci, const struct pci_address *at, unsigned offset,
		 uint16_t value);
void pci_write32(const struct pci *pci, const struct pci_address *at, unsigned offset,
		 uint32_t value);

#define PCI_CLASS_NETWORK 0x02u /* the upper 8 of a class' 24 bits */

/*
 * Visit every function that answers, all buses of all segments: 65,536 per
 * segment at most, and no bridge is trusted on which exist. `class` is
 * class, subclass and interface, 24 bits. visit() false ends it.
 */
typedef bool pci_visit(void *ctx, const struct pci_address *at, uint32_t class);
void pci_scan(const struct pci *pci, pci_visit *visit, void *ctx);

/* A base address register. */
enum pci_bar_kind { PCI_BAR_NONE, PCI_BAR_IO, PCI_BAR_MEMORY };

struct pci_bar {
	enum pci_bar_kind kind; /* PCI_BAR_NONE: unset, or no bar of this kind of function */
	uint64_t base;
	/* No register is past this: a region lies on a multiple of its power-of-two size. */
	uint64_t size_max;
};

/* Bar 0 to 5. Nothing is written: the size is not asked for. */
struct pci_bar pci_bar(const struct pci *pci, const struct pci_address *at, unsigned n);

/* Is a bar with this kind of decoding switched on? */
bool pci_decodes(const struct pci *pci, const struct pci_address *at, enum pci_bar_kind kind);

/*
 * Set bits `on` of PCI_COMMAND, and clear bits `off`. Returns what it reads as then,
 * and 0 where nobody answers.
 */
uint16_t pci_command(const struct pci *pci, const struct pci_address *at, uint16_t on,
		     uint16_t off);

/*
 * Let accesses to the function's memory, and its DMA, through all bridges above it: firmware
 * switches either on for the drivers that it has, and off again when it leaves. Nothing is
 * written where they are on.
 */
void pci_open_bridges(const struct pci *pci, const struct pci_address *at);

/*
 * Visit the capabilities below offset 256, in the list's order; a list that runs in a
 * circle ends. `offset` is 40h to FCh, aligned. visit() false ends it.
 */
typedef bool pci_visit_capability(void *ctx, uint8_t id, unsigned offset);
void pci_capabilities(const struct pci *pci, const struct pci_address *at,
		      pci_visit_capability *visit, void *ctx);

/* Power state, 0 (D0, also where a function does not report it) to 3 (D3hot); PCI PM 1.2, 3.2. */
unsigned pci_power_state(const struct pci *pci, const struct pci_address *at);

/*
 * Bring it to D0 from where it is, its bars as they were: some functions lose them on the
 * way. Takes PCI_POWER_UP_MS of a TSC of `hz` where there is something to do. Returns the
 * state it is in then.
 */
#define PCI_POWER_UP_MS 10
unsigned pci_power_up(const struct pci *pci, const struct pci_address *at, uint64_t hz);
