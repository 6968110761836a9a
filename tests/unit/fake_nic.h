/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by tests of network card drivers: a card on PCI or not, its memory of exactly the size
 * that the driver asks for, frames that differ from each other, and the frames on the wire.
 */
#pragma once

#include "fake_pci.h"

#include "drivers/nic/nic.h"

#include <stdlib.h>
#include <sys/mman.h>

#define NIC_LOW       ((void *)0x20000000) /* legacy virtio has 32 bits for a page's number */
#define NIC_BAR       UINT64_C(0xfebc0000)
#define NIC_SPAN      0x20000u
#define NIC_CAP_POWER 0xd0u
#define CARD_RING     256u /* frames that any driver's ring holds */

static struct {
	struct pci pci;
	struct fake_function *function; /* NULL: the card is not on PCI */
	uint64_t mmio;
	uint8_t registers[NIC_SPAN];
	uint8_t *memory; /* the driver's */
	size_t bytes;
	const uint8_t *wanted; /* the address of the card to open */
	struct nic nic;
	/* The last frame that went out, and how many did. */
	uint8_t sent[2048];
	size_t sent_bytes;
	unsigned frames_sent;
	/* Frames that the driver has taken. */
	unsigned received, dropped;
} card;

static inline void card_free(void)
{
	if (card.mmio && card.memory)
		munmap(card.memory, card.bytes);
	else
		free(card.memory);
	card.memory = NULL;
}

/* A card whose registers lie in memory, without PCI. */
static inline void card_lay_at(uint64_t address, uint64_t bytes)
{
	card_free();
	memset(&card, 0, sizeof(card));
	fake_reset();
	card.mmio = address;
	fake_memory(address, card.registers, bytes);
}

/* A card whose registers lie at BAR 0, awake, doing DMA for a driver before ours. */
static inline void card_lay(uint32_t id)
{
	card_free();
	memset(&card, 0, sizeof(card));
	fake_reset();
	card.function = fake_add(0, 3, 0, id, 0x020000);
	fake_put(card.function->reg + PCI_COMMAND,
		 PCI_COMMAND_IO | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | 0x100000, 4);
	fake_put(card.function->reg + PCI_BAR0, NIC_BAR, 4);
	fake_put(card.function->reg + PCI_CAP_LIST, NIC_CAP_POWER, 1);
	fake_put(card.function->reg + NIC_CAP_POWER, 0x0001, 2);
	fake_memory(NIC_BAR, card.registers, NIC_SPAN);
	fake_open(&card.pci);
}

/* Memory is aligned as promised, and a byte past it is seen by the sanitizer. */
static inline bool card_open(const struct nic_driver *driver)
{
	struct nic_setup setup = {
		.pci = &card.pci, .at = { 0, 0, 3, 0 }, .mmio = card.mmio, .hz = FAKE_HZ
	};

	card.bytes = driver->memory;
	if (card.mmio)
		card.memory = mmap(NIC_LOW, card.bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	else
		assert_int_equal(posix_memalign((void **)&card.memory, 4096, card.bytes), 0);
	assert_ptr_not_equal(card.memory, MAP_FAILED);
	memset(card.memory, 0, card.bytes);
	setup.memory = card.memory;
	setup.mac = card.wanted;
	return driver->open(&card.nic, &setup);
}

static inline uint16_t card_command(void)
{
	return (uint16_t)fake_get(card.function->reg + PCI_COMMAND, 2);
}

static inline bool card_is_master(void)
{
	return card.function && card_command() & PCI_COMMAND_MASTER;
}

static inline uint32_t card_register(uint32_t offset)
{
	return fake_get(card.registers + offset, 4);
}

static inline void card_set_register(uint32_t offset, uint32_t value)
{
	fake_put(card.registers + offset, value, 4);
}

/* Memory as the card reaches it, which may be the driver's alone. */
static inline uint8_t *card_dma(uint64_t address, size_t bytes)
{
	uint64_t base = (uintptr_t)card.memory;

	assert_true(!card.function || card_is_master());
	assert_true(address >= base && address - base <= card.bytes &&
		    bytes <= card.bytes - (address - base));
	return card.memory + (address - base);
}

static inline uint64_t card_get64(const uint8_t *at)
{
	return (uint64_t)fake_get(at + 4, 4) << 32 | fake_get(at, 4);
}

static inline void card_put64(uint8_t *at, uint64_t value)
{
	fake_put(at, (uint32_t)value, 4);
	fake_put(at + 4, value >> 32, 4);
}

/* Called for each frame that goes out on the wire. */
static inline void card_transmit(const uint8_t *frame, size_t bytes)
{
	assert_true(bytes >= NIC_FRAME_MIN && bytes <= NIC_FRAME_MAX);
	memcpy(card.sent, frame, bytes);
	card.sent_bytes = bytes;
	card.frames_sent++;
}

/* Frame number n, different from its neighbours in each byte. */
static inline void card_frame(uint8_t *frame, size_t bytes, unsigned n)
{
	for (size_t i = 0; i < bytes; i++)
		frame[i] = (uint8_t)(n * 31 + i * 7 + 1);
}

static inline void card_assert_frame(const uint8_t *frame, size_t bytes, unsigned n)
{
	uint8_t wanted[2048];

	card_frame(wanted, bytes, n);
	assert_memory_equal(frame, wanted, bytes);
}

static inline bool card_send(size_t bytes, unsigned n)
{
	/* The buffer has the frame's exact size, so that a read past it is seen. */
	uint8_t *frame = malloc(bytes + !bytes);
	bool done;

	assert_non_null(frame);
	card_frame(frame, bytes, n);
	done = card.nic.send(&card.nic, frame, bytes);
	free(frame);
	return done;
}

/* The next whole frame; 0: there is none among as many as a ring holds. */
static inline size_t card_receive(uint8_t frame[NIC_FRAME_MAX])
{
	uint8_t *copy = malloc(NIC_FRAME_MAX);
	size_t bytes = 0;

	assert_non_null(copy);
	for (unsigned i = 0; i < CARD_RING && !bytes; i++) {
		if (!card.nic.receive(&card.nic, copy, &bytes))
			break;
		assert_true(bytes <= NIC_FRAME_MAX);
		if (bytes)
			card.received++;
		else
			card.dropped++;
	}
	memcpy(frame, copy, bytes);
	free(copy);
	return bytes;
}

/* Check that the next frame from the driver is number n. */
static inline void card_assert_receives(size_t bytes, unsigned n)
{
	uint8_t frame[NIC_FRAME_MAX];

	assert_int_equal(card_receive(frame), bytes);
	card_assert_frame(frame, bytes, n);
}

static inline void card_assert_receives_nothing(void)
{
	uint8_t frame[NIC_FRAME_MAX];

	assert_int_equal(card_receive(frame), 0);
}

/* Send `count` frames one after the other, and receive as many. */
static inline void card_assert_goes_round(unsigned count, bool (*arrives)(size_t bytes, unsigned n))
{
	card_assert_receives_nothing();
	for (unsigned n = 0; n < count; n++) {
		size_t bytes = 60 + n * 13 % 1459;

		assert_true(card_send(bytes, n));
		assert_int_equal(card.frames_sent, n + 1);
		assert_int_equal(card.sent_bytes, bytes);
		card_assert_frame(card.sent, bytes, n);
		assert_true(arrives(bytes, n));
		card_assert_receives(bytes, n);
	}
	card_assert_receives_nothing();
	assert_int_equal(card.received, count);
	assert_int_equal(card.dropped, 0);
}

/* Check that there is room for so many frames that nobody has received yet. */
static inline void card_assert_fills(unsigned room, bool (*arrives)(size_t bytes, unsigned n))
{
	for (unsigned round = 0; round < 3; round++) {
		unsigned came = 0;

		while (arrives(64, came))
			assert_true(came++ < room);
		assert_int_equal(came, room);
		for (unsigned n = 0; n < came; n++)
			card_assert_receives(64, n);
		card_assert_receives_nothing();
	}
}

/* Check that an open that fails has a reason, and leaves no DMA behind. */
static inline void card_assert_refused(const struct nic_driver *driver, const char *problem)
{
	assert_false(card_open(driver));
	if (!strstr(card.nic.problem, problem))
		fail_msg("\"%s\" is not in \"%s\"", problem, card.nic.problem);
	assert_false(card_is_master());
}

/* Check that a closed card, or one with a problem, is left alone. */
static inline void card_assert_left_alone(void)
{
	unsigned before;

	before = fake.memory_reads + fake.memory_writes + fake.config_writes;
	assert_true(card.nic.problem[0]);
	assert_false(card_send(100, 0));
	card_assert_receives_nothing();
	assert_false(card.nic.link(&card.nic));
	assert_int_equal(fake.memory_reads + fake.memory_writes + fake.config_writes, before);
}

/* Duties of each driver to its caller, with a ring of so many frames to send. */
static inline void card_assert_manners(unsigned ring, bool (*arrives)(size_t bytes, unsigned n))
{
	static const uint8_t zeros[NIC_FRAME_MIN];

	/* Short frames are padded, and what is left of a longer one is not sent along. */
	for (unsigned i = 0; i < ring; i++)
		assert_true(card_send(1000, i));
	assert_true(card_send(42, 7));
	assert_int_equal(card.sent_bytes, NIC_FRAME_MIN);
	card_assert_frame(card.sent, 42, 7);
	assert_memory_equal(card.sent + 42, zeros, NIC_FRAME_MIN - 42);
	/* Frames of impossible lengths. */
	assert_false(card_send(0, 1));
	assert_false(card_send(NIC_FRAME_MAX + 1, 1));
	assert_int_equal(card.frames_sent, ring + 1);
	assert_string_equal(card.nic.problem, "");
	assert_true(card_send(NIC_FRAME_MAX, 1));
	assert_int_equal(card.sent_bytes, NIC_FRAME_MAX);
	/* A card must not deliver longer frames. */
	arrives(NIC_FRAME_MAX + 1, 1);
	arrives(3000, 2);
	card_assert_receives_nothing();
	assert_int_equal(card.dropped, 2);
}
