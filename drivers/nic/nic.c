/* SPDX-License-Identifier: BSD-2-Clause */
/* What is alike in all drivers of network cards. */
#include "nic.h"

#include "arch/arch.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"

void nic_fail(struct nic *n, const char *format, ...)
{
	struct text t;
	va_list args;

	if (n->problem[0])
		return;
	text_init(&t, n->problem, sizeof(n->problem));
	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
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

bool nic_wake(struct nic *n, const struct nic_place *p)
{
	const uint16_t on = PCI_COMMAND_MEMORY | PCI_COMMAND_NO_INTX;
	unsigned state;

	if (pci_read32(p->pci, &p->at, PCI_ID) == PCI_ABSENT) {
		nic_fail(n, "it does not answer");
		return false;
	}
	pci_open_bridges(p->pci, &p->at);
	state = pci_power_up(p->pci, &p->at, p->hz);
	if (state)
		nic_fail(n, "it stays in power state D%u", state);
	else if (!(pci_command(p->pci, &p->at, on, 0) & PCI_COMMAND_MEMORY))
		nic_fail(n, "its memory decoding stays off");
	return !n->problem[0];
}

uint64_t nic_map(struct nic *n, const struct nic_place *p, unsigned bar, uint64_t offset,
		 uint64_t bytes)
{
	struct pci_bar b = pci_bar(p->pci, &p->at, bar);

	if (b.kind != PCI_BAR_MEMORY)
		nic_fail(n, "BAR %u is %s", bar, b.kind == PCI_BAR_IO ? "in I/O space" : "not set");
	else if (offset > b.size_max || bytes > b.size_max - offset)
		nic_fail(n, "registers at 0x%llx lie past BAR %u", (unsigned long long)offset, bar);
	else if (!arch_map_device(b.base + offset, bytes))
		nic_fail(n, "BAR %u at 0x%llx cannot be mapped", bar, (unsigned long long)b.base);
	return n->problem[0] ? 0 : b.base + offset;
}

void nic_master(const struct nic_place *p, bool on)
{
	pci_command(p->pci, &p->at, on ? PCI_COMMAND_MASTER : 0, on ? 0 : PCI_COMMAND_MASTER);
}
