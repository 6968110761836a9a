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

static bool by_ports(const struct pci *pci, uint16_t segment)
{
	return pci->ports && segment == 0;
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
	if (by_ports(pci, at->segment))
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

void pci_open(struct pci *pci, const struct acpi_info *acpi, acpi_complaint *complain, void *ctx)
{
	TEXT_DEFINE(t, 160);

	pci->ports = ports_answer();
	pci->ecam_count = 0;
	for (uint32_t i = 0; i < acpi->ecam_count; i++) {
		const struct acpi_ecam *e = &acpi->ecam[i];

		if (by_ports(pci, e->segment))
			continue;
		steps_note_at("mapping ECAM of segment", e->segment);
		if (arch_map_device(e->base + ((uint64_t)e->first_bus << BUS_SHIFT),
				    (uint64_t)(e->last_bus - e->first_bus + 1) << BUS_SHIFT)) {
			pci->ecam[pci->ecam_count++] = *e;
			continue;
		}
		text_reset(&t);
		text_add(&t, "PCI: segment %u buses %u-%u at 0x%llx cannot be mapped; not used",
			 e->segment, e->first_bus, e->last_bus, (unsigned long long)e->base);
		complain(ctx, t.buf);
	}
}

static bool answers(uint32_t id)
{
	/* Vendor FFFFh is none; 0 is what broken bridges give; 0001h is a retry, PCIe 2.3.2. */
	uint16_t vendor = (uint16_t)id;

	return vendor != 0xffff && vendor != 0 && vendor != 1;
}

/* Begin with the next buses: those behind the ports, then those of the regions. */
static bool next_buses(const struct pci *pci, struct pci_walk *w)
{
	static const struct acpi_ecam by_ports = { .segment = 0, .last_bus = BUSES - 1 };

	while (w->buses <= pci->ecam_count) {
		const struct acpi_ecam *e = w->buses ? &pci->ecam[w->buses - 1] : &by_ports;
		bool is_reached = w->buses || pci->ports;

		w->buses++;
		w->at = (struct pci_address){ e->segment, e->first_bus, 0, 0 };
		w->last_bus = e->last_bus;
		if (is_reached)
			return true;
	}
	return false;
}

/* Move on to the next place that may have a function. */
static bool next_place(const struct pci *pci, struct pci_walk *w)
{
	if (w->has_several && w->at.function < FUNCTIONS - 1) {
		w->at.function++;
		return true;
	}
	w->has_several = false;
	w->at.function = 0;
	if (w->buses && w->at.device < DEVICES - 1) {
		w->at.device++;
		return true;
	}
	w->at.device = 0;
	if (w->buses && w->at.bus < w->last_bus) {
		w->at.bus++;
		return true;
	}
	return next_buses(pci, w);
}

bool pci_next(const struct pci *pci, struct pci_walk *w)
{
	while (next_place(pci, w)) {
		if (!answers(pci_read32(pci, &w->at, PCI_ID)))
			continue;
		if (w->at.function == 0)
			w->has_several = pci_read32(pci, &w->at, PCI_HEADER) & HEADER_SEVERAL;
		w->class = pci_read32(pci, &w->at, PCI_CLASS) >> 8;
		return true;
	}
	return false;
}

static unsigned bars(const struct pci *pci, const struct pci_address *at)
{
	unsigned layout = HEADER_LAYOUT(pci_read32(pci, at, PCI_HEADER));

	return layout == LAYOUT_DEVICE ? BARS_DEVICE : layout == LAYOUT_BRIDGE ? BARS_BRIDGE : 0;
}

static struct pci_bar set_bar(enum pci_bar_kind kind, uint64_t base)
{
	return (struct pci_bar){ base ? kind : PCI_BAR_NONE, base, base & -base };
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

uint16_t pci_command(const struct pci *pci, const struct pci_address *at, uint16_t on, uint16_t off)
{
	uint16_t command = pci_read16(pci, at, PCI_COMMAND);

	if (command == (uint16_t)PCI_ABSENT)
		return 0;
	pci_write16(pci, at, PCI_COMMAND, (uint16_t)((command | on) & ~off));
	return pci_read16(pci, at, PCI_COMMAND);
}

/* Bridges' buses: 7:0 above, 15:8 the first below, 23:16 the last below; 0 below: not set up. */
static bool is_above(const struct pci *pci, const struct pci_address *bridge,
		     const struct pci_address *at)
{
	uint32_t buses;

	if (bridge->segment != at->segment ||
	    HEADER_LAYOUT(pci_read32(pci, bridge, PCI_HEADER)) != LAYOUT_BRIDGE)
		return false;
	buses = pci_read32(pci, bridge, BRIDGE_BUSES);
	return (buses >> 8 & 0xff) && at->bus >= (buses >> 8 & 0xff) &&
	       at->bus <= (buses >> 16 & 0xff);
}

void pci_open_bridges(const struct pci *pci, const struct pci_address *at)
{
	const uint16_t on = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;

	for (struct pci_walk w = { .buses = 0 }; pci_next(pci, &w);)
		if (is_above(pci, &w.at, at) && (pci_read16(pci, &w.at, PCI_COMMAND) & on) != on)
			pci_command(pci, &w.at, on, 0);
}

bool pci_next_capability(const struct pci *pci, const struct pci_address *at,
			 struct pci_capability *c)
{
	uint32_t head;

	if (!c->seen && pci_read32(pci, at, PCI_COMMAND) & STATUS_CAP_LIST)
		c->next = pci_read8(pci, at, PCI_CAP_LIST) & CAP_MASK;
	if (c->seen++ == CAPS_MAX || c->next < CAP_FIRST)
		return false;
	head = pci_read32(pci, at, c->next);
	c->id = (uint8_t)head;
	c->offset = c->next;
	c->next = head >> 8 & CAP_MASK;
	return true;
}

/* Offset of PMCSR; 0: there is none. */
static unsigned power_status(const struct pci *pci, const struct pci_address *at)
{
	for (struct pci_capability c = { .seen = 0 }; pci_next_capability(pci, at, &c);)
		if (c.id == CAP_POWER && c.offset + POWER_STATUS < 0x100)
			return c.offset + POWER_STATUS;
	return 0;
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
		if (by_ports(pci, at->segment))                                                    \
			arch_out##bits(aim(at, offset), value);                                    \
		else if (base)                                                                     \
			arch_mmio_write##bits(base + offset, value);                               \
	}

WRITE(8)
WRITE(16)
WRITE(32)
