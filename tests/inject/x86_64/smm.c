/* SPDX-License-Identifier: BSD-2-Clause */
/* Installing the handlers: SDM vol. 3, 32.11 (SMBASE relocation). */
#include "pc.h"

#include "core/lib/mem.h"
#include "efi/firmware.h"

extern const uint8_t inject_relocate[], inject_relocate_end[];
extern const uint8_t inject_relocate_base[], inject_relocate_done[];
extern const uint8_t inject_handler[], inject_handler_core[], inject_handler_end[];

#define RELOCATE_POLLS 100000 /* polls of 1000 counts each */

static volatile uint32_t *word_at(uint64_t entry, const uint8_t *code, const uint8_t *word)
{
	return (volatile uint32_t *)(uintptr_t)(entry + (uint64_t)(word - code));
}

static void smm_copy(uint64_t smbase, const uint8_t *code, const uint8_t *end)
{
	memcpy((void *)(uintptr_t)(smbase + SMM_ENTRY), code, (UINTN)(end - code));
}

static EFI_STATUS smm_relocate(const struct core *core)
{
	const uint64_t entry = SMM_DEFAULT_BASE + SMM_ENTRY;
	volatile uint32_t *done = word_at(entry, inject_relocate, inject_relocate_done);

	*word_at(entry, inject_relocate, inject_relocate_base) = core->smbase;
	*done = 0;
	cores_send_smi((uint8_t)core->apic_id);
	for (uint32_t i = 0; i < RELOCATE_POLLS && !*done; i++)
		spin(1000);
	if (*done)
		return EFI_SUCCESS;
	inject_log("core with APIC id %d did not enter SMM", core->apic_id);
	return EFI_TIMEOUT;
}

static void smm_give_handler(const struct core *core)
{
	uint64_t entry = core->smbase + SMM_ENTRY;

	smm_copy(core->smbase, inject_handler, inject_handler_end);
	*word_at(entry, inject_handler, inject_handler_core) = (uint32_t)(uintptr_t)core;
}

EFI_STATUS smm_install(struct header *header, uint32_t cores)
{
	EFI_PHYSICAL_ADDRESS at = SMM_REGION;
	EFI_STATUS status = firmware_boot()->AllocatePages(AllocateAddress, EfiReservedMemoryType,
							   SMM_REGION_PAGES, &at);

	if (EFI_ERROR(status)) {
		inject_log("memory at 0x%x is taken: status 0x%llx", SMM_REGION,
			   (unsigned long long)status);
		return status;
	}
	smm_copy(SMM_DEFAULT_BASE, inject_relocate, inject_relocate_end);
	for (uint32_t i = 0; i < cores && !EFI_ERROR(status); i++) {
		header->core[i].smbase = SMM_BASE(i);
		smm_give_handler(&header->core[i]);
		status = smm_relocate(&header->core[i]);
	}
	return status;
}
