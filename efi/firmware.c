/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware services. Source: UEFI 2.10, chapters 4, 7 and 12. */
#include "firmware.h"

#include "arch/arch.h"
#include "core/firmware/boot_path.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"

EFI_GUID firmware_path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
EFI_GUID firmware_own_guid = {
	0x77cca71c, 0x9cb0, 0x422d, { 0x9c, 0xb0, 0xbe, 0x29, 0x77, 0xed, 0xbf, 0xe7 }
};

static EFI_HANDLE image_handle;
static EFI_SYSTEM_TABLE *system_table;

void firmware_init(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	image_handle = image;
	system_table = table;
	table->BootServices->SetWatchdogTimer(0, 0, 0, NULL);
}

EFI_HANDLE firmware_image(void)
{
	return image_handle;
}

void *firmware_protocol(EFI_HANDLE handle, EFI_GUID *protocol)
{
	void *interface = NULL;

	if (!handle || EFI_ERROR(firmware_boot()->HandleProtocol(handle, protocol, &interface)))
		return NULL;
	return interface;
}

void *firmware_protocol_above(EFI_HANDLE handle, EFI_GUID *protocol)
{
	EFI_DEVICE_PATH *path = firmware_protocol(handle, &firmware_path_guid);
	EFI_HANDLE above;

	if (!path || EFI_ERROR(firmware_boot()->LocateDevicePath(protocol, &path, &above)))
		return NULL;
	return firmware_protocol(above, protocol);
}

EFI_HANDLE firmware_find(EFI_GUID *protocol, bool (*is_it)(EFI_HANDLE handle, void *ctx), void *ctx)
{
	EFI_HANDLE *handles = NULL, found = NULL;
	UINTN count = 0;

	if (EFI_ERROR(firmware_boot()->LocateHandleBuffer(ByProtocol, protocol, NULL, &count,
							  &handles)) ||
	    !handles)
		return NULL;
	for (UINTN i = 0; i < count && !found; i++)
		if (is_it(handles[i], ctx))
			found = handles[i];
	firmware_boot()->FreePool(handles);
	return found;
}

EFI_LOADED_IMAGE *firmware_loaded_image(void)
{
	static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;

	return firmware_protocol(image_handle, &loaded_image_guid);
}

EFI_HANDLE firmware_boot_device(void)
{
	const EFI_LOADED_IMAGE *image = firmware_loaded_image();

	return image ? image->DeviceHandle : NULL;
}

EFI_HANDLE firmware_console(void)
{
	return system_table->ConsoleOutHandle;
}

bool firmware_path_ends(EFI_HANDLE handle, uint8_t type, uint8_t subtype)
{
	const uint8_t *path = firmware_protocol(handle, &firmware_path_guid);
	size_t bytes = path ? boot_path_bytes(path, DOOR_PATH_MAX) : 0, last = 0;

	for (size_t at = 0; at < bytes; at += bytes_le16(path + at + 2))
		last = at;
	return bytes && path[last] == type && path[last + 1] == subtype;
}

EFI_BOOT_SERVICES *firmware_boot(void)
{
	steps_go_on();
	return system_table->BootServices;
}

EFI_RUNTIME_SERVICES *firmware_runtime(void)
{
	steps_go_on();
	return system_table->RuntimeServices;
}

uint64_t firmware_table(const EFI_GUID *guid)
{
	for (UINTN i = 0; i < system_table->NumberOfTableEntries; i++) {
		const EFI_CONFIGURATION_TABLE *t = &system_table->ConfigurationTable[i];

		if (!memcmp(&t->VendorGuid, guid, sizeof(*guid)))
			return (uintptr_t)t->VendorTable;
	}
	return 0;
}

void firmware_widen(CHAR16 *wide, size_t chars, const char *name)
{
	size_t n = 0;

	for (; name[n] && n < chars - 1; n++)
		wide[n] = (CHAR16)name[n];
	wide[n] = 0;
}

void firmware_lower_priority(void)
{
	EFI_BOOT_SERVICES *bs = firmware_boot();

	bs->RaiseTPL(TPL_HIGH_LEVEL);
	bs->RestoreTPL(TPL_APPLICATION);
}

void firmware_print(const char *line)
{
	CHAR16 buffer[256];
	size_t n = 0;

	if (!system_table->ConOut)
		return;
	/*
	 * The text may come from variables, which anybody may write, and the console may be a
	 * terminal: print no control characters.
	 */
	while (line[n] && n < sizeof(buffer) / sizeof(buffer[0]) - 3) {
		buffer[n] = line[n] >= ' ' && line[n] <= '~' ? (CHAR16)line[n] : L'?';
		n++;
	}
	buffer[n++] = L'\r';
	buffer[n++] = L'\n';
	buffer[n] = 0;
	system_table->ConOut->OutputString(system_table->ConOut, buffer);
}

void firmware_clear_screen(void)
{
	if (system_table->ConOut)
		system_table->ConOut->ClearScreen(system_table->ConOut);
}

bool firmware_read_key(char *key)
{
	SIMPLE_INPUT_INTERFACE *in = system_table->ConIn;
	EFI_INPUT_KEY pressed;

	if (!in || EFI_ERROR(in->ReadKeyStroke(in, &pressed)))
		return false;
	*key = pressed.UnicodeChar < 0x80 ? (char)pressed.UnicodeChar : '\0';
	if (pressed.ScanCode == SCAN_ESC)
		*key = DOOR_KEY_ESC;
	return true;
}

static void *firmware_allocate(EFI_ALLOCATE_TYPE type, EFI_PHYSICAL_ADDRESS at, size_t bytes)
{
	UINTN count = (bytes + EFI_PAGE_SIZE - 1) / EFI_PAGE_SIZE;

	if (EFI_ERROR(firmware_boot()->AllocatePages(type, EfiLoaderData, count, &at)))
		return NULL;
	memset((void *)(uintptr_t)at, 0, count * EFI_PAGE_SIZE);
	return (void *)(uintptr_t)at;
}

void *firmware_pages(size_t bytes, uint64_t limit)
{
	return limit ? firmware_allocate(AllocateMaxAddress, limit - 1, bytes)
		     : firmware_allocate(AllocateAnyPages, 0, bytes);
}

void *firmware_pages_at(uint64_t address, size_t bytes)
{
	return firmware_allocate(AllocateAddress, address, bytes);
}

static EFI_RESET_SYSTEM reset_system;

const char *firmware_reset_problem(void)
{
	reset_system = firmware_runtime()->ResetSystem;
	return reset_system ? NULL : "is missing";
}

/*
 * This must not count a step (firmware_runtime()): arch_try_for() single-steps it, and between
 * single steps AArch64's store-exclusive never succeeds.
 */
void firmware_reset(bool off)
{
	reset_system(off ? EfiResetShutdown : EfiResetCold, EFI_SUCCESS, 0, NULL);
}
