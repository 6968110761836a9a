/* SPDX-License-Identifier: BSD-2-Clause */
/* Network cards: which there are, who drives them, and that the others are made quiet. */
#include "drivers/nic/e1000e_row.h"
#include "drivers/nic/nic.h"
#include "drivers/nic/virtio.h"
#include "tests/unit/common/test.h"
#include "tests/unit/fake_pci.h"

#define NIC_CLASS 0x020000

static struct pci pci;
static struct nics cards;

static void setup(void)
{
	fake_reset();
	memset(&cards, 0, sizeof(cards));
}

static struct fake_function *add(uint8_t bus, uint8_t device, uint32_t id, uint32_t class,
				 uint16_t command)
{
	struct fake_function *f = fake_add(bus, device, 0, id, class);

	fake_put(f->reg + PCI_COMMAND, command, 2);
	return f;
}

static void scan(void)
{
	fake_open(&pci);
	nics_scan(&cards, &pci);
}

static uint16_t command_of(const struct fake_function *f)
{
	return (uint16_t)fake_get(f->reg + PCI_COMMAND, 2);
}

TEST_F(setup, NULL, test_each_card_has_its_driver)
{
	add(0, 1, 0x10411af4, NIC_CLASS, 7);
	add(0, 2, 0x10001af4, NIC_CLASS, 7);
	add(0, 3, 0x10d38086, NIC_CLASS, 7);
	add(0, 4, 0x100e8086, NIC_CLASS, 7);
	add(0, 5, 0x813910ec, NIC_CLASS, 7); /* nobody's */
	add(0, 6, 0x10421af4, 0x010000, 7);  /* a disk */
	scan();
	assert_int_equal(cards.count, 5);
	assert_ptr_equal(cards.card[0].driver, &virtio_net_driver);
	assert_ptr_equal(cards.card[1].driver, &virtio_net_driver);
	assert_ptr_equal(cards.card[2].driver, &e1000e_driver);
	assert_ptr_equal(cards.card[3].driver, &e1000e_driver);
	assert_null(cards.card[4].driver);
	assert_int_equal(cards.card[2].id, 0x10d38086);
}

TEST_F(setup, NULL, test_a_card_by_its_address)
{
	struct pci_address at = { 0, 2, 3, 0 };
	TEXT_DEFINE(t, 40);

	add(0, 3, 0x10411af4, NIC_CLASS, 0);
	add(2, 3, 0x10d38086, NIC_CLASS, 0);
	scan();
	assert_ptr_equal(nics_at(&cards, &at), &cards.card[1]);
	nics_print_name(&t, nics_at(&cards, &at));
	assert_string_equal(t.buf, "0000:02:03.0 8086:10d3");
	for (unsigned i = 0; i < 4; i++) {
		struct pci_address wrong = at;

		wrong.segment += i == 0;
		wrong.bus += i == 1;
		wrong.device += i == 2;
		wrong.function += i == 3;
		assert_null(nics_at(&cards, &wrong));
	}
}

TEST_F(setup, NULL, test_unused_cards_are_made_quiet)
{
	struct fake_function *used = add(0, 1, 0x10411af4, NIC_CLASS, 0x407);
	struct fake_function *busy = add(0, 2, 0x10d38086, NIC_CLASS, 0x407);
	struct fake_function *radio = add(1, 2, 0x27238086, 0x028000, 0x006);
	struct fake_function *off = add(0, 3, 0x813910ec, NIC_CLASS, 0x003);
	struct fake_function *disk = add(0, 4, 0x10421af4, 0x010000, 0x407);
	struct nics_stopped done;

	scan();
	cards.card[0].in_use = true;
	done = nics_stop_dma(&pci, &cards);
	assert_int_equal(done.switched_off, 2);
	assert_int_equal(done.stuck, 0);
	assert_int_equal(command_of(used), 0x407);
	assert_int_equal(command_of(busy), 0x403);
	assert_int_equal(command_of(radio), 0x002);
	assert_int_equal(command_of(off), 0x003);
	assert_int_equal(command_of(disk), 0x407);
	assert_int_equal(fake.config_writes, 2);
	cards.card[0].in_use = false;
	done = nics_stop_dma(&pci, &cards);
	assert_int_equal(done.switched_off, 1);
	assert_int_equal(command_of(used), 0x403);
}

static void stays_on(struct fake_function *f, unsigned offset)
{
	if (offset == PCI_COMMAND)
		f->reg[PCI_COMMAND] |= PCI_COMMAND_MASTER;
}

TEST_F(setup, NULL, test_a_card_that_stays_on)
{
	struct nics_stopped done;

	add(0, 1, 0x10d38086, NIC_CLASS, 7);
	fake.on_config_write = stays_on;
	scan();
	done = nics_stop_dma(&pci, &cards);
	assert_int_equal(done.switched_off, 0);
	assert_int_equal(done.stuck, 1);
}

/* Cards past the list's end have their bus mastering switched off all the same. */
TEST_F(setup, NULL, test_more_than_there_is_room_for)
{
	const unsigned more = NICS_MAX + 2;

	for (unsigned i = 0; i < more; i++)
		add((uint8_t)(i / 16), (uint8_t)(i % 16), 0x10d38086, NIC_CLASS, 7);
	scan();
	assert_int_equal(cards.count, NICS_MAX);
	assert_int_equal(nics_stop_dma(&pci, &cards).switched_off, more);
}
