/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting the spare core. Source: SDM vol. 3, 8.4 (INIT-SIPI-SIPI) and 32.4 (SMRAM). */
#include "spare.h"

#include "arch/arch.h"
#include "core/lib/mem.h"
#include "efi/firmware.h"
#include "tests/inject/x86_64/pc.h"

#define APIC_ICR_LOW  0xfee00300u
#define APIC_ICR_HIGH 0xfee00310u
#define ICR_INIT      0x4500u
#define ICR_STARTUP   0x4600u
#define ICR_SMI       0x4200u
#define PAGES         8        /* with where a core is saved, 32.4.1 */
#define INIT_COUNTS   10000000 /* 10 ms at 1 GHz */
#define SIPI_COUNTS   1000000

extern const uint8_t spare_code[], spare_code_end[];
extern const uint8_t spare_smi[], spare_smi_end[];

static EFI_STATUS copy_to(uint64_t address, const uint8_t *code, const uint8_t *end)
{
	EFI_PHYSICAL_ADDRESS at = address;
	EFI_STATUS status = firmware_boot()->AllocatePages(AllocateAddress, EfiReservedMemoryType,
							   PAGES, &at);

	if (!EFI_ERROR(status))
		memcpy((void *)(uintptr_t)address, code, (UINTN)(end - code));
	return status;
}

static void send(uint8_t apic_id, uint32_t message)
{
	arch_mmio_write32(APIC_ICR_HIGH, (uint32_t)apic_id << 24);
	arch_mmio_write32(APIC_ICR_LOW, message);
}

EFI_STATUS spare_handle_smis(void)
{
	return copy_to(SMI_DEFAULT_ENTRY, spare_smi, spare_smi_end);
}

void spare_send_smi(uint8_t apic_id)
{
	send(apic_id, ICR_SMI);
}

EFI_STATUS spare_start(uint8_t apic_id)
{
	EFI_STATUS status = spare_handle_smis();

	if (!EFI_ERROR(status))
		status = copy_to(SPARE_PAGE, spare_code, spare_code_end);
	if (EFI_ERROR(status))
		return status;
	send(apic_id, ICR_INIT);
	spin(INIT_COUNTS);
	for (unsigned twice = 0; twice < 2; twice++) {
		send(apic_id, ICR_STARTUP | SPARE_PAGE >> 12);
		spin(SIPI_COUNTS);
	}
	return EFI_SUCCESS;
}
