/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio on PCI. */
#include "virtio.h"

/* 4.1.4: vendor-specific capabilities that locate structures. */
#define CAP_VENDOR      0x09
#define CAP_BYTES       16u
#define CAP_TYPE        3u
#define CAP_BAR         4u
#define CAP_OFFSET      8u
#define CAP_LENGTH      12u
#define CAP_NOTIFY_STEP 16u
#define CAP_END         0x100u
#define BARS            6u

enum { TYPE_COMMON = 1, TYPE_NOTIFY = 2, TYPE_DEVICE = 4 };

/* 4.1.4.3: the common configuration. */
#define COMMON_BYTES 0x38u

static const struct virtio_transport virtio_pci = {
	.reg = {
		[VIRTIO_OFFER_SELECT] = { 0x00, 4 },
		[VIRTIO_OFFER] = { 0x04, 4 },
		[VIRTIO_ACCEPT_SELECT] = { 0x08, 4 },
		[VIRTIO_ACCEPT] = { 0x0c, 4 },
		[VIRTIO_VECTOR] = { 0x10, 2 },
		[VIRTIO_STATUS] = { 0x14, 1 },
		[VIRTIO_GENERATION] = { 0x15, 1 },
		[VIRTIO_QUEUE] = { 0x16, 2 },
		[VIRTIO_QUEUE_MOST] = { 0x18, 2 }, /* until a size is written to it */
		[VIRTIO_QUEUE_SIZE] = { 0x18, 2 },
		[VIRTIO_QUEUE_VECTOR] = { 0x1a, 2 },
		[VIRTIO_QUEUE_ENABLE] = { 0x1c, 2 },
		[VIRTIO_QUEUE_NOTIFY] = { 0x1e, 2 },
		[VIRTIO_DESCRIPTORS] = { 0x20, 4 },
		[VIRTIO_AVAILABLE] = { 0x28, 4 },
		[VIRTIO_USED] = { 0x30, 4 },
	},
	.notify_bytes = 2,
};

#define NOTIFY_BYTES_MAX (1u << 20) /* bytes of the notification area in use, at most */

struct area {
	bool found;
	uint8_t bar;
	uint32_t offset, bytes, at; /* at: its capability */
};

/* Keep the area if it can be used, and is the first of its type that can (4.1.4). */
static void keep_area(struct area *areas, const struct nic_setup *s, const struct pci_capability *c)
{
	uint8_t type, bar;

	if (c->id != CAP_VENDOR || c->offset + CAP_BYTES > CAP_END)
		return;
	type = pci_read8(s->pci, &s->at, c->offset + CAP_TYPE);
	bar = pci_read8(s->pci, &s->at, c->offset + CAP_BAR);
	if (type > TYPE_DEVICE || bar >= BARS || areas[type].found ||
	    pci_bar(s->pci, &s->at, bar).kind != PCI_BAR_MEMORY)
		return;
	areas[type] = (struct area){ .found = true, .bar = bar, .at = c->offset };
	areas[type].offset = pci_read32(s->pci, &s->at, c->offset + CAP_OFFSET);
	areas[type].bytes = pci_read32(s->pci, &s->at, c->offset + CAP_LENGTH);
}

static void map_areas(struct nic *n, struct virtio *v, const struct area *areas)
{
	const struct area *common = &areas[TYPE_COMMON], *notify = &areas[TYPE_NOTIFY],
			  *config = &areas[TYPE_DEVICE];
	const struct nic_setup *s = &v->setup;

	if (common->bytes < COMMON_BYTES || common->offset % 4 || notify->offset % 2 ||
	    notify->bytes < 2 || notify->at + CAP_NOTIFY_STEP + 4 > CAP_END) {
		nic_fail(n, "it has no modern virtio interface");
		return;
	}
	v->notify_step = pci_read32(s->pci, &s->at, notify->at + CAP_NOTIFY_STEP);
	v->notify_bytes = notify->bytes < NOTIFY_BYTES_MAX ? notify->bytes : NOTIFY_BYTES_MAX;
	v->config_bytes = config->bytes < 4096 ? config->bytes : 4096;
	v->common = nic_map(n, s, common->bar, common->offset, COMMON_BYTES);
	if (v->common)
		v->notify = nic_map(n, s, notify->bar, notify->offset, v->notify_bytes);
	if (v->notify && v->config_bytes)
		v->config = nic_map(n, s, config->bar, config->offset, v->config_bytes);
}

void virtio_pci_find(struct nic *n, struct virtio *v)
{
	struct area areas[TYPE_DEVICE + 1] = { 0 };

	v->transport = &virtio_pci;
	if (!nic_wake(n, &v->setup))
		return;
	for (struct pci_capability c = { .seen = 0 };
	     pci_next_capability(v->setup.pci, &v->setup.at, &c);)
		keep_area(areas, &v->setup, &c);
	map_areas(n, v, areas);
}
