/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device on PCI by its modern interface, and split virtqueues whose buffers are one
 * descriptor each. Polled. Source: Virtual I/O Device (VIRTIO) 1.2, chapters 2 to 4.1.
 */
#pragma once

#include "nic.h"

#include <stdbool.h>
#include <stdint.h>

#define VIRTIO_VENDOR 0x1af4u

/* 6: reserved feature bits. */
#define VIRTIO_F_VERSION_1       (UINT64_C(1) << 32)
#define VIRTIO_F_ACCESS_PLATFORM (UINT64_C(1) << 33)
#define VIRTIO_F_ORDER_PLATFORM  (UINT64_C(1) << 36)

struct virtio_pci {
	struct nic_place place;
	uint64_t common, notify, config; /* structures, mapped; 0: it has none */
	uint32_t notify_bytes, config_bytes;
	uint32_t notify_step; /* bytes per queue_notify_off */
	uint64_t features;    /* that both sides have */
};

/*
 * Find its structures by the PCI capabilities, power it up, stop its DMA, and reset it. Where
 * a problem is reported, it is left so as well.
 */
bool virtio_find(struct nic *n, struct virtio_pci *v, const struct nic_place *place);

/* Take what it offers of `wanted`. A problem where it lacks `needed`, or does not agree. */
bool virtio_agree(struct nic *n, struct virtio_pci *v, uint64_t wanted, uint64_t needed);

/* From now on it works. */
void virtio_start(const struct virtio_pci *v);

/* Has it given up? A reset is the way out of that. */
bool virtio_broken(const struct virtio_pci *v);

/* Stop its DMA, and reset it; false: the reset does not end. */
bool virtio_reset(const struct virtio_pci *v);

/*
 * Copy `bytes` of its configuration; false where it has not as many, or where they go on
 * changing.
 */
bool virtio_config(const struct virtio_pci *v, uint32_t offset, uint8_t *to, uint32_t bytes);

#define VIRTQ_MAX 256 /* descriptors of a queue; a power of two */

/* 2.7: what both sides read and write. The device has the addresses of the three parts. */
struct virtq_memory {
	struct {
		uint64_t address;
		uint32_t bytes;
		uint16_t flags, next;
	} descriptor[VIRTQ_MAX];
	struct {
		uint16_t flags, index;
		uint16_t id[VIRTQ_MAX], event;
	} available;
	struct {
		uint16_t flags, index;
		struct {
			uint32_t id, bytes;
		} element[VIRTQ_MAX];
		uint16_t event;
	} used;
};

struct virtq {
	volatile struct virtq_memory *memory;
	uint64_t notify;     /* its register */
	uint16_t number;     /* of the device's queues */
	uint16_t size;       /* descriptors, at most VIRTQ_MAX */
	uint16_t given;      /* as many buffers were handed to the device, modulo 65536 */
	uint16_t taken;      /* and taken back */
	uint16_t out;        /* those it has */
	bool has[VIRTQ_MAX]; /* it has this one */
};

/*
 * Queue q->number of the device, with q->size descriptors, or fewer where the device has not as
 * many, in q->memory, which is zeroed. Between virtio_agree() and virtio_start().
 */
bool virtq_open(struct nic *n, const struct virtio_pci *v, struct virtq *q);

/* Hand over buffer `id`, below the queue's size, which it has not; virtq_notify() notifies it. */
void virtq_give(struct virtq *q, uint16_t id, const void *buffer, uint32_t bytes,
		bool device_writes);
void virtq_notify(const struct virtq *q);

/*
 * Take back a buffer that the device is done with; `bytes` is what it reports to have written,
 * and may be anything. False: there is none, or what it reports cannot be, which is a problem.
 */
bool virtq_take(struct nic *n, struct virtq *q, uint16_t *id, uint32_t *bytes);

#define VIRTIO_NET_RX 256 /* frames that may wait to be received, where the card has as many */
#define VIRTIO_NET_TX 64  /* and to be sent */

extern const struct nic_driver virtio_net_driver;
