/* SPDX-License-Identifier: BSD-2-Clause */
/* Unknown hardware, by the numbers that a table would have. */
#include "unfamiliar.h"

#include "arch/arch.h"
#include "drivers/nic/nics.h"

#include "core/lib/mem.h"

#define CARDS_MAX 8u /* kinds of cards listed */

/* Families whose counters arch/ has rows for. */
static const struct {
	const char *vendor;
	uint32_t first, last;
} families[] = {
	{ "GenuineIntel", 0x6, 0x6 },
	{ "GenuineIntel", 0x12, 0x13 }, /* Nova Lake, Diamond Rapids */
	{ "AuthenticAMD", 0x17, 0x1a }, /* Zen to Zen 5 */
	{ "HygonGenuine", 0x18, 0x18 },
};

struct cards {
	const struct pci *pci;
	struct text *t;
	uint32_t id[CARDS_MAX];
	unsigned count;
};

static void separate(struct text *t)
{
	if (t->len)
		text_add(t, ", ");
}

static bool processor_known(const struct arch_identity *id)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (!strcmp(id->vendor, families[i].vendor) && id->family >= families[i].first &&
		    id->family <= families[i].last)
			return true;
	return false;
}

static bool list_card(void *ctx, const struct pci_address *at, uint32_t class)
{
	struct cards *cards = ctx;
	uint32_t id;

	if (class >> 16 != PCI_CLASS_NETWORK)
		return true;
	id = pci_read32(cards->pci, at, 0);
	if (nics_driver(id))
		return true;
	for (unsigned i = 0; i < cards->count; i++)
		if (cards->id[i] == id)
			return true;
	if (cards->count == CARDS_MAX)
		return false;
	cards->id[cards->count++] = id;
	separate(cards->t);
	text_add(cards->t, "network card %04x:%04x", id & 0xffff, id >> 16);
	return true;
}

void unfamiliar_list(struct text *t, const struct arch_identity *id, const struct chipset *chipset,
		     const struct pci *pci)
{
	struct cards cards = { .pci = pci, .t = t };

	/* A hypervisor shows what processor it likes. */
	if (!id->hypervisor[0] && !processor_known(id)) {
		separate(t);
		text_add(t, "processor %s family %u", id->vendor, (unsigned)id->family);
	}
	if (!chipset->name && chipset->lpc_id) {
		separate(t);
		text_add(t, "chipset %04x:%04x and its SMI sources",
			 (unsigned)(chipset->lpc_id & 0xffff), (unsigned)(chipset->lpc_id >> 16));
	}
	pci_scan(pci, list_card, &cards);
}
