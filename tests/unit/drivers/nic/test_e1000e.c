/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's gigabit cards against a model of one that follows the datasheets, and against cards that
 * do not. The names of registers and the meanings of bits are written down here once more, from the
 * datasheets.
 */
#include "drivers/nic/e1000e_row.h"
#include "tests/unit/common/test.h"
#include "tests/unit/fake_nic.h"

#define ID_82540EM 0x100e8086u
#define ID_82574L  0x10d38086u
#define ID_82571EB 0x105e8086u
#define ID_I210    0x15338086u
#define ID_I219    0x15b88086u
#define ID_ICH8    0x104a8086u
#define ID_I225    0x15f28086u

#define CTRL   0x0000u
#define STATUS 0x0008u
#define MDIC   0x0020u
#define RCTL   0x0100u
#define TCTL   0x0400u
#define TIPG   0x0410u
/* Registers with other addresses in an I225. */
#define ICR    (model.later ? 0x1500u : 0x00c0u)
#define IMC    (model.later ? 0x150cu : 0x00d8u)
#define RDBAL  (model.later ? 0xc000u : 0x2800u)
#define RDLEN  (RDBAL + 0x08u)
#define SRRCTL (RDBAL + 0x0cu)
#define RDH    (RDBAL + 0x10u)
#define RDT    (RDBAL + 0x18u)
#define RXDCTL (RDBAL + 0x28u)
#define TDBAL  (model.later ? 0xe000u : 0x3800u)
#define TDLEN  (TDBAL + 0x08u)
#define TDH    (TDBAL + 0x10u)
#define TDT    (TDBAL + 0x18u)
#define TXDCTL (TDBAL + 0x28u)
#define EXTCNF 0x0f00u
#define RAL    0x5400u
#define RAH    0x5404u
#define MANC   0x5820u
#define SWSM   0x5b50u
#define SYNC   0x5b5cu

#define CTRL_RST     (1u << 26)
#define CTRL_GIO_DIS (1u << 2)
#define STATUS_LU    (1u << 1)
#define STATUS_GIO   (1u << 19)
#define QUEUE_ENABLE (1u << 25)
#define MDIO_OWNER   (1u << 5)
#define SWESMBI      (1u << 1)
#define KEEP_PHY     (1u << 18)

/* Address that a reset loads; the firmware had chosen another. */
static const uint8_t mac[] = { 0x52, 0x54, 0x00, 0x65, 0x43, 0x21 };

/* Options of the model, and its observations. */
static struct {
	bool advanced;  /* descriptors: I210's kind */
	bool later;     /* I225's registers */
	bool idle;      /* sends nothing */
	bool resetting; /* for ever */
	bool queue_off; /* RXDCTL's enable stays 0 */
	bool no_mac;    /* a reset loads none */
	bool shared;    /* management firmware asks for the PHY, too */
	unsigned busy;  /* reads of its semaphore that find it taken */
	uint32_t keeps; /* bits of SW_FW_SYNC that it keeps */
	unsigned port;
	uint32_t flushes; /* the register that flushes pending descriptors */
	unsigned resets, negotiations, flushed;
	bool masked; /* all interrupts, since the last reset */
	bool asked;  /* interrupt causes were read, which clears them */
} model;

static uint8_t *descriptor(uint32_t ring, unsigned i)
{
	uint64_t base = card_get64(card.registers + ring);

	return card_dma(base + 16 * i, 16);
}

/* Lowest bit of the length in a descriptor's second half. */
static unsigned rx_length_at(void)
{
	return model.advanced ? 12 : 8;
}

static void send_one(unsigned i)
{
	uint8_t *d = descriptor(TDBAL, i);
	uint32_t command = fake_get(d + 8, 4);
	size_t bytes = command & 0xffff;

	/* End of packet, checksum, report; and in an advanced descriptor its kind and length. */
	assert_int_equal(command >> 24, model.advanced ? 0x2b : 0x0b);
	assert_int_equal(command >> 16 & 0xff, model.advanced ? 0x30 : 0);
	assert_int_equal(fake_get(d + 12, 4), model.advanced ? bytes << 14 : 0);
	card_transmit(card_dma(card_get64(d), bytes), bytes);
	fake_put(d + 12, 1, 4);
}

static void work(void)
{
	unsigned size = card_register(TDLEN) / 16, head = card_register(TDH);

	if (model.idle || !(card_register(TCTL) & 2))
		return;
	for (; head != card_register(TDT); head = (head + 1) % size)
		send_one(head);
	card_set_register(TDH, head);
}

static void reset_registers(void)
{
	uint32_t manc = card_register(MANC);

	model.resets++;
	model.masked = model.asked = false;
	memset(card.registers, 0, sizeof(card.registers));
	card_set_register(STATUS, STATUS_LU | STATUS_GIO | model.port << 2);
	card_set_register(MANC, manc);
	card_set_register(SYNC, model.keeps);
	if (!model.no_mac) {
		memcpy(card.registers + RAL, mac, 6);
		card_set_register(RAH, card_register(RAH) | 1u << 31);
	}
}

/* The semaphore bits read as 0 while firmware holds them. */
static void give_semaphore(uint32_t reg, uint32_t bit, uint32_t value)
{
	if (value & bit && model.busy) {
		model.busy--;
		card_set_register(reg, value & ~bit);
	}
}

/* 82574 4.6, 82571, 82576 4.7. */
static bool has_phy(void)
{
	static const uint32_t bits[] = { 0x02, 0x04, 0x20, 0x40 };

	switch (fake_get(card.function->reg + PCI_ID, 4)) {
	case ID_82574L:
		return card_register(EXTCNF) & MDIO_OWNER;
	case ID_82571EB:
		return card_register(SWSM) & SWESMBI;
	case ID_I210:
	case ID_I225:
		return card_register(SYNC) == (bits[model.port] | model.keeps);
	default:
		return true;
	}
}

/* Descriptors that the last driver has left, in memory that is no longer its own. */
static void flush(uint32_t reg, uint32_t value)
{
	const uint8_t *d = descriptor(TDBAL, 0);

	assert_true(card_register(0x5bbc) & 1u << 13);
	assert_int_equal(card_register(RDH), card_register(RDT));
	descriptor(RDBAL, 0);
	if (reg != model.flushes || !value || !(card_register(TCTL) & 2))
		return;
	/* The end of a packet is missing, so nothing goes out. */
	assert_int_equal(fake_get(d + 8, 4) >> 24, 0x02);
	fake_put(card.function->reg + 0xe4, 0, 2);
	model.flushed++;
}

static bool is_pending(void)
{
	return fake_get(card.function->reg + PCI_ID, 4) == ID_I219 &&
	       fake_get(card.function->reg + 0xe4, 2) & 0x100;
}

static void on_read(uint64_t address, unsigned bytes)
{
	(void)bytes;
	model.asked |= address == NIC_BAR + ICR;
	/* SMBI: each read takes it. */
	if (address == NIC_BAR + SWSM && !model.resetting)
		card_set_register(SWSM, card_register(SWSM) | 1);
}

/*
 * True for registers of other families' rings and interrupts, where an I225 has something else or
 * nothing.
 */
static bool is_of_others(uint32_t reg)
{
	return reg == 0xc0 || reg == 0xd8 || reg >> 8 == 0x28 || reg >> 8 == 0x38;
}

static void on_write(uint64_t address, unsigned bytes, uint32_t value)
{
	uint32_t reg = (uint32_t)(address - NIC_BAR);

	assert_int_equal(bytes, 4);
	assert_false(model.later && is_of_others(reg));
	if (reg == EXTCNF)
		give_semaphore(reg, MDIO_OWNER, value);
	else if (reg == SWSM)
		give_semaphore(reg, SWESMBI, value);
	else if (is_pending() && (reg == TDT || reg == RCTL) && value) {
		flush(reg, value);
		return;
	} else if (reg == CTRL && value & CTRL_RST && model.shared)
		assert_true(card_register(EXTCNF) & MDIO_OWNER);
	if (reg == CTRL && value & CTRL_RST && !model.resetting)
		reset_registers();
	else if (reg == CTRL && value & CTRL_GIO_DIS)
		card_set_register(STATUS, card_register(STATUS) & ~STATUS_GIO);
	else if (reg == IMC && value == UINT32_MAX)
		model.masked = true;
	else if (reg == TDT)
		work();
	else if (reg == RXDCTL && model.queue_off)
		card_set_register(RXDCTL, value & ~QUEUE_ENABLE);
	else if (reg == MDIC) {
		model.negotiations++;
		assert_true(has_phy());
		/* Write, PHY 1, or 0 in an I225, register 0: negotiate, neither power-down nor
		 * isolate. */
		assert_int_equal(value >> 16, model.later ? 0x0400 : 0x0420);
		assert_int_equal(value & 0x1e00, 0x1200);
		card_set_register(MDIC, value | 1u << 28);
	}
}

/* A card that its last driver left at work. */
static void lay(uint32_t id)
{
	card_lay(id);
	memset(&model, 0, sizeof(model));
	model.later = id == ID_I225;
	model.advanced = id == ID_I210 || model.later;
	reset_registers();
	model.resets = 0;
	card_set_register(RCTL, 0x801e);
	card_set_register(TDLEN, 4096);
	card_set_register(RAH, 0x80005634);
	card_set_register(RAL, 0x12005452);
	fake.on_memory_write = on_write;
	fake.on_memory_read = on_read;
}

static void open_it(uint32_t id)
{
	lay(id);
	assert_true(card_open(&e1000e_driver));
	assert_string_equal(card.nic.problem, "");
}

/* One descriptor's worth comes: the length it claims, and what there is. False: no room. */
static bool arrives(size_t claimed, unsigned n, uint8_t status, uint8_t errors)
{
	unsigned size = card_register(RDLEN) / 16, head = card_register(RDH);
	uint8_t frame[2048], *d;

	assert_true(card_register(RCTL) & 2);
	if (head == card_register(RDT))
		return false;
	d = descriptor(RDBAL, head);
	card_frame(frame, sizeof(frame), n);
	memcpy(card_dma(card_get64(d), sizeof(frame)), frame, sizeof(frame));
	fake_put(d + rx_length_at(), claimed, 2);
	if (model.advanced) {
		card_put64(d, UINT64_MAX); /* type, hash: the address is gone */
		fake_put(d + 8, (uint32_t)errors << 24 | status, 4);
	} else {
		fake_put(d + 12, (uint32_t)errors << 8 | status, 2);
	}
	card_set_register(RDH, (head + 1) % size);
	return true;
}

#define DONE 1
#define END  2

static bool frame_arrives(size_t bytes, unsigned n)
{
	return arrives(bytes, n, DONE | END, 0);
}

static void setup(void)
{
	lay(ID_82574L);
}

TEST_F(setup, card_free, test_which_cards_it_drives)
{
	static const uint16_t known[] = { 0x100e, 0x10d3, 0x105e, 0x109a, 0x150c, 0x104a, 0x1502,
					  0x153a, 0x15b8, 0x1521, 0x1533, 0x1539, 0x10a7, 0x150e,
					  0x0dc5, 0x0dc8, 0x550a, 0x550c, 0x5511, 0x57a0, 0x57a1,
					  0x57b3, 0x57b8, 0x15f2, 0x15f3, 0x15f7, 0x15f8, 0x0d9f,
					  0x3100, 0x3101, 0x3102, 0x5502, 0x5503, 0x125b, 0x125c,
					  0x125d, 0x125e };
	/*
	 * The last two have lost the contents of their memory: they have no address, and maybe no
	 * link.
	 */
	static const uint16_t unknown[] = { 0x0000, 0x1000, 0x10fb, 0xffff, 0x0dc4, 0x0dc9, 0x5509,
					    0x5512, 0x57a2, 0x57b2, 0x57b9, 0x125f, 0x15fd };

	for (size_t i = 0; i < sizeof(known) / 2; i++) {
		assert_true(e1000e_driver.drives((uint32_t)known[i] << 16 | 0x8086));
		assert_false(e1000e_driver.drives((uint32_t)known[i] << 16 | 0x1af4));
	}
	for (size_t i = 0; i < sizeof(unknown) / 2; i++)
		assert_false(e1000e_driver.drives((uint32_t)unknown[i] << 16 | 0x8086));
}

TEST_F(setup, card_free, test_open)
{
	static const uint32_t ids[] = { ID_82540EM, ID_82574L, ID_I219, ID_I210, ID_ICH8, ID_I225 };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		open_it(ids[i]);
		assert_int_equal(model.resets, 1);
		assert_true(model.masked && model.asked);
		assert_true(card_is_master());
		assert_true(card_command() & PCI_COMMAND_NO_INTX);
		assert_true(card_command() & PCI_COMMAND_MEMORY);
		/* On, all multicast, broadcasts, checksum off; not promiscuous, 2 KB buffers. */
		assert_int_equal(card_register(RCTL), 0x04008012);
		assert_int_equal(card_register(TCTL) & 0xa, 0xa);
		/* The address of before, not the one that the reset loads. */
		assert_memory_equal(card.nic.mac, "\x52\x54\x00\x12\x34\x56", 6);
		assert_int_equal(card_register(RAL), 0x12005452);
		assert_int_equal(card_register(RAH), 0x80005634);
		assert_string_equal(card.nic.driver, "e1000e");
		assert_true(card.nic.link(&card.nic));
		assert_int_equal(model.negotiations, 0);
	}
}

/* Steps that only some families need, from their datasheets. */
TEST_F(setup, card_free, test_what_differs)
{
	for (unsigned i = 0; i < 2; i++) {
		open_it(i ? ID_I225 : ID_I210);
		assert_int_equal(card_register(RXDCTL), QUEUE_ENABLE);
		assert_int_equal(card_register(TXDCTL), QUEUE_ENABLE);
		assert_int_equal(card_register(SRRCTL), 0x02000002);
		assert_int_equal(card_register(0x18), 1u << 28);
	}
	open_it(ID_82574L);
	assert_int_equal(card_register(RXDCTL), 0);
	assert_int_equal(card_register(TXDCTL), 0x01410000);
	assert_int_equal(card_register(0x18), 1u << 28);
	open_it(ID_82540EM);
	assert_int_equal(card_register(TXDCTL), 0);
	assert_int_equal(card_register(TIPG), 0x0060200a);
	assert_int_equal(card_register(0x18), 0);
	open_it(ID_I219);
	assert_int_equal(card_register(0x5bbc), 1u << 13);
}

/*
 * At 2.5 Gbit/s the gap between frames that a reset chooses is too short for IEEE 802.3 (I225
 * Specification Update, "IEEE behavior in 2.5Gbps mode"; open drivers make it 0Bh). The gaps of
 * half duplex stay.
 */
static void choose_gaps(uint64_t address, unsigned bytes, uint32_t value)
{
	on_write(address, bytes, value);
	if (address == NIC_BAR + CTRL && value & CTRL_RST)
		card_set_register(TIPG, 0x00602008);
}

TEST_F(setup, card_free, test_gaps_at_two_and_a_half_gigabit)
{
	for (unsigned i = 0; i < 2; i++) {
		lay(i ? ID_I225 : ID_I210);
		fake.on_memory_write = choose_gaps;
		assert_true(card_open(&e1000e_driver));
		assert_int_equal(card_register(TIPG), i ? 0x0060200b : 0x00602008);
	}
}

/* An I225's rings are at higher addresses than the registers of the others reach. */
TEST_F(setup, card_free, test_registers_that_end_too_early)
{
	lay(ID_I225);
	fake_put(card.function->reg + PCI_BAR0, NIC_BAR + 0x8000, 4);
	card_assert_refused(&e1000e_driver, "lie past BAR 0");
	assert_int_equal(fake.memory_reads + fake.memory_writes, 0);
}

/* Before the reset, which clears what is seen afterwards. */
static uint32_t seen[4];

static void see_sizes(uint64_t address, unsigned bytes, uint32_t value)
{
	if (address == NIC_BAR + CTRL && value & CTRL_RST) {
		seen[0] = card_register(0x1000);
		seen[1] = card_register(0x1008);
		seen[2] = card_register(0x2404);
		seen[3] = card_register(0x3404);
	}
	on_write(address, bytes, value);
}

TEST_F(setup, card_free, test_buffer_sizes_before_the_reset)
{
	lay(ID_ICH8);
	fake.on_memory_write = see_sizes;
	assert_true(card_open(&e1000e_driver));
	assert_int_equal(seen[0], 8);
	assert_int_equal(seen[1], 16);
	lay(ID_I210);
	fake.on_memory_write = see_sizes;
	assert_true(card_open(&e1000e_driver));
	assert_int_equal(seen[2], 0xa2);
	assert_int_equal(seen[3], 0x04000014);
}

TEST_F(setup, card_free, test_manners)
{
	open_it(ID_82574L);
	card_assert_manners(E1000E_TX, frame_arrives);
}

/* Descriptors that are never done, for as long as the card is idle. */
static void send_to_an_idle_card(uint32_t id)
{
	unsigned n = 0;

	open_it(id);
	for (unsigned round = 0; round < 3; round++) {
		model.idle = true;
		for (n = 0; card_send(60 + n, n); n++)
			assert_true(n < E1000E_TX);
		assert_int_equal(n, E1000E_TX - 1);
		assert_string_equal(card.nic.problem, "");
		assert_int_equal(card.frames_sent, round * (E1000E_TX - 1));
		model.idle = false;
		work();
	}
	assert_true(card_send(60, n));
}

TEST_F(setup, card_free, test_a_card_that_does_not_get_rid_of_frames)
{
	send_to_an_idle_card(ID_82574L);
	send_to_an_idle_card(ID_I225);
}

TEST_F(setup, card_free, test_round_and_round)
{
	static const uint32_t ids[] = { ID_82574L, ID_I210, ID_82540EM, ID_I225 };

	for (size_t i = 0; i < 4; i++) {
		open_it(ids[i]);
		card_assert_goes_round(5 * (E1000E_TX + E1000E_RX) + 3, frame_arrives);
	}
}

TEST_F(setup, card_free, test_a_full_ring)
{
	open_it(ID_82574L);
	card_assert_fills(E1000E_RX - 1, frame_arrives);
}

TEST_F(setup, card_free, test_frames_that_are_dropped)
{
	static const struct {
		uint16_t bytes;
		uint8_t status, errors;
	} rows[] = {
		{ 0, DONE | END, 0 },      { 1519, DONE | END, 0 },   { 2049, DONE | END, 0 },
		{ 65535, DONE | END, 0 },  { 100, DONE | END, 0x01 }, { 100, DONE | END, 0x80 },
		{ 100, DONE | END, 0x97 },
	};
	static const uint32_t ids[] = { ID_82574L, ID_I210, ID_I225 };
	const size_t count = sizeof(rows) / sizeof(rows[0]);

	for (size_t k = 0; k < 3; k++) {
		open_it(ids[k]);
		for (unsigned i = 0; i < count; i++)
			assert_true(arrives(rows[i].bytes, i, rows[i].status, rows[i].errors));
		assert_true(frame_arrives(100, 99));
		card_assert_receives(100, 99);
		assert_int_equal(card.dropped, count);
		assert_int_equal(card.received, 1);
		assert_string_equal(card.nic.problem, "");
	}
}

/* Checksum errors of IP are left to the stack: they do not concern the frame. */
TEST_F(setup, card_free, test_checksum_errors_of_ip_are_passed_on)
{
	open_it(ID_82574L);
	assert_true(arrives(100, 5, DONE | END, 0x60));
	card_assert_receives(100, 5);
}

TEST_F(setup, card_free, test_a_frame_in_parts_is_dropped_whole)
{
	open_it(ID_82574L);
	arrives(1500, 1, DONE, 0);
	arrives(1500, 2, DONE, 0);
	arrives(200, 3, DONE | END, 0);
	frame_arrives(100, 4);
	card_assert_receives(100, 4);
	assert_int_equal(card.dropped, 3);
	/* The driver does not wait for the rest of a frame. */
	arrives(1500, 1, DONE, 0);
	card_assert_receives_nothing();
	card_assert_receives_nothing();
	arrives(200, 3, DONE | END, 0);
	frame_arrives(100, 5);
	card_assert_receives(100, 5);
}

/* Each descriptor is marked as done again as soon as it is given back. */
static void done_again(uint64_t address, unsigned bytes, uint32_t value)
{
	on_write(address, bytes, value);
	if (address == NIC_BAR + RDT)
		fake_put(descriptor(RDBAL, value % E1000E_RX) + 8, 0xffffffff, 4);
	if (address == NIC_BAR + RDT)
		fake_put(descriptor(RDBAL, value % E1000E_RX) + 12, 0xffffffff, 4);
}

TEST_F(setup, card_free, test_damage_without_end)
{
	open_it(ID_82574L);
	fake.on_memory_write = done_again;
	for (unsigned i = 0; i < E1000E_RX; i++)
		memset(descriptor(RDBAL, i) + 8, 0xff, 8);
	card_assert_receives_nothing();
	assert_int_equal(card.dropped, E1000E_RX);
	card_assert_receives_nothing();
	assert_int_equal(card.dropped, 2 * E1000E_RX);
}

/* Descriptors that were never given are marked as sent. */
TEST_F(setup, card_free, test_sent_out_of_nowhere)
{
	open_it(ID_82574L);
	model.idle = true;
	for (unsigned i = 0; i < E1000E_TX; i++)
		memset(descriptor(TDBAL, i), 0xff, 16);
	for (unsigned n = 0; n < E1000E_TX - 1; n++)
		assert_true(card_send(60, n));
	assert_false(card_send(60, 0));
}

TEST_F(setup, card_free, test_a_reset_that_does_not_end)
{
	static const uint32_t ids[] = { ID_82574L, ID_I225 };

	for (size_t i = 0; i < 2; i++) {
		lay(ids[i]);
		model.resetting = true;
		card_assert_refused(&e1000e_driver, "its reset does not end");
		/* The card's receiver was stopped before. */
		assert_int_equal(card_register(RCTL), 0);
		card_assert_left_alone();
	}
}

TEST_F(setup, card_free, test_a_queue_that_stays_off)
{
	static const uint32_t ids[] = { ID_I210, ID_I225 };

	for (size_t i = 0; i < 2; i++) {
		lay(ids[i]);
		model.queue_off = true;
		card_assert_refused(&e1000e_driver, "its receive queue stays off");
		assert_int_equal(model.resets, 2);
	}
}

TEST_F(setup, card_free, test_addresses)
{
	card_set_register(RAL, 0);
	card_set_register(RAH, 0);
	assert_true(card_open(&e1000e_driver));
	assert_memory_equal(card.nic.mac, mac, 6);
	lay(ID_82574L);
	card_set_register(RAL, 0xffffffff);
	model.no_mac = true;
	card_assert_refused(&e1000e_driver, "it has no address of its own");
}

/* An I219 with descriptors pending must not be reset. */
TEST_F(setup, card_free, test_an_i219_that_would_hang)
{
	lay(ID_I219);
	fake_put(card.function->reg + 0xe4, 0x100, 2);
	card_assert_refused(&e1000e_driver, "a reset would hang it");
	assert_int_equal(model.resets, 0);
	for (unsigned i = 0; i < 2; i++) {
		lay(ID_I219);
		fake_put(card.function->reg + 0xe4, 0x100, 2);
		model.flushes = i ? RCTL : TDT;
		assert_true(card_open(&e1000e_driver));
		assert_int_equal(model.flushed, 1);
		assert_int_equal(model.resets, 1);
		assert_int_equal(card.frames_sent, 0);
		assert_int_equal(card_register(RCTL), 0x04008012);
	}
	lay(ID_I219);
	fake_put(card.function->reg + 0xe4, 0x100, 2);
	card_set_register(TDLEN, 0);
	assert_true(card_open(&e1000e_driver));
	lay(ID_82574L);
	fake_put(card.function->reg + 0xe4, 0x100, 2);
	assert_true(card_open(&e1000e_driver));
}

static void take_link_down(uint64_t address, unsigned bytes, uint32_t value)
{
	on_write(address, bytes, value);
	card_set_register(STATUS, card_register(STATUS) & ~STATUS_LU);
}

TEST_F(setup, card_free, test_link_down)
{
	static const uint32_t ids[] = { ID_82574L, ID_I225 };

	for (size_t i = 0; i < 2; i++) {
		lay(ids[i]);
		fake.on_memory_write = take_link_down;
		assert_true(card_open(&e1000e_driver));
		for (unsigned asked = 0; asked < 100; asked++)
			assert_false(card.nic.link(&card.nic));
		assert_int_equal(model.negotiations, 1);
		assert_string_equal(card.nic.problem, "");
		card_set_register(STATUS, STATUS_LU);
		assert_true(card.nic.link(&card.nic));
	}
	/* The PHY of a chipset's port is shared with others, so nothing is asked of it. */
	lay(ID_I219);
	fake.on_memory_write = take_link_down;
	assert_true(card_open(&e1000e_driver));
	assert_false(card.nic.link(&card.nic));
	assert_int_equal(model.negotiations, 0);
}

static void lay_without_link(uint32_t id)
{
	lay(id);
	fake.on_memory_write = take_link_down;
}

/* The PHY is given back, whatever the outcome. */
static void open_without_link(unsigned negotiations)
{
	assert_true(card_open(&e1000e_driver));
	assert_int_equal(model.negotiations, negotiations);
	assert_false(card_register(EXTCNF) & MDIO_OWNER);
	assert_false(card_register(SWSM) & 3);
	assert_int_equal(card_register(SYNC), model.keeps);
}

static const uint32_t lent[] = { ID_82574L, ID_82571EB, ID_I210, ID_I225 };
#define LENT (sizeof(lent) / sizeof(lent[0]))

/* Management firmware talks to the PHY as well. */
TEST_F(setup, card_free, test_the_phy_is_lent)
{
	for (size_t i = 0; i < LENT; i++) {
		lay_without_link(lent[i]);
		open_without_link(1);
		lay_without_link(lent[i]);
		model.busy = 3;
		open_without_link(1);
		assert_int_equal(model.busy, 0);
		lay_without_link(lent[i]);
		model.busy = UINT32_MAX;
		open_without_link(0);
	}
	for (unsigned port = 0; port < 4; port++) {
		static const uint32_t of_firmware[] = { 0x20000, 0x40000, 0x200000, 0x400000 };

		for (unsigned other = 0; other < 4; other++) {
			lay_without_link(ID_I210);
			model.port = port;
			model.keeps = of_firmware[other];
			open_without_link(port != other);
		}
	}
}

TEST_F(setup, card_free, test_firmware_that_wants_the_phy_left_alone)
{
	for (size_t i = 0; i < LENT; i++) {
		lay_without_link(lent[i]);
		card_set_register(MANC, KEEP_PHY);
		open_without_link(0);
	}
}

/* While it talks to the PHY, these must not be reset; but the wait for it ends. */
TEST_F(setup, card_free, test_a_reset_waits_for_firmware)
{
	static const uint32_t ids[] = { ID_82574L, ID_I219, ID_ICH8 };

	for (size_t i = 0; i < 3; i++) {
		lay(ids[i]);
		model.shared = true;
		model.busy = 3;
		assert_true(card_open(&e1000e_driver));
		assert_int_equal(model.resets, 1);
		assert_false(card_register(EXTCNF) & MDIO_OWNER);
		lay(ids[i]);
		model.busy = UINT32_MAX;
		assert_true(card_open(&e1000e_driver));
	}
}

/* A port that names another beside it may be the BMC's. */
TEST_F(setup, card_free, test_only_the_card_that_is_named)
{
	static const uint8_t other[] = { 0x52, 0x54, 0x00, 0x12, 0x34, 0x57 };
	static const uint8_t its[] = { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 };

	card.wanted = other;
	assert_false(card_open(&e1000e_driver));
	assert_string_equal(card.nic.problem, "");
	assert_int_equal(fake.memory_writes, 0);
	assert_true(card_is_master());
	lay(ID_82574L);
	card.wanted = its;
	assert_true(card_open(&e1000e_driver));
}

TEST_F(setup, card_free, test_a_card_that_is_gone)
{
	open_it(ID_82574L);
	memset(card.registers, 0xff, sizeof(card.registers));
	assert_false(card.nic.link(&card.nic));
	assert_string_equal(card.nic.problem, "it does not answer any more");
	card_assert_left_alone();
}

TEST_F(setup, card_free, test_close)
{
	open_it(ID_82574L);
	frame_arrives(100, 1);
	model.idle = true;
	assert_true(card_send(60, 1));
	card.nic.close(&card.nic);
	assert_int_equal(model.resets, 2);
	assert_true(model.masked);
	assert_false(card_is_master());
	assert_int_equal(card_register(RCTL), 0);
	assert_string_equal(card.nic.problem, "it is closed");
	card_assert_left_alone();
	card.nic.close(&card.nic);
	assert_int_equal(model.resets, 2);
}

TEST_F(setup, card_free, test_close_where_the_reset_does_not_end)
{
	open_it(ID_82574L);
	model.resetting = true;
	card.nic.close(&card.nic);
	assert_false(card_is_master());
	assert_string_equal(card.nic.problem, "its reset does not end");
	card_assert_left_alone();
}

TEST_F(setup, card_free, test_registers_that_lead_nowhere)
{
	fake_put(card.function->reg + PCI_BAR0, 0, 4);
	card_assert_refused(&e1000e_driver, "BAR 0 is not set");
	setup();
	fake_put(card.function->reg + PCI_BAR0, 0xc001, 4);
	card_assert_refused(&e1000e_driver, "BAR 0 is in I/O space");
	setup();
	fake_put(card.function->reg + PCI_BAR0, NIC_BAR + 0x1000, 4);
	card_assert_refused(&e1000e_driver, "lie past BAR 0");
	setup();
	fake_put(card.function->reg + PCI_BAR0, 0xd0000000, 4);
	card_assert_refused(&e1000e_driver, "BAR 0 at 0xd0000000 cannot be mapped");
	assert_int_equal(fake.memory_reads + fake.memory_writes, 0);
	setup();
	fake_put(card.function->reg + PCI_ID, 0x10fb8086, 4);
	card_assert_refused(&e1000e_driver, "it is not a known card");
	assert_int_equal(fake.memory_reads + fake.memory_writes, 0);
}

TEST_F(setup, card_free, test_nobody_there)
{
	fake.functions = 0;
	assert_false(card_open(&e1000e_driver));
	assert_string_equal(card.nic.problem, "it does not answer");
	assert_int_equal(fake.config_writes + fake.memory_reads + fake.memory_writes, 0);
}

static void no_memory(struct fake_function *f, unsigned offset)
{
	if (offset == PCI_COMMAND)
		f->reg[PCI_COMMAND] &= (uint8_t)~PCI_COMMAND_MEMORY;
}

TEST_F(setup, card_free, test_memory_that_is_off)
{
	fake_put(card.function->reg + PCI_COMMAND, 0, 2);
	assert_true(card_open(&e1000e_driver));
	assert_true(card_command() & PCI_COMMAND_MEMORY);
	setup();
	fake.on_config_write = no_memory;
	card_assert_refused(&e1000e_driver, "its memory decoding stays off");
}

static void stay_in_d3(struct fake_function *f, unsigned offset)
{
	if (offset == NIC_CAP_POWER + 4)
		f->reg[offset] |= 3;
}

TEST_F(setup, card_free, test_power)
{
	fake_put(card.function->reg + NIC_CAP_POWER + 4, 0x8003, 2);
	assert_true(card_open(&e1000e_driver));
	assert_int_equal(card.function->reg[NIC_CAP_POWER + 4], 0);
	setup();
	fake_put(card.function->reg + NIC_CAP_POWER + 4, 3, 2);
	fake.on_config_write = stay_in_d3;
	card_assert_refused(&e1000e_driver, "it stays in power state D3");
	assert_int_equal(fake.memory_reads + fake.memory_writes, 0);
}
