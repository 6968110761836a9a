/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's own driver of a network card (Simple Network Protocol), as a card: while boot
 * services live. Source: UEFI 2.10, 24.1. Much of this is what firmware in the field makes
 * necessary: one frame on its way out at a time, its memory ours until the firmware gives it back;
 * a receive buffer with some bytes to spare; the status polled, interrupts never asked for; failing
 * calls that only fine-tune are of no consequence.
 */
#include "efi/firmware.h"

#include "arch/arch.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"

#define START_TRIES   10
#define START_WAIT_US 10000
#define SEND_NS       UINT64_C(1000000000) /* then a frame is given up */
#define RECEIVE_SPARE 8
#define FRAME_BYTES   (NIC_FRAME_MAX + RECEIVE_SPARE)
#define MAC_NODE      0x0b /* device path: messaging, MAC address */

static EFI_GUID snp_guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
static EFI_GUID pci_io_guid = EFI_PCI_IO_PROTOCOL_GUID;

struct card {
	EFI_SIMPLE_NETWORK *snp;
	EFI_HANDLE handle;
	bool ours;    /* opened, not only borrowed */
	bool sending; /* `out` is the firmware's */
	uint64_t sent_at, hz;
	uint8_t out[FRAME_BYTES], in[FRAME_BYTES];
};

/* Handles */

/* Connect drivers to a network card on PCI. False: go on with the next handle. */
static bool connect_card(EFI_HANDLE handle, void *ctx)
{
	EFI_PCI_IO_PROTOCOL *io = firmware_protocol(handle, &pci_io_guid);
	uint32_t class = 0;

	(void)ctx;
	if (io && !EFI_ERROR(io->Pci.Read(io, EfiPciIoWidthUint32, PCI_CLASS, 1, &class)) &&
	    class >> 24 == PCI_CLASS_NETWORK)
		firmware_boot()->ConnectController(handle, NULL, NULL, TRUE);
	return false;
}

static void connect_cards(void)
{
	firmware_find(&pci_io_guid, connect_card, NULL);
}

static bool location(EFI_HANDLE handle, struct pci_address *at)
{
	EFI_PCI_IO_PROTOCOL *io = firmware_protocol_above(handle, &pci_io_guid);
	UINTN segment, bus, device, function;

	if (!io || EFI_ERROR(io->GetLocation(io, &segment, &bus, &device, &function)) ||
	    segment > UINT16_MAX || bus > UINT8_MAX || device > 31 || function > 7)
		return false;
	*at = (struct pci_address){ (uint16_t)segment, (uint8_t)bus, (uint8_t)device,
				    (uint8_t)function };
	return true;
}

static bool booted(struct pci_address *at)
{
	return location(firmware_boot_device(), at);
}

/* True for the card itself. Its children for IPv4 and IPv6 have more nodes. */
static bool is_at(EFI_HANDLE handle, void *at)
{
	struct pci_address place;

	return firmware_path_ends(handle, MESSAGING_DEVICE_PATH, MAC_NODE) &&
	       location(handle, &place) && pci_same_place(&place, at);
}

/* The card */

static bool snp_link(struct nic *n)
{
	const struct card *c = n->state;
	UINT32 interrupts;

	/* Asking is what makes many drivers look at the wire. */
	c->snp->GetStatus(c->snp, &interrupts, NULL);
	return !c->snp->Mode->MediaPresentSupported || c->snp->Mode->MediaPresent;
}

/*
 * True if the firmware has returned the frame. Any address counts: some firmware returns a
 * different one.
 */
static bool is_free(struct card *c)
{
	void *done = NULL;
	UINT32 interrupts;

	if (!c->sending)
		return true;
	if (!EFI_ERROR(c->snp->GetStatus(c->snp, &interrupts, &done)) && done)
		c->sending = false;
	else if (ticks_to_ns(clock_now() - c->sent_at, c->hz) > SEND_NS)
		c->sending = false;
	return !c->sending;
}

static bool snp_send(struct nic *n, const uint8_t *frame, size_t bytes)
{
	struct card *c = n->state;

	if (!nic_may_send(n, bytes) || !is_free(c))
		return false;
	bytes = nic_copy_frame(c->out, frame, bytes);
	if (EFI_ERROR(c->snp->Transmit(c->snp, 0, bytes, c->out, NULL, NULL, NULL)))
		return false;
	c->sending = true;
	c->sent_at = clock_now();
	/* Ask at once: later calls of some drivers return nothing. */
	is_free(c);
	return true;
}

static bool snp_receive_frame(struct nic *n, uint8_t frame[NIC_FRAME_MAX], size_t *bytes)
{
	struct card *c = n->state;
	UINTN came = FRAME_BYTES, header = 0;
	EFI_STATUS status = c->snp->Receive(c->snp, &header, &came, c->in, NULL, NULL, NULL);

	*bytes = EFI_ERROR(status) || came > NIC_FRAME_MAX ? 0 : came;
	memcpy(frame, c->in, *bytes);
	return !EFI_ERROR(status) || status == EFI_BUFFER_TOO_SMALL;
}

static void close(struct nic *n)
{
	const struct card *c = n->state;
	EFI_BOOT_SERVICES *bs = firmware_boot();

	c->snp->Shutdown(c->snp);
	c->snp->Stop(c->snp);
	nic_fail(n, "it is closed");
	if (!c->ours)
		return;
	bs->CloseProtocol(c->handle, &snp_guid, firmware_image(), NULL);
	/* Connect the firmware's stack again, for programs after us. */
	bs->ConnectController(c->handle, NULL, NULL, TRUE);
}

/* Exclusively; where the firmware's drivers do not let go, beside them. */
static void snp_take(struct card *c)
{
	void *snp;

	c->ours = !EFI_ERROR(firmware_boot()->OpenProtocol(
		c->handle, &snp_guid, &snp, firmware_image(), NULL, EFI_OPEN_PROTOCOL_EXCLUSIVE));
	if (c->ours)
		c->snp = snp;
}

static bool initialize(EFI_SIMPLE_NETWORK *snp)
{
	for (unsigned i = 0; i < START_TRIES; i++) {
		snp->Shutdown(snp);
		if (!EFI_ERROR(snp->Initialize(snp, 0, 0)))
			return true;
		firmware_boot()->Stall(START_WAIT_US);
	}
	return false;
}

/* The most that the card grants: all that are sent to all, for IPv6's neighbours. */
static void set_filters(EFI_SIMPLE_NETWORK *snp)
{
	static const UINT32 wanted[] = {
		EFI_SIMPLE_NETWORK_RECEIVE_UNICAST | EFI_SIMPLE_NETWORK_RECEIVE_BROADCAST |
			EFI_SIMPLE_NETWORK_RECEIVE_PROMISCUOUS_MULTICAST,
		EFI_SIMPLE_NETWORK_RECEIVE_UNICAST | EFI_SIMPLE_NETWORK_RECEIVE_BROADCAST |
			EFI_SIMPLE_NETWORK_RECEIVE_PROMISCUOUS,
		EFI_SIMPLE_NETWORK_RECEIVE_UNICAST | EFI_SIMPLE_NETWORK_RECEIVE_BROADCAST,
		EFI_SIMPLE_NETWORK_RECEIVE_UNICAST,
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!EFI_ERROR(snp->ReceiveFilters(snp, wanted[i], 0, FALSE, 0, NULL)))
			return;
}

/* Ethernet's: InfiniBand's are longer. */
static bool read_mac(struct nic *n, const EFI_SIMPLE_NETWORK_MODE *mode)
{
	if (mode->HwAddressSize != NIC_MAC_BYTES)
		return false;
	memcpy(n->mac, &mode->CurrentAddress, NIC_MAC_BYTES);
	return nic_mac_valid(n->mac);
}

static bool open_card(struct nic *n, const struct nic_setup *s)
{
	struct card *c = firmware_pages(sizeof(*c), 0);
	struct pci_address at = s->at;

	*n = (struct nic){ .driver = "snp",
			   .state = c,
			   .link = snp_link,
			   .send = snp_send,
			   .receive = snp_receive_frame,
			   .close = close };
	if (!c)
		return nic_fail(n, "no memory");
	c->hz = s->hz;
	/* Looked for each time: handles come and go with every card that is opened. */
	c->handle = firmware_find(&snp_guid, is_at, &at);
	if (!c->handle)
		return nic_fail(n, "the firmware has no driver for it");
	c->snp = firmware_protocol(c->handle, &snp_guid);
	if (!c->snp || !c->snp->Mode)
		return nic_fail(n, "the firmware does not give it up");
	/* The MAC address is known before the card is started (MdeModulePkg, SnpDxe). */
	if (!nic_is_wanted(s, (const uint8_t *)&c->snp->Mode->CurrentAddress))
		return false;
	snp_take(c);
	/* Already started is as good. */
	c->snp->Start(c->snp);
	if (!initialize(c->snp))
		nic_fail(n, "the firmware's driver cannot start it");
	else if (!read_mac(n, c->snp->Mode))
		nic_fail(n, "it has no address of its own");
	else
		set_filters(c->snp);
	if (n->problem[0])
		close(n);
	return !n->problem[0];
}

const struct door_network firmware_network = {
	.booted = booted,
	.connect = connect_cards,
	.open = open_card,
};
