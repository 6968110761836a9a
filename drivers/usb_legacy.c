/* SPDX-License-Identifier: BSD-2-Clause */
/* USB legacy support. */
#include "usb_legacy.h"

#include "arch/arch.h"
#include "deadline.h"

#define CLASS_USB 0x0c03u /* class and subclass */

/* xHCI 1.2, 5.3.6: HCCPARAMS1, bits 31:16 the first extended capability, in dwords. */
#define XHCI_HCCPARAMS 0x10u
#define XHCI_SPAN_MAX  (UINT64_C(1) << 20) /* no controller's registers take more */
#define XHCI_CAPS_MAX  256u                /* the longest list that is followed */

/* EHCI 1.0, 2.2.4: HCCPARAMS, bits 15:8 the first extended capability, in configuration space. */
#define EHCI_HCCPARAMS 0x08u
#define EHCI_SPAN      0x100u
#define EHCI_CAPS_MAX  24u /* from 40h to FFh, eight bytes each */
#define CONFIG_FIRST   0x40u
#define CONFIG_END     0x100u

/* USBLEGSUP and USBLEGCTLSTS, alike in both: xHCI 1.2, 7.1.1 and 7.1.2; EHCI 1.0, 2.1.7, 2.1.8. */
#define CAP_ID(v)      ((v)&0xff)
#define CAP_NEXT(v)    ((v) >> 8 & 0xff)
#define CAP_LEGACY     1u
#define LEGSUP_BIOS    (1u << 16)
#define LEGSUP_OS      (1u << 24)
#define EHCI_BIOS_BYTE 2u
#define EHCI_OS_BYTE   3u
#define LEGCTLSTS      4u          /* behind USBLEGSUP */
#define EVENTS         0xe0000000u /* cleared by writing 1 */
#define XHCI_ENABLES   0x0000e011u
#define EHCI_ENABLES   0x0000e03fu
#define XHCI_RESERVED  0x000e1feeu /* to be preserved */

/* UHCI 1.1, 5.2.1: LEGSUP. */
#define UHCI_LEGSUP  0xc0u
#define UHCI_ENABLES 0x00bfu /* traps of 60h and 64h, SMI on IRQ, A20 and its end */
#define UHCI_PIRQ    0x2000u
#define UHCI_EVENTS  0x8f00u /* cleared by writing 1 */

static const char *const owner_names[USB_OWNERS] = {
	[USB_OWNER_UNKNOWN] = "unknown",
	[USB_OWNER_NONE] = "none",
	[USB_OWNER_BIOS] = "bios",
	[USB_OWNER_OS] = "os",
};

const char *usb_owner_name(enum usb_owner owner)
{
	return owner_names[owner];
}

#define fail(c, ...) text_print((c)->problem, sizeof((c)->problem), __VA_ARGS__)

/* Map the registers that BAR 0 points to. On failure, set the problem; the base is 0 then. */
static struct pci_bar registers(struct usb_controller *c, const struct pci *pci, uint64_t span)
{
	struct pci_bar bar = pci_bar(pci, &c->at, 0);

	if (bar.size_max > span)
		bar.size_max = span;
	if (bar.kind != PCI_BAR_MEMORY)
		fail(c, "BAR 0 is %s", bar.kind == PCI_BAR_IO ? "in I/O space" : "not set");
	else if (!(pci_read16(pci, &c->at, PCI_COMMAND) & PCI_COMMAND_MEMORY))
		fail(c, "its memory decoding is off");
	else if (!arch_map_device(bar.base, bar.size_max))
		fail(c, "BAR 0 at 0x%llx cannot be mapped", (unsigned long long)bar.base);
	else if (arch_mmio_read32(bar.base) == PCI_ABSENT)
		fail(c, "nothing answers at BAR 0, 0x%llx", (unsigned long long)bar.base);
	if (c->problem[0])
		bar.base = 0;
	return bar;
}

/* The owner by USBLEGSUP. A BIOS that was asked remains the owner until it lets go. */
static enum usb_owner owner_by(uint32_t legsup)
{
	if (legsup & LEGSUP_BIOS)
		return USB_OWNER_BIOS;
	return legsup & LEGSUP_OS ? USB_OWNER_OS : USB_OWNER_NONE;
}

/* Read a register of the legacy support, in memory or in configuration space. */
static uint32_t legacy_read(const struct usb_controller *c, const struct pci *pci, unsigned offset)
{
	if (c->kind == USB_XHCI)
		return arch_mmio_read32(c->legacy + offset);
	return pci_read32(pci, &c->at, (unsigned)c->legacy + offset);
}

/* Follow the list of extended capabilities to USBLEGSUP; xHCI's only leads upwards. */
static bool find_legacy(struct usb_controller *c, const struct pci *pci, const struct pci_bar *bar,
			uint32_t params)
{
	const bool xhci = c->kind == USB_XHCI;
	const uint64_t first = xhci ? 0 : CONFIG_FIRST, end = xhci ? bar->size_max : CONFIG_END;
	uint64_t offset = xhci ? (uint64_t)(params >> 16) * 4 : CAP_NEXT(params);

	for (unsigned n = 0; offset; n++) {
		uint32_t head;

		if (n == (xhci ? XHCI_CAPS_MAX : EHCI_CAPS_MAX)) {
			fail(c, "its list of capabilities does not end");
			return false;
		}
		if (offset < first || offset % 4 || offset + LEGCTLSTS + 4 > end) {
			fail(c, "a capability at 0x%llx cannot be", (unsigned long long)offset);
			return false;
		}
		c->legacy = xhci ? bar->base + offset : offset;
		head = legacy_read(c, pci, 0);
		if (CAP_ID(head) == CAP_LEGACY)
			return true;
		/* EHCI reserves ID 0, and all ones are no answer: the list breaks off. */
		if (head == PCI_ABSENT || (!xhci && CAP_ID(head) == 0)) {
			fail(c, "its capability at 0x%llx is none (0x%x)",
			     (unsigned long long)offset, head);
			return false;
		}
		offset = !CAP_NEXT(head) ? 0 : xhci ? offset + CAP_NEXT(head) * 4 : CAP_NEXT(head);
	}
	return false;
}

static void host_look(struct usb_controller *c, const struct pci *pci)
{
	const bool xhci = c->kind == USB_XHCI;
	const unsigned params = xhci ? XHCI_HCCPARAMS : EHCI_HCCPARAMS;
	struct pci_bar bar = registers(c, pci, xhci ? XHCI_SPAN_MAX : EHCI_SPAN);

	if (!bar.base)
		return;
	if (bar.size_max < params + 4) {
		fail(c, "BAR 0 at 0x%llx is too small", (unsigned long long)bar.base);
		return;
	}
	if (!find_legacy(c, pci, &bar, arch_mmio_read32(bar.base + params))) {
		c->legacy = 0;
		return;
	}
	c->owner = owner_by(legacy_read(c, pci, 0));
	c->smis = legacy_read(c, pci, LEGCTLSTS) & (xhci ? XHCI_ENABLES : EHCI_ENABLES);
}

static void uhci_look(struct usb_controller *c, const struct pci *pci)
{
	uint16_t legsup = pci_read16(pci, &c->at, UHCI_LEGSUP);

	if (legsup == (uint16_t)PCI_ABSENT) {
		fail(c, "its LEGSUP does not answer");
		return;
	}
	c->legacy = UHCI_LEGSUP;
	c->smis = legsup & UHCI_ENABLES;
	if (c->smis)
		c->owner = USB_OWNER_BIOS;
}

/* Ask the BIOS for the controller; with `force`, take it without the BIOS. */
static void claim(const struct usb_controller *c, const struct pci *pci, bool force)
{
	if (c->kind == USB_XHCI)
		arch_mmio_write32(c->legacy, (legacy_read(c, pci, 0) | LEGSUP_OS) &
						     ~(force ? LEGSUP_BIOS : 0));
	else /* single bytes: neither side may undo the other's write (EHCI 1.0, 5.1) */
		pci_write8(pci, &c->at,
			   (unsigned)c->legacy + (force ? EHCI_BIOS_BYTE : EHCI_OS_BYTE), !force);
}

/* Switch off the SMIs of the legacy support. */
static void quiet(const struct usb_controller *c, const struct pci *pci)
{
	if (c->kind == USB_XHCI)
		arch_mmio_write32(c->legacy + LEGCTLSTS,
				  (legacy_read(c, pci, LEGCTLSTS) & XHCI_RESERVED) | EVENTS);
	else if (c->kind == USB_EHCI)
		pci_write32(pci, &c->at, (unsigned)c->legacy + LEGCTLSTS, EVENTS);
	else
		pci_write16(pci, &c->at, UHCI_LEGSUP,
			    (pci_read16(pci, &c->at, UHCI_LEGSUP) & UHCI_PIRQ) | UHCI_EVENTS);
}

static const struct {
	const char *name;
	uint8_t interface; /* programming interface in the class code */
	bool asked;        /* has an ownership register by which it can be requested */
	void (*look)(struct usb_controller *c, const struct pci *pci); /* NULL: only listed */
} kinds[USB_KINDS] = {
	[USB_UHCI] = { "uhci", 0x00, false, uhci_look },
	[USB_OHCI] = { "ohci", 0x10, false, NULL },
	[USB_EHCI] = { "ehci", 0x20, true, host_look },
	[USB_XHCI] = { "xhci", 0x30, true, host_look },
};

void usb_print_name(struct text *t, const struct usb_controller *c)
{
	text_add(t, "%s %04x:%02x:%02x.%x", kinds[c->kind].name, c->at.segment, c->at.bus,
		 c->at.device, c->at.function);
}

void usb_read_owner(struct usb_controller *c, const struct pci *pci)
{
	unsigned state = pci_power_state(pci, &c->at);

	c->owner = USB_OWNER_NONE;
	c->legacy = 0;
	c->smis = 0;
	c->problem[0] = '\0';
	if (pci_read32(pci, &c->at, PCI_ID) == PCI_ABSENT)
		fail(c, "it is gone");
	else if (state)
		fail(c, "it is in power state D%u", state);
	else if (kinds[c->kind].look)
		kinds[c->kind].look(c, pci);
	else
		fail(c, "OHCI controllers are not handed over");
	if (c->problem[0])
		c->owner = USB_OWNER_UNKNOWN;
}

/* The kind of controller that has this class; USB_KINDS: it is none. */
static unsigned kind_of(uint32_t class)
{
	unsigned kind = 0;

	while (kind < USB_KINDS &&
	       (class >> 8 != CLASS_USB || kinds[kind].interface != (class & 0xff)))
		kind++;
	return kind;
}

void usb_find(struct usb_controllers *u, const struct pci *pci)
{
	u->count = u->left_out = 0;
	for (struct pci_walk w = { .buses = 0 }; pci_next(pci, &w);) {
		unsigned kind = kind_of(w.class);

		if (kind < USB_KINDS && u->count == USB_CONTROLLERS_MAX)
			u->left_out++;
		else if (kind < USB_KINDS)
			u->controller[u->count++] =
				(struct usb_controller){ .at = w.at, .kind = (enum usb_kind)kind };
	}
	for (unsigned i = 0; i < u->count; i++)
		usb_read_owner(&u->controller[i], pci);
}

/* Returns the outcome. *forced: the BIOS did not let go in time, and was overruled. */
static const char *usb_legacy_take(struct usb_controller *c, const struct pci *pci, uint64_t hz,
				   uint64_t *waited_ns, bool *forced)
{
	struct deadline d = deadline_in(USB_HANDOFF_MS, hz);

	if (c->owner != USB_OWNER_BIOS)
		return "was not the BIOS's";
	if (kinds[c->kind].asked) {
		claim(c, pci, false);
		while (legacy_read(c, pci, 0) & LEGSUP_BIOS && !*forced)
			*forced = deadline_passed(&d);
		*waited_ns = deadline_waited_ns(&d, hz);
	}
	if (!*forced)
		return "handed over by the BIOS";
	claim(c, pci, true);
	return legacy_read(c, pci, 0) & LEGSUP_BIOS
		       ? "the BIOS did not let go, and its bit cannot be cleared,"
		       : "the BIOS did not let go; taken all the same, as Linux does,";
}

bool usb_hand_over(struct usb_controller *c, const struct pci *pci, uint64_t hz, struct text *t)
{
	const char *outcome = "has no legacy support to hand over";
	bool forced = false;
	uint64_t waited_ns = 0;
	uint32_t smis;

	usb_read_owner(c, pci);
	smis = c->smis;
	if (c->legacy && !c->problem[0]) {
		outcome = usb_legacy_take(c, pci, hz, &waited_ns, &forced);
		quiet(c, pci);
		usb_read_owner(c, pci);
	}
	if (c->problem[0]) {
		text_add(t, "%s; left as it is", c->problem);
		return false;
	}
	text_add(t, "%s", outcome);
	if (waited_ns) {
		text_add(t, " after ");
		text_duration(t, waited_ns);
	}
	if (smis & ~c->smis)
		text_add(t, "; SMI enables 0x%x switched off", (unsigned)(smis & ~c->smis));
	if (c->smis)
		text_add(t, "; SMI enables 0x%x stay on", (unsigned)c->smis);
	return !forced && !c->smis;
}
