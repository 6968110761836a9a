/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's drivers of network cards (SNP) that lie: where the cards are, and what comes of
 * sending and receiving. The input has the answers.
 *
 * Whatever they are, a card that is opened has an address, a frame is left alone until the firmware
 * gives it back, waits have an end, and what was taken is given back.
 */
#include "efi/firmware.h"

#include "tests/fuzz/services.h"

#define CARDS       40
#define STALLED_MAX 1000000u /* us */
#define ORDERS_MAX  64
#define NEVER_HZ    UINT64_C(1000000000000000) /* no second of it passes */

static struct {
	EFI_SIMPLE_NETWORK snp;
	EFI_SIMPLE_NETWORK_MODE mode;
	EFI_PCI_IO_PROTOCOL pci;
	EFI_LOADED_IMAGE image;
	void *path;
	unsigned taken, stalled;
	uint64_t hz;
	const uint8_t *out; /* a frame that is ours until it is given back, and a copy */
	uint8_t sent[NIC_FRAME_MAX];
	size_t sent_bytes;
	unsigned sends;
} fw;

static EFI_STATUS locate_handles(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *guid, void *key,
				 UINTN *count, EFI_HANDLE **handles)
{
	EFI_STATUS status = take_status();

	(void)guid, (void)key;
	insist(type == ByProtocol);
	if (status != EFI_SUCCESS)
		return status;
	*count = take_byte() % CARDS;
	*handles = services.flags & SIZES_LIE && take_byte() & 1
			   ? NULL
			   : services_allocate(*count * sizeof(**handles) + !*count);
	for (UINTN i = 0; *handles && i < *count; i++)
		(*handles)[i] = &fw.pci;
	return EFI_SUCCESS;
}

static EFI_STATUS free_pool(void *at)
{
	services_free(at);
	return EFI_SUCCESS;
}

static EFI_STATUS locate_device_path(EFI_GUID *guid, EFI_DEVICE_PATH **path, EFI_HANDLE *device)
{
	(void)guid, (void)path;
	*device = &fw.pci;
	return take_status();
}

static EFI_STATUS open_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **interface,
				EFI_HANDLE agent, EFI_HANDLE controller, UINT32 attributes)
{
	EFI_STATUS status = take_status();

	(void)handle, (void)agent, (void)controller;
	insist(is_guid(guid, (EFI_GUID)EFI_SIMPLE_NETWORK_PROTOCOL_GUID));
	insist(attributes == EFI_OPEN_PROTOCOL_EXCLUSIVE);
	if (status != EFI_SUCCESS)
		return status;
	fw.taken++;
	*interface = &fw.snp;
	return EFI_SUCCESS;
}

static EFI_STATUS close_protocol(EFI_HANDLE handle, EFI_GUID *guid, EFI_HANDLE agent,
				 EFI_HANDLE controller)
{
	(void)handle, (void)guid, (void)agent, (void)controller;
	insist(fw.taken--);
	return EFI_SUCCESS;
}

static EFI_STATUS connect(EFI_HANDLE handle, EFI_HANDLE *image, EFI_DEVICE_PATH *path,
			  BOOLEAN recursive)
{
	(void)handle, (void)image, (void)path, (void)recursive;
	return take_status();
}

static EFI_STATUS stall(UINTN us)
{
	fw.stalled += (unsigned)us;
	insist(fw.stalled <= STALLED_MAX);
	return EFI_SUCCESS;
}

static EFI_STATUS pci_read(EFI_PCI_IO_PROTOCOL *io, EFI_PCI_IO_PROTOCOL_WIDTH width, UINT32 offset,
			   UINTN count, void *buffer)
{
	insist(io == &fw.pci && width == EfiPciIoWidthUint32 && count == 1);
	*(uint32_t *)buffer = offset == PCI_CLASS && take_byte() < 0xc0 ? 0x02000000
									: take_number(4);
	return take_status();
}

static EFI_STATUS get_location(EFI_PCI_IO_PROTOCOL *io, UINTN *segment, UINTN *bus, UINTN *device,
			       UINTN *function)
{
	bool lies = services.flags & SIZES_LIE && take_byte() & 1;

	(void)io;
	*segment = lies ? take_number64(4) : 0;
	*bus = lies ? take_number64(4) : 0;
	*device = lies ? take_number64(4) : 3;
	*function = lies ? take_number64(4) : 0;
	return take_status();
}

static EFI_STATUS snp_answer(EFI_SIMPLE_NETWORK *snp)
{
	insist(snp == &fw.snp);
	return take_status();
}

static EFI_STATUS snp_initialize(EFI_SIMPLE_NETWORK *snp, UINTN rx, UINTN tx)
{
	(void)rx, (void)tx;
	return snp_answer(snp);
}

static EFI_STATUS snp_filters(EFI_SIMPLE_NETWORK *snp, UINT32 on, UINT32 off, BOOLEAN reset,
			      UINTN count, EFI_MAC_ADDRESS *groups)
{
	(void)off, (void)reset, (void)count, (void)groups;
	insist(on);
	return snp_answer(snp);
}

/* A frame is not touched before it is given back. */
static EFI_STATUS snp_status(EFI_SIMPLE_NETWORK *snp, UINT32 *interrupts, void **done)
{
	if (fw.out)
		insist(fw.hz != NEVER_HZ || !memcmp(fw.out, fw.sent, fw.sent_bytes));
	*interrupts = take_byte();
	fw.mode.MediaPresent = *interrupts & 1;
	if (done && take_byte() & 1) {
		*done = (void *)(uintptr_t)fw.out;
		fw.out = NULL;
	}
	return snp_answer(snp);
}

static EFI_STATUS snp_transmit(EFI_SIMPLE_NETWORK *snp, UINTN header, UINTN bytes, void *frame,
			       EFI_MAC_ADDRESS *from, EFI_MAC_ADDRESS *to, UINT16 *protocol)
{
	EFI_STATUS status = snp_answer(snp);

	insist(!header && !from && !to && !protocol);
	insist(bytes >= NIC_FRAME_MIN && bytes <= NIC_FRAME_MAX);
	insist(!fw.out || fw.hz != NEVER_HZ);
	if (status != EFI_SUCCESS)
		return status;
	fw.out = frame;
	fw.sent_bytes = bytes;
	fw.sends++;
	memcpy(fw.sent, frame, bytes);
	return EFI_SUCCESS;
}

static EFI_STATUS snp_receive(EFI_SIMPLE_NETWORK *snp, UINTN *header, UINTN *bytes, void *frame,
			      EFI_MAC_ADDRESS *from, EFI_MAC_ADDRESS *to, UINT16 *protocol)
{
	size_t count = take_number(2) % (*bytes + 1);

	insist(!from && !to && !protocol);
	memset(frame, take_byte(), count);
	*header = take_byte();
	*bytes = services.flags & SIZES_LIE ? take_number64(8) : count;
	return snp_answer(snp);
}

static EFI_STATUS handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **interface)
{
	(void)handle;
	if (is_guid(guid, (EFI_GUID)EFI_PCI_IO_PROTOCOL_GUID)) {
		*interface = &fw.pci;
	} else if (is_guid(guid, (EFI_GUID)EFI_SIMPLE_NETWORK_PROTOCOL_GUID)) {
		*interface = &fw.snp;
	} else if (is_guid(guid, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID)) {
		*interface = &fw.image;
	} else if (is_guid(guid, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID)) {
		if (fw.path)
			services_free(fw.path);
		*interface = fw.path = take_path();
	} else {
		return EFI_UNSUPPORTED;
	}
	return take_status();
}

/* ---- What is asked ---- */

static void check_place(const struct pci_address *at)
{
	insist(at->device < 32 && at->function < 8);
}

static void exchange(struct nic *n)
{
	uint8_t frame[NIC_FRAME_MAX + 1];
	unsigned sends = fw.sends;
	size_t bytes = take_number(2) % (sizeof(frame) + 1);
	bool done;

	memset(frame, take_byte(), sizeof(frame));
	done = n->send(n, frame, bytes);
	insist(fw.sends == sends + done && (!done || (bytes && bytes <= NIC_FRAME_MAX)));
	insist(!done || !memcmp(fw.sent, frame, bytes));
	n->link(n);
	insist(!n->receive(n, frame, &bytes) || bytes <= NIC_FRAME_MAX);
}

static void ask(void)
{
	static const uint8_t mac[NIC_MAC_BYTES] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };
	uint8_t given = take_byte(), frame[NIC_FRAME_MIN] = { 0 };
	struct pci_address at;
	struct nic nic;

	fw.hz = given & 1 ? 1 : NEVER_HZ;
	fw.snp.Mode = given & 2 ? NULL : &fw.mode;
	fw.mode.HwAddressSize = given & 4 ? take_number(4) : NIC_MAC_BYTES;
	fw.mode.MediaPresentSupported = given >> 3 & 1;
	for (unsigned i = 0; i < NIC_MAC_BYTES; i++)
		fw.mode.CurrentAddress.Addr[i] = given & 16 ? take_byte() : mac[i];
	firmware_network.connect();
	if (firmware_network.booted(&at))
		check_place(&at);

	struct nic_setup setup = { .at = { 0, 0, 3, 0 }, .hz = fw.hz };

	setup.mac = given & 32 ? mac : NULL;
	if (!firmware_network.open(&nic, &setup)) {
		insist_showable(nic.problem, NIC_PROBLEM_MAX);
		insist((nic.problem[0] || setup.mac) && !fw.taken);
		return;
	}
	insist(nic_mac_valid(nic.mac) && nic_is_wanted(&setup, nic.mac) && !nic.problem[0]);
	for (unsigned i = 0; i < ORDERS_MAX && take_more(); i++)
		exchange(&nic);
	nic.close(&nic);
	insist(!fw.taken && nic.problem[0] && !nic.send(&nic, frame, sizeof(frame)));
}

static EFI_BOOT_SERVICES boot = {
	.AllocatePages = allocate_pages,
	.FreePages = free_pages,
	.FreePool = free_pool,
	.HandleProtocol = handle_protocol,
	.LocateHandleBuffer = locate_handles,
	.LocateDevicePath = locate_device_path,
	.OpenProtocol = open_protocol,
	.CloseProtocol = close_protocol,
	.ConnectController = connect,
	.Stall = stall,
	.SetWatchdogTimer = set_watchdog,
};

FUZZ(0, SIZE_MAX)
{
	static EFI_SYSTEM_TABLE table = { .BootServices = &boot };

	memset(&fw, 0, sizeof(fw));
	fw.image.DeviceHandle = &fw;
	fw.pci.Pci.Read = pci_read;
	fw.pci.GetLocation = get_location;
	fw.snp = (EFI_SIMPLE_NETWORK){ .Start = snp_answer,
				       .Stop = snp_answer,
				       .Shutdown = snp_answer,
				       .Initialize = snp_initialize,
				       .ReceiveFilters = snp_filters,
				       .GetStatus = snp_status,
				       .Transmit = snp_transmit,
				       .Receive = snp_receive };
	services_start(data, bytes, &fw, &table);
	ask();
	services_end();
}
