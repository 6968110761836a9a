/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio on PCI. */
#include "virtio_pci.h"

#include "arch/arch.h"
#include "drivers/deadline.h"

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
#define COMMON_OFFER_SELECT  0x00u
#define COMMON_OFFER         0x04u
#define COMMON_ACCEPT_SELECT 0x08u
#define COMMON_ACCEPT        0x0cu
#define COMMON_MSIX          0x10u /* 16 bits, as those below, but for: */
#define COMMON_STATUS        0x14u /* 8 bits */
#define COMMON_GENERATION    0x15u /* 8 bits */
#define COMMON_QUEUE         0x16u
#define COMMON_QUEUE_SIZE    0x18u
#define COMMON_QUEUE_MSIX    0x1au
#define COMMON_QUEUE_ENABLE  0x1cu
#define COMMON_QUEUE_NOTIFY  0x1eu
#define COMMON_DESCRIPTORS   0x20u /* 64 bits */
#define COMMON_AVAILABLE     0x28u /* 64 bits */
#define COMMON_USED          0x30u /* 64 bits */
#define COMMON_BYTES         0x38u
#define NO_VECTOR            0xffffu

/* 2.1: device status. */
#define STATUS_ACKNOWLEDGE 0x01u
#define STATUS_DRIVER      0x02u
#define STATUS_DRIVER_OK   0x04u
#define STATUS_FEATURES_OK 0x08u
#define STATUS_NEEDS_RESET 0x40u

#define DESCRIPTOR_WRITE       0x2u /* 2.7.5: the device writes it */
#define AVAILABLE_NO_INTERRUPT 0x1u /* 2.7.6 */

#define RESET_MS         1000u
#define NOTIFY_BYTES_MAX (1u << 20) /* bytes of the notification area in use, at most */
#define CONFIG_TRIES     8u

struct area {
	bool found;
	uint8_t bar;
	uint32_t offset, bytes, at; /* at: its capability */
};

struct areas {
	const struct nic_place *place;
	struct area type[TYPE_DEVICE + 1];
};

/* Keep the area if it can be used, and is the first of its type that can (4.1.4). */
static bool keep_area(void *ctx, uint8_t id, unsigned offset)
{
	struct areas *a = ctx;
	const struct nic_place *p = a->place;
	struct area *area;
	uint8_t type, bar;

	if (id != CAP_VENDOR || offset + CAP_BYTES > CAP_END)
		return true;
	type = pci_read8(p->pci, &p->at, offset + CAP_TYPE);
	bar = pci_read8(p->pci, &p->at, offset + CAP_BAR);
	if (type > TYPE_DEVICE || bar >= BARS || a->type[type].found)
		return true;
	if (pci_bar(p->pci, &p->at, bar).kind != PCI_BAR_MEMORY)
		return true;
	area = &a->type[type];
	*area = (struct area){ .found = true, .bar = bar, .at = offset };
	area->offset = pci_read32(p->pci, &p->at, offset + CAP_OFFSET);
	area->bytes = pci_read32(p->pci, &p->at, offset + CAP_LENGTH);
	return true;
}

static void map_areas(struct nic *n, struct virtio_pci *v, const struct areas *a)
{
	const struct area *common = &a->type[TYPE_COMMON], *notify = &a->type[TYPE_NOTIFY],
			  *config = &a->type[TYPE_DEVICE];

	if (common->bytes < COMMON_BYTES || common->offset % 4 || notify->offset % 2 ||
	    notify->bytes < 2 || notify->at + CAP_NOTIFY_STEP + 4 > CAP_END) {
		nic_fail(n, "it has no modern virtio interface");
		return;
	}
	v->notify_step = pci_read32(a->place->pci, &a->place->at, notify->at + CAP_NOTIFY_STEP);
	v->notify_bytes = notify->bytes < NOTIFY_BYTES_MAX ? notify->bytes : NOTIFY_BYTES_MAX;
	v->config_bytes = config->bytes < 4096 ? config->bytes : 4096;
	v->common = nic_map(n, a->place, common->bar, common->offset, COMMON_BYTES);
	if (v->common)
		v->notify = nic_map(n, a->place, notify->bar, notify->offset, v->notify_bytes);
	if (v->notify && v->config_bytes)
		v->config = nic_map(n, a->place, config->bar, config->offset, v->config_bytes);
}

static uint8_t status(const struct virtio_pci *v)
{
	return arch_mmio_read8(v->common + COMMON_STATUS);
}

static void add_status(const struct virtio_pci *v, uint8_t bits)
{
	arch_mmio_write8(v->common + COMMON_STATUS, status(v) | bits);
}

bool virtio_reset(const struct virtio_pci *v)
{
	struct deadline d = deadline_in(RESET_MS, v->place.hz);

	nic_master(&v->place, false);
	if (!v->common)
		return false;
	arch_mmio_write8(v->common + COMMON_STATUS, 0);
	while (status(v))
		if (deadline_passed(&d))
			return false;
	return true;
}

bool virtio_find(struct nic *n, struct virtio_pci *v, const struct nic_place *place)
{
	struct areas a = { .place = place };

	*v = (struct virtio_pci){ .place = *place };
	if (nic_wake(n, place)) {
		pci_capabilities(place->pci, &place->at, keep_area, &a);
		map_areas(n, v, &a);
	}
	if (!virtio_reset(v))
		nic_fail(n, "its reset does not end");
	return !n->problem[0];
}

static uint64_t offered(const struct virtio_pci *v)
{
	uint64_t low;

	arch_mmio_write32(v->common + COMMON_OFFER_SELECT, 0);
	low = arch_mmio_read32(v->common + COMMON_OFFER);
	arch_mmio_write32(v->common + COMMON_OFFER_SELECT, 1);
	return (uint64_t)arch_mmio_read32(v->common + COMMON_OFFER) << 32 | low;
}

static void accept(const struct virtio_pci *v)
{
	arch_mmio_write32(v->common + COMMON_ACCEPT_SELECT, 0);
	arch_mmio_write32(v->common + COMMON_ACCEPT, (uint32_t)v->features);
	arch_mmio_write32(v->common + COMMON_ACCEPT_SELECT, 1);
	arch_mmio_write32(v->common + COMMON_ACCEPT, (uint32_t)(v->features >> 32));
}

bool virtio_agree(struct nic *n, struct virtio_pci *v, uint64_t wanted, uint64_t needed)
{
	uint64_t offer;

	add_status(v, STATUS_ACKNOWLEDGE);
	add_status(v, STATUS_DRIVER);
	offer = offered(v);
	v->features = offer & wanted;
	if ((offer & needed) != needed) {
		nic_fail(n, "it does not offer the features 0x%llx, only 0x%llx",
			 (unsigned long long)needed, (unsigned long long)offer);
		return false;
	}
	accept(v);
	add_status(v, STATUS_FEATURES_OK);
	if (!(status(v) & STATUS_FEATURES_OK))
		nic_fail(n, "it refuses the features 0x%llx", (unsigned long long)v->features);
	/* Switch off interrupts for configuration changes. */
	arch_mmio_write16(v->common + COMMON_MSIX, NO_VECTOR);
	return !n->problem[0];
}

void virtio_start(const struct virtio_pci *v)
{
	nic_master(&v->place, true);
	add_status(v, STATUS_DRIVER_OK);
}

bool virtio_broken(const struct virtio_pci *v)
{
	/* All ones mean that the device is gone. */
	return status(v) & STATUS_NEEDS_RESET;
}

static void copy_config(const struct virtio_pci *v, uint32_t offset, uint8_t *to, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		to[i] = arch_mmio_read8(v->config + offset + i);
}

bool virtio_config(const struct virtio_pci *v, uint32_t offset, uint8_t *to, uint32_t bytes)
{
	if (!v->config || offset > v->config_bytes || bytes > v->config_bytes - offset)
		return false;
	for (unsigned tries = 0; tries < CONFIG_TRIES; tries++) {
		uint8_t before = arch_mmio_read8(v->common + COMMON_GENERATION);

		copy_config(v, offset, to, bytes);
		if (arch_mmio_read8(v->common + COMMON_GENERATION) == before)
			return true;
	}
	return false;
}

static void write64(uint64_t address, volatile void *to)
{
	arch_mmio_write32(address, (uint32_t)(uintptr_t)to);
	arch_mmio_write32(address + 4, (uint32_t)((uint64_t)(uintptr_t)to >> 32));
}

/* The largest power of two that neither side's limit is below; 0: the device has no such queue. */
static uint16_t queue_size(const struct virtio_pci *v, uint16_t size_max)
{
	uint16_t most = arch_mmio_read16(v->common + COMMON_QUEUE_SIZE);

	while (size_max > most)
		size_max /= 2;
	return size_max;
}

/* The queue's notification register; 0: it would lie past the area. */
static uint64_t queue_notify(const struct virtio_pci *v)
{
	uint64_t offset = (uint64_t)arch_mmio_read16(v->common + COMMON_QUEUE_NOTIFY) *
			  v->notify_step;

	if (offset % 2 || offset + 2 > v->notify_bytes)
		return 0;
	return v->notify + offset;
}

static void write_queue(const struct virtio_pci *v, const struct virtq *q)
{
	arch_mmio_write16(v->common + COMMON_QUEUE_SIZE, q->size);
	arch_mmio_write16(v->common + COMMON_QUEUE_MSIX, NO_VECTOR);
	write64(v->common + COMMON_DESCRIPTORS, q->memory->descriptor);
	write64(v->common + COMMON_AVAILABLE, &q->memory->available);
	write64(v->common + COMMON_USED, &q->memory->used);
	isa_dma_fence();
	arch_mmio_write16(v->common + COMMON_QUEUE_ENABLE, 1);
}

bool virtq_open(struct nic *n, const struct virtio_pci *v, struct virtq *q)
{
	arch_mmio_write16(v->common + COMMON_QUEUE, q->number);
	q->size = queue_size(v, q->size);
	q->notify = queue_notify(v);
	q->memory->available.flags = AVAILABLE_NO_INTERRUPT;
	if (!q->size)
		nic_fail(n, "it has no queue %u", q->number);
	else if (!q->notify)
		nic_fail(n, "queue %u has its notification past their area", q->number);
	else
		write_queue(v, q);
	return !n->problem[0];
}

void virtq_give(struct virtq *q, uint16_t id, const void *buffer, uint32_t bytes,
		bool device_writes)
{
	volatile struct virtq_memory *m = q->memory;

	m->descriptor[id].address = (uintptr_t)buffer;
	m->descriptor[id].bytes = bytes;
	m->descriptor[id].flags = device_writes ? DESCRIPTOR_WRITE : 0;
	m->available.id[q->given % q->size] = id;
	q->has[id] = true;
	q->out++;
	isa_dma_fence();
	m->available.index = ++q->given;
}

void virtq_notify(const struct virtq *q)
{
	isa_dma_fence();
	arch_mmio_write16(q->notify, q->number);
}

bool virtq_take(struct nic *n, struct virtq *q, uint16_t *id, uint32_t *bytes)
{
	uint16_t index = q->memory->used.index;
	uint16_t ready = (uint16_t)(index - q->taken);
	uint32_t which;

	if (!ready)
		return false;
	if (ready > q->out) {
		nic_fail(n, "queue %u: it returned %u buffers and has %u", q->number, ready,
			 q->out);
		return false;
	}
	isa_dma_fence();
	which = q->memory->used.element[q->taken % q->size].id;
	*bytes = q->memory->used.element[q->taken % q->size].bytes;
	if (which >= q->size || !q->has[which]) {
		nic_fail(n, "queue %u: it returned buffer %u, which it does not have", q->number,
			 which);
		return false;
	}
	q->has[which] = false;
	q->out--;
	q->taken++;
	*id = (uint16_t)which;
	return true;
}
