/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's FCH and Hygon's, its twin. Sources: BKDG for AMD Family 16h Models 00h-0Fh, 3.25.17 (SMI
 * registers); names of sources as coreboot (soc/amd, smi.h) and AMD's own code have them. Sources
 * whose meaning differs between generations are printed as numbers.
 */
#include "chipset.h"

#include "arch/arch.h"

#define SMBUS_DEVICE 0x14 /* bus 0; it identifies the FCH */

#define SMI_BASE    UINT64_C(0xfed80200) /* ACPI MMIO, which firmware leaves decoded */
#define SMI_TIMER   0x94u                /* 31 enable, 30:16 count: SmiTimer is the upper half */
#define SMI_TRIG0   0x98u
#define SMI_CONTROL 0xa0u /* ten registers, two bits per source */
#define SMI_BYTES   0xc8u

#define SOURCES     160u
#define CONTROL_SMI 1u /* 0 off, 2 NMI, 3 IRQ13 */

#define TRIG0_OFF      (1u << 31) /* SmiEnB: 1 stops all of them */
#define TRIG0_LONG     (1u << 29) /* selects the timer that SMI_TIMER shows */
#define TIMER_ON       (1u << 31)
#define TIMER_COUNT(v) ((v) >> 16 & 0x7fffu)
#define SHORT_TIMER    142u
#define LONG_TIMER     143u
#define SHORT_UNIT_NS  UINT64_C(1000)
#define LONG_UNIT_NS   UINT64_C(1000000)

/* Vendor and device of the function at 14h.0. */
static const struct {
	uint32_t id;
	const char *name;
} known[] = {
	{ 0x780b1022, "AMD FCH (Bolton, Yangtze)" },
	{ 0x790b1022, "AMD FCH (Kern and later)" },
	{ 0x790b1d94, "Hygon FCH" },
};

static const struct chipset_source sources[] = {
	{ 43, "ALT_HPET_ALARM" }, { 44, "FAN_THERMAL" },  { 45, "ASF_MASTER_SLAVE" },
	{ 47, "SMBUS0_MASTER" },  { 48, "TWARN" },        { 49, "TRAFFIC_MON" },
	{ 51, "PWRBUTTON_UP" },   { 52, "PROCHOT" },      { 53, "APU_HW" },
	{ 54, "NB_SCI" },         { 55, "RAS_SERR" },     { 56, "XHC0_PME" },
	{ 57, "XHC1_PME" },       { 58, "ACDC_TIMER" },   { 64, "KB_RESET" },
	{ 65, "SLP_TYP" },        { 72, "GBL_RLS" },      { 73, "BIOS_RLS" },
	{ 74, "PWRBUTTON_DOWN" }, { 75, "SMI_CMD_PORT" }, { 76, "USB_SMI" },
	{ 77, "SERIRQ" },         { 78, "SMBUS0_INTR" },  { 81, "INTRUDER" },
	{ 82, "VBAT_LOW" },       { 83, "PROTHOT" },      { 84, "PCI_SERR" },
	{ 90, "EMUL60_64" },      { 133, "FANIN0" },      { 141, "CF9_WRITE" },
	{ 142, "SHORT_TIMER" },   { 143, "LONG_TIMER" },  { 144, "AB_SMI" },
	{ 146, "ESPI_SMI" },      { 148, "IOTRAP0" },     { 149, "IOTRAP1" },
	{ 150, "IOTRAP2" },       { 151, "IOTRAP3" },     { 152, "MEMTRAP0" },
	{ 156, "CFGTRAP0" },
};

#define SOURCE_NAMES (sizeof(sources) / sizeof(sources[0]))
#define GEVENTS      24u /* sources 0 to 23 */

static bool raises_smi(unsigned number)
{
	uint32_t control = arch_mmio_read32(SMI_BASE + SMI_CONTROL + number / 16 * 4);

	return (control >> number % 16 * 2 & 3) == CONTROL_SMI;
}

/* Two timers share one register, which shows the other one only after a write. */
static void add_timer(uint32_t trig0, struct chipset_texts *texts, struct record_stage *stage)
{
	uint32_t timer = arch_mmio_read32(SMI_BASE + SMI_TIMER);
	bool is_long = trig0 & TRIG0_LONG;

	if (!(timer & TIMER_ON) || !TIMER_COUNT(timer) ||
	    !raises_smi(is_long ? LONG_TIMER : SHORT_TIMER))
		return;
	chipset_add_timer(texts, stage, is_long ? "FCH long" : "FCH short",
			  TIMER_COUNT(timer) * (is_long ? LONG_UNIT_NS : SHORT_UNIT_NS));
}

static void read_state(const struct chipset *c, struct chipset_texts *texts,
		       struct record_stage *stage)
{
	uint32_t trig0;

	if (!arch_map_device(SMI_BASE, SMI_BYTES))
		return;
	trig0 = arch_mmio_read32(SMI_BASE + SMI_TRIG0);
	if (trig0 == UINT32_MAX)
		return;
	stage->chipset = c->name;
	stage->smi_enabled = texts->enabled;
	if (trig0 & TRIG0_OFF)
		return;
	for (unsigned n = 0; n < SOURCES; n++)
		if (raises_smi(n))
			chipset_add_source(texts->enabled, sources, SOURCE_NAMES, n,
					   n < GEVENTS ? "GEVENT" : "source");
	add_timer(trig0, texts, stage);
}

void chipset_amd(struct chipset *c)
{
	const struct pci_address at = { 0, 0, SMBUS_DEVICE, 0 };
	uint32_t id = pci_read32(c->pci, &at, PCI_ID);

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].id != id)
			continue;
		c->name = known[i].name;
		c->lpc_id = id;
		c->read = read_state;
	}
}
