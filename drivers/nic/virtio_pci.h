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

/* Section 6: reserved feature bits. */
#define VIRTIO_F_VERSION_1       (UINT64_C(1) << 32)
#define VIRTIO_F_ACCESS_PLATFORM (UINT64_C(1) << 33)
#define VIRTIO_F_ORDER_PLATFORM  (UINT64_C(1) << 36)

struct virtio_pci {
	struct nic_place place;
	uint64_t common, notify, config; /* structures, mapped; 0: it has none */
	uint32_t notify_bytes, config_bytes;
	uint32_t notify_step; /* bytes per queue_notify_off */
	uint64_t features;    /* features that both sides have */
};

/*
 * Find the device's structures by the PCI capabilities, power it up, stop its DMA, and reset it. It
 * is left so if a problem is reported, too.
 */
bool virtio_find(struct nic *n, struct virtio_pci *v, const struct nic_place *place);

/*
 * Accept the offered features of `wanted`. A problem if the device lacks `needed`, or does not
 * agree.
 */
bool virtio_agree(struct nic *n, struct virtio_pci *v, uint64_t wanted, uint64_t needed);

/* Start the device. */
void virtio_start(const struct virtio_pci *v);

/* True if the device has given up, which only a reset ends. */
bool virtio_broken(const struct virtio_pci *v);

/* Stop its DMA, and reset it; false: the reset does not end. */
bool virtio_reset(const struct virtio_pci *v);

/* Copy `bytes` of the device's configuration. False if it is shorter, or keeps changing. */
bool virtio_config(const struct virtio_pci *v, uint32_t offset, uint8_t *to, uint32_t bytes);

#define VIRTQ_MAX 256 /* descriptors of a queue; a power of two */

/*
 * Section 2.7: memory that both sides read and write. The device has the addresses of the three
 * parts.
 */
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
	uint16_t number;     /* index among the device's queues */
	uint16_t size;       /* descriptors, at most VIRTQ_MAX */
	uint16_t given;      /* buffers given to the device, modulo 65536 */
	uint16_t taken;      /* buffers taken back, modulo 65536 */
	uint16_t out;        /* buffers that the device has */
	bool has[VIRTQ_MAX]; /* the device has this buffer */
};

/*
 * Set up queue q->number of the device, with q->size descriptors, or fewer if the device has fewer,
 * in q->memory, which is zeroed. Between virtio_agree() and virtio_start().
 */
bool virtq_open(struct nic *n, const struct virtio_pci *v, struct virtq *q);

/*
 * Give the device buffer `id`, which is below the queue's size and which it does not have;
 * virtq_notify() notifies it.
 */
void virtq_give(struct virtq *q, uint16_t id, const void *buffer, uint32_t bytes,
		bool device_writes);
void virtq_notify(const struct virtq *q);

/*
 * Take back a buffer that the device has finished; `bytes` is the number that it reports as
 * written, which may be anything. False: there is none, or the report is impossible, which is a
 * problem.
 */
bool virtq_take(struct nic *n, struct virtq *q, uint16_t *id, uint32_t *bytes);

#define VIRTIO_NET_RX 256 /* frames that can wait to be received, if the card allows that many */
#define VIRTIO_NET_TX 64  /* frames that may wait to be sent */

extern const struct nic_driver virtio_net_driver;
