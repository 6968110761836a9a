/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables. Source: UEFI 2.10, 8.2 (variable services) and 3.3 (BootCurrent, BootNext). */
#include "nvram.h"

#include "efi/firmware.h"

/* Name and head of a variable, on a firmware that counts them; and an odd byte or two. */
#define VARIABLE_SPARE 256u
#define PART_LEAST     512u
#define UEFI_2_0       (2u << 16) /* of a table's header */
#define STORE_KEEPS    4u         /* one part in so many of the store stays free */

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
	return firmware_runtime()->GetVariable(name, guid, NULL, bytes, value);
}

static EFI_STATUS set(CHAR16 *name, EFI_GUID *guid, UINT32 attributes, const void *value,
		      UINTN bytes)
{
	return firmware_runtime()->SetVariable(name, guid, attributes, bytes, (void *)value);
}

struct nvram_room nvram_room(void)
{
	EFI_RUNTIME_SERVICES *rt = firmware_runtime();
	struct nvram_room room = { 0, 0 };
	UINT64 store, left, most;

	/* Before UEFI 2.0 there is no such function. */
	if (rt->Hdr.Revision < UEFI_2_0 ||
	    EFI_ERROR(rt->QueryVariableInfo(PERSISTENT, &store, &left, &most)) ||
	    most < PART_LEAST + VARIABLE_SPARE || left < store / STORE_KEEPS + PART_LEAST)
		return room;
	left -= store / STORE_KEEPS;
	most -= VARIABLE_SPARE;
	room.part = most < NVRAM_REPORT_MAX ? (size_t)most : NVRAM_REPORT_MAX;
	room.bytes = COMPACT_PARTS * room.part < left ? COMPACT_PARTS * room.part : (size_t)left;
	/* One variable does for most: each is a write. */
	if (room.bytes > NVRAM_REPORT_MAX)
		room.bytes = NVRAM_REPORT_MAX;
	room.bytes -= COMPACT_PARTS * COMPACT_PART_HEAD;
	return room;
}

static const char *explain(EFI_STATUS status)
{
	if (status == EFI_UNSUPPORTED)
		return "the firmware takes no variables after ExitBootServices";
	if (status == EFI_OUT_OF_RESOURCES)
		return "the firmware's store is full";
	return "the firmware does not take the variable";
}

const char *nvram_write(const void *report, size_t bytes, void *part, size_t part_bytes,
			unsigned *writes)
{
	/* The first part last: until then what was there before is the report. */
	for (unsigned n = (unsigned)compact_parts(bytes, part_bytes); n-- > 0;) {
		size_t count = compact_part(part, part_bytes, report, bytes, n);
		EFI_STATUS status = set(name_of(n), &own_guid, PERSISTENT, part, count);

		++*writes;
		if (EFI_ERROR(status))
			return explain(status);
	}
	return NULL;
}

enum compact_state nvram_read(void *out, void *part, size_t *bytes)
{
	struct compact_join join = { .out = out, .cap = COMPACT_PARTS * NVRAM_REPORT_MAX };
	enum compact_state state = COMPACT_OVER;

	do {
		UINTN count = NVRAM_REPORT_MAX;
		EFI_STATUS status = get(name_of(join.count), &own_guid, part, &count);

		if (status == EFI_NOT_FOUND)
			break;
		state = EFI_ERROR(status) ? COMPACT_DAMAGED : compact_join(&join, part, count);
	} while (state == COMPACT_CUT);
	*bytes = join.used;
	return state;
}

bool nvram_delete(void)
{
	bool gone = true;

	for (unsigned n = 0; n < COMPACT_PARTS; n++) {
		EFI_STATUS status = set(name_of(n), &own_guid, PERSISTENT, NULL, 0);

		gone &= !EFI_ERROR(status) || status == EFI_NOT_FOUND;
	}
	return gone;
}

bool nvram_entry(uint16_t *number)
{
	UINTN bytes = sizeof(*number);

	return get(L"BootCurrent", &global_guid, number, &bytes) == EFI_SUCCESS &&
	       bytes == sizeof(*number);
}

bool nvram_boot_next(uint16_t number, unsigned *writes)
{
	++*writes;
	return set(L"BootNext", &global_guid, PERSISTENT, &number, sizeof(number)) == EFI_SUCCESS;
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
