/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * virtio-net with its registers in memory, by both interfaces, and devices that are none or lie.
 * Offsets are written down here once more, from VIRTIO 1.2, 4.2.2 and 4.2.4.
 */
#include "drivers/nic/virtio.h"
#include "tests/unit/common/test.h"
#include "tests/unit/fake_pci.h"

#include <sys/mman.h>

#define BASE   UINT64_C(0xfeb00e00)
#define SPAN   0x200u
#define HEADER 12
#define LOW    ((void *)0x20000000) /* version 1 has 32 bits for a page's number */

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

#define F_MAC      (UINT64_C(1) << 5)
#define F_MERGE    (UINT64_C(1) << 15)
#define F_LAYOUT   (UINT64_C(1) << 27)
#define F_STATUS   (UINT64_C(1) << 16)
#define F_VERSION  (UINT64_C(1) << 32)
#define F_OTHERS   (UINT64_C(3) << 28)
#define DRIVER_OK  0x04
#define ALL_STATUS 0x0f

static const uint8_t mac[] = { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 };

static struct {
	uint8_t reg[SPAN];
	uint64_t offered, accepted;
	uint32_t size_max[2], size[2], ready[2];
	uint64_t part[2][3]; /* descriptors, available, used */
	unsigned resets, notified[2];
	struct nic nic;
	uint8_t *memory;
	bool is_stuck; /* its status stays as it is */
} device;

static uint32_t reg(unsigned at)
{
	return fake_get(device.reg + at, 4);
}

static void set(unsigned at, uint32_t value)
{
	fake_put(device.reg + at, value, 4);
}

static bool is_legacy(void)
{
	return reg(VERSION) == 1;
}

static uint32_t queue(void)
{
	assert_true(reg(QUEUE) < 2);
	return reg(QUEUE);
}

static void write_queue(uint32_t at, uint32_t value)
{
	uint32_t q = queue();

	if (at == QUEUE_NUM)
		device.size[q] = value;
	else if (at == PFN)
		device.part[q][0] = (uint64_t)value * reg(PAGE);
	else if (at == READY)
		device.ready[q] = value;
	else if (at >= PARTS)
		memcpy((uint8_t *)device.part[q] + (at - PARTS) / 16 * 8 + at % 16, &value, 4);
	/* The legacy device finds the other parts behind the first: 2.7.2. */
	if (at == PFN) {
		uint64_t end = device.part[q][0] + 16 * device.size[q];

		device.part[q][1] = end;
		end += 6 + 2 * device.size[q];
		device.part[q][2] = (end + reg(ALIGN) - 1) / reg(ALIGN) * reg(ALIGN);
		device.ready[q] = 1;
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
		device.resets++, device.accepted = 0;
	if (at == STATUS && device.is_stuck)
		set(STATUS, 0x80);
	if (at == ACCEPT)
		device.accepted |= (uint64_t)value << 32 * reg(ACCEPT_AT);
	if (at == QUEUE_NUM || at == PFN || at == READY || (at >= PARTS && at < 0xc0))
		write_queue(at, value);
	if (at == NOTIFY) {
		assert_true(value < 2 && reg(STATUS) & DRIVER_OK);
		device.notified[value]++;
	}
}

static void on_read(uint64_t address, unsigned bytes)
{
	uint32_t at = (uint32_t)(address - BASE);

	assert_int_equal(bytes, at >= CONFIG ? 1 : 4);
	if (at == OFFER)
		set(OFFER, (uint32_t)(device.offered >> 32 * reg(SELECT)));
	if (at == QUEUE_MAX)
		set(QUEUE_MAX, device.size_max[queue()]);
}

static void lay(uint32_t version)
{
	if (device.memory)
		munmap(device.memory, virtio_net_driver.memory);
	memset(&device, 0, sizeof(device));
	fake_reset();
	fake_memory(BASE, device.reg, SPAN);
	fake.on_memory_write = on_write;
	fake.on_memory_read = on_read;
	set(MAGIC, 0x74726976);
	set(VERSION, version);
	set(DEVICE, 1);
	memcpy(device.reg + CONFIG, mac, sizeof(mac));
	device.reg[CONFIG + 6] = 1;
	device.offered = F_MAC | F_STATUS | F_MERGE | F_LAYOUT | F_OTHERS |
			 (version == 1 ? 0 : F_VERSION);
	device.size_max[0] = device.size_max[1] = 1024;
}

static int setup(void **state)
{
	(void)state;
	lay(2);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (device.memory)
		munmap(device.memory, virtio_net_driver.memory);
	device.memory = NULL;
	return 0;
}

static bool open_it(void)
{
	struct nic_setup s = { .mmio = BASE, .hz = FAKE_HZ };

	s.memory = device.memory = mmap(LOW, virtio_net_driver.memory, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_equal(device.memory, LOW);
	return virtio_net_driver.open(&device.nic, &s);
}

static void assert_refused(const char *problem)
{
	assert_false(open_it());
	assert_non_null(strstr(device.nic.problem, problem));
	assert_false(reg(STATUS) & DRIVER_OK);
}

static void *part(unsigned q, unsigned n)
{
	return (void *)(uintptr_t)device.part[q][n];
}

/* Take the one frame that was sent, and return it to the driver. */
static void assert_sends(uint8_t fill)
{
	uint8_t frame[100], *descriptor = part(1, 0), *available = part(1, 1), *used = part(1, 2);
	uint16_t sent = (uint16_t)fake_get(available + 2, 2), id;
	uint8_t *buffer;

	memset(frame, fill, sizeof(frame));
	assert_true(device.nic.send(&device.nic, frame, sizeof(frame)));
	assert_int_equal(fake_get(available + 2, 2), (uint16_t)(sent + 1));
	id = (uint16_t)fake_get(available + 4 + 2 * (sent % device.size[1]), 2);
	descriptor += 16 * id;
	assert_int_equal(fake_get(descriptor + 8, 4), HEADER + sizeof(frame));
	memcpy(&buffer, descriptor, sizeof(buffer));
	assert_memory_equal(buffer + HEADER, frame, sizeof(frame));
	fake_put(used + 4 + 8 * (sent % device.size[1]), id, 4);
	fake_put(used + 2, (uint16_t)(sent + 1), 2);
}

static void assert_receives(uint8_t fill, unsigned n)
{
	uint8_t frame[NIC_FRAME_MAX], *descriptor = part(0, 0), *used = part(0, 2), *buffer;

	memcpy(&buffer, descriptor + 16 * n, sizeof(buffer));
	memset(buffer + HEADER, fill, 80);
	fake_put(used + 4 + 8 * n, n, 4);
	fake_put(used + 8 + 8 * n, HEADER + 80, 4);
	fake_put(used + 2, n + 1, 2);
	assert_int_equal(device.nic.receive(&device.nic, frame, sizeof(frame)), 80);
	for (unsigned i = 0; i < 80; i++)
		assert_int_equal(frame[i], fill);
}

TEST_F(setup, teardown, test_frames_by_both_versions)
{
	for (uint32_t version = 1; version <= 2; version++) {
		lay(version);
		assert_true(open_it());
		assert_string_equal(device.nic.problem, "");
		assert_memory_equal(device.nic.mac, mac, sizeof(mac));
		assert_true(device.accepted ==
			    (F_MAC | F_STATUS | (version == 1 ? F_MERGE | F_LAYOUT : F_VERSION)));
		assert_int_equal(reg(STATUS), version == 1 ? 0x07 : ALL_STATUS);
		assert_int_equal(device.size[0], 256);
		assert_true(device.ready[0] == 1 && device.ready[1] == 1);
		assert_int_equal(device.notified[0], 1);
		assert_true(device.nic.link(&device.nic));
		for (unsigned n = 0; n < 200; n++) {
			assert_sends((uint8_t)n);
			assert_receives((uint8_t)(n + 1), n);
		}
		assert_int_equal(device.notified[1], 200);
		device.nic.close(&device.nic);
		assert_int_equal(device.resets, 2);
		assert_int_equal(reg(STATUS), 0);
	}
}

TEST_F(setup, teardown, test_no_more_frames_than_buffers)
{
	uint8_t frame[60] = { 0 };

	lay(1);
	assert_true(open_it());
	for (unsigned n = 0; n < VIRTIO_NET_TX; n++)
		assert_true(device.nic.send(&device.nic, frame, sizeof(frame)));
	assert_false(device.nic.send(&device.nic, frame, sizeof(frame)));
	assert_string_equal(device.nic.problem, "");
}

TEST_F(setup, teardown, test_queue_sizes)
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
			device.size_max[0] = rows[i][0];
			if (!rows[i][version]) {
				assert_refused("it has no queue 0");
				continue;
			}
			assert_true(open_it());
			assert_int_equal(device.size[0], rows[i][version]);
		}
	}
	lay(2);
	device.size_max[1] = 0;
	assert_refused("it has no queue 1");
}

TEST_F(setup, teardown, test_devices_that_are_no_card)
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
	set(DEVICE, 0); /* an empty slot */
	nics_add_virtio(&cards, address, 3);
	set(DEVICE, 2); /* a disk */
	nics_add_virtio(&cards, address, 3);
	set(DEVICE, 1);
	set(MAGIC, 0x74726977);
	nics_add_virtio(&cards, address, 3);
	set(MAGIC, UINT32_MAX);
	nics_add_virtio(&cards, address, 3);
	assert_int_equal(cards.count, 0);
	assert_int_equal(fake.memory_writes, 0);
	assert_refused("it is no virtio network card any more");
	lay(3);
	assert_refused("it has version 3 of the registers; known are 1 and 2");
	assert_int_equal(fake.memory_writes, 0);
}

TEST_F(setup, teardown, test_more_cards_than_a_list_has)
{
	uint64_t address[NICS_MAX + 3];
	struct nics cards = { .count = 0 };

	for (unsigned i = 0; i < NICS_MAX + 3; i++)
		address[i] = BASE;
	nics_add_virtio(&cards, address, NICS_MAX + 3);
	assert_int_equal(cards.count, NICS_MAX);
}

TEST_F(setup, teardown, test_unused_cards_are_reset)
{
	const uint64_t address[] = { BASE };
	struct pci pci;
	struct nics cards = { .count = 0 };

	fake_open(&pci);
	nics_add_virtio(&cards, address, 1);
	set(STATUS, ALL_STATUS);
	cards.card[0].in_use = true;
	nics_stop_dma(&pci, &cards);
	assert_int_equal(reg(STATUS), ALL_STATUS);
	cards.card[0].in_use = false;
	nics_stop_dma(&pci, &cards);
	assert_int_equal(reg(STATUS), 0);
}

TEST_F(setup, teardown, test_what_a_device_refuses)
{
	device.offered &= ~F_VERSION;
	assert_refused("it does not offer the features 0x100000020");
	lay(1);
	device.offered &= ~F_MERGE;
	assert_refused("it does not offer the features 0x8008020");
	lay(2);
	device.is_stuck = true;
	assert_refused("its reset does not end");
	lay(1);
	memset(device.reg + CONFIG, 0xff, 6);
	assert_refused("it has no address of its own");
}
