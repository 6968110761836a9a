/* SPDX-License-Identifier: BSD-2-Clause */
/* SMIs: of our own handler by the HPET's messages, or the chipset's timers. */
#include "pc.h"

#include "arch/arch.h"

#define PM_SMI_EN         0x630 /* q35's PMBASE under OVMF is 0x600 */
#define SMI_EN_GLOBAL_APM 0x21

const uint64_t source_header_address = 0x60000;

uint64_t source_hz(void)
{
	return hpet_tsc_hz();
}

uint64_t source_now(void)
{
	return clock_now();
}

uint64_t source_rearm_ticks(uint64_t ns)
{
	return hpet_ticks(ns);
}

/* The first that takes SMIs re-arms the comparator. */
uint32_t source_cores(struct header *header, const struct plan *plan)
{
	uint8_t apic_id[SMM_CORES];
	uint32_t armer = plan->target == PLAN_ALL ? 0 : plan->target;
	uint32_t cores;

	if (!hpet_start())
		return 0;
	header->hpet_fs = hpet_period_fs();
	cores = cores_list(apic_id, SMM_CORES);
	if (cores == 0)
		inject_log("wants cores in xAPIC mode, at most %d", SMM_CORES);
	for (uint32_t i = 0; i < cores; i++)
		header->core[i].apic_id = apic_id[i];
	if (armer < cores)
		header->core[armer].hpet = (uint32_t)HPET_ADDRESS;
	return cores;
}

EFI_STATUS source_install(struct header *header)
{
	EFI_STATUS status = smm_install(header, header->cores);

	arch_out32(PM_SMI_EN, arch_in32(PM_SMI_EN) | SMI_EN_GLOBAL_APM);
	return status;
}

static uint8_t message_target(const struct header *header, uint32_t target)
{
	return target == PLAN_ALL ? 0xff : (uint8_t)header->core[target].apic_id;
}

static void handler_arm(struct header *header, const struct plan *plan)
{
	uint64_t first, now;

	if (plan->count == 0)
		return;
	now = hpet_now();
	first = now + hpet_ticks(plan->start_ns + plan_smis(plan)[0].pause_ns);
	if (first < now + STEP_REARM_MIN)
		first = now + STEP_REARM_MIN;
	for (uint32_t i = 0; i < header->cores; i++)
		header->core[i].compare_high = (uint32_t)(first >> 32);
	if (plan->nmi_period_ns)
		hpet_prepare_nmi(message_target(header, plan->nmi_target),
				 first + hpet_ticks(plan->nmi_period_ns), plan->nmi_period_ns);
	hpet_arm_smi(message_target(header, plan->target), first);
}

EFI_STATUS source_arm(struct header *header, const struct plan *plan)
{
	if (plan->mode == PLAN_HANDLER) {
		handler_arm(header, plan);
		return EFI_SUCCESS;
	}
	if (plan->mode == PLAN_LEGACY)
		return legacy_pose() ? EFI_SUCCESS : EFI_UNSUPPORTED;
	header->period_ns = plan->mode == PLAN_TCO ? tco_start() : swsmi_start(plan->swsmi_rate);
	return header->period_ns ? EFI_SUCCESS : EFI_UNSUPPORTED;
}
