/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC behind one table of operations. */
#include "apic.h"

#include "arch/arch.h"
#include "asm.h"
#include "clock_now.h"

#define REG_ID        0x20
#define REG_SVR       0xf0
#define REG_ICR_LOW   0x300
#define REG_ICR_HIGH  0x310
#define REG_LVT_TIMER 0x320

#define REG_VERSION      0x30
#define VERSION_LVT_LAST 16        /* bits 23:16: number of the last LVT register */
#define LVT_MODE         (7u << 8) /* 0: fixed */

#define X2APIC_MSR 0x800u

#define SVR_ENABLE   (1u << 8)
#define SVR_SPURIOUS 0xffu
#define LVT_NMI      (4u << 8)
#define LVT_MASKED   (1u << 16)

#define ICR_PENDING (1u << 12)
#define ICR_OTHERS  (3u << 18) /* to all cores but the sender */
/* Delivery takes well under a microsecond; an APIC that needs this long is broken. */
#define ICR_TIMEOUT_MS 10

const struct apic_ops *apic;

static const uint32_t lint_reg[2] = { 0x350, 0x360 }; /* LVT entries of LINT0 and LINT1 */

static bool boots; /* apic_init() was called on the BSP */
static uint64_t base;
static uint64_t icr_timeout; /* ticks */

/* LVT entries that firmware may use for itself, and the number of the last where there is one. */
static const struct {
	uint16_t reg, last;
} firmwares[APIC_FIRMWARES] = {
	{ 0x330, 5 }, /* thermal sensor */
	{ 0x340, 4 }, /* performance counters */
	{ 0x2f0, 6 }, /* CMCI */
};

static uint32_t xapic_read(uint32_t reg)
{
	return *(volatile uint32_t *)(uintptr_t)(base + reg);
}

static void xapic_write(uint32_t reg, uint32_t value)
{
	*(volatile uint32_t *)(uintptr_t)(base + reg) = value;
}

static bool xapic_idle(void)
{
	uint64_t start = clock_now();

	while (xapic_read(REG_ICR_LOW) & ICR_PENDING) {
		if (clock_now() - start > icr_timeout)
			return false;
		clock_relax();
	}
	return true;
}

static bool xapic_send(uint32_t apic_id, uint32_t command)
{
	if (!apic_is_xapic_id(apic_id) || !xapic_idle())
		return false;
	xapic_write(REG_ICR_HIGH, apic_id << 24);
	xapic_write(REG_ICR_LOW, command);
	return xapic_idle();
}

static uint32_t x2apic_read(uint32_t reg)
{
	return (uint32_t)rdmsr(X2APIC_MSR + (reg >> 4));
}

static void x2apic_write(uint32_t reg, uint32_t value)
{
	wrmsr(X2APIC_MSR + (reg >> 4), value);
}

static bool x2apic_send(uint32_t apic_id, uint32_t command)
{
	/* Writing the ICR is not ordered behind earlier stores (SDM vol. 3, 10.12.3). */
	__asm__ volatile("mfence; lfence" : : : "memory");
	wrmsr(X2APIC_MSR + (REG_ICR_LOW >> 4), (uint64_t)apic_id << 32 | command);
	return true;
}

static const struct apic_ops xapic = { xapic_read, xapic_write, xapic_send };
static const struct apic_ops x2apic = { x2apic_read, x2apic_write, x2apic_send };

void apic_init(uint64_t msr, uint64_t hz)
{
	boots = msr & APIC_BASE_BOOTS;
	base = msr & APIC_BASE_MASK;
	apic = msr & APIC_BASE_X2APIC ? &x2apic : &xapic;
	icr_timeout = hz / 1000 * ICR_TIMEOUT_MS;
}

void apic_enable(void)
{
	apic->write(REG_SVR, SVR_ENABLE | SVR_SPURIOUS);
	apic->write(REG_LVT_TIMER, LVT_MASKED);
}

static bool apic_has(unsigned n)
{
	return (apic->read(REG_VERSION) >> VERSION_LVT_LAST & 0xff) >= firmwares[n].last;
}

void apic_save_firmwares(uint32_t lvt[APIC_FIRMWARES])
{
	for (unsigned n = 0; n < APIC_FIRMWARES; n++)
		lvt[n] = apic_has(n) ? apic->read(firmwares[n].reg) : 0;
}

void apic_copy_firmwares(const uint32_t lvt[APIC_FIRMWARES])
{
	for (unsigned n = 0; n < APIC_FIRMWARES; n++)
		if (lvt[n] & LVT_MODE && apic_has(n))
			apic->write(firmwares[n].reg, lvt[n]);
}

static bool is_nmi(uint32_t lvt)
{
	return (lvt & LVT_MODE) == LVT_NMI;
}

struct apic_nmi apic_choose_nmi(const bool named[2], const uint32_t left[2], bool boot)
{
	/* By n.on[0] and n.on[1], if the MADT names LINT0 and not LINT1. */
	static const char *const why[2][2] = {
		{ "by which pin is not known: the MADT names LINT0, which has other interrupts",
		  "by LINT1, as the firmware left it, and not by LINT0, which the MADT names" },
		{ "by LINT0, as the MADT has it",
		  "by LINT0, as the MADT has it, and by LINT1, as the firmware left it" },
	};
	bool only_lint0 = named[0] && !named[1];
	struct apic_nmi n = { .known = true };

	n.on[0] = only_lint0 && (left[0] & LVT_MASKED || is_nmi(left[0]));
	n.on[1] = named[1] || (boot && (!only_lint0 || is_nmi(left[1])));
	if (!boot || named[1])
		return n;
	n.known = n.on[0] || n.on[1];
	n.why = only_lint0 ? why[n.on[0]][n.on[1]]
			   : "by LINT1, as under an OS: the MADT names no pin of that core";
	return n;
}

void apic_wire_nmi(const bool nmi[2])
{
	for (unsigned pin = 0; pin < 2; pin++)
		apic->write(lint_reg[pin],
			    nmi[pin] ? LVT_NMI : apic->read(lint_reg[pin]) | LVT_MASKED);
}

void apic_save_lints(uint32_t lint[2])
{
	for (unsigned pin = 0; pin < 2; pin++)
		lint[pin] = apic->read(lint_reg[pin]);
}

void apic_restore_lints(const uint32_t lint[2])
{
	for (unsigned pin = 0; pin < 2; pin++)
		apic->write(lint_reg[pin], lint[pin]);
}

bool apic_stop_others(void)
{
	if (boots)
		apic->send(0, APIC_INIT | ICR_OTHERS);
	return boots;
}

uint32_t arch_apic_id(void)
{
	uint64_t msr = rdmsr(MSR_APIC_BASE);

	if (msr & APIC_BASE_X2APIC)
		return (uint32_t)rdmsr(X2APIC_MSR + (REG_ID >> 4));
	return *(volatile uint32_t *)(uintptr_t)((msr & APIC_BASE_MASK) + REG_ID) >> 24;
}
