/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device, on PCI or with its registers at an address that a table names (MMIO), and split
 * virtqueues whose buffers are one descriptor each. Polled. Source: Virtual I/O Device (VIRTIO)
 * 1.2, chapters 2 to 4.2; 4.2.4 for the legacy interface, which QEMU's microvm has by default.
 */
#pragma once

#include "nic.h"

#include <stdbool.h>
#include <stdint.h>

#define VIRTIO_VENDOR 0x1af4u

/* Section 6: reserved feature bits. */
#define VIRTIO_F_ANY_LAYOUT      (UINT64_C(1) << 27) /* 6.3, of the legacy interface */
#define VIRTIO_F_VERSION_1       (UINT64_C(1) << 32)
#define VIRTIO_F_ACCESS_PLATFORM (UINT64_C(1) << 33)
#define VIRTIO_F_ORDER_PLATFORM  (UINT64_C(1) << 36)

/* Registers by what they are for. */
enum virtio_register {
	VIRTIO_OFFER_SELECT,
	VIRTIO_OFFER,
	VIRTIO_ACCEPT_SELECT,
	VIRTIO_ACCEPT,
	VIRTIO_VECTOR,
	VIRTIO_STATUS,
	VIRTIO_GENERATION,
	VIRTIO_QUEUE,
	VIRTIO_QUEUE_MOST, /* the largest size */
	VIRTIO_QUEUE_SIZE,
	VIRTIO_QUEUE_VECTOR,
	VIRTIO_QUEUE_ENABLE,
	VIRTIO_QUEUE_NOTIFY,
	VIRTIO_DESCRIPTORS, /* 64 bits, as two registers; so are the next two */
	VIRTIO_AVAILABLE,
	VIRTIO_USED,
	VIRTIO_PAGE_BYTES, /* these three are the legacy interface's */
	VIRTIO_QUEUE_ALIGN,
	VIRTIO_QUEUE_PAGE,
	VIRTIO_REGISTERS
};

/* Where a transport has its registers, from struct virtio's `common` on. */
struct virtio_transport {
	struct {
		uint8_t at, bytes; /* bytes 0: it has no such register */
	} reg[VIRTIO_REGISTERS];
	uint8_t notify_bytes; /* bytes of a notification */
};

struct virtio {
	struct nic_setup setup;
	const struct virtio_transport *transport;
	uint64_t common, notify, config; /* structures, mapped; 0: it has none */
	uint32_t notify_bytes, config_bytes;
	uint32_t notify_step; /* bytes per queue_notify_off */
	uint64_t features;    /* features that both sides have */
	bool is_legacy;       /* without VIRTIO_F_VERSION_1; queues are one area each */
};

/*
 * Find the device's structures, stop its DMA, and reset it. It is left so if a problem is reported,
 * too. On PCI, the structures are found by capabilities, and the device is powered up.
 */
bool virtio_find(struct nic *n, struct virtio *v, const struct nic_setup *s);

/*
 * Accept the offered features of `wanted`. A problem if the device lacks `needed`, or does not
 * agree.
 */
bool virtio_agree(struct nic *n, struct virtio *v, uint64_t wanted, uint64_t needed);

/* Start the device. */
void virtio_start(const struct virtio *v);

/* True if the device has given up, which only a reset ends. */
bool virtio_broken(const struct virtio *v);

/* Stop its DMA, and reset it; false: the reset does not end. */
bool virtio_reset(const struct virtio *v);

/* Copy `bytes` of the device's configuration. False if it is shorter, or keeps changing. */
bool virtio_config(const struct virtio *v, uint32_t offset, uint8_t *to, uint32_t bytes);

/* ---- Transports ---- */

/* Find the structures, for virtio_find(); v->common is 0 if there is a problem. */
void virtio_pci_find(struct nic *n, struct virtio *v);
void virtio_mmio_find(struct nic *n, struct virtio *v);

/* True if there is a network card with its registers at this address. It is not changed. */
bool virtio_mmio_is_card(uint64_t address);

/* Reset the card at this address, which stops its DMA. */
void virtio_mmio_stop(uint64_t address);

/* ---- Queues ---- */

#define VIRTQ_MAX   256 /* descriptors of a queue; a power of two */
#define VIRTQ_ALIGN 4096

/*
 * Section 2.7: memory that both sides read and write. The device has the addresses of the three
 * parts. A legacy device has only the first one's, and computes the others' for a queue of
 * VIRTQ_MAX (2.7.2).
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
	} used __attribute__((aligned(VIRTQ_ALIGN)));
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
 * in q->memory, which is zeroed; a legacy device's have VIRTQ_MAX. Between virtio_agree() and
 * virtio_start().
 */
bool virtq_open(struct nic *n, const struct virtio *v, struct virtq *q);

/*
 * Give the device buffer `id`, which is below the queue's size and which it does not have;
 * virtq_notify() notifies it.
 */
void virtq_give(struct virtq *q, uint16_t id, const void *buffer, uint32_t bytes,
		bool device_writes);
void virtq_notify(const struct virtio *v, const struct virtq *q);

/*
 * Take back a buffer that the device has finished; `bytes` is the number that it reports as
 * written, which may be anything. False: there is none, or the report is impossible, which is a
 * problem.
 */
bool virtq_take(struct nic *n, struct virtq *q, uint16_t *id, uint32_t *bytes);

#define VIRTIO_NET_RX 256 /* frames that can wait to be received, if the card allows that many */
#define VIRTIO_NET_TX 64  /* frames that may wait to be sent */

extern const struct nic_driver virtio_net_driver;
