/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio devices and their queues, whatever the transport. */
#include "virtio.h"

#include "arch/arch.h"
#include "drivers/deadline.h"

/* 2.1: device status. */
#define STATUS_ACKNOWLEDGE 0x01u
#define STATUS_DRIVER      0x02u
#define STATUS_DRIVER_OK   0x04u
#define STATUS_FEATURES_OK 0x08u
#define STATUS_NEEDS_RESET 0x40u

#define DESCRIPTOR_WRITE       0x2u /* 2.7.5: the device writes it */
#define AVAILABLE_NO_INTERRUPT 0x1u /* 2.7.6 */

#define NO_VECTOR    0xffffu
#define RESET_MS     1000u
#define CONFIG_TRIES 8u

static uint32_t get(const struct virtio *v, enum virtio_register reg)
{
	uint64_t at = v->common + v->transport->reg[reg].at;

	switch (v->transport->reg[reg].bytes) {
	case 1:
		return arch_mmio_read8(at);
	case 2:
		return arch_mmio_read16(at);
	case 4:
		return arch_mmio_read32(at);
	default:
		return 0;
	}
}

static void write_sized(uint64_t at, unsigned bytes, uint32_t value)
{
	if (bytes == 1)
		arch_mmio_write8(at, (uint8_t)value);
	else if (bytes == 2)
		arch_mmio_write16(at, (uint16_t)value);
	else if (bytes == 4)
		arch_mmio_write32(at, value);
}

static void put(const struct virtio *v, enum virtio_register reg, uint32_t value)
{
	write_sized(v->common + v->transport->reg[reg].at, v->transport->reg[reg].bytes, value);
}

static uint8_t status(const struct virtio *v)
{
	return (uint8_t)get(v, VIRTIO_STATUS);
}

static void add_status(const struct virtio *v, uint8_t bits)
{
	put(v, VIRTIO_STATUS, status(v) | bits);
}

bool virtio_reset(const struct virtio *v)
{
	struct deadline d = deadline_in(RESET_MS, v->setup.hz);

	nic_master(&v->setup, false);
	if (!v->common)
		return false;
	put(v, VIRTIO_STATUS, 0);
	while (status(v))
		if (deadline_passed(&d))
			return false;
	return true;
}

bool virtio_find(struct nic *n, struct virtio *v, const struct nic_setup *s)
{
	*v = (struct virtio){ .setup = *s };
	if (s->mmio)
		virtio_mmio_find(n, v);
	else
		virtio_pci_find(n, v);
	if (!virtio_reset(v))
		nic_fail(n, "its reset does not end");
	return !n->problem[0];
}

static uint64_t offered(const struct virtio *v)
{
	uint64_t low;

	put(v, VIRTIO_OFFER_SELECT, 0);
	low = get(v, VIRTIO_OFFER);
	put(v, VIRTIO_OFFER_SELECT, 1);
	return (uint64_t)get(v, VIRTIO_OFFER) << 32 | low;
}

static void accept(const struct virtio *v)
{
	put(v, VIRTIO_ACCEPT_SELECT, 0);
	put(v, VIRTIO_ACCEPT, (uint32_t)v->features);
	put(v, VIRTIO_ACCEPT_SELECT, 1);
	put(v, VIRTIO_ACCEPT, (uint32_t)(v->features >> 32));
}

bool virtio_agree(struct nic *n, struct virtio *v, uint64_t wanted, uint64_t needed)
{
	uint64_t offer;

	add_status(v, STATUS_ACKNOWLEDGE);
	add_status(v, STATUS_DRIVER);
	offer = offered(v);
	v->features = offer & wanted;
	if ((offer & needed) != needed)
		return nic_fail(n, "it does not offer the features 0x%llx, only 0x%llx",
				(unsigned long long)needed, (unsigned long long)offer);
	accept(v);
	if (v->is_legacy) {
		put(v, VIRTIO_PAGE_BYTES, VIRTQ_ALIGN);
		return true;
	}
	add_status(v, STATUS_FEATURES_OK);
	if (!(status(v) & STATUS_FEATURES_OK))
		nic_fail(n, "it refuses the features 0x%llx", (unsigned long long)v->features);
	/* Switch off interrupts for configuration changes. */
	put(v, VIRTIO_VECTOR, NO_VECTOR);
	return !n->problem[0];
}

void virtio_start(const struct virtio *v)
{
	nic_master(&v->setup, true);
	add_status(v, STATUS_DRIVER_OK);
}

bool virtio_broken(const struct virtio *v)
{
	/* All ones mean that the device is gone. */
	return status(v) & STATUS_NEEDS_RESET;
}

bool virtio_config(const struct virtio *v, uint32_t offset, uint8_t *to, uint32_t bytes)
{
	if (!v->config || offset > v->config_bytes || bytes > v->config_bytes - offset)
		return false;
	for (unsigned tries = 0; tries < CONFIG_TRIES; tries++) {
		uint32_t before = get(v, VIRTIO_GENERATION);

		for (uint32_t i = 0; i < bytes; i++)
			to[i] = arch_mmio_read8(v->config + offset + i);
		if (get(v, VIRTIO_GENERATION) == before)
			return true;
	}
	return false;
}

static void put64(const struct virtio *v, enum virtio_register reg, volatile void *to)
{
	uint64_t at = v->common + v->transport->reg[reg].at;
	unsigned bytes = v->transport->reg[reg].bytes;

	write_sized(at, bytes, (uint32_t)(uintptr_t)to);
	write_sized(at + 4, bytes, (uint32_t)((uint64_t)(uintptr_t)to >> 32));
}

/* The largest power of two that neither side's limit is below; 0: the device has no such queue. */
static uint16_t queue_size(const struct virtio *v, uint16_t size_max)
{
	uint32_t most = get(v, VIRTIO_QUEUE_MOST);

	if (v->is_legacy)
		return most < VIRTQ_MAX ? 0 : VIRTQ_MAX;
	while (size_max > most)
		size_max /= 2;
	return size_max;
}

/* The queue's notification register; 0: it would lie past the area. */
static uint64_t queue_notify(const struct virtio *v)
{
	uint64_t offset = (uint64_t)get(v, VIRTIO_QUEUE_NOTIFY) * v->notify_step;

	if (offset % 2 || offset + 2 > v->notify_bytes)
		return 0;
	return v->notify + offset;
}

static void write_queue(const struct virtio *v, const struct virtq *q)
{
	put(v, VIRTIO_QUEUE_SIZE, q->size);
	put(v, VIRTIO_QUEUE_VECTOR, NO_VECTOR);
	if (v->is_legacy) {
		put(v, VIRTIO_QUEUE_ALIGN, VIRTQ_ALIGN);
		isa_dma_fence();
		put(v, VIRTIO_QUEUE_PAGE, (uint32_t)((uintptr_t)q->memory / VIRTQ_ALIGN));
		return;
	}
	put64(v, VIRTIO_DESCRIPTORS, q->memory->descriptor);
	put64(v, VIRTIO_AVAILABLE, &q->memory->available);
	put64(v, VIRTIO_USED, &q->memory->used);
	isa_dma_fence();
	put(v, VIRTIO_QUEUE_ENABLE, 1);
}

bool virtq_open(struct nic *n, const struct virtio *v, struct virtq *q)
{
	put(v, VIRTIO_QUEUE, q->number);
	q->size = queue_size(v, q->size);
	q->notify = queue_notify(v);
	q->memory->available.flags = AVAILABLE_NO_INTERRUPT;
	if (!q->size)
		return nic_fail(n, "it has no queue %u", q->number);
	if (!q->notify)
		return nic_fail(n, "queue %u has its notification past their area", q->number);
	write_queue(v, q);
	return true;
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

void virtq_notify(const struct virtio *v, const struct virtq *q)
{
	isa_dma_fence();
	write_sized(q->notify, v->transport->notify_bytes, q->number);
}

bool virtq_take(struct nic *n, struct virtq *q, uint16_t *id, uint32_t *bytes)
{
	uint16_t index = q->memory->used.index;
	uint16_t ready = (uint16_t)(index - q->taken);
	uint32_t which;

	if (!ready)
		return false;
	if (ready > q->out)
		return nic_fail(n, "queue %u: it returned %u buffers and has %u", q->number, ready,
				q->out);
	isa_dma_fence();
	which = q->memory->used.element[q->taken % q->size].id;
	*bytes = q->memory->used.element[q->taken % q->size].bytes;
	if (which >= q->size || !q->has[which])
		return nic_fail(n, "queue %u: it returned buffer %u, which it does not have",
				q->number, which);
	q->has[which] = false;
	q->out--;
	q->taken++;
	*id = (uint16_t)which;
	return true;
}
