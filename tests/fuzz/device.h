/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer plays a network card. The input begins with bytes to change in its configuration
 * space, and with when and how often its registers lie as it is brought up; then come orders,
 * each a byte and what it takes. A target defines its registers when they do not lie, and
 * where its rings are, into which the input writes.
 *
 * Whatever it does, the driver touches only what it has mapped, keeps within its memory (of its
 * exact size, so that the sanitizer sees), sends what it was given, and ends without DMA.
 */
#pragma once

#include "arch/arch.h"
#include "drivers/nic/nic.h"
#include "tests/fuzz/mapped.h"
#include "tests/registers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_BAR   UINT64_C(0xfebc0000)
#define DEVICE_SPAN  0x20000u
#define FRAME_MAX    1600 /* offered for sending */
#define ORDERS_MAX   4096
#define CONFIG_BYTES 256u

/* What a target is. */
struct device_model {
	const struct nic_driver *driver;
	void (*lay)(uint8_t config[CONFIG_BYTES]);
	/* Before a truthful read, and after a write, of `bytes` at `reg`. */
	void (*before_read)(uint32_t reg, unsigned bytes);
	void (*after_write)(uint32_t reg, unsigned bytes, uint32_t value);
	/* Memory of ring `n` that the card may write, or NULL. */
	uint8_t *(*ring)(unsigned n, size_t *bytes);
	/* The card does its work as it should: frames come and go. */
	void (*work)(void);
};

static struct {
	const struct device_model *model;
	uint8_t config[CONFIG_BYTES];
	uint32_t address; /* at CF8h */
	uint8_t registers[DEVICE_SPAN];
	unsigned truths, lies; /* so many reads are true, then so many are not */
	struct pci pci;
	struct nic nic;
	uint8_t *memory;
	uint8_t frame[FRAME_MAX]; /* the last that was offered for sending */
	size_t frame_bytes;
} device;

static inline uint64_t load64(const uint8_t *at)
{
	return load(at, 4) | (uint64_t)load(at + 4, 4) << 32;
}

/* The driver's memory behind an address that it gave; NULL: it lies elsewhere. */
static inline uint8_t *reach(uint64_t address, size_t bytes)
{
	uint64_t base = (uintptr_t)device.memory, size = device.model->driver->memory;

	if (address < base || address - base > size || bytes > size - (address - base))
		return NULL;
	return device.memory + (address - base);
}

/* A command of all ones is nobody's. */
static inline bool is_master(void)
{
	return load(device.config + PCI_COMMAND, 2) != 0xffff &&
	       device.config[PCI_COMMAND] & PCI_COMMAND_MASTER;
}

/* The card reads a frame that was just given to it. */
static inline void check_sent(uint64_t address, size_t bytes)
{
	const uint8_t *frame = reach(address, bytes);

	insist(frame && is_master() && bytes >= NIC_FRAME_MIN && bytes <= NIC_FRAME_MAX);
	insist(bytes == device.frame_bytes ||
	       (bytes == NIC_FRAME_MIN && device.frame_bytes < NIC_FRAME_MIN));
	insist(memcmp(frame, device.frame, device.frame_bytes) == 0);
}

static inline bool aimed(uint16_t port)
{
	/* 0000:00:03.0 */
	return port >= 0xcfc && device.address >> 8 == 0x800018;
}

static inline uint32_t config_in(uint16_t port, unsigned bytes)
{
	if (port == 0xcf8)
		return device.address;
	if (!aimed(port))
		return UINT32_MAX;
	return load(device.config + (device.address & 0xfc) + (port & 3), bytes);
}

static inline void config_out(uint16_t port, uint32_t value, unsigned bytes)
{
	if (port == 0xcf8)
		device.address = value;
	if (!aimed(port))
		return;
	store(device.config + (device.address & 0xfc) + (port & 3), value, bytes);
	/* Of the command the upper five bits are reserved: they stay clear. */
	device.config[PCI_COMMAND + 1] &= 0x07;
}

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	return address >= DEVICE_BAR && address - DEVICE_BAR <= DEVICE_SPAN &&
	       bytes <= DEVICE_SPAN - (address - DEVICE_BAR) && mapped_add(address, bytes);
}

/* Where a mapped register is. */
static inline uint32_t reg_at(uint64_t address, unsigned bytes)
{
	mapped_check(address, bytes);
	return (uint32_t)(address - DEVICE_BAR);
}

static inline uint32_t reg_read(uint64_t address, unsigned bytes)
{
	uint32_t reg = reg_at(address, bytes);

	if (device.truths) {
		device.truths--;
	} else if (device.lies) {
		device.lies--;
		return take_number(bytes);
	}
	device.model->before_read(reg, bytes);
	return load(device.registers + reg, bytes);
}

static inline void reg_write(uint64_t address, uint32_t value, unsigned bytes)
{
	uint32_t reg = reg_at(address, bytes);

	store(device.registers + reg, value, bytes);
	device.model->after_write(reg, bytes, value);
}

REGISTERS(config_in, config_out, reg_read, reg_write)

static inline void check_problem(void)
{
	const char *p = device.nic.problem;
	size_t i = 0;

	while (i < NIC_PROBLEM_MAX && p[i] >= ' ' && p[i] <= '~')
		i++;
	insist(i < NIC_PROBLEM_MAX && !p[i]);
}

static inline void order_send(void)
{
	uint8_t *copy;
	bool sent;

	device.frame_bytes = take_number(2) % FRAME_MAX;
	memset(device.frame, take_byte(), sizeof(device.frame));
	copy = malloc(device.frame_bytes + !device.frame_bytes);
	insist(copy);
	memcpy(copy, device.frame, device.frame_bytes);
	sent = device.nic.send(&device.nic, copy, device.frame_bytes);
	free(copy);
	insist(!sent || (device.frame_bytes && device.frame_bytes <= NIC_FRAME_MAX));
}

static inline void order_receive(void)
{
	uint64_t before = device.nic.received;
	uint8_t *room = malloc(NIC_FRAME_MAX);
	size_t bytes;

	insist(room);
	bytes = device.nic.receive(&device.nic, room, NIC_FRAME_MAX);
	free(room);
	insist(bytes <= NIC_FRAME_MAX && device.nic.received == before + (bytes != 0));
}

static inline void order_poke(void)
{
	unsigned ring = take_byte(), count = take_byte() % 17;
	size_t bytes = 0, at = take_number(2);
	uint8_t *memory = device.model->ring(ring % 2, &bytes);

	for (; count; count--, at++) {
		uint8_t value = take_byte();

		if (memory && is_master() && at < bytes)
			memory[at] = value;
	}
}

static inline void order_lies(void)
{
	device.truths = take_byte();
	device.lies = take_byte();
}

static inline bool device_open(void)
{
	struct nic_setup setup = { .pci = &device.pci, .at = { 0, 0, 3, 0 }, .hz = MAPPED_HZ };
	bool open;

	memset(device.memory, 0, device.model->driver->memory);
	setup.memory = device.memory;
	order_lies();
	open = device.model->driver->open(&device.nic, &setup);
	check_problem();
	insist(open == !device.nic.problem[0]);
	insist(open || !is_master());
	return open;
}

static inline void order_close(void)
{
	device.nic.close(&device.nic);
	insist(!is_master() && device.nic.problem[0]);
}

static inline void obey(uint8_t order)
{
	bool broken = device.nic.problem[0];

	switch (order % 8) {
	case 0:
		order_send();
		break;
	case 1:
		order_receive();
		break;
	case 2:
		insist(!device.nic.link(&device.nic) || !broken);
		break;
	case 3:
		order_lies();
		break;
	case 4:
		if (is_master())
			device.model->work();
		break;
	case 5:
		if (order == 5)
			order_close();
		break;
	default:
		order_poke();
	}
	check_problem();
}

static inline void device_run(const struct device_model *model, const uint8_t *data, size_t bytes)
{
	static const struct acpi_info none;
	unsigned patches;

	memset(&device, 0, sizeof(device));
	mapped.maps = 0;
	device.model = model;
	take_from(data, bytes);
	insist(!posix_memalign((void **)&device.memory, 4096, model->driver->memory));
	store(device.config + PCI_COMMAND, 0x100007, 4);
	store(device.config + PCI_BAR0, DEVICE_BAR, 4);
	model->lay(device.config);
	for (patches = take_byte() % 8; patches; patches--) {
		uint8_t offset = take_byte();

		device.config[offset] = take_byte();
	}
	pci_open(&device.pci, &none, NULL, NULL);
	for (unsigned opens = 0; opens < 4 && device_open() && take_more(); opens++)
		for (unsigned i = 0; i < ORDERS_MAX && take_more(); i++)
			obey(take_byte());
	if (device.nic.close)
		order_close();
	free(device.memory);
}
