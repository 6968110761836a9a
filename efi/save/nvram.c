/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables. Source: UEFI 2.10, 8.2 (variable services) and 3.3 (BootCurrent, BootNext). */
#include "nvram.h"

#include "save_limits.h"
#include "efi/firmware.h"

#include "core/firmware/boot_option.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"

#define VARIABLE_SPARE 256u /* name and head, where the firmware counts them as well */
#define PART_LEAST     512u
#define OPTION_MAX     4096u      /* a boot entry, with its optional data */
#define UEFI_2_0       (2u << 16) /* of a table's header */

static EFI_GUID own_guid = {
	0x77cca71c, 0x9cb0, 0x422d, { 0x9c, 0xb0, 0xbe, 0x29, 0x77, 0xed, 0xbf, 0xe7 }
};
static EFI_GUID global_guid = EFI_GLOBAL_VARIABLE;

#define BOOT       EFI_VARIABLE_BOOTSERVICE_ACCESS
#define PERSISTENT (EFI_VARIABLE_NON_VOLATILE | BOOT | EFI_VARIABLE_RUNTIME_ACCESS)

static CHAR16 part_name[] = L"NoisefloorReport0";
#define PART_DIGIT (sizeof(part_name) / sizeof(part_name[0]) - 2)

static CHAR16 *name_of(unsigned n)
{
	part_name[PART_DIGIT] = (CHAR16)(L'0' + n);
	return part_name;
}

static EFI_STATUS get(CHAR16 *name, EFI_GUID *guid, void *value, UINTN *bytes)
{
	UINTN room = *bytes;
	EFI_STATUS status;

	steps_note("reading a variable");
	status = firmware_runtime()->GetVariable(name, guid, NULL, bytes, value);

	/* A size that cannot be would lead past the buffer. */
	return status == EFI_SUCCESS && *bytes > room ? EFI_BAD_BUFFER_SIZE : status;
}

static EFI_STATUS set(CHAR16 *name, EFI_GUID *guid, UINT32 attributes, const void *value,
		      UINTN bytes)
{
	steps_note("writing a variable");
	return firmware_runtime()->SetVariable(name, guid, attributes, bytes, (void *)value);
}

static bool query(UINT64 *store, UINT64 *left, UINT64 *most)
{
	EFI_RUNTIME_SERVICES *rt = firmware_runtime();

	/* Before UEFI 2.0 there is no such function. */
	return rt->Hdr.Revision >= UEFI_2_0 &&
	       !EFI_ERROR(rt->QueryVariableInfo(PERSISTENT, store, left, most));
}

bool nvram_left(uint64_t *left)
{
	UINT64 store, free, most;

	if (!query(&store, &free, &most))
		return false;
	*left = saved_room(store, free);
	return true;
}

struct nvram_room nvram_room(const struct config *c)
{
	struct nvram_room room = { 0, 0, 0 };
	UINT64 store, left, most;

	if (!query(&store, &left, &most) || most < PART_LEAST + VARIABLE_SPARE ||
	    saved_room(store, left) < PART_LEAST)
		return room;
	room.left = saved_room(store, left);
	most -= VARIABLE_SPARE;
	room.part = most < save_limits_part(c) ? (size_t)most : save_limits_part(c);
	room.bytes = COMPACT_PARTS * room.part < room.left ? COMPACT_PARTS * room.part
							   : (size_t)room.left;
	/* One variable does for most: each is a write. */
	if (room.bytes > NVRAM_REPORT_MAX)
		room.bytes = NVRAM_REPORT_MAX;
	room.bytes -= COMPACT_PARTS * COMPACT_PART_HEAD;
	return room;
}

static enum saved_status status_of(EFI_STATUS status)
{
	switch (status) {
	case EFI_SUCCESS:
		return SAVED_OK;
	case EFI_NOT_FOUND:
		return SAVED_NONE;
	case EFI_UNSUPPORTED:
		return SAVED_UNSUPPORTED;
	case EFI_OUT_OF_RESOURCES:
		return SAVED_FULL;
	default:
		return SAVED_REFUSED;
	}
}

static enum saved_status get_part(void *ctx, unsigned n, void *value, size_t cap, size_t *bytes)
{
	UINTN count = cap;
	EFI_STATUS status = get(name_of(n), &own_guid, value, &count);

	(void)ctx;
	*bytes = count;
	return status_of(status);
}

static enum saved_status set_part(void *ctx, unsigned n, const void *value, size_t bytes)
{
	(void)ctx;
	return status_of(set(name_of(n), &own_guid, PERSISTENT, value, bytes));
}

const struct saved_variables nvram_variables = { .get = get_part, .set = set_part };

bool nvram_entry(uint16_t *number)
{
	UINTN bytes = sizeof(*number);

	return get(L"BootCurrent", &global_guid, number, &bytes) == EFI_SUCCESS &&
	       bytes == sizeof(*number);
}

/* The image's device and file; the bytes, 0: not known. */
static size_t image_path(uint8_t path[FIRMWARE_PATH_MAX])
{
	const EFI_LOADED_IMAGE *image = firmware_loaded_image();
	const void *device = image ? firmware_protocol(image->DeviceHandle, &firmware_path_guid)
				   : NULL;
	size_t head, file = 0;

	if (!device)
		return 0;
	head = boot_option_path(device, FIRMWARE_PATH_MAX);
	if (image->FilePath)
		file = boot_option_path(image->FilePath, FIRMWARE_PATH_MAX);
	if (head + file > FIRMWARE_PATH_MAX)
		return 0;
	memcpy(path, device, head);
	memcpy(path + head, image->FilePath, file);
	return head + file;
}

static bool is_behind_shim(void)
{
	static EFI_GUID shim_guid = {
		0x605dab50, 0xe046, 0x4300, { 0xab, 0xb6, 0x3d, 0xd8, 0x10, 0xdd, 0x8b, 0x23 }
	};
	void *shim;

	return !EFI_ERROR(firmware_boot()->LocateProtocol(&shim_guid, NULL, &shim));
}

bool nvram_entry_is_ours(uint16_t number)
{
	uint8_t *option = firmware_pages(OPTION_MAX, 0), path[FIRMWARE_PATH_MAX];
	CHAR16 name[] = L"Boot0000";
	UINTN bytes = OPTION_MAX;
	size_t count = image_path(path);

	for (unsigned i = 0; i < 4; i++)
		name[4 + i] = (CHAR16)("0123456789ABCDEF"[number >> (12 - 4 * i) & 15]);
	return option && count && get(name, &global_guid, option, &bytes) == EFI_SUCCESS &&
	       boot_option_leads(option, bytes, path, count, is_behind_shim());
}

bool nvram_boot_next(uint16_t number, unsigned *writes)
{
	UINTN bytes = sizeof(number);
	uint16_t next = 0;

	++*writes;
	return set(L"BootNext", &global_guid, PERSISTENT, &number, sizeof(number)) == EFI_SUCCESS &&
	       get(L"BootNext", &global_guid, &next, &bytes) == EFI_SUCCESS && next == number;
}

unsigned nvram_pending(void)
{
	UINTN bytes = 1;
	uint8_t runs;

	return get(L"NoisefloorPending", &own_guid, &runs, &bytes) == EFI_SUCCESS ? runs : 0;
}

bool nvram_set_pending(unsigned runs, unsigned *writes)
{
	const uint8_t value = (uint8_t)runs;

	if (runs == nvram_pending())
		return true;
	++*writes;
	set(L"NoisefloorPending", &own_guid, BOOT | EFI_VARIABLE_NON_VOLATILE, &value, runs != 0);
	return nvram_pending() == runs;
}

void nvram_clear_boot_next(void)
{
	UINTN bytes = sizeof(uint16_t);
	uint16_t next, current;

	if (get(L"BootNext", &global_guid, &next, &bytes) == EFI_SUCCESS && nvram_entry(&current) &&
	    next == current)
		set(L"BootNext", &global_guid, PERSISTENT, NULL, 0);
}

bool nvram_is_marked(void)
{
	UINTN bytes = 1;
	uint8_t mark;

	return get(L"NoisefloorHarvested", &own_guid, &mark, &bytes) == EFI_SUCCESS;
}

void nvram_mark(void)
{
	const uint8_t mark = 1;

	set(L"NoisefloorHarvested", &own_guid, BOOT, &mark, sizeof(mark));
}
