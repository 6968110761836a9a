/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes what is read from firmware that lies: PXE code, variables, device paths and memory map.
 * The services are this program's, and return what the input has, in buffers of the exact size. The
 * first byte selects what is read, and whether the reported sizes are true.
 */
#include "efi/firmware.h"
#include "efi/net/served.h"
#include "probe/save/nvram.h"

#include "tests/fuzz/services.h"

#define VARIABLES    12
#define REPORT_BYTES 1024u
#define CALLS_MAX    64

enum asked { ASK_PXE, ASK_VARIABLES, ASK_ENTRY, ASK_MAP, ASKED };

static struct {
	unsigned calls;
	EFI_PXE_BASE_CODE_PROTOCOL pxe;
	EFI_PXE_BASE_CODE_MODE *mode;
	EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL *watch;
	EFI_LOADED_IMAGE image;
	struct variable {
		CHAR16 name[24];
		uint8_t *value;
		size_t bytes;
	} variable[VARIABLES];
	unsigned variables;
} fw;

/* ---- Other parts of probe/ ---- */

const struct door door = {
	.pages = firmware_pages,
	.variable = &firmware_variables,
};

void options_complain(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx, (void)line;
	insist_showable(source, CONFIG_NAME_MAX + sizeof("https:"));
	insist_showable(text, CONFIG_COMPLAINT_MAX);
}

/* ---- Services ---- */

static EFI_STATUS handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **interface)
{
	EFI_STATUS status = take_status();

	(void)handle;
	if (status != EFI_SUCCESS)
		return status;
	if (is_guid(guid, (EFI_GUID)EFI_PXE_BASE_CODE_PROTOCOL_GUID))
		*interface = &fw.pxe;
	else if (is_guid(guid, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID))
		*interface = &fw.image;
	else if (is_guid(guid, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID))
		*interface = take_path();
	else
		return EFI_UNSUPPORTED;
	return EFI_SUCCESS;
}

static EFI_STATUS locate_protocol(EFI_GUID *guid, void *key, void **interface)
{
	(void)guid, (void)key;
	*interface = NULL;
	return take_status();
}

static EFI_STATUS create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify, void *ctx,
			       EFI_EVENT *event)
{
	(void)type, (void)level, (void)notify, (void)ctx;
	*event = &fw;
	return take_status();
}

static EFI_STATUS set_timer(EFI_EVENT event, EFI_TIMER_DELAY type, UINT64 ticks)
{
	(void)type, (void)ticks;
	insist(event == &fw);
	return EFI_SUCCESS;
}

static EFI_STATUS check_event(EFI_EVENT event)
{
	insist(event == &fw);
	return take_byte() % 16 == 1 ? EFI_SUCCESS : EFI_NOT_READY;
}

static EFI_STATUS close_event(EFI_EVENT event)
{
	insist(event == &fw);
	return EFI_SUCCESS;
}

static EFI_STATUS install(EFI_HANDLE *handle, EFI_GUID *guid, EFI_INTERFACE_TYPE type,
			  void *interface)
{
	EFI_STATUS status = take_status();

	(void)handle, (void)guid, (void)type;
	if (status == EFI_SUCCESS)
		fw.watch = interface;
	return status;
}

static EFI_STATUS uninstall(EFI_HANDLE handle, EFI_GUID *guid, void *interface)
{
	(void)handle, (void)guid;
	insist(fw.watch && interface == (void *)fw.watch);
	fw.watch = NULL;
	return EFI_SUCCESS;
}

static EFI_STATUS set_parameters(EFI_PXE_BASE_CODE_PROTOCOL *pxe, BOOLEAN *a, BOOLEAN *b, UINT8 *c,
				 UINT8 *d, BOOLEAN *callback)
{
	(void)pxe, (void)a, (void)b, (void)c, (void)d, (void)callback;
	return EFI_SUCCESS;
}

/* Show packets, then send a file, of the true size or of another. */
static EFI_STATUS mtftp(EFI_PXE_BASE_CODE_PROTOCOL *pxe, EFI_PXE_BASE_CODE_TFTP_OPCODE opcode,
			void *buffer, BOOLEAN overwrite, UINT64 *bytes, UINTN *block,
			EFI_IP_ADDRESS *server, UINT8 *name, EFI_PXE_BASE_CODE_MTFTP_INFO *info,
			BOOLEAN no_buffer)
{
	size_t count = take_number(2), room = *bytes;

	(void)pxe, (void)opcode, (void)overwrite, (void)block, (void)server, (void)info,
		(void)no_buffer;
	insist_showable((const char *)name, CONFIG_NAME_MAX + 1);
	for (unsigned n = take_byte() % 4; n && fw.watch; n--) {
		EFI_PXE_BASE_CODE_PACKET packet = { .Raw = { take_byte(), take_byte() } };

		if (fw.watch->Callback(fw.watch, 0, take_byte() & 1, take_byte(), &packet) ==
		    EFI_PXE_BASE_CODE_CALLBACK_STATUS_ABORT)
			return EFI_ABORTED;
	}
	take_bytes(buffer, count < room ? count : room);
	*bytes = services.flags & SIZES_LIE ? take_number(4) : count < room ? count : room;
	return take_status();
}

static struct variable *find(const CHAR16 *name)
{
	for (unsigned i = 0; i < fw.variables; i++)
		if (is_name(fw.variable[i].name, name))
			return &fw.variable[i];
	return NULL;
}

static EFI_STATUS get_variable(CHAR16 *name, EFI_GUID *guid, UINT32 *attributes, UINTN *bytes,
			       void *value)
{
	const struct variable *v = find(name);
	EFI_STATUS status = take_status();
	UINTN room = *bytes;

	(void)guid, (void)attributes;
	if (!v)
		return EFI_NOT_FOUND;
	if (status != EFI_SUCCESS)
		return status;
	*bytes = services.flags & SIZES_LIE ? take_number(3) : v->bytes;
	if (v->bytes > room && !(services.flags & SIZES_LIE))
		return EFI_BUFFER_TOO_SMALL;
	memcpy(value, v->value, v->bytes < room ? v->bytes : room);
	return EFI_SUCCESS;
}

static struct variable *make_variable(const CHAR16 *name)
{
	struct variable *v = find(name);

	if (!v && fw.variables < VARIABLES) {
		v = &fw.variable[fw.variables++];
		for (size_t n = 0; n < 23 && name[n]; n++)
			v->name[n] = name[n];
	}
	return v;
}

static EFI_STATUS set_variable(CHAR16 *name, EFI_GUID *guid, UINT32 attributes, UINTN bytes,
			       void *value)
{
	EFI_STATUS status = take_status();
	struct variable *v = status == EFI_SUCCESS ? make_variable(name) : NULL;

	(void)guid, (void)attributes;
	if (!v)
		return status == EFI_SUCCESS ? EFI_OUT_OF_RESOURCES : status;
	free(v->value);
	v->value = exact(value, bytes);
	v->bytes = bytes;
	return EFI_SUCCESS;
}

static EFI_STATUS query_info(UINT32 attributes, UINT64 *store, UINT64 *left, UINT64 *most)
{
	(void)attributes;
	*store = take_number64(3);
	*left = take_number64(3);
	*most = take_number64(3);
	return take_status();
}

static EFI_STATUS get_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key, UINTN *each,
			  UINT32 *version)
{
	UINTN room = *bytes, count = take_byte() % 32;

	*key = take_byte();
	*version = 1;
	*each = services.flags & SIZES_LIE ? take_byte() : sizeof(*map) + 8;
	*bytes = services.flags & SIZES_LIE ? take_number(2) : count * (sizeof(*map) + 8);
	/* The number of calls is bounded: the map is read no more often than it may grow. */
	insist(++fw.calls < CALLS_MAX);
	if (*bytes > room && !(services.flags & SIZES_LIE && room))
		return EFI_BUFFER_TOO_SMALL;
	if (!room)
		return take_status();
	take_bytes(map, room < *bytes ? room : *bytes);
	return take_status();
}

/* ---- What is asked ---- */

static void ask_pxe(void)
{
	static struct options o;
	EFI_PXE_BASE_CODE_MODE *mode = &(EFI_PXE_BASE_CODE_MODE){ .Started = TRUE };
	EFI_PXE_BASE_CODE_PACKET *const packet[] = { &mode->DhcpAck, &mode->ProxyOffer,
						     &mode->PxeReply };
	unsigned given = take_byte();

	fw.pxe.Mode = mode;
	mode->DhcpAckReceived = !(given & 1);
	mode->ProxyOfferReceived = given >> 1 & 1;
	mode->PxeReplyReceived = given >> 2 & 1;
	for (unsigned i = 0; i < 3; i++)
		take_bytes(packet[i]->Raw, take_number(2) % 700);
	memset(&o, 0, sizeof(o));
	o.machine = &services.machine;
	config_defaults(&o.config);
	served_by_pxe(&o, &fw);
	insist(!fw.watch);
	insist_showable(o.served_source, sizeof(o.served_source));
}

static void ask_report(void)
{
	uint8_t *report = services_allocate(REPORT_BYTES), *back = services_allocate(REPORT_BYTES);
	size_t bytes = 0;
	bool full;

	if (take_byte() & 1) {
		struct variable *v = make_variable(L"NoisefloorReport");

		v->bytes = take_number(2) % (2 * REPORT_BYTES);
		v->value = malloc(v->bytes + 1);
		insist(v->value);
		take_bytes(v->value, v->bytes);
	}
	if (nvram_read(report, REPORT_BYTES, &bytes) == SAVED_STATE_OK)
		insist(bytes <= REPORT_BYTES);
	nvram_write(report, 1 + take_number(2) % REPORT_BYTES, back, &full);
	nvram_remove();
}

static void ask_entry(void)
{
	unsigned writes = 0;
	uint64_t left;
	uint16_t number;

	fw.image.FilePath = take_byte() & 1 ? take_path() : NULL;
	set_variable(L"Boot0001", NULL, 0, take_number(2) % (PATH_BYTES + 1), take_path());
	set_variable(L"BootCurrent", NULL, 0, take_byte() % 3, "\1");
	if (nvram_entry(&number))
		nvram_entry_is_ours(number);
	nvram_boot_next(take_byte(), &writes);
	nvram_clear_boot_next();
	nvram_set_pending(take_byte(), &writes);
	nvram_mark();
	nvram_is_marked();
	nvram_left(&left);
	insist(nvram_room() <= NVRAM_REPORT_MAX);
}

static void ask_map(void)
{
	struct memory_map map = { .range = NULL };
	uint64_t address, bytes, room;

	for (unsigned n = 0; n < 3; n++) {
		if (!firmware_map_read(&map, NULL))
			continue;
		address = take_number64(8);
		bytes = take_number64(8);
		memory_map_covers(&map, address, bytes);
		memory_map_usable(&map, address, address + bytes);
		memory_map_boot_page(&map, address);
		memory_map_free_in(&map, address, address + bytes);
		room = memory_map_room(&map, address, address + bytes, 1 + bytes / 2, 4096);
		insist(!room ||
		       (room >= address && room % 4096 == 0 && address + bytes - room > bytes / 2));
		insist(memory_map_top(&map) >= UINT64_C(1) << 32);
	}
}

static void forget(void)
{
	services_end();
	while (fw.variables)
		free(fw.variable[--fw.variables].value);
}

static EFI_BOOT_SERVICES boot = {
	.AllocatePages = allocate_pages,
	.FreePages = free_pages,
	.GetMemoryMap = get_map,
	.CreateEvent = create_event,
	.SetTimer = set_timer,
	.CheckEvent = check_event,
	.CloseEvent = close_event,
	.InstallProtocolInterface = install,
	.UninstallProtocolInterface = uninstall,
	.HandleProtocol = handle_protocol,
	.LocateProtocol = locate_protocol,
	.SetWatchdogTimer = set_watchdog,
};

static EFI_RUNTIME_SERVICES runtime = {
	.Hdr.Revision = 2u << 16,
	.GetVariable = get_variable,
	.SetVariable = set_variable,
	.QueryVariableInfo = query_info,
};

/* Check the text: a console may be a terminal, so only letters and line ends may get there. */
static EFI_STATUS EFIAPI output_string(SIMPLE_TEXT_OUTPUT_INTERFACE *to, CHAR16 *text)
{
	(void)to;
	while (*text >= ' ' && *text <= '~')
		text++;
	insist(text[0] == '\r' && text[1] == '\n' && !text[2]);
	return EFI_SUCCESS;
}

static void print(const uint8_t *data, size_t bytes)
{
	char *line = bytes ? strndup((const char *)data, bytes) : strdup("");

	firmware_print(line);
	free(line);
}

FUZZ(0, SIZE_MAX)
{
	static void (*const ask[ASKED])(void) = { ask_pxe, ask_report, ask_entry, ask_map };
	static SIMPLE_TEXT_OUTPUT_INTERFACE console = { .OutputString = output_string };
	static EFI_SYSTEM_TABLE table = { .BootServices = &boot,
					  .RuntimeServices = &runtime,
					  .ConOut = &console };

	memset(&fw, 0, sizeof(fw));
	services_start(data, bytes, &fw, &table);
	print(data, bytes);
	fw.pxe.SetParameters = set_parameters;
	fw.pxe.Mtftp = mtftp;
	ask[services.flags % ASKED]();
	forget();
}
