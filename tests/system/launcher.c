/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * launcher.efi: what a saved machine waits in. Once fw_cfg has the file START it connects the disk
 * that it came from anew, another one by now, and starts what is to boot there.
 */
#include "efi/firmware.h"
#include "tests/inject/file.h"
#include "tests/inject/fwcfg.h"

#define START   "opt/noisefloor/start"
#define POLL_US 10000

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	EFI_HANDLE device, image;
	EFI_STATUS status;
	char go = 0;

	firmware_init(self, table);
	device = firmware_boot_device();
	firmware_print("launcher: waiting");
	while (!fwcfg_read(START, &go, sizeof(go)))
		firmware_boot()->Stall(POLL_US);
	firmware_boot()->DisconnectController(device, NULL, NULL);
	firmware_boot()->ConnectController(device, NULL, NULL, TRUE);
	status = firmware_boot()->LoadImage(
		FALSE, self, file_path(device, L"\\EFI\\BOOT\\BOOTX64.EFI"), NULL, 0, &image);
	return EFI_ERROR(status) ? status : firmware_boot()->StartImage(image, NULL, NULL);
}
