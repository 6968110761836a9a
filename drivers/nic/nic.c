/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared by all drivers of network cards, and the choice of each card's driver. */
#include "e1000e_row.h"
#include "virtio.h"

#include "arch/arch.h"
#include "core/lib/mem.h"

bool nic_fail(struct nic *n, const char *format, ...)
{
	struct text t;
	va_list args;

	if (n->problem[0])
		return false;
	text_init(&t, n->problem, sizeof(n->problem));
	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	return false;
}

bool nic_mac_valid(const uint8_t mac[NIC_MAC_BYTES])
{
	static const uint8_t none[NIC_MAC_BYTES];

	return !(mac[0] & 1) && memcmp(mac, none, sizeof(none)) != 0;
}

bool nic_is_wanted(const struct nic_setup *s, const uint8_t mac[NIC_MAC_BYTES])
{
	return !s->mac || !memcmp(s->mac, mac, NIC_MAC_BYTES);
}

bool nic_may_send(const struct nic *n, size_t bytes)
{
	return !n->problem[0] && bytes && bytes <= NIC_FRAME_MAX;
}

size_t nic_copy_frame(uint8_t *to, const uint8_t *frame, size_t bytes)
{
	memcpy(to, frame, bytes);
	if (bytes >= NIC_FRAME_MIN)
		return bytes;
	memset(to + bytes, 0, NIC_FRAME_MIN - bytes);
	return NIC_FRAME_MIN;
}

bool nic_wake(struct nic *n, const struct nic_setup *s)
{
	const uint16_t on = PCI_COMMAND_MEMORY | PCI_COMMAND_NO_INTX;
	unsigned state;

	if (pci_read32(s->pci, &s->at, PCI_ID) == PCI_ABSENT)
		return nic_fail(n, "it does not answer");
	pci_open_bridges(s->pci, &s->at);
	state = pci_power_up(s->pci, &s->at, s->hz);
	if (state)
		return nic_fail(n, "it stays in power state D%u", state);
	return pci_command(s->pci, &s->at, on, 0) & PCI_COMMAND_MEMORY ||
	       nic_fail(n, "its memory decoding stays off");
}

uint64_t nic_map(struct nic *n, const struct nic_setup *s, unsigned bar, uint64_t offset,
		 uint64_t bytes)
{
	struct pci_bar b = pci_bar(s->pci, &s->at, bar);

	if (b.kind != PCI_BAR_MEMORY)
		nic_fail(n, "BAR %u is %s", bar, b.kind == PCI_BAR_IO ? "in I/O space" : "not set");
	else if (offset > b.size_max || bytes > b.size_max - offset)
		nic_fail(n, "registers at 0x%llx lie past BAR %u", (unsigned long long)offset, bar);
	else if (!arch_map_device(b.base + offset, bytes))
		nic_fail(n, "BAR %u at 0x%llx cannot be mapped", bar, (unsigned long long)b.base);
	return n->problem[0] ? 0 : b.base + offset;
}

void nic_master(const struct nic_setup *s, bool on)
{
	if (!s->mmio)
		pci_command(s->pci, &s->at, on ? PCI_COMMAND_MASTER : 0,
			    on ? 0 : PCI_COMMAND_MASTER);
}

/* ---- The machine's cards ---- */

static const struct nic_driver *const drivers[] = { &virtio_net_driver, &e1000e_driver };

/* Our driver of cards with this PCI_ID; NULL: there is none. */
static const struct nic_driver *nics_driver(uint32_t id)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (drivers[i]->drives(id))
			return drivers[i];
	return NULL;
}

static void nics_add(struct nics *cards, const struct pci_address *at, uint32_t id)
{
	if (cards->count == NICS_MAX)
		return;
	cards->card[cards->count++] =
		(struct nics_card){ .setup.at = *at, .id = id, .driver = nics_driver(id) };
}

void nics_scan(struct nics *cards, const struct pci *pci)
{
	cards->count = 0;
	for (struct pci_walk w = { .buses = 0 }; pci_next(pci, &w);)
		if (w.class >> 16 == PCI_CLASS_NETWORK)
			nics_add(cards, &w.at, pci_read32(pci, &w.at, PCI_ID));
}

void nics_add_virtio(struct nics *cards, const uint64_t *address, unsigned count)
{
	for (unsigned i = 0; i < count && cards->count < NICS_MAX; i++)
		if (virtio_mmio_is_card(address[i]))
			cards->card[cards->count++] = (struct nics_card){
				.setup.mmio = address[i], .driver = &virtio_net_driver
			};
}

const struct nics_card *nics_at(const struct nics *cards, const struct pci_address *at)
{
	for (unsigned i = 0; cards && i < cards->count; i++)
		if (!cards->card[i].setup.mmio && pci_same_place(&cards->card[i].setup.at, at))
			return &cards->card[i];
	return NULL;
}

void nics_print_name(struct text *t, const struct nics_card *card)
{
	const struct pci_address *at = &card->setup.at;

	if (card->setup.mmio)
		text_add(t, "virtio at 0x%llx", (unsigned long long)card->setup.mmio);
	else
		text_add(t, "%04x:%02x:%02x.%x %04x:%04x", at->segment, at->bus, at->device,
			 at->function, card->id & 0xffff, card->id >> 16);
}

static void quiet(const struct pci *pci, const struct pci_address *at, struct nics_stopped *done)
{
	if (!(pci_read16(pci, at, PCI_COMMAND) & PCI_COMMAND_MASTER))
		return;
	if (pci_command(pci, at, 0, PCI_COMMAND_MASTER) & PCI_COMMAND_MASTER)
		done->stuck++;
	else
		done->switched_off++;
}

struct nics_stopped nics_stop_dma(const struct pci *pci, const struct nics *cards)
{
	struct nics_stopped done = { 0, 0 };

	for (struct pci_walk w = { .buses = 0 }; pci_next(pci, &w);) {
		const struct nics_card *card = nics_at(cards, &w.at);

		if (w.class >> 16 == PCI_CLASS_NETWORK && !(card && card->in_use))
			quiet(pci, &w.at, &done);
	}
	for (unsigned i = 0; cards && i < cards->count; i++)
		if (cards->card[i].setup.mmio && !cards->card[i].in_use)
			virtio_mmio_stop(cards->card[i].setup.mmio);
	return done;
}
