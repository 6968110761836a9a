/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * virtio-net with its registers in memory, by both interfaces, and devices that are none or lie.
 * Offsets are written down here once more, from VIRTIO 1.2, 4.2.2 and 4.2.4.
 */
#include "virtio_queues.h"

#define BASE UINT64_C(0xfeb00e00)
#define SPAN 0x200u

#define MAGIC     0x00
#define VERSION   0x04
#define DEVICE    0x08
#define OFFER     0x10
#define SELECT    0x14
#define ACCEPT    0x20
#define ACCEPT_AT 0x24
#define PAGE      0x28
#define QUEUE     0x30
#define QUEUE_MAX 0x34
#define QUEUE_NUM 0x38
#define ALIGN     0x3c
#define PFN       0x40
#define READY     0x44
#define NOTIFY    0x50
#define STATUS    0x70
#define PARTS     0x80 /* 64 bits each, 16 apart */
#define CONFIG    0x100

#define F_OTHERS   (UINT64_C(3) << 28)
#define DRIVER_OK  0x04
#define ALL_STATUS 0x0f

static bool is_legacy(void)
{
	return card_register(VERSION) == 1;
}

static struct queue *selected(void)
{
	assert_true(card_register(QUEUE) < 2);
	return &model.queue[card_register(QUEUE)];
}

static void write_queue(uint32_t at, uint32_t value)
{
	struct queue *q = selected();

	if (at == QUEUE_NUM)
		fake_put(q->reg, value, 2);
	else if (at == READY)
		fake_put(q->reg + 4, value, 2);
	else if (at >= PARTS)
		fake_put(q->reg + 8 + (at - PARTS) / 16 * 8 + at % 16, value, 4);
	/* The legacy device finds the other parts behind the first: 2.7.2. */
	if (at == PFN) {
		uint64_t first = (uint64_t)value * card_register(PAGE),
			 end = first + 16 * size_of(q);
		uint64_t used = end + 6 + 2 * size_of(q);

		card_put64(q->reg + 8, first);
		card_put64(q->reg + 16, end);
		card_put64(q->reg + 24, (used + card_register(ALIGN) - 1) / card_register(ALIGN) *
						card_register(ALIGN));
		fake_put(q->reg + 4, 1, 2);
	}
}

/* Each register is written by 32 bits, and exists in the version at hand. */
static void on_write(uint64_t address, unsigned bytes, uint32_t value)
{
	uint32_t at = (uint32_t)(address - BASE);
	bool only_legacy = at == PAGE || at == ALIGN || at == PFN;
	bool only_modern = at == READY || at >= PARTS;

	assert_int_equal(bytes, 4);
	assert_false(is_legacy() ? only_modern : only_legacy);
	if (at == STATUS && !value)
		model.resets++, model.accepted = 0;
	if (at == STATUS && model.resetting)
		card_set_register(STATUS, 0x80);
	if (at == ACCEPT)
		model.accepted |= (uint64_t)value << 32 * card_register(ACCEPT_AT);
	if (at == QUEUE_NUM || at == PFN || at == READY || (at >= PARTS && at < 0xc0))
		write_queue(at, value);
	if (at == NOTIFY) {
		assert_true(value < 2 && card_register(STATUS) & DRIVER_OK);
		model.notified[value]++;
		if (value == 1)
			work();
	}
}

static void on_read(uint64_t address, unsigned bytes)
{
	uint32_t at = (uint32_t)(address - BASE);

	assert_int_equal(bytes, at >= CONFIG ? 1 : 4);
	if (at == OFFER)
		card_set_register(OFFER, (uint32_t)(model.offered >> 32 * card_register(SELECT)));
	if (at == QUEUE_MAX)
		card_set_register(QUEUE_MAX, selected()->size_max);
}

static void lay(uint32_t version)
{
	card_lay_at(BASE, SPAN);
	memset(&model, 0, sizeof(model));
	fake.on_memory_write = on_write;
	fake.on_memory_read = on_read;
	card_set_register(MAGIC, 0x74726976);
	card_set_register(VERSION, version);
	card_set_register(DEVICE, 1);
	memcpy(card.registers + CONFIG, mac, sizeof(mac));
	card.registers[CONFIG + 6] = 1;
	model.offered = F_MAC | F_STATUS | F_MERGE | F_LAYOUT | F_OTHERS |
			(version == 1 ? 0 : F_VERSION);
	model.queue[0].size_max = model.queue[1].size_max = 1024;
}

static void setup(void)
{
	lay(2);
}

static void assert_refused(const char *problem)
{
	card_assert_refused(&virtio_net_driver, problem);
	assert_false(card_register(STATUS) & DRIVER_OK);
}

TEST_F(setup, card_free, test_frames_by_both_versions)
{
	for (uint32_t version = 1; version <= 2; version++) {
		lay(version);
		assert_true(card_open(&virtio_net_driver));
		assert_string_equal(card.nic.problem, "");
		assert_memory_equal(card.nic.mac, mac, sizeof(mac));
		assert_true(model.accepted ==
			    (F_MAC | F_STATUS | (version == 1 ? F_MERGE | F_LAYOUT : F_VERSION)));
		assert_int_equal(card_register(STATUS), version == 1 ? 0x07 : ALL_STATUS);
		assert_int_equal(size_of(&model.queue[0]), 256);
		for (unsigned n = 0; n < 2; n++)
			assert_int_equal(fake_get(model.queue[n].reg + 4, 2), 1);
		assert_int_equal(model.notified[0], 1);
		assert_true(card.nic.link(&card.nic));
		card_assert_goes_round(600, frame_arrives);
		assert_int_equal(model.notified[1], 600);
		card.nic.close(&card.nic);
		assert_int_equal(model.resets, 2);
		assert_int_equal(card_register(STATUS), 0);
	}
}

TEST_F(setup, card_free, test_no_more_frames_than_buffers)
{
	lay(1);
	assert_true(card_open(&virtio_net_driver));
	model.idle = true;
	for (unsigned n = 0; n < VIRTIO_NET_TX; n++)
		assert_true(card_send(60, n));
	assert_false(card_send(60, 0));
	assert_string_equal(card.nic.problem, "");
}

TEST_F(setup, card_free, test_queue_sizes)
{
	/* The largest size, and what each version makes of it; 0: refused. */
	static const uint32_t rows[][3] = {
		{ 0, 0, 0 },           { 1, 0, 1 },
		{ 100, 0, 64 },        { 255, 0, 128 },
		{ 256, 256, 256 },     { 0x10000, 256, 256 },
		{ 0x10001, 256, 256 }, { UINT32_MAX, 256, 256 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (uint32_t version = 1; version <= 2; version++) {
			lay(version);
			model.queue[0].size_max = rows[i][0];
			if (!rows[i][version]) {
				assert_refused("it has no queue 0");
				continue;
			}
			assert_true(card_open(&virtio_net_driver));
			assert_int_equal(size_of(&model.queue[0]), rows[i][version]);
		}
	}
	lay(2);
	model.queue[1].size_max = 0;
	assert_refused("it has no queue 1");
}

TEST_F(setup, card_free, test_devices_that_are_no_card)
{
	const uint64_t address[] = { BASE + SPAN, BASE, 0x1000 };
	struct nics cards = { .count = 0 };
	TEXT_DEFINE(name, 80);

	nics_add_virtio(&cards, address, 3);
	assert_int_equal(cards.count, 1);
	assert_ptr_equal(cards.card[0].driver, &virtio_net_driver);
	assert_true(cards.card[0].setup.mmio == BASE);
	nics_print_name(&name, &cards.card[0]);
	assert_string_equal(name.buf, "virtio at 0xfeb00e00");
	cards.count = 0;
	card_set_register(DEVICE, 0); /* an empty slot */
	nics_add_virtio(&cards, address, 3);
	card_set_register(DEVICE, 2); /* a disk */
	nics_add_virtio(&cards, address, 3);
	card_set_register(DEVICE, 1);
	card_set_register(MAGIC, 0x74726977);
	nics_add_virtio(&cards, address, 3);
	card_set_register(MAGIC, UINT32_MAX);
	nics_add_virtio(&cards, address, 3);
	assert_int_equal(cards.count, 0);
	assert_int_equal(fake.memory_writes, 0);
	assert_refused("it is no virtio network card any more");
	lay(3);
	assert_refused("it has version 3 of the registers; known are 1 and 2");
	assert_int_equal(fake.memory_writes, 0);
}

TEST_F(setup, card_free, test_more_cards_than_a_list_has)
{
	uint64_t address[NICS_MAX + 3];
	struct nics cards = { .count = 0 };

	for (unsigned i = 0; i < NICS_MAX + 3; i++)
		address[i] = BASE;
	nics_add_virtio(&cards, address, NICS_MAX + 3);
	assert_int_equal(cards.count, NICS_MAX);
}

TEST_F(setup, card_free, test_unused_cards_are_reset)
{
	const uint64_t address[] = { BASE };
	struct pci pci;
	struct nics cards = { .count = 0 };

	fake_open(&pci);
	nics_add_virtio(&cards, address, 1);
	card_set_register(STATUS, ALL_STATUS);
	cards.card[0].in_use = true;
	nics_stop_dma(&pci, &cards);
	assert_int_equal(card_register(STATUS), ALL_STATUS);
	cards.card[0].in_use = false;
	nics_stop_dma(&pci, &cards);
	assert_int_equal(card_register(STATUS), 0);
}

TEST_F(setup, card_free, test_what_a_device_refuses)
{
	model.offered &= ~F_VERSION;
	assert_refused("it does not offer the features 0x100000020");
	lay(1);
	model.offered &= ~F_MERGE;
	assert_refused("it does not offer the features 0x8008020");
	lay(2);
	model.resetting = true;
	assert_refused("its reset does not end");
	lay(1);
	memset(card.registers + CONFIG, 0xff, 6);
	assert_refused("it has no address of its own");
}
