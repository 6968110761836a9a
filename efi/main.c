/* SPDX-License-Identifier: BSD-2-Clause */
/* The door of UEFI, and the entry by which UEFI starts the program. */
#include "firmware.h"
#include "probe/door.h"

static bool read_map(struct memory_map *m)
{
	return firmware_map_read(m, NULL);
}

static uint64_t table_of(enum door_table table)
{
	static const EFI_GUID guids[DOOR_TABLES] = {
		[DOOR_ACPI_2] = ACPI_20_TABLE_GUID,
		[DOOR_ACPI_1] = ACPI_TABLE_GUID,
		[DOOR_SMBIOS_3] = SMBIOS3_TABLE_GUID,
		[DOOR_SMBIOS] = SMBIOS_TABLE_GUID,
		/* UEFI 2.10, 4.6.1.3 */
		[DOOR_DEVICE_TREE] = { 0xb1b621d5,
				       0xf19c,
				       0x41a5,
				       { 0x83, 0x0b, 0xd9, 0x15, 0x2c, 0x69, 0xaa, 0xe0 } },
	};

	return firmware_table(&guids[table]);
}

/* Source: TCG, EFI Protocol Specification 1.0 rev. 13, 6.5 (GetEventLog). */
#define FORMAT_TCG2 2u

struct tcg2 {
	void *get_capability;
	EFI_STATUS(EFIAPI *get_event_log)
	(struct tcg2 *this, UINT32 format, EFI_PHYSICAL_ADDRESS *first, EFI_PHYSICAL_ADDRESS *last,
	 BOOLEAN *truncated);
};

static bool event_log(uint64_t *first, uint64_t *last)
{
	static EFI_GUID tcg2_guid = {
		0x607f766c, 0x7455, 0x42be, { 0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f }
	};
	BOOLEAN truncated = 0;
	struct tcg2 *tcg2;

	*first = *last = 0;
	return !EFI_ERROR(firmware_boot()->LocateProtocol(&tcg2_guid, NULL, (void **)&tcg2)) &&
	       !EFI_ERROR(tcg2->get_event_log(tcg2, FORMAT_TCG2, first, last, &truncated)) &&
	       *first && *last >= *first && !truncated;
}

static void stall(uint32_t us)
{
	firmware_boot()->Stall(us);
}

static bool read_time(struct date *date)
{
	EFI_TIME now;

	if (firmware_runtime()->GetTime(&now, NULL) != EFI_SUCCESS)
		return false;
	*date = (struct date){
		.year = now.Year,
		.month = now.Month,
		.day = now.Day,
		.hour = now.Hour,
		.minute = now.Minute,
		.second = now.Second,
		.zone_known = now.TimeZone != EFI_UNSPECIFIED_TIMEZONE,
		.zone = (int16_t)-now.TimeZone, /* UTC is local time plus this: UEFI 2.10, 8.3 */
	};
	return true;
}

/* The start of the image, defined by the linker. */
extern const char ImageBase[] __attribute__((visibility("hidden")));

const struct door door = {
	.name = "uefi",
	.image = ImageBase,
	.pages = firmware_pages,
	.pages_at = firmware_pages_at,
	.read_map = read_map,
	.table = table_of,
	.event_log = event_log,
	.print = firmware_print,
	.clear_screen = firmware_clear_screen,
	.read_key = firmware_read_key,
	.stall = stall,
	.time = read_time,
	.find_screen = firmware_screen_find,
	.paint = firmware_screen_paint,
	.read_options = firmware_options_read,
	.file = &firmware_files,
	.variable = &firmware_variables,
	.network = &firmware_network,
	.loan = &firmware_loan,
	.service = &firmware_services,
	.recover = firmware_lower_priority,
	.watch = firmware_watch,
	.unwatch = firmware_watch_end,
	.take_faults = firmware_watch_faults,
	.give_faults = firmware_watch_no_faults,
	.leave = firmware_exit,
	.is_gone = firmware_is_gone,
	.reset_problem = firmware_reset_problem,
	.reset = firmware_reset,
};

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	unsigned code;

	firmware_init(image, table);
	code = probe_run();
	/* After EFI_SUCCESS the boot manager would show its menu: UEFI 2.10, 3.1.1. */
	return code == PROBE_BOOT_ON ? EFI_ABORTED : code;
}
