/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nic.efi: for tests only. Takes the machine over, opens the first network card that a driver
 * of ours knows, and asks 10.0.2.2, which QEMU's user network has, for its address by ARP:
 * first 2,000 times with a look at what came after each, then as often as fills every ring
 * without a look. Then frames of all sizes, which nobody answers. What was seen goes to COM1;
 * what was on the wire is the test's to compare. Without a link it prints that and ends.
 */
#include "arch/arch.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "drivers/nic/nics.h"
#include "efi/firmware.h"

#define COM1        0x3f8
#define LINE_STATUS (COM1 + 5)
#define THR_EMPTY   0x20
#define DEBUG_EXIT  0x501
#define POLLS_MAX   1000000
#define STALL_US    50000u
#define LIMIT_4G    (UINT64_C(1) << 32)
#define LOW_LIMIT   UINT64_C(0xa0000)

#define REQUESTS     2000u
#define BLIND        600u
#define LINK_MS      4000u
#define SEND_MS      2000u
#define ANSWER_MS    2000u
#define ARP_BYTES    42u
#define CLASS_BRIDGE 0x0604u /* class and subclass */
#define TYPE_ARP     0x0806u
#define TYPE_LOCAL   0x88b5u /* IEEE 802, for local experiments */

static const uint8_t our_ip[4] = { 10, 0, 2, 15 }, their_ip[4] = { 10, 0, 2, 2 };

static uint64_t hz;
static struct pci pci;
static struct nics cards;
static struct nic nic;
static uint32_t answers;

static void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void print(const char *format, ...)
{
	char line[200];
	struct text t;
	va_list args;

	text_init(&t, line, sizeof(line));
	va_start(args, format);
	text_add(&t, "nic: ");
	text_vadd(&t, format, args);
	text_add(&t, "\n");
	va_end(args);
	for (size_t i = 0; i < t.len; i++) {
		for (int polls = 0; polls < POLLS_MAX; polls++)
			if (arch_in8(LINE_STATUS) & THR_EMPTY)
				break;
		arch_out8(COM1, (uint8_t)line[i]);
	}
}

static void leave(uint8_t code) __attribute__((noreturn));

static void leave(uint8_t code)
{
	print("end %u", code);
	arch_out8(DEBUG_EXIT, code);
	arch_halt();
}

static void fail(const char *what)
{
	print("%s: %s", what, nic.problem[0] ? nic.problem : "no problem reported");
	leave(1);
}

static uint64_t ms_since(uint64_t start)
{
	return (clock_now() - start) / (hz / 1000);
}

static void print_mac(const char *what, const uint8_t *mac)
{
	print("%s %02x:%02x:%02x:%02x:%02x:%02x", what, mac[0], mac[1], mac[2], mac[3], mac[4],
	      mac[5]);
}

/* Let the firmware's drivers have the cards first, as after a boot by network. */
static void connect_all(void)
{
	EFI_BOOT_SERVICES *b = firmware_boot();
	EFI_HANDLE *handle;
	UINTN count;

	if (b->LocateHandleBuffer(AllHandles, NULL, NULL, &count, &handle) != EFI_SUCCESS)
		return;
	for (UINTN i = 0; i < count; i++)
		b->ConnectController(handle[i], NULL, NULL, TRUE);
	b->FreePool(handle);
}

static void measure_clock(void)
{
	uint64_t start = clock_now();

	firmware_boot()->Stall(STALL_US);
	hz = (clock_now() - start) * (1000000 / STALL_US);
}

static void complain(const char *text)
{
	print("%s", text);
}

/* One core, with page tables of our own: devices are mapped as in the application. */
static void take_over(void)
{
	static struct acpi_info acpi;
	static struct cpu cpu[1];
	struct memory_map map = { 0 };
	struct arch_memory m;
	struct arch_setup setup = { .cpu = cpu,
				    .cpus = 1,
				    .hz = hz,
				    .acpi = &acpi,
				    .idle = arch_relax,
				    .complain = complain,
				    .remark = complain };

	cpu[0].apic_id = arch_apic_id();
	if (!firmware_map_read(&map, NULL))
		fail("memory map");
	setup.top = memory_map_top(&map);
	arch_plan_memory(&m, 1, setup.top);
	m.low_page = firmware_pages(4096, LOW_LIMIT);
	m.tables = firmware_pages(m.table_bytes, LIMIT_4G);
	m.cores = firmware_pages(m.core_bytes, 0);
	arch_setup_cores(&m, &setup);
	if (!firmware_exit(&map))
		fail("ExitBootServices");
	arch_mask_interrupts();
	arch_take_over();
}

/* As firmware leaves bridges that guards memory to the last. */
static bool shut_bridge(void *ctx, const struct pci_address *at, uint32_t class)
{
	(void)ctx;
	if (class >> 8 == CLASS_BRIDGE)
		pci_command(&pci, at, 0, PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY);
	return true;
}

static struct nics_card *find_card(void)
{
	struct nics_card *found = NULL;

	nics_scan(&cards, &pci);
	for (unsigned i = 0; i < cards.count; i++) {
		struct nics_card *c = &cards.card[i];
		char name[40];
		struct text t;

		text_init(&t, name, sizeof(name));
		nics_print_name(&t, c);
		print("found %s %s", name, c->driver ? c->driver->name : "none");
		if (c->driver && !found)
			found = c;
	}
	return found;
}

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void make_request(uint8_t frame[ARP_BYTES])
{
	memset(frame, 0, ARP_BYTES);
	memset(frame, 0xff, 6);
	memcpy(frame + 6, nic.mac, 6);
	put16(frame + 12, TYPE_ARP);
	put16(frame + 14, 1); /* Ethernet, IPv4 */
	put16(frame + 16, 0x0800);
	frame[18] = 6;
	frame[19] = 4;
	put16(frame + 20, 1);
	memcpy(frame + 22, nic.mac, 6);
	memcpy(frame + 28, our_ip, 4);
	memcpy(frame + 38, their_ip, 4);
}

static bool is_answer(const uint8_t *frame, size_t bytes)
{
	return bytes >= ARP_BYTES && memcmp(frame, nic.mac, 6) == 0 && frame[12] == TYPE_ARP >> 8 &&
	       frame[13] == (TYPE_ARP & 0xff) && frame[21] == 2 &&
	       memcmp(frame + 28, their_ip, 4) == 0;
}

static void look(void)
{
	static uint8_t frame[NIC_FRAME_MAX];
	static bool printed;
	size_t bytes;

	while ((bytes = nic.receive(&nic, frame, sizeof(frame))) != 0) {
		if (!is_answer(frame, bytes))
			continue;
		if (!printed)
			print_mac("answer from", frame + 22);
		printed = true;
		answers++;
	}
}

static void send(const uint8_t *frame, size_t bytes)
{
	uint64_t start = clock_now();

	while (!nic.send(&nic, frame, bytes))
		if (nic.problem[0] || ms_since(start) > SEND_MS)
			fail("send");
}

static void wait_answers(uint32_t wanted)
{
	uint64_t start = clock_now();
	uint32_t before = answers;

	while (answers < wanted && ms_since(start) < ANSWER_MS) {
		look();
		if (answers != before)
			start = clock_now();
		before = answers;
	}
}

static void ask(uint32_t times, bool looking)
{
	uint8_t frame[ARP_BYTES];

	make_request(frame);
	answers = 0;
	for (uint32_t i = 0; i < times; i++) {
		send(frame, sizeof(frame));
		if (looking)
			look();
	}
	wait_answers(times);
	print("asked %u answered %u", times, answers);
}

static void send_all_sizes(void)
{
	static uint8_t frame[NIC_FRAME_MAX];

	make_request(frame);
	put16(frame + 12, TYPE_LOCAL);
	for (size_t bytes = 14; bytes <= NIC_FRAME_MAX; bytes++) {
		for (size_t i = 14; i < bytes; i++)
			frame[i] = (uint8_t)(bytes + i);
		send(frame, bytes);
	}
}

static bool link_comes(void)
{
	uint64_t start = clock_now();

	while (!nic.link(&nic) && !nic.problem[0])
		if (ms_since(start) > LINK_MS)
			return false;
	return !nic.problem[0];
}

static void use_card(const struct nic_setup *s)
{
	print_mac("address", nic.mac);
	if (link_comes()) {
		print("link up");
		ask(1, true);
		ask(REQUESTS, true);
		ask(BLIND, false);
		ask(1, true);
		send_all_sizes();
		ask(1, true);
	} else {
		print("link down");
	}
	print("sent %llu received %llu dropped %llu problem \"%s\"", (unsigned long long)nic.sent,
	      (unsigned long long)nic.received, (unsigned long long)nic.dropped, nic.problem);
	nic.close(&nic);
	print("closed command 0x%x", pci_read16(s->pci, &s->at, PCI_COMMAND));
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	static const struct acpi_info none;
	struct nic_setup s = { .pci = &pci };
	struct nics_stopped quiet;
	struct nics_card *card;

	firmware_init(image, table);
	connect_all();
	measure_clock();
	pci_open(&pci, &none, NULL, NULL);
	card = find_card();
	if (!card)
		fail("no card that a driver knows");
	s.memory = firmware_pages(card->driver->memory, 0);
	if (!s.memory)
		fail("memory");
	take_over();
	s.at = card->at;
	s.hz = hz;
	pci_scan(&pci, shut_bridge, NULL);
	card->in_use = true;
	quiet = nics_stop_dma(&pci, &cards);
	print("quiet: off %u, stuck %u", quiet.switched_off, quiet.stuck);
	if (!card->driver->open(&nic, &s))
		fail("open");
	use_card(&s);
	leave(0);
}
