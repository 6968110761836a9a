/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inject.efi: for tests only. Arms a source of gaps whose truth can be read from
 * outside (source.h), then starts \noisefloor.efi from the same volume.
 *
 * A plan lists what to inject (plan.h). The truth is at source_header_address
 * (layout.h), in reserved memory.
 */
#include "file.h"
#include "layout.h"
#include "plan.h"
#include "source.h"

#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "efi/firmware.h"

#define LENGTH_MAX INT32_MAX /* ticks; the handler compares 32 bits, signed */
#define BELOW_4G   UINT64_C(0xffffffff)
#define STOLEN     64 /* bytes; Arm DEN0057A */

void inject_log(const char *format, ...)
{
	char line[160];
	struct text t;
	va_list args;

	text_init(&t, line, sizeof(line));
	text_add(&t, "inject: ");
	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	firmware_print(line);
}

static EFI_STATUS reserve(UINTN bytes, uint32_t *address)
{
	EFI_PHYSICAL_ADDRESS at = BELOW_4G;
	EFI_STATUS status = firmware_boot()->AllocatePages(
		AllocateMaxAddress, EfiReservedMemoryType, EFI_SIZE_TO_PAGES(bytes), &at);

	if (EFI_ERROR(status)) {
		inject_log("no %llu bytes below 4 GiB: status 0x%llx", (unsigned long long)bytes,
			   (unsigned long long)status);
		return status;
	}
	memset((void *)(uintptr_t)at, 0, bytes);
	*address = (uint32_t)at;
	return EFI_SUCCESS;
}

static EFI_STATUS header_create(const struct plan *plan, struct header **header)
{
	EFI_PHYSICAL_ADDRESS at = source_header_address;
	EFI_STATUS status = firmware_boot()->AllocatePages(AllocateAddress, EfiReservedMemoryType,
							   HEADER_PAGES, &at);

	if (EFI_ERROR(status)) {
		inject_log("memory at 0x%llx is taken: status 0x%llx",
			   (unsigned long long)source_header_address, (unsigned long long)status);
		return status;
	}
	*header = (struct header *)(uintptr_t)at;
	memset(*header, 0, sizeof(**header));
	(*header)->version = HEADER_VERSION;
	(*header)->mode = plan->mode;
	(*header)->core_bytes = sizeof(struct core);
	(*header)->start_ns = plan->start_ns;
	return EFI_SUCCESS;
}

/*
 * The schedule in ticks. A pause of 0 arms the comparator to expire while still
 * in SMM: the next SMI is then pending and taken right after RSM.
 */
static EFI_STATUS schedule_create(const struct plan *plan, uint64_t hz, uint32_t *address)
{
	const struct plan_smi *smi = plan_smis(plan);
	EFI_STATUS status = reserve(plan->count * sizeof(struct step) + 1, address);
	struct step *step = (struct step *)(uintptr_t)*address;

	for (uint32_t i = 0; i < plan->count && !EFI_ERROR(status); i++) {
		uint64_t length = smi[i].length_ns * hz / 1000000000;
		uint32_t pause = i + 1 < plan->count ? smi[i + 1].pause_ns : 0;
		uint64_t rearm = pause ? source_rearm_ticks((uint64_t)smi[i].length_ns + pause) : 0;

		if (length > LENGTH_MAX || rearm > UINT32_MAX) {
			inject_log("SMI %d is too long", i);
			return EFI_INVALID_PARAMETER;
		}
		step[i].length = (uint32_t)length;
		step[i].rearm = rearm > STEP_REARM_MIN ? (uint32_t)rearm : STEP_REARM_MIN;
	}
	return status;
}

static bool takes_smis(const struct plan *plan, uint32_t core)
{
	return plan->target == core || plan->target == PLAN_ALL;
}

/* Every core gets a log: an SMI from elsewhere is truth too. */
static EFI_STATUS cores_prepare(struct header *header, const struct plan *plan, uint32_t schedule)
{
	EFI_STATUS status = EFI_SUCCESS;

	for (uint32_t i = 0; i < header->cores && !EFI_ERROR(status); i++) {
		struct core *core = &header->core[i];

		core->capacity = LOG_MAX;
		core->schedule = schedule;
		core->planned = takes_smis(plan, i) ? plan->count : 0;
		core->poll = header->cores > 1;
		core->nmi = plan->nmi_period_ns != 0;
		core->effects = plan->effects;
		status = reserve(LOG_MAX * sizeof(struct span), &core->log);
		if (!EFI_ERROR(status) && plan->effects >> EFFECT_PV_TIME & 1)
			status = reserve(STOLEN, &core->stolen);
	}
	return status;
}

static EFI_STATUS cores_find(struct header *header, const struct plan *plan)
{
	header->cores = source_cores(header, plan);
	if (header->cores == 0)
		return EFI_UNSUPPORTED;
	if ((plan->target >= header->cores && plan->target != PLAN_ALL) ||
	    (plan->nmi_period_ns && plan->nmi_target >= header->cores &&
	     plan->nmi_target != PLAN_ALL)) {
		inject_log("the plan names a core past the %d found", header->cores);
		return EFI_INVALID_PARAMETER;
	}
	header->planned = plan->count;
	return EFI_SUCCESS;
}

static EFI_STATUS handler_prepare(struct header *header, const struct plan *plan)
{
	uint32_t schedule = 0;
	EFI_STATUS status = cores_find(header, plan);

	header->tsc_hz = source_hz();
	if (!EFI_ERROR(status))
		status = schedule_create(plan, header->tsc_hz, &schedule);
	if (!EFI_ERROR(status))
		status = cores_prepare(header, plan, schedule);
	if (!EFI_ERROR(status))
		status = source_install(header);
	return status;
}

/* The last thing before the probe starts, so that start_ns counts from its first instruction. */
static EFI_STATUS arm(struct header *header, const struct plan *plan)
{
	header->magic = HEADER_MAGIC;
	header->armed_tsc = source_now();
	return plan->mode == PLAN_IDLE ? EFI_SUCCESS : source_arm(header, plan);
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	EFI_HANDLE device, probe;
	struct header *header;
	struct plan *plan;
	EFI_STATUS status;

	firmware_init(self, table);
	device = firmware_boot_device();
	status = plan_load(device, &plan);
	if (!EFI_ERROR(status))
		status = header_create(plan, &header);
	if (!EFI_ERROR(status) && plan->mode == PLAN_HANDLER)
		status = handler_prepare(header, plan);
	if (!EFI_ERROR(status))
		status = file_load_probe(self, device, plan->options, &probe);
	if (!EFI_ERROR(status)) {
		inject_log("%d SMIs", plan->count);
		status = arm(header, plan);
	}
	if (EFI_ERROR(status)) {
		inject_log("not started: status 0x%llx", (unsigned long long)status);
		return status;
	}
	return firmware_boot()->StartImage(probe, NULL, NULL);
}
