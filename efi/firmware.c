/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware services. Source: UEFI 2.10, chapters 4, 7 and 12. */
#include "firmware.h"

#include "arch/arch.h"
#include "core/lib/mem.h"

#define PAGE_BYTES 4096u
#define GIB4       (UINT64_C(1) << 32)
#define BIOS_AREA  UINT64_C(0xa0000)
#define MIB1       UINT64_C(0x100000)
#define MAP_SPARE  16384u /* the map grows by what we allocate after sizing it */

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

EFI_HANDLE firmware_boot_device(void)
{
	static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	EFI_LOADED_IMAGE *image;

	if (EFI_ERROR(firmware_boot()->HandleProtocol(image_handle, &loaded_image_guid,
						      (void **)&image)))
		return NULL;
	return image->DeviceHandle;
}

EFI_HANDLE firmware_console(void)
{
	return system_table->ConsoleOutHandle;
}

EFI_BOOT_SERVICES *firmware_boot(void)
{
	return system_table->BootServices;
}

EFI_RUNTIME_SERVICES *firmware_runtime(void)
{
	return system_table->RuntimeServices;
}

void firmware_mask_as(bool masked)
{
	if (!masked)
		arch_unmask_interrupts();
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

void firmware_print(const char *line)
{
	CHAR16 buffer[256];
	size_t n = 0;

	if (!system_table->ConOut)
		return;
	while (line[n] && n < sizeof(buffer) / sizeof(buffer[0]) - 3) {
		buffer[n] = (CHAR16)line[n];
		n++;
	}
	buffer[n++] = L'\r';
	buffer[n++] = L'\n';
	buffer[n] = 0;
	system_table->ConOut->OutputString(system_table->ConOut, buffer);
}

void firmware_wait_key(void)
{
	UINTN index;

	if (!system_table->ConIn ||
	    EFI_ERROR(firmware_boot()->WaitForEvent(1, &system_table->ConIn->WaitForKey, &index)))
		arch_halt();
}

void firmware_clear_screen(void)
{
	if (system_table->ConOut)
		system_table->ConOut->ClearScreen(system_table->ConOut);
}

static enum firmware_key_kind kind_of(const EFI_INPUT_KEY *key)
{
	if (key->ScanCode == SCAN_ESC)
		return FIRMWARE_KEY_ESC;
	if (key->UnicodeChar == CHAR_CARRIAGE_RETURN || key->UnicodeChar == CHAR_LINEFEED)
		return FIRMWARE_KEY_ENTER;
	if (key->UnicodeChar == CHAR_BACKSPACE)
		return FIRMWARE_KEY_BACKSPACE;
	return key->UnicodeChar >= L' ' && key->UnicodeChar <= L'~' ? FIRMWARE_KEY_CHARACTER
								    : FIRMWARE_KEY_OTHER;
}

bool firmware_read_key(struct firmware_key *key)
{
	SIMPLE_INPUT_INTERFACE *in = system_table->ConIn;
	EFI_INPUT_KEY pressed;

	if (!in || EFI_ERROR(in->ReadKeyStroke(in, &pressed)))
		return false;
	key->kind = kind_of(&pressed);
	key->character = (char)pressed.UnicodeChar;
	return true;
}

void *firmware_pages(size_t bytes, uint64_t limit)
{
	EFI_PHYSICAL_ADDRESS at = limit ? limit - 1 : 0;
	UINTN pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	EFI_STATUS status = firmware_boot()->AllocatePages(
		limit ? AllocateMaxAddress : AllocateAnyPages, EfiLoaderData, pages, &at);

	if (EFI_ERROR(status))
		return NULL;
	memset((void *)(uintptr_t)at, 0, pages * PAGE_BYTES);
	return (void *)(uintptr_t)at;
}

static EFI_STATUS get_map(struct memory_map *m)
{
	m->size = m->capacity;
	return firmware_boot()->GetMemoryMap(&m->size, (EFI_MEMORY_DESCRIPTOR *)(void *)m->buffer,
					     &m->key, &m->descriptor_size, &m->version);
}

bool memory_map_read(struct memory_map *m)
{
	EFI_STATUS status;

	if (m->buffer && get_map(m) == EFI_SUCCESS)
		return true;
	m->buffer = NULL;
	m->capacity = 0;
	status = get_map(m);
	if (status != EFI_BUFFER_TOO_SMALL)
		return false;
	m->capacity = m->size + MAP_SPARE;
	m->buffer = firmware_pages(m->capacity, 0);
	return m->buffer && get_map(m) == EFI_SUCCESS;
}

const EFI_MEMORY_DESCRIPTOR *memory_map_at(const struct memory_map *m, size_t n)
{
	if ((n + 1) * m->descriptor_size > m->size)
		return NULL;
	return (const EFI_MEMORY_DESCRIPTOR *)(const void *)(m->buffer + n * m->descriptor_size);
}

static bool is_memory(const EFI_MEMORY_DESCRIPTOR *d)
{
	return d->Type <= EfiACPIMemoryNVS;
}

static uint64_t end_of(const EFI_MEMORY_DESCRIPTOR *d)
{
	return d->PhysicalStart + d->NumberOfPages * PAGE_BYTES;
}

/* The end of the stretch of memory that holds `address`; `address` itself when none does. */
static uint64_t covered_to(const struct memory_map *m, uint64_t address)
{
	const EFI_MEMORY_DESCRIPTOR *d;

	if (address >= BIOS_AREA && address < MIB1)
		return MIB1;
	for (size_t n = 0; (d = memory_map_at(m, n)); n++)
		if (is_memory(d) && d->PhysicalStart <= address && address < end_of(d))
			return end_of(d);
	return address;
}

bool memory_map_covers(const struct memory_map *m, uint64_t address, uint64_t bytes)
{
	uint64_t end = address + bytes;

	if (end < address)
		return false;
	while (address < end) {
		uint64_t next = covered_to(m, address);

		if (next == address)
			return false;
		address = next;
	}
	return true;
}

uint64_t memory_map_top(const struct memory_map *m)
{
	const EFI_MEMORY_DESCRIPTOR *d;
	uint64_t top = GIB4;

	for (size_t n = 0; (d = memory_map_at(m, n)); n++)
		if (is_memory(d) && end_of(d) > top)
			top = end_of(d);
	return top;
}
