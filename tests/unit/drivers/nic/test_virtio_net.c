/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * virtio-net against a model of a device that follows VIRTIO 1.2, and against devices
 * that do not. Offsets and bits are written down here once more, from the standard.
 */
#include "drivers/nic/virtio.h"
#include "virtio_queues.h"

#define ID_MODERN       0x10411af4u
#define ID_TRANSITIONAL 0x10001af4u

/* Offsets of the model's structures in BAR 0. */
#define COMMON 0x0000u
#define CONFIG 0x2000u
#define NOTIFY 0x3000u
#define STEP   4u

#define STATUS     (COMMON + 0x14)
#define GENERATION (COMMON + 0x15)
#define SELECTED   (COMMON + 0x16)

#define ACKNOWLEDGE 0x01
#define DRIVER      0x02
#define DRIVER_OK   0x04
#define FEATURES_OK 0x08
#define NEEDS_RESET 0x40

static struct queue *selected(void)
{
	uint16_t number = (uint16_t)fake_get(card.registers + SELECTED, 2);

	return number < 2 ? &model.queue[number] : NULL;
}

static void reset_device(void)
{
	model.resets++;
	model.accepted = 0;
	for (unsigned i = 0; i < 2; i++)
		model.queue[i] = (struct queue){
			model.queue[i].size_max, model.queue[i].notify_offset, { 0 }, 0, 0
		};
	memset(card.registers + COMMON, 0, 0x38);
}

static void write_status(uint32_t value)
{
	if (model.resetting)
		fake_put(card.registers + STATUS, value ? value : 0x0f, 1);
	else if (!value)
		reset_device();
	else if (value & FEATURES_OK && model.refuses)
		fake_put(card.registers + STATUS, value & ~FEATURES_OK, 1);
}

static void notice(uint32_t offset, unsigned bytes, uint32_t value)
{
	assert_int_equal(bytes, 2);
	assert_true(value < 2);
	assert_int_equal(offset, model.queue[value].notify_offset * STEP);
	assert_true(card.registers[STATUS] & DRIVER_OK);
	model.notified[value]++;
	if (value == 1)
		work();
}

static void write_common(uint32_t reg, unsigned bytes, uint32_t value)
{
	struct queue *q = selected();

	if (reg == 0x0c) {
		bool high = card.registers[0x08];

		model.accepted &= high ? UINT32_MAX : ~(uint64_t)UINT32_MAX;
		model.accepted |= (uint64_t)value << (high ? 32 : 0);
	} else if (reg == 0x14) {
		write_status(value);
	} else if (reg >= 0x18) {
		assert_non_null(q);
		assert_int_equal(card.registers[STATUS] & (FEATURES_OK | DRIVER_OK), FEATURES_OK);
		fake_put(q->reg + (reg - 0x18), value, bytes);
	}
}

static void on_write(uint64_t address, unsigned bytes, uint32_t value)
{
	uint32_t reg = (uint32_t)(address - NIC_BAR);

	if (reg < COMMON + 0x38)
		write_common(reg - COMMON, bytes, value);
	else if (reg >= NOTIFY)
		notice(reg - NOTIFY, bytes, value);
	else
		fail_msg("a write to register 0x%x", reg);
}

/* Each field is read by its own size. */
static void on_read(uint64_t address, unsigned bytes)
{
	uint32_t reg = (uint32_t)(address - NIC_BAR);
	const struct queue *q = selected();

	if (reg >= CONFIG) {
		assert_int_equal(bytes, 1);
		return;
	}
	assert_int_equal(bytes, reg < 0x10 ? 4 : reg == STATUS || reg == GENERATION ? 1 : 2);
	if (reg == 0x04)
		card_set_register(0x04, (uint32_t)(model.offered >> 32 * card.registers[0]));
	if (reg == 0x18)
		fake_put(card.registers + reg, q ? q->size_max : 0, 2);
	if (reg == 0x1e)
		fake_put(card.registers + reg, q ? q->notify_offset : 0, 2);
	if (reg == GENERATION && model.changing)
		card.registers[GENERATION]++;
}

/* Put a capability. Returns the place of the next one. */
static unsigned put_capability(unsigned at, uint8_t type, uint8_t bar, uint32_t offset,
			       uint32_t bytes)
{
	uint8_t *c = card.function->reg + at;

	fake_put(c, 0x09, 1);
	fake_put(c + 1, at + 20, 1);
	fake_put(c + 2, type == 2 ? 20 : 16, 1);
	fake_put(c + 3, type, 1);
	fake_put(c + 4, bar, 1);
	fake_put(c + 8, offset, 4);
	fake_put(c + 12, bytes, 4);
	if (type == 2)
		fake_put(c + 16, STEP, 4);
	return at + 20;
}

#define CAP_COMMON 0x40u
#define CAP_ISR    0x54u
#define CAP_CONFIG 0x68u
#define CAP_NOTIFY 0x7cu
#define CAP_LAST   0x90u

static void lay(uint32_t id)
{
	card_lay(id);
	memset(&model, 0, sizeof(model));
	fake_put(card.function->reg + PCI_CAP_LIST, CAP_COMMON, 1);
	put_capability(CAP_COMMON, 1, 0, COMMON, 0x1000);
	put_capability(CAP_ISR, 3, 0, 0x1000, 0x1000);
	put_capability(CAP_CONFIG, 4, 0, CONFIG, 0x1000);
	put_capability(CAP_NOTIFY, 2, 0, NOTIFY, 0x1000);
	fake_put(card.function->reg + CAP_LAST, 0x01, 2); /* power, and the end */
	model.offered = F_VERSION | F_MAC | F_STATUS | F_MERGE | F_CTRL_VQ | F_PACKED;
	model.queue[0] = (struct queue){ .size_max = 256, .notify_offset = 0 };
	model.queue[1] = (struct queue){ .size_max = 256, .notify_offset = 1 };
	memcpy(card.registers + CONFIG, mac, 6);
	fake_put(card.registers + CONFIG + 6, 1, 2);
	card.registers[STATUS] = ACKNOWLEDGE | DRIVER | FEATURES_OK |
				 DRIVER_OK; /* state left by an earlier driver */
	fake.on_memory_write = on_write;
	fake.on_memory_read = on_read;
}

static void open_it(void)
{
	assert_true(card_open(&virtio_net_driver));
	assert_string_equal(card.nic.problem, "");
}

static void setup(void)
{
	lay(ID_MODERN);
}

TEST_F(setup, card_free, test_which_cards_it_drives)
{
	assert_true(virtio_net_driver.drives(ID_MODERN));
	assert_true(virtio_net_driver.drives(ID_TRANSITIONAL));
	assert_false(virtio_net_driver.drives(0x10421af4));
	assert_false(virtio_net_driver.drives(0x10418086));
	assert_false(virtio_net_driver.drives(PCI_ABSENT));
}

TEST_F(setup, card_free, test_open)
{
	static const uint32_t ids[] = { ID_MODERN, ID_TRANSITIONAL };

	for (size_t i = 0; i < 2; i++) {
		lay(ids[i]);
		open_it();
		assert_int_equal(model.resets, 1);
		/* Features that the driver does not understand are not accepted. */
		assert_true(model.accepted == (F_VERSION | F_MAC | F_STATUS));
		assert_int_equal(card.registers[STATUS], 0x0f);
		assert_true(card_is_master());
		assert_true(card_command() & PCI_COMMAND_NO_INTX);
		assert_memory_equal(card.nic.mac, mac, 6);
		assert_string_equal(card.nic.driver, "virtio-net");
		assert_int_equal(model.notified[0], 1);
		assert_int_equal(model.notified[1], 0);
		assert_int_equal(size_of(&model.queue[0]), 256);
		assert_int_equal(size_of(&model.queue[1]), 64);
		assert_int_equal(available_index(&model.queue[0]), 256);
		assert_int_equal(fake_get(card.registers + 0x10, 2), 0xffff);
		for (unsigned n = 0; n < 2; n++) {
			const struct queue *q = &model.queue[n];

			assert_int_equal(fake_get(q->reg + 2, 2), 0xffff); /* no MSI-X vector */
			assert_int_equal(fake_get(q->reg + 4, 2), 1);      /* enabled */
			assert_int_equal(card_get64(q->reg + 8) % 16, 0);
			assert_int_equal(card_get64(q->reg + 16) % 2, 0);
			assert_int_equal(card_get64(q->reg + 24) % 4, 0);
			/* No interrupts. */
			assert_int_equal(fake_get(part(q, 1, 0, 2), 2), 1);
		}
	}
}

TEST_F(setup, card_free, test_features_for_platforms)
{
	model.offered |= F_PLATFORM | F_ORDER;
	open_it();
	assert_true(model.accepted == (F_VERSION | F_MAC | F_STATUS | F_PLATFORM | F_ORDER));
}

TEST_F(setup, card_free, test_features_that_lack)
{
	model.offered &= ~F_VERSION;
	card_assert_refused(&virtio_net_driver,
			    "it does not offer the features 0x100000020, only 0x400038020");
	setup();
	model.offered &= ~F_MAC;
	card_assert_refused(&virtio_net_driver, "it does not offer the features");
	setup();
	model.refuses = true;
	card_assert_refused(&virtio_net_driver, "it refuses the features 0x100010020");
	assert_int_equal(card.registers[STATUS], 0); /* reset */
	card_assert_left_alone();
}

TEST_F(setup, card_free, test_addresses)
{
	memset(card.registers + CONFIG, 0, 6);
	card_assert_refused(&virtio_net_driver, "it has no address of its own");
	setup();
	card.registers[CONFIG] |= 1;
	card_assert_refused(&virtio_net_driver, "it has no address of its own");
	setup();
	model.changing = true;
	card_assert_refused(&virtio_net_driver, "it has no address of its own");
	setup();
	put_capability(CAP_CONFIG, 4, 0, CONFIG, 5);
	card_assert_refused(&virtio_net_driver, "it has no address of its own");
}

TEST_F(setup, card_free, test_link)
{
	open_it();
	assert_true(card.nic.link(&card.nic));
	fake_put(card.registers + CONFIG + 6, 0xfffe, 2);
	assert_false(card.nic.link(&card.nic));
	assert_string_equal(card.nic.problem, "");
	setup();
	model.offered &= ~F_STATUS;
	open_it();
	fake_put(card.registers + CONFIG + 6, 0, 2); /* not a field without that feature */
	assert_true(card.nic.link(&card.nic));
	/* Half of it would lie past the configuration. */
	setup();
	put_capability(CAP_CONFIG, 4, 0, CONFIG, 7);
	open_it();
	assert_false(card.nic.link(&card.nic));
	assert_string_equal(card.nic.problem, "");
}

TEST_F(setup, card_free, test_a_device_that_gives_up)
{
	/* The second card is gone: all bits of its status read as 1. */
	static const uint8_t status[] = { NEEDS_RESET, 0xff };

	for (size_t i = 0; i < sizeof(status); i++) {
		setup();
		open_it();
		card.registers[STATUS] |= status[i];
		assert_false(card.nic.link(&card.nic));
		assert_string_equal(card.nic.problem, "it has given up and needs a reset");
		card_assert_left_alone();
		card.nic.close(&card.nic);
		assert_int_equal(card.registers[STATUS], 0);
		assert_false(card_is_master());
	}
}

TEST_F(setup, card_free, test_manners)
{
	open_it();
	card_assert_manners(VIRTIO_NET_TX, frame_arrives);
}

/* More frames than the rings' indices have values. */
TEST_F(setup, card_free, test_round_and_round)
{
	open_it();
	card_assert_goes_round(65536 + 300, frame_arrives);
}

TEST_F(setup, card_free, test_a_full_queue)
{
	unsigned n;

	open_it();
	for (unsigned round = 0; round < 4; round++) {
		model.idle = true;
		for (n = 0; card_send(60 + n, n); n++)
			assert_true(n < VIRTIO_NET_TX);
		assert_int_equal(n, VIRTIO_NET_TX);
		assert_string_equal(card.nic.problem, "");
		model.idle = false;
		model.backwards = round % 2;
		work();
		assert_int_equal(card.frames_sent, (round + 1) * VIRTIO_NET_TX);
		card_assert_frame(card.sent, card.sent_bytes,
				  model.backwards ? 0 : VIRTIO_NET_TX - 1);
	}
}

TEST_F(setup, card_free, test_queues_of_other_sizes)
{
	/* The device's largest size; the sizes in use: receive, send. 0: refused. */
	static const uint16_t rows[][3] = {
		{ 1024, 256, 64 }, { 32768, 256, 64 }, { 65535, 256, 64 }, { 100, 64, 64 },
		{ 4, 4, 4 },       { 3, 2, 2 },        { 1, 1, 1 },        { 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setup();
		model.queue[0].size_max = model.queue[1].size_max = rows[i][0];
		if (!rows[i][1]) {
			card_assert_refused(&virtio_net_driver, "it has no queue 0");
			continue;
		}
		open_it();
		assert_int_equal(size_of(&model.queue[0]), rows[i][1]);
		assert_int_equal(size_of(&model.queue[1]), rows[i][2]);
		for (unsigned n = 0; n < 600; n++) {
			assert_true(card_send(100, n));
			card_assert_frame(card.sent, 100, n);
			assert_true(frame_arrives(100, n));
			card_assert_receives(100, n);
		}
	}
	setup();
	model.queue[1].size_max = 0;
	card_assert_refused(&virtio_net_driver, "it has no queue 1");
}

TEST_F(setup, card_free, test_all_buffers_full)
{
	open_it();
	card_assert_fills(VIRTIO_NET_RX, frame_arrives);
}

TEST_F(setup, card_free, test_frames_that_are_dropped)
{
	static const uint32_t claimed[] = {
		0, 1, 11, 12, 12 + 1519, 2048, 2049, 65536, UINT32_MAX
	};
	const size_t count = sizeof(claimed) / sizeof(claimed[0]);

	open_it();
	for (unsigned i = 0; i < count; i++)
		assert_true(arrives_as(0, claimed[i], i));
	assert_true(frame_arrives(100, 99));
	card_assert_receives(100, 99);
	assert_int_equal(card.dropped, count);
	assert_int_equal(card.received, 1);
	assert_string_equal(card.nic.problem, "");
}

/* Return each buffer with a length of 0, as soon as the device is notified of it. */
static void nothing_again(uint64_t address, unsigned bytes, uint32_t value)
{
	on_write(address, bytes, value);
	if (address == NIC_BAR + NOTIFY && value == 0)
		arrives_as(0, 0, 0);
}

TEST_F(setup, card_free, test_damage_without_end)
{
	open_it();
	fake.on_memory_write = nothing_again;
	arrives_as(0, 0, 0);
	card_assert_receives_nothing();
	assert_int_equal(card.dropped, VIRTIO_NET_RX);
	assert_string_equal(card.nic.problem, "");
}

static void assert_breaks(const char *problem)
{
	card_assert_receives_nothing();
	assert_string_equal(card.nic.problem, problem);
	card_assert_left_alone();
	card.nic.close(&card.nic);
	assert_false(card_is_master());
	assert_string_equal(card.nic.problem, problem);
	setup();
	open_it();
}

TEST_F(setup, card_free, test_used_rings_that_lie)
{
	struct queue *q = &model.queue[0];

	open_it();
	fake_put(part(q, 2, 2, 2), 257, 2);
	assert_breaks("queue 0: it returned 257 buffers and has 256");
	frame_arrives(100, 0);
	card_assert_receives(100, 0);
	fake_put(part(q, 2, 2, 2), 0, 2); /* backwards */
	assert_breaks("queue 0: it returned 65535 buffers and has 256");
	put_used(q, 256, 100);
	assert_breaks("queue 0: it returned buffer 256, which it does not have");
	put_used(q, UINT32_MAX, 100);
	assert_breaks("queue 0: it returned buffer 4294967295, which it does not have");
	put_used(q, 65536 + 3, 100); /* 3, in 16 bits */
	assert_breaks("queue 0: it returned buffer 65539, which it does not have");
}

TEST_F(setup, card_free, test_a_buffer_that_comes_twice)
{
	struct queue *q = &model.queue[1];

	open_it();
	model.idle = true;
	assert_true(card_send(100, 1));
	assert_true(card_send(100, 2));
	put_used(q, 1, 0);
	assert_true(card_send(100, 3));
	put_used(q, 0, 0);
	put_used(q, 0, 0);
	assert_false(card_send(100, 4));
	assert_string_equal(card.nic.problem,
			    "queue 1: it returned buffer 0, which it does not have");
	card_assert_left_alone();
}

TEST_F(setup, card_free, test_a_queue_that_was_never_used_is_done)
{
	open_it();
	put_used(&model.queue[1], 0, 0);
	assert_false(card_send(100, 1));
	assert_string_equal(card.nic.problem, "queue 1: it returned 1 buffers and has 0");
}

TEST_F(setup, card_free, test_notifications_past_their_area)
{
	model.queue[0].notify_offset = 0x1000 / STEP - 1;
	open_it();
	setup();
	model.queue[0].notify_offset = 0x1000 / STEP;
	card_assert_refused(&virtio_net_driver, "queue 0 has its notification past their area");
	setup();
	fake_put(card.function->reg + CAP_NOTIFY + 16, UINT32_MAX, 4);
	model.queue[1].notify_offset = 0xffff;
	card_assert_refused(&virtio_net_driver, "queue 1 has its notification past their area");
	/* The address is not a multiple of the size. */
	setup();
	fake_put(card.function->reg + CAP_NOTIFY + 16, 1, 4);
	card_assert_refused(&virtio_net_driver, "queue 1 has its notification past their area");
}

/* All queues by one register: a step of 0. */
TEST_F(setup, card_free, test_one_notification_for_all)
{
	fake_put(card.function->reg + CAP_NOTIFY + 16, 0, 4);
	model.queue[0].notify_offset = 0;
	model.queue[1].notify_offset = 0;
	open_it();
	assert_true(card_send(100, 1));
	assert_int_equal(card.frames_sent, 1);
}

TEST_F(setup, card_free, test_structures_that_lead_nowhere)
{
	/* A capability, and what is wrong with it. */
	static const struct {
		unsigned at;
		uint8_t type, bar;
		uint32_t offset, bytes;
		const char *problem;
	} rows[] = {
		{ CAP_COMMON, 5, 0, COMMON, 0x1000, "it has no modern virtio interface" },
		{ CAP_COMMON, 1, 6, COMMON, 0x1000, "it has no modern virtio interface" },
		{ CAP_COMMON, 1, 1, COMMON, 0x1000, "it has no modern virtio interface" },
		{ CAP_COMMON, 1, 2, COMMON, 0x1000, "it has no modern virtio interface" },
		{ CAP_COMMON, 1, 0, COMMON, 0x37, "it has no modern virtio interface" },
		{ CAP_COMMON, 1, 0, COMMON + 2, 0x1000, "it has no modern virtio interface" },
		{ CAP_COMMON, 1, 0, 0xfffffffc, 0x1000, "registers at 0xfffffffc lie past BAR 0" },
		{ CAP_COMMON, 1, 3, 0, 0x1000, "BAR 3 at 0xd0000000 cannot be mapped" },
		{ CAP_NOTIFY, 5, 0, NOTIFY, 0x1000, "it has no modern virtio interface" },
		{ CAP_NOTIFY, 2, 0, NOTIFY, 1, "it has no modern virtio interface" },
		{ CAP_NOTIFY, 2, 0, NOTIFY + 1, 0x1000, "it has no modern virtio interface" },
		{ CAP_NOTIFY, 2, 0, NOTIFY, UINT32_MAX, "registers at 0x3000 lie past BAR 0" },
		{ CAP_CONFIG, 4, 0, 0x40000, 0x1000, "registers at 0x40000 lie past BAR 0" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setup();
		fake_put(card.function->reg + PCI_BAR0 + 8, 0xc001, 4);
		fake_put(card.function->reg + PCI_BAR0 + 12, 0xd0000000, 4);
		put_capability(rows[i].at, rows[i].type, rows[i].bar, rows[i].offset,
			       rows[i].bytes);
		card_assert_refused(&virtio_net_driver, rows[i].problem);
		if (rows[i].at == CAP_COMMON)
			assert_int_equal(fake.memory_writes, 0);
	}
}

/* 4.1.4.1: the first that can be used. */
TEST_F(setup, card_free, test_more_than_one_of_a_kind)
{
	fake_put(card.function->reg + PCI_BAR0 + 8, 0xc001, 4);
	put_capability(CAP_COMMON, 1, 2, 0, 0x1000); /* in I/O space */
	put_capability(CAP_LAST, 1, 0, COMMON, 0x1000);
	put_capability(CAP_LAST + 20, 1, 0, 0x8000, 0x1000);
	fake_put(card.function->reg + CAP_LAST + 21, 0, 1);
	open_it();
}

/* A capability whose fields would lie past the space that they are in. */
TEST_F(setup, card_free, test_a_capability_at_the_end)
{
	uint8_t *last;

	/* The only common configuration; all else is as it should be. */
	put_capability(CAP_COMMON, 5, 0, 0, 0);
	last = card.function->reg + 0xf4;
	fake_put(card.function->reg + CAP_LAST + 1, 0xf4, 1);
	fake_put(last, 0x01100009, 4);
	fake_put(last + 8, COMMON, 4);
	card_assert_refused(&virtio_net_driver, "it has no modern virtio interface");
	/* The notifications, whose step would be the first field past the end. */
	setup();
	put_capability(CAP_NOTIFY, 5, 0, 0, 0);
	last = card.function->reg + 0xf0;
	fake_put(card.function->reg + CAP_LAST + 1, 0xf0, 1);
	fake_put(last, 0x02100009, 4);
	fake_put(last + 8, NOTIFY, 4);
	fake_put(last + 12, 0x1000, 4);
	card_assert_refused(&virtio_net_driver, "it has no modern virtio interface");
}

TEST_F(setup, card_free, test_a_reset_that_does_not_end)
{
	model.resetting = true;
	card_assert_refused(&virtio_net_driver, "its reset does not end");
	card_assert_left_alone();
}

TEST_F(setup, card_free, test_close)
{
	open_it();
	frame_arrives(100, 1);
	card.nic.close(&card.nic);
	assert_int_equal(model.resets, 2);
	assert_int_equal(card.registers[STATUS], 0);
	assert_false(card_is_master());
	assert_string_equal(card.nic.problem, "it is closed");
	card_assert_left_alone();
	card.nic.close(&card.nic);
	assert_int_equal(model.resets, 2);
}

TEST_F(setup, card_free, test_close_where_the_reset_does_not_end)
{
	open_it();
	model.resetting = true;
	card.nic.close(&card.nic);
	assert_false(card_is_master());
	card_assert_left_alone();
}
