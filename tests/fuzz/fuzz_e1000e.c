/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings and registers of Intel's cards: the first byte selects one. device.h has the rest. */
#include "drivers/nic/e1000e_row.h"
#include "device.h"

#define RDBAL (later() ? 0xc000u : 0x2800u)
#define RDLEN (RDBAL + 0x08u)
#define RDH   (RDBAL + 0x10u)
#define RDT   (RDBAL + 0x18u)
#define TDBAL (later() ? 0xe000u : 0x3800u)
#define TDLEN (TDBAL + 0x08u)
#define TDH   (TDBAL + 0x10u)
#define TDT   (TDBAL + 0x18u)

static const uint16_t ids[] = { 0x10d3, 0x100e, 0x109a, 0x104a, 0x153a,
				0x15b8, 0x10c9, 0x1533, 0x125c };

static uint16_t id;

/* I226's rings are further up. */
static bool later(void)
{
	return id == 0x125c;
}

static void reset(void)
{
	memset(device.registers, 0, sizeof(device.registers));
	store(device.registers + 0x08, 1u << 1, 4);
	memcpy(device.registers + 0x5400, "\x52\x54\x00\x12\x34\x56\x00\x80", 8);
}

static void lay(uint8_t config[CONFIG_BYTES])
{
	store(config, (uint32_t)id << 16 | 0x8086, 4);
	config[PCI_CAP_LIST] = 0xc8;
	store(config + 0xc8, 0x0001, 2);
	reset();
}

static void before_read(uint32_t reg, unsigned bytes)
{
	(void)reg, (void)bytes;
}

static bool advanced(void)
{
	return id == 0x10c9 || id == 0x1533 || later();
}

static uint8_t *ring(unsigned n, size_t *bytes)
{
	uint32_t reg = n ? TDBAL : RDBAL;

	*bytes = load(device.registers + reg + 8, 4);
	return reach(load64(device.registers + reg), *bytes);
}

static uint8_t *descriptor(unsigned n, uint32_t i)
{
	size_t bytes;
	uint8_t *at = ring(n, &bytes);

	return at && 16 * (size_t)i + 16 <= bytes ? at + 16 * i : NULL;
}

/* The last before the tail, just written. */
static void check_tail(uint32_t tail)
{
	uint32_t size = load(device.registers + TDLEN, 4) / 16;
	uint8_t *d;

	insist(size && tail < size);
	d = descriptor(1, (tail + size - 1) % size);
	insist(d);
	check_sent(load64(d), load(d + 8, 2));
}

static void after_write(uint32_t reg, unsigned bytes, uint32_t value)
{
	insist(bytes == 4);
	if (reg == 0 && value & 1u << 26)
		reset();
	else if (reg == TDT && value)
		check_tail(value);
	else if (reg == RDT)
		insist(value < 256);
}

static void send_all(void)
{
	uint32_t head = load(device.registers + TDH, 4), tail = load(device.registers + TDT, 4);
	uint32_t size = load(device.registers + TDLEN, 4) / 16;

	for (; size && head != tail; head = (head + 1) % size)
		store(descriptor(1, head) + 12, 1, 4);
	store(device.registers + TDH, head, 4);
}

static void receive_one(uint16_t bytes, uint8_t fill, uint8_t status)
{
	uint32_t head = load(device.registers + RDH, 4);
	uint8_t *d = descriptor(0, head), *buffer = d ? reach(load64(d), 2048) : NULL;

	if (!buffer || head == load(device.registers + RDT, 4))
		return;
	memset(buffer, fill, 2048);
	store(d + (advanced() ? 12 : 8), bytes, 2);
	store(d + (advanced() ? 8 : 12), status, 2);
	store(device.registers + RDH, (head + 1) % 256, 4);
}

static void work(void)
{
	uint16_t bytes = (uint16_t)take_number(2);
	uint8_t fill = take_byte();

	send_all();
	receive_one(bytes, fill, take_byte());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct device_model model = {
		.driver = &e1000e_driver,
		.lay = lay,
		.before_read = before_read,
		.after_write = after_write,
		.ring = ring,
		.work = work,
	};

	if (!bytes)
		return 0;
	id = ids[data[0] % (sizeof(ids) / sizeof(ids[0]))];
	device_run(&model, data + 1, bytes - 1);
	return 0;
}
