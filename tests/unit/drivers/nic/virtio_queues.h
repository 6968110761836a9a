/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio network device without its registers, for tests of both transports: its queues, as the
 * device uses them. Source: VIRTIO 1.2, 2.7 and 5.1.
 */
#pragma once

#include "drivers/nic/virtio.h"
#include "tests/unit/common/test.h"
#include "tests/unit/fake_nic.h"

#define F_MAC      (UINT64_C(1) << 5)
#define F_CTRL_VQ  (UINT64_C(1) << 17)
#define F_STATUS   (UINT64_C(1) << 16)
#define F_MERGE    (UINT64_C(1) << 15)
#define F_VERSION  (UINT64_C(1) << 32)
#define F_PLATFORM (UINT64_C(1) << 33)
#define F_PACKED   (UINT64_C(1) << 34)
#define F_ORDER    (UINT64_C(1) << 36)
#define F_LAYOUT   (UINT64_C(1) << 27)

#define HEADER 12

static const uint8_t mac[] = { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 };

struct queue {
	uint32_t size_max;
	uint16_t notify_offset;
	uint8_t reg[0x38 - 0x18]; /* the queue's registers on PCI, as written */
	uint16_t seen, used;      /* ring indices, as the device counts */
};

static struct {
	uint64_t offered, accepted;
	bool resetting; /* for ever */
	bool refuses;   /* the features */
	bool changing;  /* its configuration, at each look */
	bool idle;      /* sends nothing */
	bool backwards; /* finishes the last one first */
	unsigned resets, notified[2];
	struct queue queue[2];
} model;

static inline uint16_t size_of(const struct queue *q)
{
	return (uint16_t)fake_get(q->reg, 2);
}

/* 0: descriptors, 1: available, 2: used. */
static inline uint8_t *part(const struct queue *q, unsigned n, size_t at, size_t bytes)
{
	return card_dma(card_get64(q->reg + 8 + 8 * n) + at, bytes);
}

static inline uint16_t available_index(const struct queue *q)
{
	return (uint16_t)fake_get(part(q, 1, 2, 2), 2);
}

static inline uint16_t next_id(struct queue *q)
{
	return (uint16_t)fake_get(part(q, 1, 4 + 2 * (q->seen++ % size_of(q)), 2), 2);
}

static inline void put_used(struct queue *q, uint32_t id, uint32_t bytes)
{
	uint8_t *element = part(q, 2, 4 + 8 * (q->used++ % size_of(q)), 8);

	fake_put(element, id, 4);
	fake_put(element + 4, bytes, 4);
	fake_put(part(q, 2, 2, 2), q->used, 2);
}

static inline void send_one(struct queue *q, uint16_t id)
{
	static const uint8_t none[HEADER];
	uint8_t *d = part(q, 0, 16u * id, 16);
	size_t bytes = fake_get(d + 8, 4);
	const uint8_t *buffer = card_dma(card_get64(d), bytes);

	assert_true(id < size_of(q));
	assert_int_equal(fake_get(d + 12, 2), 0);
	assert_memory_equal(buffer, none, HEADER);
	card_transmit(buffer + HEADER, bytes - HEADER);
	put_used(q, id, 0);
}

static inline void work(void)
{
	struct queue *q = &model.queue[1];
	uint16_t id[256];
	unsigned n = 0;

	while (!model.idle && q->seen != available_index(q)) {
		assert_true(n < size_of(q));
		id[n++] = next_id(q);
	}
	for (unsigned i = 0; i < n; i++)
		send_one(q, id[model.backwards ? n - 1 - i : i]);
}

static inline bool arrives_as(uint32_t id_xor, uint32_t claimed, unsigned n)
{
	struct queue *q = &model.queue[0];
	uint8_t frame[2048], *d, *buffer;
	uint16_t id;

	if (q->seen == available_index(q))
		return false;
	id = next_id(q);
	assert_true(id < size_of(q));
	d = part(q, 0, 16u * id, 16);
	assert_int_equal(fake_get(d + 12, 2), 2);
	assert_int_equal(fake_get(d + 8, 4), sizeof(frame));
	card_frame(frame, sizeof(frame), n);
	buffer = card_dma(card_get64(d), sizeof(frame));
	memset(buffer, 0, HEADER);
	buffer[10] = 1;
	memcpy(buffer + HEADER, frame, sizeof(frame) - HEADER);
	put_used(q, id ^ id_xor, claimed);
	return true;
}

static inline bool frame_arrives(size_t bytes, unsigned n)
{
	return arrives_as(0, (uint32_t)(HEADER + bytes), n);
}
