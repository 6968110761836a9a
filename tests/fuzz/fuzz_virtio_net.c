/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues and registers of virtio-net. device.h has the rest. */
#include "drivers/nic/virtio_pci.h"
#include "device.h"

#define COMMON 0x0000u
#define CONFIG 0x2000u
#define NOTIFY 0x3000u

#define STATUS 0x14u
#define SELECT 0x16u

#define HEADER 12u

static struct queue {
	uint8_t reg[0x20]; /* 18h to 37h */
	uint16_t seen, used;
} queue[2];

static void put_capability(uint8_t *config, unsigned at, uint8_t type, uint32_t offset)
{
	config[at] = 9;
	config[at + 1] = (uint8_t)(at + 20);
	config[at + 2] = 20;
	config[at + 3] = type;
	store(config + at + 8, offset, 4);
	store(config + at + 12, 0x1000, 4);
	store(config + at + 16, 4, 4);
}

static void lay(uint8_t config[CONFIG_BYTES])
{
	store(config, 0x10411af4, 4);
	config[PCI_CAP_LIST] = 0x40;
	put_capability(config, 0x40, 1, COMMON);
	put_capability(config, 0x54, 4, CONFIG);
	put_capability(config, 0x68, 2, NOTIFY);
	store(config + 0x7c, 0x0001, 2);
	memcpy(device.registers + CONFIG, "\x52\x54\x00\x12\x34\x56\x01\x00", 8);
	memset(queue, 0, sizeof(queue));
}

static struct queue *selected(void)
{
	return &queue[load(device.registers + SELECT, 2) % 2];
}

static void before_read(uint32_t reg, unsigned bytes)
{
	const uint64_t offered = UINT64_C(0x300010020);

	(void)bytes;
	if (reg == 0x04)
		store(device.registers + reg,
		      (uint32_t)(offered >> 32 * (load(device.registers, 4) & 1)), 4);
	else if (reg == 0x18)
		store(device.registers + reg, 256, 2);
	else if (reg == 0x1e)
		store(device.registers + reg, load(device.registers + SELECT, 2), 2);
}

static uint16_t size_of(const struct queue *q)
{
	return (uint16_t)load(q->reg, 2);
}

/* 0: descriptors, 1: available, 2: used. */
static uint8_t *part(const struct queue *q, unsigned n, size_t at, size_t bytes)
{
	uint64_t address = load64(q->reg + 8 + 8 * n);

	return address ? reach(address + at, bytes) : NULL;
}

static uint8_t *ring(unsigned n, size_t *bytes)
{
	*bytes = 4 + 8 * (size_t)size_of(&queue[n]);
	return part(&queue[n], 2, 0, *bytes);
}

/* What was just made available. */
static void check_last(const struct queue *q)
{
	uint16_t size = size_of(q), index, id;
	uint8_t *available = part(q, 1, 0, 4 + 2 * (size_t)size), *d;

	insist(size && available);
	index = (uint16_t)(load(available + 2, 2) - 1);
	id = (uint16_t)load(available + 4 + 2 * (index % size), 2);
	insist(id < size);
	d = part(q, 0, 16 * (size_t)id, 16);
	insist(d && load(d + 8, 4) > HEADER);
	check_sent(load64(d) + HEADER, load(d + 8, 4) - HEADER);
}

/* A queue that is not enabled is not notified: its driver was led elsewhere. */
static bool is_enabled(const struct queue *q)
{
	return load(q->reg + 4, 2) == 1;
}

static void reset(void)
{
	memset(queue, 0, sizeof(queue));
	memset(device.registers, 0, 0x38);
}

static void after_write(uint32_t reg, unsigned bytes, uint32_t value)
{
	if (reg == STATUS && !value)
		reset();
	else if (reg >= 0x18 && reg + bytes <= 0x38)
		store(selected()->reg + (reg - 0x18), value, bytes);
	else if (reg >= NOTIFY && value == 1 && bytes == 2 && is_enabled(&queue[1]))
		check_last(&queue[1]);
}

/* The device is done with the next buffer of a queue. */
static void finish(struct queue *q, uint32_t bytes, uint8_t fill)
{
	uint16_t size = size_of(q);
	uint8_t *available = part(q, 1, 0, 4 + 2 * (size_t)size);
	uint8_t *used = part(q, 2, 0, 4 + 8 * (size_t)size), *d, *buffer;
	uint32_t id;

	if (!size || !available || !used || q->seen == load(available + 2, 2))
		return;
	id = load(available + 4 + 2 * (q->seen++ % size), 2);
	d = part(q, 0, 16 * (size_t)id, 16);
	buffer = d ? reach(load64(d), 2048) : NULL;
	if (buffer && load(d + 12, 2) == 2)
		memset(buffer, fill, 2048);
	store(used + 4 + 8 * (q->used % size), id, 4);
	store(used + 8 + 8 * (q->used++ % size), bytes, 4);
	store(used + 2, q->used, 2);
}

static void work(void)
{
	uint32_t bytes = take_number(2);

	finish(&queue[0], bytes, take_byte());
	finish(&queue[1], 0, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct device_model model = {
		.driver = &virtio_net_driver,
		.lay = lay,
		.before_read = before_read,
		.after_write = after_write,
		.ring = ring,
		.work = work,
	};

	device_run(&model, data, bytes);
	return 0;
}
