/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores from MP Services, SMIs through the local APIC. */
#include "pc.h"

#include "arch/arch.h"
#include "arch/x86_64/asm.h"
#include "efi/firmware.h"

#define APIC_ADDRESS  UINT64_C(0xfffff000)
#define APIC_ID       0x020
#define APIC_ICR_LOW  0x300
#define APIC_ICR_HIGH 0x310
#define ICR_PENDING   0x1000
#define ICR_SMI       0x4200 /* level assert, delivery mode SMI, vector 0 */
#define ICR_POLLS     1000000

#define MP_CPU_ENABLED 0x2

static uint64_t apic_base(void)
{
	return rdmsr(MSR_APIC_BASE);
}

static uint64_t apic(uint32_t reg)
{
	return (apic_base() & APIC_ADDRESS) + reg;
}

static uint8_t cores_self(void)
{
	return (uint8_t)(arch_mmio_read32(apic(APIC_ID)) >> 24);
}

/* The boot core stays first: it is the only one sure to be in any list. */
static uint32_t cores_ask(struct mp_services *mp, uint8_t *apic_id, uint32_t max)
{
	UINTN cpus, enabled;
	uint32_t found = 1;

	if (EFI_ERROR(mp->count(mp, &cpus, &enabled)))
		return 1;
	for (UINTN i = 0; i < cpus; i++) {
		struct mp_cpu cpu;

		if (EFI_ERROR(mp->info(mp, i, &cpu)) || !(cpu.flags & MP_CPU_ENABLED))
			continue;
		if (cpu.apic_id == apic_id[0])
			continue;
		if (cpu.apic_id >= 255 || found == max)
			return 0;
		apic_id[found++] = (uint8_t)cpu.apic_id;
	}
	return found;
}

uint32_t cores_list(uint8_t *apic_id, uint32_t max)
{
	static EFI_GUID mp_services_guid = MP_SERVICES_GUID;
	struct mp_services *mp;

	if (apic_base() & APIC_BASE_X2APIC)
		return 0;
	apic_id[0] = cores_self();
	if (EFI_ERROR(firmware_boot()->LocateProtocol(&mp_services_guid, NULL, (void **)&mp)))
		return 1;
	return cores_ask(mp, apic_id, max);
}

void cores_send_smi(uint8_t apic_id)
{
	for (uint32_t i = 0; i < ICR_POLLS && (arch_mmio_read32(apic(APIC_ICR_LOW)) & ICR_PENDING);
	     i++)
		spin(1);
	arch_mmio_write32(apic(APIC_ICR_HIGH), (uint32_t)apic_id << 24);
	arch_mmio_write32(apic(APIC_ICR_LOW), ICR_SMI);
}
