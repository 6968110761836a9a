/* SPDX-License-Identifier: BSD-2-Clause */
/* HPET, by the IA-PC HPET specification 1.0a; messages by SDM vol. 3, 11.11. */
#include "pc.h"

#include "arch/arch.h"

#define CONFIG_ENABLE      0x1
#define TIMER_PERIODIC     0x0008
#define TIMER_SET_VALUE    0x0040
#define TIMER_FSB_CAPABLE  0x8000
#define PERIOD_FS_MAX      100000000
#define MESSAGE_ADDRESS(a) (0xfee00000u | (uint32_t)(a) << 12)
#define MESSAGE_SMI        0x200
#define MESSAGE_NMI        0x400
#define FS_PER_NS          1000000
#define CALIBRATE_NS       50000000

static uint32_t hpet_read(uint32_t reg)
{
	return arch_mmio_read32(HPET_ADDRESS + reg);
}

static void hpet_write(uint32_t reg, uint32_t value)
{
	arch_mmio_write32(HPET_ADDRESS + reg, value);
}

uint32_t hpet_period_fs(void)
{
	return hpet_read(HPET_CAPABILITIES + 4);
}

static bool hpet_can_send(uint32_t timer)
{
	return hpet_read(HPET_TIMER(timer) + HPET_TIMER_CONFIG) & TIMER_FSB_CAPABLE;
}

bool hpet_start(void)
{
	uint32_t period = hpet_period_fs();

	if (period == 0 || period > PERIOD_FS_MAX) {
		inject_log("no HPET at 0x%llx", (unsigned long long)HPET_ADDRESS);
		return false;
	}
	if (!hpet_can_send(HPET_SMI) || !hpet_can_send(HPET_NMI)) {
		inject_log("HPET timers cannot send messages: -global hpet.msi=on is missing");
		return false;
	}
	hpet_write(HPET_CONFIG, hpet_read(HPET_CONFIG) | CONFIG_ENABLE);
	return true;
}

uint64_t hpet_now(void)
{
	uint32_t high, low;

	do {
		high = hpet_read(HPET_COUNTER + 4);
		low = hpet_read(HPET_COUNTER);
	} while (hpet_read(HPET_COUNTER + 4) != high);
	return (uint64_t)high << 32 | low;
}

/* Whole ticks a second first: ns * FS_PER_NS would overflow after five hours. */
uint64_t hpet_ticks(uint64_t ns)
{
	return ns / hpet_period_fs() * FS_PER_NS +
	       ns % hpet_period_fs() * FS_PER_NS / hpet_period_fs();
}

/* Both clocks at one moment: the narrowest of eight brackets. */
static void hpet_pair(uint64_t *tsc, uint64_t *hpet)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = clock_now();
		uint64_t now = hpet_now();
		uint64_t width = clock_now() - before;

		if (width >= best)
			continue;
		best = width;
		*tsc = before + width / 2;
		*hpet = now;
	}
}

uint64_t hpet_tsc_hz(void)
{
	uint64_t tsc[2] = { 0 }, hpet[2] = { 0 }, ns;

	hpet_pair(&tsc[0], &hpet[0]);
	while (hpet_now() - hpet[0] < hpet_ticks(CALIBRATE_NS))
		spin(100000);
	hpet_pair(&tsc[1], &hpet[1]);
	ns = (hpet[1] - hpet[0]) * hpet_period_fs() / FS_PER_NS;
	return (tsc[1] - tsc[0]) * 1000000000 / ns;
}

static void hpet_set(uint32_t timer, uint32_t config, uint8_t apic_id, uint32_t message)
{
	uint32_t base = HPET_TIMER(timer);

	hpet_write(base + HPET_TIMER_CONFIG, config);
	hpet_write(base + HPET_TIMER_ROUTE, message);
	hpet_write(base + HPET_TIMER_ROUTE + 4, MESSAGE_ADDRESS(apic_id));
}

void hpet_arm_smi(uint8_t apic_id, uint64_t at)
{
	uint32_t base = HPET_TIMER(HPET_SMI);

	hpet_set(HPET_SMI, HPET_TIMER_FSB, apic_id, MESSAGE_SMI);
	hpet_write(base + HPET_TIMER_COMPARE + 4, (uint32_t)(at >> 32));
	hpet_write(base + HPET_TIMER_COMPARE, (uint32_t)at);
	hpet_write(base + HPET_TIMER_CONFIG, HPET_TIMER_FSB | HPET_TIMER_ENABLE);
}

/* In periodic mode, the comparator's next value and its period are written one after the other. */
void hpet_prepare_nmi(uint8_t apic_id, uint64_t at, uint32_t period_ns)
{
	const uint32_t config = HPET_TIMER_FSB | TIMER_PERIODIC;
	uint32_t base = HPET_TIMER(HPET_NMI);

	hpet_set(HPET_NMI, config | TIMER_SET_VALUE, apic_id, MESSAGE_NMI);
	hpet_write(base + HPET_TIMER_COMPARE + 4, (uint32_t)(at >> 32));
	hpet_write(base + HPET_TIMER_CONFIG, config | TIMER_SET_VALUE);
	hpet_write(base + HPET_TIMER_COMPARE, (uint32_t)at);
	hpet_write(base + HPET_TIMER_COMPARE + 4, 0);
	hpet_write(base + HPET_TIMER_COMPARE, (uint32_t)hpet_ticks(period_ns));
}
