/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine's registers for tests of drivers: PCI functions behind the ports (and
 * ECAM), I/O ports, and regions of memory. An access to what is not there, or was
 * not mapped before, ends the test: no driver may do it.
 */
#pragma once

#include "arch/arch.h"
#include "drivers/pci.h"
#include "tests/registers.h"

#include <stdbool.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define FAKE_FUNCTIONS 64
#define FAKE_REGIONS   8
#define FAKE_PORTS     0x10000
#define FAKE_HZ        UINT64_C(1000000) /* far below any TSC: waits are short */

struct fake_function {
	struct pci_address at;
	uint8_t reg[256];
};

struct fake_region {
	uint64_t base, bytes;
	uint8_t *at;
	bool mapped;
};

extern struct fake {
	struct fake_function function[FAKE_FUNCTIONS];
	unsigned functions;
	struct fake_region region[FAKE_REGIONS];
	unsigned regions;
	uint8_t port[FAKE_PORTS];
	bool no_ports; /* nothing at CF8h */
	uint32_t address;
	uint64_t ecam; /* base of segment 0's buses; 0: none */
	uint16_t ecam_segment;
	unsigned config_writes, memory_writes, port_writes; /* not counting CF8h */
	/* Called by a test's choice after a write, and before a read. */
	void (*on_config_write)(struct fake_function *f, unsigned offset);
	void (*on_read)(void);
	void (*on_port_write)(uint16_t port, uint32_t value);
	/* A device's part in an access to memory: before a read, after a write. */
	void (*on_memory_read)(uint64_t address, unsigned bytes);
	void (*on_memory_write)(uint64_t address, unsigned bytes, uint32_t value);
	unsigned memory_reads;
} fake;

void fake_reset(void);
void fake_put(uint8_t *at, uint64_t value, unsigned bytes);
uint32_t fake_get(const uint8_t *at, unsigned bytes);

/* Add a function: `id` has its vendor and device, and its class has 24 bits. */
struct fake_function *fake_add(uint8_t bus, uint8_t device, uint8_t function, uint32_t id,
			       uint32_t class);
uint8_t *fake_memory(uint64_t base, void *at, uint64_t bytes);

/* The machine's PCI as a driver gets it, without tables. */
void fake_open(struct pci *pci);
