/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration over TFTP, by the firmware's own PXE code, which has the network up and a
 * lease. Source: UEFI 2.10, section 24.3.
 */
#include "served.h"

#include "efi/firmware.h"
#include "probe/options.h"

#include "core/config/dhcp_ack.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"

/* RFC 1350, section 5, and RFC 2347. */
#define TFTP_DATA 3
#define TFTP_OACK 6

static EFI_GUID pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
static EFI_GUID callback_guid = EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL_GUID;

/* Files being asked for. The firmware calls back with the first member, for each packet. */
struct fetch {
	EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL watch;
	struct served served;
	EFI_PXE_BASE_CODE_PROTOCOL *pxe;
	EFI_HANDLE device;
	bool watched;
	char server[IPADDR_TEXT_MAX];
	UINT64 bytes;
};

static EFI_PXE_BASE_CODE_CALLBACK_STATUS EFIAPI watch(EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL *this,
						      EFI_PXE_BASE_CODE_FUNCTION function,
						      BOOLEAN received, UINT32 bytes,
						      EFI_PXE_BASE_CODE_PACKET *packet)
{
	struct fetch *f = (struct fetch *)(void *)this;

	/* OVMF passes the number of another function; only one runs at a time. */
	(void)function;
	if (received && packet && bytes >= 2 && packet->Raw[0] == 0 &&
	    (packet->Raw[1] == TFTP_DATA || packet->Raw[1] == TFTP_OACK))
		f->served.is_there = true;
	return served_is_late(&f->served) ? EFI_PXE_BASE_CODE_CALLBACK_STATUS_ABORT
					  : EFI_PXE_BASE_CODE_CALLBACK_STATUS_CONTINUE;
}

/* Watch the packets. If this fails, only the firmware's own time-outs apply. */
static void start_watch(struct fetch *f)
{
	BOOLEAN yes = TRUE;

	f->watch.Revision = EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL_REVISION;
	f->watch.Callback = (EFI_PXE_CALLBACK)watch;
	if (EFI_ERROR(firmware_boot()->InstallProtocolInterface(&f->device, &callback_guid,
								EFI_NATIVE_INTERFACE, &f->watch)))
		return;
	f->watched = true;
	f->pxe->SetParameters(f->pxe, NULL, NULL, NULL, NULL, &yes);
}

static void stop_watch(struct fetch *f)
{
	BOOLEAN no = FALSE;

	if (!f->watched)
		return;
	f->pxe->SetParameters(f->pxe, NULL, NULL, NULL, NULL, &no);
	firmware_boot()->UninstallProtocolInterface(f->device, &callback_guid, &f->watch);
}

/*
 * True if the server has no such file: by the error that UEFI defines, or by the one that iPXE
 * uses, which distinguishes errors.
 */
static bool is_absent(EFI_STATUS status)
{
	return status == EFI_TFTP_ERROR || status == EFI_NOT_FOUND || status == EFI_ACCESS_DENIED;
}

/*
 * Length of the file. iPXE's PXE code (efi_pxe.c) does not change the size; then the file ends at
 * the zeros to which the buffer was cleared.
 */
static UINT64 length_of(const struct fetch *f)
{
	UINT64 bytes = f->bytes;

	while (f->bytes == SERVED_ROOM && bytes && f->served.text[bytes - 1] == '\0')
		bytes--;
	return bytes;
}

static bool pxe_ask(struct served *served, const char *name)
{
	struct fetch *f = (struct fetch *)(void *)((char *)served - offsetof(struct fetch, served));
	EFI_IP_ADDRESS server;
	EFI_STATUS status;

	memset(&server, 0, sizeof(server));
	memcpy(&server, served->options->boot_server.bytes, IPADDR_V4_BYTES);
	f->bytes = SERVED_ROOM;
	memset(served->text, 0, SERVED_ROOM);
	status = f->pxe->Mtftp(f->pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, served->text, FALSE,
			       &f->bytes, NULL, &server, (UINT8 *)(uintptr_t)name, NULL, FALSE);
	if (is_absent(status) && !served->is_there)
		return false;
	served->is_there |= status == EFI_BUFFER_TOO_SMALL;
	if (EFI_ERROR(status))
		served_blame_status(served, name, status);
	else
		served_apply(served, name, length_of(f));
	return true;
}

static void pxe_fetch(struct options *o, EFI_PXE_BASE_CODE_PROTOCOL *pxe, EFI_HANDLE device,
		      const struct dhcp_ack *ack)
{
	struct config_names names;
	struct fetch f = {
		.served = { .options = o, .protocol = "tftp", .server = f.server, .ask = pxe_ask },
		.pxe = pxe,
		.device = device,
	};
	struct text t;

	text_init(&t, f.server, sizeof(f.server));
	ipaddr_print(&o->boot_server, &t);
	config_names(&names, ack->file, &o->machine->smbios, ack->has_mac ? ack->mac : NULL);
	start_watch(&f);
	served_fetch(&f.served, &names);
	stop_watch(&f);
}

/* Take in an answer that the firmware has kept. */
static void add_boot(struct dhcp_ack *ack, BOOLEAN received, const EFI_PXE_BASE_CODE_PACKET *packet)
{
	struct dhcp_ack later;

	if (received && dhcp_ack_read(&later, packet->Raw, sizeof(packet->Raw)))
		dhcp_ack_boot(ack, &later);
}

static bool read_ack(const EFI_PXE_BASE_CODE_MODE *mode, struct dhcp_ack *ack)
{
	if (!mode->DhcpAckReceived ||
	    !dhcp_ack_read(ack, mode->DhcpAck.Raw, sizeof(mode->DhcpAck.Raw)) ||
	    ack->address.family == IPADDR_NONE)
		return false;
	add_boot(ack, mode->ProxyOfferReceived, &mode->ProxyOffer);
	add_boot(ack, mode->PxeReplyReceived, &mode->PxeReply);
	return true;
}

void served_by_pxe(struct options *o, EFI_HANDLE device)
{
	EFI_PXE_BASE_CODE_PROTOCOL *pxe = firmware_protocol(device, &pxe_guid);
	struct dhcp_ack ack;

	if (!pxe || !pxe->Mode || !pxe->Mode->Started)
		return;
	if (pxe->Mode->UsingIpv6) {
		complaints_add("warning",
			       "booted over PXE by IPv6: no configuration is fetched from there");
		return;
	}
	if (!read_ack(pxe->Mode, &ack)) {
		complaints_add("warning", "booted over PXE, but the firmware shows no lease");
		return;
	}
	o->boot_server = ack.server;
	if (ack.server.family == IPADDR_NONE)
		complaints_add("warning", "booted over PXE, but no boot server is named");
	else
		pxe_fetch(o, pxe, device, &ack);
}
