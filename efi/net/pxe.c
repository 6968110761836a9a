/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration over TFTP, by the firmware's own PXE code, which has the network up and a
 * lease. Source: UEFI 2.10, section 24.3.
 */
#include "pxe.h"

#include "efi/firmware.h"
#include "efi/options.h"

#include "core/config/dhcp_ack.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"

#define TICKS_PER_S 10000000u /* of the firmware's timers: 100 ns */
#define PAGE_BYTES  4096u
#define FILE_ROOM   (CONFIG_TEXT_MAX + 1) /* one more than the limit: a longer file shows */

/* RFC 1350, section 5, and RFC 2347. */
#define TFTP_DATA 3
#define TFTP_OACK 6

static EFI_GUID pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
static EFI_GUID callback_guid = EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL_GUID;

/* Files being asked for. The firmware calls back with the first member, for each packet. */
struct fetch {
	EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL watch;
	EFI_PXE_BASE_CODE_PROTOCOL *pxe;
	EFI_HANDLE device;
	EFI_EVENT deadline;
	bool watched;
	bool late;
	bool is_there; /* the server has begun to send the file */
	struct options *options;
	char server[IPADDR_TEXT_MAX];
	char *text; /* FILE_ROOM bytes */
	UINT64 bytes;
};

static bool is_late(struct fetch *f)
{
	/* An event that was looked at is no longer signalled. */
	f->late = f->late ||
		  (f->deadline && firmware_boot()->CheckEvent(f->deadline) == EFI_SUCCESS);
	return f->late;
}

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
		f->is_there = true;
	return is_late(f) ? EFI_PXE_BASE_CODE_CALLBACK_STATUS_ABORT
			  : EFI_PXE_BASE_CODE_CALLBACK_STATUS_CONTINUE;
}

static void start_deadline(struct fetch *f)
{
	if (EFI_ERROR(firmware_boot()->CreateEvent(EVT_TIMER, 0, NULL, NULL, &f->deadline))) {
		f->deadline = NULL;
		return;
	}
	firmware_boot()->SetTimer(f->deadline, TimerRelative, (UINT64)PXE_SECONDS * TICKS_PER_S);
}

/* Where it cannot be had, the firmware's own time-outs are all there is. */
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

	if (f->deadline)
		firmware_boot()->CloseEvent(f->deadline);
	if (!f->watched)
		return;
	f->pxe->SetParameters(f->pxe, NULL, NULL, NULL, NULL, &no);
	firmware_boot()->UninstallProtocolInterface(f->device, &callback_guid, &f->watch);
}

static void complain(struct fetch *f, const char *level, const char *name, const char *what)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	text_add(&t, "tftp %s: %s: %s", f->server, name, what);
	complaints_add(f->options->complaints, level, t.buf);
}

static void apply(struct fetch *f, const char *name, UINT64 bytes)
{
	struct options *o = f->options;
	struct config_source source = { .name = o->tftp_source };
	char what[32];
	struct text t;

	text_init(&t, what, sizeof(what));
	text_add(&t, "%llu bytes", (unsigned long long)bytes);
	complain(f, "info", name, what);
	text_init(&t, o->tftp_source, sizeof(o->tftp_source));
	text_add(&t, "tftp:%s", name);
	o->mistakes += config_apply(&o->config, &source, f->text, (size_t)bytes, options_complain,
				    o->complaints);
}

/* A file that is there and does not come counts; a server that is silent may have none. */
static void blame(struct fetch *f, const char *name, EFI_STATUS status)
{
	bool is_there = f->is_there || status == EFI_BUFFER_TOO_SMALL;
	TEXT_DEFINE(what, 64);

	if (status == EFI_BUFFER_TOO_SMALL)
		text_add(&what, "longer than 65536 bytes, the most accepted");
	else if (f->late)
		text_add(&what, "not complete within 10 s");
	else
		text_add(&what, "%s (EFI status %llu)",
			 is_there ? "the transfer ended early" : "no answer",
			 (unsigned long long)(status & ~EFI_ERROR_MASK));
	complain(f, is_there ? "error" : "warning", name, what.buf);
	f->options->mistakes += is_there;
}

_Static_assert(CONFIG_TEXT_MAX == 65536 && PXE_SECONDS == 10, "blame() prints both");

/* The server's error, as UEFI has it; and as iPXE does, which distinguishes errors. */
static bool is_absent(EFI_STATUS status)
{
	return status == EFI_TFTP_ERROR || status == EFI_NOT_FOUND || status == EFI_ACCESS_DENIED;
}

/*
 * How long the file is. iPXE's PXE code (efi_pxe.c) leaves the size as it was given; then the
 * file ends where the zeros begin that the buffer was cleared to.
 */
static UINT64 length_of(const struct fetch *f)
{
	UINT64 bytes = f->bytes;

	while (f->bytes == FILE_ROOM && bytes && f->text[bytes - 1] == '\0')
		bytes--;
	return bytes;
}

/* False: go on with the next name. */
static bool fetch_one(struct fetch *f, const char *name)
{
	EFI_IP_ADDRESS server;
	EFI_STATUS status;

	memset(&server, 0, sizeof(server));
	memcpy(&server, f->options->lease.server.bytes, IPADDR_V4_BYTES);
	f->is_there = false;
	f->bytes = FILE_ROOM;
	memset(f->text, 0, FILE_ROOM);
	status = f->pxe->Mtftp(f->pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, f->text, FALSE, &f->bytes,
			       NULL, &server, (UINT8 *)(uintptr_t)name, NULL, FALSE);
	if (is_absent(status) && !f->is_there)
		return false;
	if (EFI_ERROR(status))
		blame(f, name, status);
	else
		apply(f, name, length_of(f));
	return true;
}

static void complain_none(struct fetch *f, const struct config_names *names)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	text_add(&t, "tftp %s: no configuration file there; tried", f->server);
	for (unsigned i = 0; i < names->count; i++)
		text_add(&t, "%s %s", i ? "," : "", names->name[i]);
	complaints_add(f->options->complaints, "info", t.buf);
}

static void fetch_first(struct fetch *f, const struct config_names *names)
{
	for (unsigned i = 0; i < names->count; i++) {
		if (is_late(f)) {
			complain(f, "warning", names->name[i], "not requested: 10 s are over");
			return;
		}
		if (fetch_one(f, names->name[i]))
			return;
	}
	complain_none(f, names);
}

static void fetch(struct options *o, EFI_PXE_BASE_CODE_PROTOCOL *pxe, EFI_HANDLE device,
		  const char *boot_file)
{
	struct config_names names;
	struct fetch f = { .pxe = pxe, .device = device, .options = o };
	struct text t;

	text_init(&t, f.server, sizeof(f.server));
	ipaddr_print(&o->lease.server, &t);
	f.text = firmware_pages(FILE_ROOM, 0);
	if (!f.text) {
		complaints_add(o->complaints, "warning",
			       "tftp: no memory for a configuration file");
		return;
	}
	config_names(&names, boot_file, &o->machine->smbios,
		     o->lease.has_mac ? o->lease.mac : NULL);
	start_deadline(&f);
	start_watch(&f);
	fetch_first(&f, &names);
	stop_watch(&f);
	firmware_boot()->FreePages((uintptr_t)f.text, (FILE_ROOM + PAGE_BYTES - 1) / PAGE_BYTES);
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

static void keep_lease(struct pxe_lease *lease, const struct dhcp_ack *ack)
{
	lease->known = true;
	lease->address = ack->address;
	lease->mask = ack->mask;
	lease->gateway = ack->gateway;
	lease->server = ack->server;
	lease->lease_s = ack->lease_s;
	lease->renew_s = ack->renew_s;
	lease->has_mac = ack->has_mac;
	memcpy(lease->mac, ack->mac, sizeof(lease->mac));
}

void pxe_read(struct options *o, EFI_HANDLE device)
{
	struct dhcp_ack ack;
	EFI_PXE_BASE_CODE_PROTOCOL *pxe = firmware_protocol(device, &pxe_guid);

	if (!pxe || !pxe->Mode || !pxe->Mode->Started)
		return;
	if (pxe->Mode->UsingIpv6) {
		complaints_add(o->complaints, "warning",
			       "booted over PXE by IPv6: no configuration is fetched from there");
		return;
	}
	if (!read_ack(pxe->Mode, &ack)) {
		complaints_add(o->complaints, "warning",
			       "booted over PXE, but the firmware shows no lease");
		return;
	}
	keep_lease(&o->lease, &ack);
	if (o->lease.server.family == IPADDR_NONE)
		complaints_add(o->complaints, "warning",
			       "booted over PXE, but no boot server is named");
	else
		fetch(o, pxe, device, ack.file);
}
