/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI configuration space. */
#include "pci.h"

#include "arch/arch.h"
#include "core/lib/steps.h"
#include "core/lib/text.h"
#include "deadline.h"

#define PORT_ADDRESS 0xcf8
#define PORT_DATA    0xcfc
#define ADDRESS_ON   (1u << 31)

#define BUSES     256u
#define DEVICES   32u
#define FUNCTIONS 8u
#define BUS_SHIFT 20 /* ECAM: bytes of a bus */

#define HEADER_LAYOUT(v) ((v) >> 16 & 0x7f)
#define HEADER_SEVERAL   (1u << 23)
#define LAYOUT_DEVICE    0
#define LAYOUT_BRIDGE    1

#define BRIDGE_BUSES 0x18u

#define BARS_DEVICE 6u
#define BARS_BRIDGE 2u

#define BAR_IO          0x1u
#define BAR_IO_MASK     0xfffffffcu
#define BAR_TYPE        0x6u
#define BAR_TYPE_64     0x4u
#define BAR_MEMORY_MASK UINT64_C(0xfffffffffffffff0)
#define BAR_IO_END      0x10000u

#define STATUS_CAP_LIST  (1u << 20) /* bit of the dword at PCI_COMMAND */
#define CAP_FIRST        0x40u      /* capabilities lie behind the header */
#define CAP_MASK         0xfcu
#define CAPS_MAX         48u /* dwords from 0x40 to 0xff: a longer list is a loop */
#define CAP_POWER        0x01
#define POWER_STATUS     4u /* PMCSR, from the capability's start */
#define POWER_STATE      0x3u
#define POWER_PME_STATUS 0x8000u

/* Address of a function's registers in memory; 0: none. */
static uint64_t ecam_base(const struct pci *pci, const struct pci_address *at)
{
	for (uint32_t i = 0; i < pci->ecam_count; i++) {
		const struct acpi_ecam *e = &pci->ecam[i];

		if (e->segment == at->segment && e->first_bus <= at->bus && at->bus <= e->last_bus)
			return e->base + ((uint64_t)at->bus << BUS_SHIFT) +
			       ((uint32_t)at->device << 15 | (uint32_t)at->function << 12);
	}
	return 0;
}

static bool by_ports(const struct pci *pci, const struct pci_address *at)
{
	return pci->ports && at->segment == 0;
}

/* Point the data port at a register. Returns the port's address. */
static uint16_t aim(const struct pci_address *at, unsigned offset)
{
	arch_out32(PORT_ADDRESS, ADDRESS_ON | (uint32_t)at->bus << 16 | (uint32_t)at->device << 11 |
					 (uint32_t)at->function << 8 | (offset & CAP_MASK));
	return (uint16_t)(PORT_DATA + (offset & 3));
}

static void pci_note(const char *what, const struct pci_address *at, unsigned offset)
{
	steps_note_pci(what, (uint64_t)at->segment << 32 | (uint64_t)at->bus << BUS_SHIFT |
				     (uint32_t)at->device << 15 | (uint32_t)at->function << 12 |
				     offset);
}

uint32_t pci_read32(const struct pci *pci, const struct pci_address *at, unsigned offset)
{
	uint64_t base;

	pci_note("reading PCI", at, offset);
	if (by_ports(pci, at))
		return arch_in32(aim(at, offset));
	base = ecam_base(pci, at);
	return base ? arch_mmio_read32(base + offset) : PCI_ABSENT;
}

uint16_t pci_read16(const struct pci *pci, const struct pci_address *at, unsigned offset)
{
	return (uint16_t)(pci_read32(pci, at, offset & ~3u) >> 8 * (offset & 2));
}

uint8_t pci_read8(const struct pci *pci, const struct pci_address *at, unsigned offset)
{
	return (uint8_t)(pci_read32(pci, at, offset & ~3u) >> 8 * (offset & 3));
}

/* The address port reads back what it was given; nothing else at CF8h does. */
static bool ports_answer(void)
{
	uint32_t before = arch_in32(PORT_ADDRESS);
	bool answer;

	arch_out32(PORT_ADDRESS, ADDRESS_ON);
	answer = arch_in32(PORT_ADDRESS) == ADDRESS_ON;
	arch_out32(PORT_ADDRESS, before);
	return answer;
}

/* True if the ports find the same function 0 of each device on the region's first bus. */
static bool ecam_agrees(const struct acpi_ecam *e)
{
	const struct pci ports = { .ports = true };
	const struct pci memory = { .ecam_count = 1, .ecam[0] = *e };
	struct pci_address at = { .segment = e->segment, .bus = e->first_bus };

	for (at.device = 0; at.device < DEVICES; at.device++)
		if (pci_read32(&ports, &at, PCI_ID) != pci_read32(&memory, &at, PCI_ID))
			return false;
	return true;
}

static const char *add_region(struct pci *pci, const struct acpi_ecam *e)
{
	uint64_t first = (uint64_t)e->first_bus << BUS_SHIFT;
	uint64_t bytes = (uint64_t)(e->last_bus - e->first_bus + 1) << BUS_SHIFT;

	steps_note_at("mapping ECAM of segment", e->segment);
	if (!arch_map_device(e->base + first, bytes))
		return "cannot be mapped";
	if (pci->ports && e->segment == 0 && !ecam_agrees(e))
		return "differs from what the ports show";
	pci->ecam[pci->ecam_count++] = *e;
	return NULL;
}

void pci_open(struct pci *pci, const struct acpi_info *acpi, acpi_complaint *complain, void *ctx)
{
	TEXT_DEFINE(t, 160);

	pci->ports = ports_answer();
	pci->ecam_count = 0;
	for (uint32_t i = 0; i < acpi->ecam_count; i++) {
		const struct acpi_ecam *e = &acpi->ecam[i];
		const char *wrong = add_region(pci, e);

		if (!wrong)
			continue;
		text_reset(&t);
		text_add(&t, "PCI: segment %u buses %u-%u at 0x%llx %s; not used", e->segment,
			 e->first_bus, e->last_bus, (unsigned long long)e->base, wrong);
		complain(ctx, t.buf);
	}
}

static bool answers(uint32_t id)
{
	/* Vendor FFFFh is none; 0 is what broken bridges give; 0001h is a retry, PCIe 2.3.2. */
	uint16_t vendor = (uint16_t)id;

	return vendor != 0xffff && vendor != 0 && vendor != 1;
}

static bool scan_device(const struct pci *pci, struct pci_address *at, pci_visit *visit, void *ctx)
{
	unsigned functions = FUNCTIONS;

	for (unsigned f = 0; f < functions; f++) {
		at->function = (uint8_t)f;
		if (!answers(pci_read32(pci, at, PCI_ID))) {
			if (f == 0)
				break;
			continue;
		}
		if (f == 0 && !(pci_read32(pci, at, PCI_HEADER) & HEADER_SEVERAL))
			functions = 1;
		if (!visit(ctx, at, pci_read32(pci, at, PCI_CLASS) >> 8))
			return false;
	}
	return true;
}

static bool scan_buses(const struct pci *pci, const struct acpi_ecam *e, pci_visit *visit,
		       void *ctx)
{
	for (unsigned bus = e->first_bus; bus <= e->last_bus; bus++)
		for (unsigned device = 0; device < DEVICES; device++) {
			struct pci_address at = { e->segment, (uint8_t)bus, (uint8_t)device, 0 };

			if (!scan_device(pci, &at, visit, ctx))
				return false;
		}
	return true;
}

void pci_scan(const struct pci *pci, pci_visit *visit, void *ctx)
{
	static const struct acpi_ecam by_ports = { .segment = 0, .last_bus = BUSES - 1 };

	if (pci->ports && !scan_buses(pci, &by_ports, visit, ctx))
		return;
	for (uint32_t i = 0; i < pci->ecam_count; i++) {
		const struct acpi_ecam *e = &pci->ecam[i];

		if (pci->ports && e->segment == 0)
			continue;
		if (!scan_buses(pci, e, visit, ctx))
			return;
	}
}

static unsigned bars(const struct pci *pci, const struct pci_address *at)
{
	switch (HEADER_LAYOUT(pci_read32(pci, at, PCI_HEADER))) {
	case LAYOUT_DEVICE:
		return BARS_DEVICE;
	case LAYOUT_BRIDGE:
		return BARS_BRIDGE;
	default:
		return 0;
	}
}

static struct pci_bar set_bar(enum pci_bar_kind kind, uint64_t base)
{
	if (!base)
		return (struct pci_bar){ .kind = PCI_BAR_NONE };
	return (struct pci_bar){ .kind = kind, .base = base, .size_max = base & -base };
}

struct pci_bar pci_bar(const struct pci *pci, const struct pci_address *at, unsigned n)
{
	const struct pci_bar none = { .kind = PCI_BAR_NONE };
	unsigned count = bars(pci, at);
	uint64_t low, high = 0;

	if (n >= count)
		return none;
	low = pci_read32(pci, at, PCI_BAR0 + 4 * n);
	if (low == PCI_ABSENT)
		return none;
	if (low & BAR_IO)
		return (low & BAR_IO_MASK) < BAR_IO_END ? set_bar(PCI_BAR_IO, low & BAR_IO_MASK)
							: none;
	if ((low & BAR_TYPE) == BAR_TYPE_64) {
		if (n + 1 >= count)
			return none;
		high = pci_read32(pci, at, PCI_BAR0 + 4 * n + 4);
	}
	return set_bar(PCI_BAR_MEMORY, (high << 32 | low) & BAR_MEMORY_MASK);
}

bool pci_decodes(const struct pci *pci, const struct pci_address *at, enum pci_bar_kind kind)
{
	uint16_t bit = kind == PCI_BAR_IO ? PCI_COMMAND_IO : PCI_COMMAND_MEMORY;

	return pci_read16(pci, at, PCI_COMMAND) & bit;
}

uint16_t pci_command(const struct pci *pci, const struct pci_address *at, uint16_t on, uint16_t off)
{
	uint16_t command = pci_read16(pci, at, PCI_COMMAND);

	if (command == (uint16_t)PCI_ABSENT)
		return 0;
	pci_write16(pci, at, PCI_COMMAND, (uint16_t)((command | on) & ~off));
	return pci_read16(pci, at, PCI_COMMAND);
}

struct below {
	const struct pci *pci;
	const struct pci_address *at;
};

/* Bridges' buses: 7:0 above, 15:8 the first below, 23:16 the last below; 0 below: not set up. */
static bool open_bridge(void *ctx, const struct pci_address *at, uint32_t class)
{
	const struct below *b = ctx;
	const uint16_t on = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	uint32_t buses;

	(void)class;
	if (at->segment != b->at->segment ||
	    HEADER_LAYOUT(pci_read32(b->pci, at, PCI_HEADER)) != LAYOUT_BRIDGE)
		return true;
	buses = pci_read32(b->pci, at, BRIDGE_BUSES);
	if (!(buses >> 8 & 0xff) || b->at->bus < (buses >> 8 & 0xff) ||
	    b->at->bus > (buses >> 16 & 0xff))
		return true;
	if ((pci_read16(b->pci, at, PCI_COMMAND) & on) != on)
		pci_command(b->pci, at, on, 0);
	return true;
}

void pci_open_bridges(const struct pci *pci, const struct pci_address *at)
{
	struct below b = { pci, at };

	pci_scan(pci, open_bridge, &b);
}

void pci_capabilities(const struct pci *pci, const struct pci_address *at,
		      pci_visit_capability *visit, void *ctx)
{
	unsigned offset;

	if (!(pci_read32(pci, at, PCI_COMMAND) & STATUS_CAP_LIST))
		return;
	offset = pci_read8(pci, at, PCI_CAP_LIST) & CAP_MASK;
	for (unsigned n = 0; n < CAPS_MAX && offset >= CAP_FIRST; n++) {
		uint32_t head = pci_read32(pci, at, offset);

		if (!visit(ctx, (uint8_t)head, offset))
			return;
		offset = head >> 8 & CAP_MASK;
	}
}

static bool is_power(void *ctx, uint8_t id, unsigned offset)
{
	unsigned *status = ctx;

	if (id != CAP_POWER || offset + POWER_STATUS >= 0x100)
		return true;
	*status = offset + POWER_STATUS;
	return false;
}

/* Offset of PMCSR; 0: there is none. */
static unsigned power_status(const struct pci *pci, const struct pci_address *at)
{
	unsigned status = 0;

	pci_capabilities(pci, at, is_power, &status);
	return status;
}

unsigned pci_power_state(const struct pci *pci, const struct pci_address *at)
{
	unsigned status = power_status(pci, at);

	return status ? pci_read16(pci, at, status) & POWER_STATE : 0;
}

unsigned pci_power_up(const struct pci *pci, const struct pci_address *at, uint64_t hz)
{
	unsigned status = power_status(pci, at);
	uint32_t bar[BARS_DEVICE];
	uint16_t power;

	if (!status || !(pci_read16(pci, at, status) & POWER_STATE))
		return 0;
	for (unsigned i = 0; i < BARS_DEVICE; i++)
		bar[i] = pci_read32(pci, at, PCI_BAR0 + 4 * i);
	/* PME_Status is cleared by writing 1: not ours to clear. */
	power = pci_read16(pci, at, status) & (uint16_t) ~(POWER_STATE | POWER_PME_STATUS);
	pci_write16(pci, at, status, power);
	deadline_sleep(PCI_POWER_UP_MS, hz);
	for (unsigned i = 0; i < BARS_DEVICE; i++)
		if (pci_read32(pci, at, PCI_BAR0 + 4 * i) != bar[i])
			pci_write32(pci, at, PCI_BAR0 + 4 * i, bar[i]);
	return pci_power_state(pci, at);
}

#define WRITE(bits)                                                                                \
	void pci_write##bits(const struct pci *pci, const struct pci_address *at, unsigned offset, \
			     uint##bits##_t value)                                                 \
	{                                                                                          \
		uint64_t base = ecam_base(pci, at);                                                \
                                                                                                   \
		pci_note("writing PCI", at, offset);                                               \
		if (by_ports(pci, at))                                                             \
			arch_out##bits(aim(at, offset), value);                                    \
		else if (base)                                                                     \
			arch_mmio_write##bits(base + offset, value);                               \
	}

WRITE(8)
WRITE(16)
WRITE(32)
