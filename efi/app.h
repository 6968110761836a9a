/* SPDX-License-Identifier: BSD-2-Clause */
/* The application's one state, handed from chapter to chapter of efi/main.c. */
#ifndef EFI_APP_H
#define EFI_APP_H

#include "arch/arch.h"
#include "core/config/config.h"
#include "core/config/config_names.h"
#include "core/report/report.h"
#include "core/run/run.h"
#include "core/firmware/smbios.h"
#include "core/gaps/tsc_adjust.h"
#include "drivers/chipset.h"
#include "drivers/pci.h"
#include "drivers/refclock.h"
#include "drivers/uart.h"
#include "drivers/usb_legacy.h"
#include "display.h"
#include "firmware.h"
#include "network.h"
#include "outlet.h"
#include "save.h"

#define APP_COMPLAINTS 32
#define USB_TEXT_MAX   480

/* A complaint made before there was a port to say it on. */
struct complaint {
	const char *level;
	char text[CONFIG_COMPLAINT_MAX];
};

/* What the DHCP server gave to the firmware's PXE code; what it did not give is IPADDR_NONE. */
struct pxe_lease {
	bool known; /* the image was booted over PXE, by IPv4 */
	struct ipaddr address, mask, gateway;
	struct ipaddr server; /* of the boot file */
	struct maybe lease_s, renew_s;
	bool has_mac;
	uint8_t mac[MACADDR_BYTES];
};

/* What efi/stages.c knows of the platform. */
struct app_state {
	bool pci_open;
	bool surveyed;
	uint32_t taken;         /* steps, a bit per stage */
	char usb[USB_TEXT_MAX]; /* each controller and its owner */
	struct chipset_state chipset;
	char tsc_adjust[TSC_ADJUST_TEXT_MAX];
};

struct app {
	struct config config;
	struct memory_map map;
	struct acpi_info acpi;
	struct smbios_info smbios;
	struct arch_identity identity;
	struct refclock_verdict clock;
	struct refclock refclock[2]; /* that watch the TSC */
	unsigned refclocks;
	struct pci pci;
	struct usb_controllers usb;
	struct chipset chipset;
	struct app_state state;
	struct pxe_lease lease;
	char tftp_source[CONFIG_NAME_MAX + sizeof("tftp:")]; /* of the configuration fetched */

	struct complaint complaint[APP_COMPLAINTS];
	unsigned complaints, complaints_lost;
	unsigned mistakes; /* in the configuration: the run does not start */

	struct network network;
	struct outlet outlet;
	struct save save;
	struct display display;
	struct uart uart;
	struct record_link serial;
	struct report report;
	struct run run;
	struct platform platform;
	struct arch_memory memory;
	uint64_t memory_bytes; /* allocated, without gap rings */
	uint64_t ring_bytes;
	uint32_t ring_gaps; /* per core */
	bool begun;         /* the begin record is out */
	bool taken_over;    /* the firmware's boot services are gone */
	bool harvested;     /* this start has dealt with an earlier run's report: harvest.h */

	struct record_begin begin;
	const char *busy[RECORD_STRINGS]; /* evidence that the firmware uses */
	char apic_ids[400];
	char config_text[800];
};

/* Keep a complaint for later, or say it at once when the report is open. */
void app_complain(struct app *app, const char *level, const char *text);

#endif
