/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * USB controllers that the firmware drives from SMIs (keyboard and mouse before
 * there is an OS), and taking them from it as an OS does. Source: xHCI 1.2, 7.1;
 * EHCI 1.0, 2.1.7 and 2.1.8; UHCI 1.1, 5.2; the order of steps and the waits are
 * those of Linux, drivers/usb/host/pci-quirks.c.
 */
#pragma once

#include "pci.h"

#include "core/lib/text.h"

#include <stdint.h>

#define USB_CONTROLLERS_MAX 32

enum usb_kind { USB_UHCI, USB_OHCI, USB_EHCI, USB_XHCI, USB_KINDS };

enum usb_owner {
	USB_OWNER_UNKNOWN, /* its registers cannot be used: see problem */
	USB_OWNER_NONE,    /* nobody has claimed it, or it has no legacy support */
	USB_OWNER_BIOS,    /* UHCI has no owner: it raises SMIs for the BIOS */
	USB_OWNER_OS,
	USB_OWNERS
};

struct usb_controller {
	struct pci_address at;
	enum usb_kind kind;
	/* Set by usb_read_owner(). */
	enum usb_owner owner;
	uint64_t legacy;   /* its legacy support registers: address (xHCI) or offset; 0: none */
	uint32_t smis;     /* enable bits set in its legacy control register */
	char problem[112]; /* why its registers cannot be used; "": they can */
};

struct usb_controllers {
	struct usb_controller controller[USB_CONTROLLERS_MAX];
	unsigned count;
	unsigned left_out; /* more than there is room for */
};

/* "unknown" "none" "bios" "os". */
const char *usb_owner_name(enum usb_owner owner);

/* Find all, and look at each. */
void usb_find(struct usb_controllers *u, const struct pci *pci);

/* Read its state. Nothing is written, not even where it is switched off. */
void usb_read_owner(struct usb_controller *c, const struct pci *pci);

/* "xhci 0000:00:14.0" */
void usb_print_name(struct text *t, const struct usb_controller *c);

/* The BIOS has this long to let go: Linux's bound. */
#define USB_HANDOFF_MS 1000

/*
 * Take the controller from the BIOS, if it has it, within USB_HANDOFF_MS of a
 * TSC of `hz`, and switch off the SMIs of its legacy support. Looks at it
 * before and after. OHCI is only listed: its owner is reported as unknown.
 * The outcome is appended to `t`. False: the BIOS did not let go, SMIs stay
 * on, or its registers cannot be used.
 */
bool usb_hand_over(struct usb_controller *c, const struct pci *pci, uint64_t hz, struct text *t);
