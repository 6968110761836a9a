/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * USB controllers and a BIOS that lets go of them, or does not; and registers
 * that lead nowhere.
 */
#include "drivers/usb_legacy.h"
#include "tests/unit/common/test.h"
#include "tests/unit/fake_pci.h"

#include <stdio.h>

#define BAR      UINT64_C(0xfebf0000)
#define HIGH_BAR UINT64_C(0x383ffff00000)
#define SPAN     0x10000u
#define BIOS     (1u << 16)
#define OS       (1u << 24)

#define XHCI_CAPS   0x8000u /* first extended capability */
#define XHCI_LEGSUP 0x846cu
#define EHCI_LEGSUP 0x68u

static struct pci pci;
static uint8_t memory[SPAN];
static struct fake_function *function;
static struct usb_controllers usb;
static struct usb_controller *controller;
static char sentence[240];
static bool is_taken;

static void setup(void)
{
	fake_reset();
	memset(memory, 0, sizeof(memory));
	memset(&usb, 0, sizeof(usb));
}

static void put32(uint32_t offset, uint32_t value)
{
	fake_put(memory + offset, value, 4);
}

static uint32_t get32(uint32_t offset)
{
	return fake_get(memory + offset, 4);
}

static void find(void)
{
	fake_open(&pci);
	usb_find(&usb, &pci);
	assert_int_equal(usb.count, 1);
	controller = &usb.controller[0];
}

static void hand_over(void)
{
	struct text t;

	text_init(&t, sentence, sizeof(sentence));
	is_taken = usb_hand_over(controller, &pci, FAKE_HZ, &t);
	assert_false(t.overflow);
}

/* The outcome: how it was taken, for how long it was waited, and what became of SMIs. */
static void assert_taken(const char *how, bool waits, const char *smis)
{
	const char *after = sentence + strlen(how);

	assert_memory_equal(sentence, how, strlen(how));
	assert_int_equal(!strncmp(after, " after ", 7), waits);
	while (waits && *after != ';')
		after++;
	assert_string_equal(after, smis);
	assert_true(is_taken);
}

static void assert_not_handed(const char *how, const char *smis)
{
	double waited_s = 0;

	is_taken = !is_taken;
	assert_taken(how, true, smis);
	sscanf(sentence + strlen(how), " after %lf s", &waited_s);
	assert_true(waited_s >= USB_HANDOFF_MS / 1000);
}

#define HANDED "handed over by the BIOS"
#define FORCED "the BIOS did not let go; taken all the same, as Linux does,"
#define STUCK  "the BIOS did not let go, and its bit cannot be cleared,"

/* An xHCI controller whose legacy support is the second capability of its list. */
static void lay_xhci(uint32_t legsup, uint32_t control)
{
	function = fake_add(0, 0x14, 0, 0xa12f8086, 0x0c0330);
	fake_put(function->reg + PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	fake_put(function->reg + PCI_BAR0, BAR | 4, 4);
	fake_memory(BAR, memory, SPAN);
	put32(0, 0x01000080);
	put32(0x10, XHCI_CAPS / 4 << 16);
	/* Use the longest possible offset to the next capability, then a second hop. */
	put32(XHCI_CAPS, 0xff << 8 | 2);
	put32(XHCI_CAPS + 0x3fc, (XHCI_LEGSUP - XHCI_CAPS - 0x3fc) / 4 << 8 | 2);
	put32(XHCI_LEGSUP, 1 | legsup);
	put32(XHCI_LEGSUP + 4, control);
}

static void lay_ehci(uint32_t legsup, uint32_t control)
{
	function = fake_add(0, 0x1d, 7, 0x293a8086, 0x0c0320);
	fake_add(0, 0x1d, 0, 0x29348086, 0x060000)->reg[PCI_HEADER + 2] = 0x80;
	fake_put(function->reg + PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	fake_put(function->reg + PCI_BAR0, BAR, 4);
	fake_memory(BAR, memory, SPAN);
	put32(0, 0x01000020);
	put32(8, EHCI_LEGSUP << 8);
	fake_put(function->reg + EHCI_LEGSUP, 1 | legsup, 4);
	fake_put(function->reg + EHCI_LEGSUP + 4, control, 4);
}

static uint32_t config32(uint32_t offset)
{
	return fake_get(function->reg + offset, 4);
}

/* The BIOS releases the controller at this number of reads after the request; 0: never. */
static unsigned looks;

static void bios_of_xhci(void)
{
	if (get32(XHCI_LEGSUP) & OS && looks && --looks == 0)
		put32(XHCI_LEGSUP, get32(XHCI_LEGSUP) & ~BIOS);
}

static void bios_of_ehci(void)
{
	if (config32(EHCI_LEGSUP) & OS && looks && --looks == 0)
		function->reg[EHCI_LEGSUP + 2] = 0;
}

TEST_F(setup, NULL, test_xhci_from_a_bios_that_lets_go)
{
	lay_xhci(BIOS, 0xe000e011 | 0x000e1fee);
	find();
	assert_int_equal(controller->kind, USB_XHCI);
	assert_int_equal(controller->owner, USB_OWNER_BIOS);
	assert_int_equal(controller->smis, 0xe011);
	assert_int_equal(fake.memory_writes + fake.config_writes, 0);
	looks = 20;
	fake.on_read = bios_of_xhci;
	hand_over();
	assert_taken(HANDED, true, "; SMI enables 0xe011 switched off");
	assert_int_equal(controller->owner, USB_OWNER_OS);
	assert_int_equal(get32(XHCI_LEGSUP), 1 | OS);
	/* Reserved bits are kept, enables are off, events are cleared by writing 1. */
	assert_int_equal(get32(XHCI_LEGSUP + 4), 0xe0000000 | 0x000e1fee);
	assert_int_equal(fake.memory_writes, 2);
	assert_int_equal(fake.config_writes, 0);
}

TEST_F(setup, NULL, test_xhci_from_a_bios_that_does_not)
{
	lay_xhci(BIOS, 0x2001);
	find();
	hand_over();
	assert_not_handed(FORCED, "; SMI enables 0x2001 switched off");
	assert_int_equal(get32(XHCI_LEGSUP), 1 | OS);
	assert_int_equal(controller->owner, USB_OWNER_OS);
}

/* The BIOS sets its ownership bit again after each write. */
static void stubborn(void)
{
	if (config32(EHCI_LEGSUP) & OS)
		function->reg[EHCI_LEGSUP + 2] = 1;
}

TEST_F(setup, NULL, test_a_bios_that_cannot_be_overruled)
{
	lay_ehci(BIOS, 0x2011);
	find();
	fake.on_read = stubborn;
	hand_over();
	assert_not_handed(STUCK, "; SMI enables 0x2011 switched off");
	assert_int_equal(controller->owner, USB_OWNER_BIOS);
}

TEST_F(setup, NULL, test_what_the_bios_does_not_own_is_not_asked_for)
{
	static const struct {
		uint32_t legsup;
		enum usb_owner owner;
	} rows[] = { { 0, USB_OWNER_NONE }, { OS, USB_OWNER_OS } };

	for (size_t i = 0; i < 2; i++) {
		setup();
		lay_xhci(rows[i].legsup, 0x0011);
		find();
		assert_int_equal(controller->owner, rows[i].owner);
		hand_over();
		/* The enabled SMI is switched off even so: it no longer has a purpose. */
		assert_taken("was not the BIOS's", false, "; SMI enables 0x11 switched off");
		assert_int_equal(get32(XHCI_LEGSUP), 1 | rows[i].legsup);
	}
}

TEST_F(setup, NULL, test_ehci_from_a_bios_that_lets_go)
{
	lay_ehci(BIOS, 0x0000e03f);
	find();
	assert_int_equal(controller->owner, USB_OWNER_BIOS);
	looks = 20;
	fake.on_read = bios_of_ehci;
	hand_over();
	assert_taken(HANDED, true, "; SMI enables 0xe03f switched off");
	assert_int_equal(config32(EHCI_LEGSUP), 1 | OS);
	assert_int_equal(config32(EHCI_LEGSUP + 4), 0xe0000000);
	assert_int_equal(fake.config_writes, 2);
	assert_int_equal(fake.memory_writes, 0);
}

TEST_F(setup, NULL, test_ehci_from_a_bios_that_does_not)
{
	lay_ehci(BIOS, 1);
	find();
	hand_over();
	assert_not_handed(FORCED, "; SMI enables 0x1 switched off");
	assert_int_equal(config32(EHCI_LEGSUP), 1 | OS);
	assert_int_equal(controller->owner, USB_OWNER_OS);
}

/* UHCI has no semaphore. PIRQ routing is no SMI and stays. */
TEST_F(setup, NULL, test_uhci)
{
	function = fake_add(0, 0x1a, 0, 0x29378086, 0x0c0300);
	fake_put(function->reg + 0xc0, 0x201f, 2);
	find();
	assert_int_equal(controller->owner, USB_OWNER_BIOS);
	assert_int_equal(controller->smis, 0x1f);
	hand_over();
	assert_taken(HANDED, false, "; SMI enables 0x1f switched off");
	assert_int_equal(controller->owner, USB_OWNER_NONE);
	assert_int_equal(fake_get(function->reg + 0xc0, 2), 0xaf00);
	assert_int_equal(fake.config_writes, 1);
}

/* Keep the enables on, whatever is written. */
static void keep_traps(struct fake_function *f, unsigned offset)
{
	(void)offset;
	f->reg[0xc0] = 0x0f;
}

TEST_F(setup, NULL, test_enables_that_stay_on)
{
	function = fake_add(0, 0x1a, 0, 0x29378086, 0x0c0300);
	fake_put(function->reg + 0xc0, 0x201f, 2);
	find();
	fake.on_config_write = keep_traps;
	hand_over();
	assert_false(is_taken);
	assert_string_equal(sentence, HANDED "; SMI enables 0x10 switched off"
					     "; SMI enables 0xf stay on");
	assert_int_equal(controller->owner, USB_OWNER_BIOS);
}

/* An unusable controller is named, and nothing at all is written to it. */
static void assert_left_alone(const char *problem)
{
	unsigned before = fake.config_writes + fake.memory_writes;

	find();
	assert_non_null(strstr(controller->problem, problem));
	assert_int_equal(controller->owner, USB_OWNER_UNKNOWN);
	hand_over();
	assert_false(is_taken);
	assert_non_null(strstr(sentence, problem));
	assert_non_null(strstr(sentence, "; left as it is"));
	assert_int_equal(fake.config_writes + fake.memory_writes, before);
}

static void lay_either(bool xhci)
{
	setup();
	if (xhci)
		lay_xhci(BIOS, 1);
	else
		lay_ehci(BIOS, 1);
}

TEST_F(setup, NULL, test_bars_that_lead_nowhere)
{
	for (int xhci = 0; xhci < 2; xhci++) {
		lay_either(xhci);
		fake_put(function->reg + PCI_BAR0, 0, 4);
		assert_left_alone("BAR 0 is not set");
		lay_either(xhci);
		fake_put(function->reg + PCI_BAR0, 4, 4);
		assert_left_alone("BAR 0 is not set");
		lay_either(xhci);
		fake_put(function->reg + PCI_BAR0, 0xc021, 4);
		assert_left_alone("BAR 0 is in I/O space");
		lay_either(xhci);
		fake_put(function->reg + PCI_COMMAND, PCI_COMMAND_IO, 2);
		assert_left_alone("its memory decoding is off");
		lay_either(xhci);
		fake.region[0].base = HIGH_BAR;
		assert_left_alone("BAR 0 at 0xfebf0000 cannot be mapped");
		lay_either(xhci);
		memset(memory, 0xff, sizeof(memory));
		assert_left_alone("nothing answers at BAR 0");
	}
	/* A BAR at this address has at most 16 bytes: HCCPARAMS1 is just past its end. */
	lay_either(true);
	fake_put(function->reg + PCI_BAR0, (BAR + 0x10) | 4, 4);
	assert_left_alone("BAR 0 at 0xfebf0010 is too small");
}

TEST_F(setup, NULL, test_a_bar_above_4_gib)
{
	lay_xhci(BIOS, 1);
	fake_put(function->reg + PCI_BAR0, (HIGH_BAR & UINT32_MAX) | 4, 4);
	fake_put(function->reg + PCI_BAR0 + 4, HIGH_BAR >> 32, 4);
	fake.region[0].base = HIGH_BAR;
	find();
	assert_int_equal(controller->owner, USB_OWNER_BIOS);
	assert_true(controller->legacy == HIGH_BAR + XHCI_LEGSUP);
}

TEST_F(setup, NULL, test_power_states)
{
	for (int xhci = 0; xhci < 2; xhci++) {
		lay_either(xhci);
		fake_put(function->reg + PCI_COMMAND + 2, 0x10, 2);
		fake_put(function->reg + PCI_CAP_LIST, 0x50, 1);
		fake_put(function->reg + 0x50, 1, 2);
		fake_put(function->reg + 0x54, 3, 2);
		assert_left_alone("it is in power state D3");
	}
}

TEST_F(setup, NULL, test_lists_that_lie)
{
	static const struct {
		bool xhci;
		uint32_t first, head; /* first capability, and what stands there */
		const char *problem;  /* NULL: no legacy support, which is not a problem */
	} rows[] = {
		{ true, 0, 0, NULL },
		{ true, 0x8000, 0x00000002, NULL }, /* the list ends */
		{ true, 0x8000, 0xffffffff, "its capability at 0x8000 is none (0xffffffff)" },
		{ true, 0xfffc, 0x00000001, "a capability at 0xfffc cannot be" },
		{ true, 0x10000, 0x00000001, "a capability at 0x10000 cannot be" },
		{ true, 0x3fffc, 0x00000001, "a capability at 0x3fffc cannot be" },
		{ true, 0xff00, 0x00008002, "a capability at 0x10100 cannot be" },
		{ false, 0, 1, NULL },
		{ false, 0x68, 0x00000002, NULL },
		{ false, 0x3c, 1, "a capability at 0x3c cannot be" },
		{ false, 0x69, 1, "a capability at 0x69 cannot be" },
		{ false, 0xfc, 1, "a capability at 0xfc cannot be" },
		{ false, 0x68, 0x00000000, "its capability at 0x68 is none (0x0)" },
		{ false, 0x68, 0xffffffff, "its capability at 0x68 is none (0xffffffff)" },
		{ false, 0x68, 0x00006802, "its list of capabilities does not end" }, /* itself */
		{ false, 0x68, 0x00001002, "a capability at 0x10 cannot be" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lay_either(rows[i].xhci);
		put32(rows[i].xhci ? 0x10 : 8,
		      rows[i].xhci ? rows[i].first / 4 << 16 : rows[i].first << 8);
		if (!rows[i].xhci)
			fake_put(function->reg + 0x68, rows[i].head, 4);
		else if (rows[i].first && rows[i].first < SPAN)
			put32(rows[i].first, rows[i].head);
		if (rows[i].problem) {
			assert_left_alone(rows[i].problem);
			continue;
		}
		find();
		assert_string_equal(controller->problem, "");
		assert_int_equal(controller->owner, USB_OWNER_NONE);
		hand_over();
		assert_taken("has no legacy support to hand over", false, "");
		assert_int_equal(fake.memory_writes + fake.config_writes, 0);
	}
}

/* Each dword of the register space points to the next. */
TEST_F(setup, NULL, test_xhci_list_without_end)
{
	lay_xhci(BIOS, 1);
	for (uint32_t at = 0x8000; at < SPAN; at += 4)
		put32(at, 0x00000102);
	assert_left_alone("its list of capabilities does not end");
}

/* The controller disappears between usb_find() and usb_hand_over(). */
TEST_F(setup, NULL, test_a_controller_that_vanishes)
{
	lay_xhci(BIOS, 1);
	find();
	fake.functions = 0;
	hand_over();
	assert_false(is_taken);
	assert_string_equal(sentence, "it is gone; left as it is");
	assert_int_equal(fake.memory_writes + fake.config_writes, 0);
}

TEST_F(setup, NULL, test_ohci_is_left_and_reported)
{
	function = fake_add(0, 0x12, 0, 0x78071022, 0x0c0310);
	assert_left_alone("OHCI controllers are not handed over");
}

TEST_F(setup, NULL, test_more_than_there_is_room_for)
{
	for (unsigned i = 0; i < USB_CONTROLLERS_MAX + 3; i++)
		fake_add((uint8_t)(i / 8), (uint8_t)(i % 8), 0, 0x29378086, 0x0c0300);
	fake_add(77, 0, 0, 0x12348086, 0x0c0380); /* unknown programming interface */
	fake_add(78, 0, 0, 0x12348086, 0x020000);
	fake_open(&pci);
	usb_find(&usb, &pci);
	assert_int_equal(usb.count, USB_CONTROLLERS_MAX);
	assert_int_equal(usb.left_out, 3);
}

TEST_F(setup, NULL, test_names)
{
	static const char *const names[USB_KINDS] = {
		[USB_UHCI] = "uhci 0001:ff:1f.7",
		[USB_OHCI] = "ohci 0001:ff:1f.7",
		[USB_EHCI] = "ehci 0001:ff:1f.7",
		[USB_XHCI] = "xhci 0001:ff:1f.7",
	};
	struct usb_controller c = { .at = { 1, 0xff, 0x1f, 7 } };

	for (unsigned i = 0; i < USB_KINDS; i++) {
		TEXT_DEFINE(t, 40);

		c.kind = (enum usb_kind)i;
		usb_print_name(&t, &c);
		assert_string_equal(t.buf, names[i]);
	}
	for (unsigned i = 0; i < USB_OWNERS; i++)
		assert_non_null(usb_owner_name((enum usb_owner)i));
}
