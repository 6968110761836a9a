/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions to level 3 or 2. Where the monitor runs (monitor/monitor.S), level 3 is its own, and
 * the firmware and the probe are at level 2. Elsewhere the firmware, which was entered at level 2,
 * goes on at level 1, above a hypervisor that takes nothing but FIQs: those of the hypervisor's own
 * timer, which is the one interrupt of group 0. To the levels below each is time that is gone.
 * Sources: Arm ARM (DDI 0487), D17; GIC architecture (IHI 0069), for a GICv3 with one security
 * state, where group 0 is ours; QEMU, hw/arch/arm/virt.c for the addresses.
 */
#include "tests/inject/source.h"

#include "arch/aarch64/asm.h"
#include "arch/arch.h"
#include "core/lib/ticks.h"
#include "level2.h"
#include "monitor/monitor.h"

#include "efi/firmware.h"

#define GICD_CTLR        UINT64_C(0x08000000)
#define GICD_CTLR_GROUP0 (1u << 0)
#define GICD_CTLR_ONE    (1u << 6) /* DS: one security state */
#define GICR_WAKER       UINT64_C(0x080a0014)
#define GICR_WAKER_SLEEP (1u << 1)
#define GICR_SGI         UINT64_C(0x080b0000) /* the boot core's redistributor, second page */
#define GICR_IGROUPR0    (GICR_SGI + 0x80)
#define GICR_ISENABLER0  (GICR_SGI + 0x100)
#define GICR_IPRIORITYR  (GICR_SGI + 0x400)
#define HYP_TIMER        26 /* its interrupt: BSA's PPI 26 */

#define PFR0_LEVEL3 UINT64_C(0xf000) /* ID_AA64PFR0_EL1.EL3: QEMU has it with secure=on only */

#define HCR_FMO    (UINT64_C(1) << 3)
#define HCR_TSC    (UINT64_C(1) << 19) /* SMCs of level 1 come to level 2 */
#define HCR_RW     (UINT64_C(1) << 31)
#define SRE_ON     UINT64_C(0xf) /* system registers, also for level 1 */
#define FPEN       (UINT64_C(3) << 20)
#define EL1_TIMERS UINT64_C(3) /* CNTHCTL_EL2: counter and timer are level 1's */

#define SCTLR_RES1 UINT64_C(0x30d00800)
#define SCTLR_KEEP UINT64_C(0x100f) /* M, A, C, SA, I: the same bits at both levels */
#define TCR_40BIT  UINT64_C(24)     /* T0SZ */
#define TCR_CACHED UINT64_C(0x3500) /* tables write-back, inner shareable */
#define TCR_EPD1   (UINT64_C(1) << 23)
#define TCR_PS(t)  ((t) >> 16 & 7)
#define TCR_IPS(p) ((p) << 32)

#define GIB          (UINT64_C(1) << 30)
#define ENTRIES      512u
#define TABLE        UINT64_C(3)
#define BLOCK        UINT64_C(0x401) /* valid, accessed */
#define BLOCK_ATTR   2
#define BLOCK_SHARED (UINT64_C(3) << 8)
#define MAIR_CACHED  0xff
#define MAIR_DEVICE  0x00

#define STACK_BYTES 4096

/* Behind what the firmware uses of 1 GiB, which begins at 1 GiB. */
const uint64_t source_header_address = UINT64_C(0x50000000);

static uint64_t root[ENTRIES] __attribute__((aligned(4096)));
static uint64_t gibs[2 * ENTRIES] __attribute__((aligned(4096)));
static uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));

uint64_t source_hz(void)
{
	return sysreg_read("cntfrq_el0");
}

uint64_t source_now(void)
{
	return clock_now();
}

uint64_t source_rearm_ticks(uint64_t ns)
{
	return ticks_from_ns(ns, source_hz());
}

static bool has_monitor(void)
{
	return sysreg_read("id_aa64pfr0_el1") & PFR0_LEVEL3;
}

static EFI_STATUS call_monitor(uint32_t function, uint64_t number)
{
	register uint64_t x0 __asm__("x0") = function;
	register uint64_t x1 __asm__("x1") = number;

	__asm__ volatile("smc #0" : "+r"(x0) : "r"(x1) : "x16", "x17", "memory");
	return x0 ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

uint32_t source_cores(struct header *header, const struct plan *plan)
{
	if (current_el() != 2 || plan->nmi_period_ns || plan->target) {
		inject_log("wants to begin at exception level 2, and one core without NMIs");
		return 0;
	}
	if (!has_monitor() && !(arch_mmio_read32(GICD_CTLR) & GICD_CTLR_ONE)) {
		inject_log("wants a GICv3 with one security state");
		return 0;
	}
	header->core[0].apic_id = arch_apic_id();
	return 1;
}

static uint64_t mair_index(uint64_t mair, uint8_t attributes)
{
	uint64_t i = 0;

	while (i < 7 && (uint8_t)(mair >> 8 * i) != attributes)
		i++;
	return i;
}

/* 1 TiB at its own addresses: the second GiB is memory, all else devices. */
static void map(uint64_t mair)
{
	uint64_t cached = BLOCK | BLOCK_SHARED | mair_index(mair, MAIR_CACHED) << BLOCK_ATTR;
	uint64_t device = BLOCK | mair_index(mair, MAIR_DEVICE) << BLOCK_ATTR;

	for (uint64_t i = 0; i < 2 * ENTRIES; i++)
		gibs[i] = i * GIB | (i == 1 ? cached : device);
	root[0] = (uintptr_t)gibs | TABLE;
	root[1] = (uintptr_t)(gibs + ENTRIES) | TABLE;
}

/* Level 1 as level 2 is, but for the tables: their permissions mean other things there. */
static void prepare_level1(bool answers)
{
	map(sysreg_read("mair_el2"));
	sysreg_write("mair_el1", sysreg_read("mair_el2"));
	sysreg_write("tcr_el1",
		     TCR_40BIT | TCR_CACHED | TCR_EPD1 | TCR_IPS(TCR_PS(sysreg_read("tcr_el2"))));
	sysreg_write("ttbr0_el1", (uintptr_t)root);
	sysreg_write("sctlr_el1", SCTLR_RES1 | (sysreg_read("sctlr_el2") & SCTLR_KEEP));
	sysreg_write("vbar_el1", sysreg_read("vbar_el2"));
	sysreg_write("tpidr_el1", sysreg_read("tpidr_el2"));
	sysreg_write("cpacr_el1", FPEN);
	sysreg_write("cnthctl_el2", EL1_TIMERS);
	sysreg_write("cntvoff_el2", 0);
	sysreg_write("vpidr_el2", sysreg_read("midr_el1"));
	sysreg_write("vmpidr_el2", sysreg_read("mpidr_el1"));
	sysreg_write("s3_4_c12_c9_5", SRE_ON); /* ICC_SRE_EL2 */
	isb();
	sysreg_write("s3_0_c12_c12_5", SRE_ON & 7); /* ICC_SRE_EL1 */
	sysreg_write("hcr_el2", HCR_RW | HCR_FMO | (answers ? HCR_TSC : 0));
	__asm__ volatile("dsb sy; tlbi vmalle1; dsb sy; isb" : : : "memory");
}

static void enable_timer(void)
{
	/* U-Boot leaves it asleep. */
	arch_mmio_write32(GICR_WAKER, arch_mmio_read32(GICR_WAKER) & ~GICR_WAKER_SLEEP);
	arch_mmio_write32(GICR_IGROUPR0, arch_mmio_read32(GICR_IGROUPR0) & ~(1u << HYP_TIMER));
	arch_mmio_write8(GICR_IPRIORITYR + HYP_TIMER, 0);
	arch_mmio_write32(GICR_ISENABLER0, 1u << HYP_TIMER);
	arch_mmio_write32(GICD_CTLR, arch_mmio_read32(GICD_CTLR) | GICD_CTLR_GROUP0);
}

/* ExitBootServices has switched all interrupts off, ours too. */
static VOID EFIAPI enable_again(EFI_EVENT event, VOID *ctx)
{
	(void)event, (void)ctx;
	enable_timer();
}

/* After the interrupt controller's driver, whose event is of TPL_NOTIFY. */
static EFI_STATUS route_timer(void)
{
	EFI_EVENT event;

	enable_timer();
	sysreg_write("s3_0_c4_c6_0", 0xff); /* ICC_PMR_EL1 */
	sysreg_write("s3_0_c12_c12_6", 1);  /* ICC_IGRPEN0_EL1 */
	isb();
	return firmware_boot()->CreateEvent(EVT_SIGNAL_EXIT_BOOT_SERVICES, TPL_CALLBACK,
					    enable_again, NULL, &event);
}

static EFI_STATUS install_level2(struct header *header)
{
	const struct level1 l = { (uintptr_t)stack + STACK_BYTES, (uintptr_t)level2_vectors };
	uint64_t masks = sysreg_read("daif");
	EFI_STATUS status;

	sysreg_write("cnthp_ctl_el2", 0);
	status = route_timer();
	arch_mask_interrupts();
	prepare_level1(header->core[0].effects);
	sysreg_write("tpidr_el2", (uintptr_t)&header->core[0]);
	level2_drop(&l);
	sysreg_write("daif", masks);
	return status;
}

EFI_STATUS source_install(struct header *header)
{
	return has_monitor() ? call_monitor(MONITOR_TAKE, (uintptr_t)&header->core[0])
			     : install_level2(header);
}

EFI_STATUS source_arm(struct header *header, const struct plan *plan)
{
	uint64_t first;

	if (plan->mode != PLAN_HANDLER)
		return EFI_UNSUPPORTED;
	if (!plan->count)
		return EFI_SUCCESS;
	first = header->armed_tsc +
		source_rearm_ticks(plan->start_ns + plan_smis(plan)[0].pause_ns);
	if (has_monitor())
		return call_monitor(MONITOR_ARM, first);
	level2_arm(first);
	return EFI_SUCCESS;
}
