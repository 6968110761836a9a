/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI configuration space: its functions and their registers. Source: PCI Local Bus Specification
 * 3.0, chapter 6; PCI Firmware Specification 3.3, 4.1 (MCFG).
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

#define PCI_ABSENT UINT32_MAX /* reading of a register of an absent device */

/* How configuration space is reached. */
struct pci {
	bool ports; /* CF8h/CFCh: segment 0, the first 256 bytes */
	uint32_t ecam_count;
	struct acpi_ecam ecam[ACPI_ECAMS_MAX]; /* in memory, mapped */
};

/*
 * Find out how configuration space is reached. Where the ports exist they are preferred, since they
 * need no table; the regions of MCFG are for segments without ports. A region that is needed and
 * cannot be mapped is left out and reported.
 */
void pci_open(struct pci *pci, const struct acpi_info *acpi, acpi_complaint *complain, void *ctx);

/*
 * Read and write registers; `offset` is below 256, and aligned. Where nobody answers, or the
 * segment cannot be reached, reads return PCI_ABSENT and writes are dropped. Do not call these
 * while another core, or an interrupt handler of the firmware, may use the ports.
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

/* A walk over all functions, which begins with zeros. */
struct pci_walk {
	struct pci_address at; /* the function found last */
	uint32_t class;        /* its class, subclass and interface, 24 bits */
	/* The buses on which it is: how many have been begun, and their end. */
	uint32_t buses;
	uint8_t last_bus;
	bool has_several; /* the device has more functions than its first */
};

/*
 * Find the next function that answers, of all buses of all segments, at most 65,536 per segment.
 * All bus numbers are tried, not only those that bridges name. False: there are no more.
 */
bool pci_next(const struct pci *pci, struct pci_walk *w);

/* A base address register. */
enum pci_bar_kind { PCI_BAR_NONE, PCI_BAR_IO, PCI_BAR_MEMORY };

struct pci_bar {
	enum pci_bar_kind kind; /* PCI_BAR_NONE: not set, or the function has no such bar */
	uint64_t base;
	/* Upper bound of the size: a region of 2^n bytes lies at a multiple of 2^n. */
	uint64_t size_max;
};

/* Read bar 0 to 5. Nothing is written, so the real size is not known. */
struct pci_bar pci_bar(const struct pci *pci, const struct pci_address *at, unsigned n);

/*
 * Set bits `on` of PCI_COMMAND, and clear bits `off`. Returns the value read back; 0 if nobody
 * answers.
 */
uint16_t pci_command(const struct pci *pci, const struct pci_address *at, uint16_t on,
		     uint16_t off);

/*
 * Enable memory accesses to the function, and its DMA, in all bridges above it: firmware enables
 * either only for its own drivers, and disables them when it exits. Nothing is written if both are
 * enabled.
 */
void pci_open_bridges(const struct pci *pci, const struct pci_address *at);

/* A walk over a function's capabilities, which begins with zeros. */
struct pci_capability {
	uint8_t id;
	unsigned offset; /* 40h to FCh, aligned */
	unsigned next, seen;
};

/*
 * Find the next capability below offset 256, in the list's order. A circular list ends. False:
 * there are no more.
 */
bool pci_next_capability(const struct pci *pci, const struct pci_address *at,
			 struct pci_capability *c);

/*
 * Power state, 0 (D0) to 3 (D3hot); 0, too, if the function does not report it. Source: PCI PM 1.2,
 * 3.2.
 */
unsigned pci_power_state(const struct pci *pci, const struct pci_address *at);

/*
 * Bring the function to D0 and restore its bars, which some functions lose on the way. From another
 * state than D0, this takes PCI_POWER_UP_MS; `hz` is the TSC's rate. Returns the state afterwards.
 */
#define PCI_POWER_UP_MS 10
unsigned pci_power_up(const struct pci *pci, const struct pci_address *at, uint64_t hz);
