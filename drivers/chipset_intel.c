/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel, from ICH9 on. Sources: Intel I/O Controller Hub 9 datasheet, 13.8 (SMI_EN,
 * GEN_PMCON) and 13.9 (TCO); 100 series datasheet vol. 2, 4.1 to 4.4; for
 * later ones, whose datasheets leave some out, the registers as coreboot
 * (soc/intel, pm.h and pmc.h) and edk2-platforms (PmcRegs.h) name them. Ids from coreboot
 * (pci_ids.h) and pci.ids; those of Arrow Lake, the 800 series and Ice Lake-D by their SMBus
 * controllers (Linux, i2c-i801.c), which in all others are 3 or 22h and 23h above the bridge's;
 * those of Lunar and Panther Lake by their SPI controllers (spi-intel-pci.c), 23h above it.
 */
#include "chipset.h"

#include "arch/arch.h"

#define INTEL      0x8086u
#define CLASS_ISA  0x0601u
#define LPC_DEVICE 31
#define LPC_FN     0
#define PMC_FN     2
#define SMBUS_FN   4

/* Offsets from PM1a_EVT_BLK, the beginning of the block in all chipsets. */
#define SMI_EN 0x30u
#define PM_END 0x80u

/* Location of the two SMI timers' rates. */
enum rates_place {
	RATES_LPC,  /* D31:F0, GEN_PMCON_1 A0h[1:0] and GEN_PMCON_3 A4h[7:6] */
	RATES_PMC,  /* D31:F2, GEN_PMCON_A A0h[1:0] and GEN_PMCON_B A4h[7:6] */
	RATES_PWRM, /* PWRMBASE + 1020h, GEN_PMCON_A [2:1] and [7:6] */
	RATES_NOWHERE,
	APOLLO, /* nowhere, and SMI_EN 10h behind where others have it */
};

#define SMI_LATER 0x10u

#define GEN_PMCON_1  0xa0u
#define GEN_PMCON_3  0xa4u
#define PWRM_BASE    UINT64_C(0xfe000000) /* in all reference code; D31:F2, which has it, hides */
#define PWRM_PMCON_A 0x1020u

/* TCO: up to the 9 series inside the block; then where D31:F4 points. */
#define TCO_IN_PM     0x60u
#define SMBUS_TCOBASE 0x50u
#define SMBUS_TCOCTL  0x54u
#define TCOBASE_MASK  0xffe0u
#define TCOCTL_ENABLE (1u << 8)
#define TCO_RLD       0x00u
#define TCO1_CNT      0x08u
#define TCO_TMR       0x12u
#define TCO_HALT      (1u << 11)
#define TCO_TMR_MASK  0x3ffu
#define TCO_TMR_MIN   2u /* fewer ticks are ignored */

#define GBL_SMI   (1u << 0)
#define SWSMI_TMR (1u << 6)
#define TCO       (1u << 13)
#define PERIODIC  (1u << 14)

/* The LPC or eSPI bridge at D31:F0, by device id under a mask. */
static const struct family {
	uint16_t id, mask;
	uint8_t rates;
	char name[21];
} known[] = {
	{ 0x2910, 0xfff0, RATES_LPC, "Intel ICH9" },
	{ 0x3a10, 0xfff0, RATES_LPC, "Intel ICH10" },
	{ 0x3b00, 0xffe0, RATES_LPC, "Intel 5 series" },
	{ 0x1c40, 0xffe0, RATES_LPC, "Intel 6 series" },
	{ 0x1d40, 0xfffe, RATES_LPC, "Intel C600" },
	{ 0x1e40, 0xffe0, RATES_LPC, "Intel 7 series" },
	{ 0x8c40, 0xffe0, RATES_LPC, "Intel 8 series" },
	{ 0x9c40, 0xfff8, RATES_LPC, "Intel 8 series LP" },
	{ 0x8d40, 0xffe0, RATES_LPC, "Intel C610" },
	{ 0x8cc0, 0xfff0, RATES_LPC, "Intel 9 series" },
	{ 0x9cc0, 0xfff0, RATES_LPC, "Intel 9 series LP" },
	{ 0xa140, 0xffe0, RATES_PMC, "Intel 100 series" },
	{ 0x9d40, 0xffe0, RATES_PMC, "Intel 100 series LP" },
	{ 0xa1c0, 0xffe0, RATES_PMC, "Intel C620" },
	{ 0xa240, 0xffe0, RATES_PMC, "Intel C620" },
	{ 0xa2c0, 0xffe0, RATES_PMC, "Intel 200 series" },
	{ 0xa3c0, 0xffe0, RATES_PMC, "Intel 400 series" },
	{ 0xa300, 0xffe0, RATES_PWRM, "Intel 300 series" },
	{ 0x9d80, 0xffe0, RATES_PWRM, "Intel 300 series LP" },
	{ 0x0680, 0xffe0, RATES_PWRM, "Intel 400 series" },
	{ 0x0280, 0xffe0, RATES_PWRM, "Intel 400 series LP" },
	{ 0x4380, 0xffe0, RATES_PWRM, "Intel 500 series" },
	{ 0xa080, 0xffe0, RATES_PWRM, "Intel 500 series LP" },
	{ 0x7a80, 0xffe0, RATES_PWRM, "Intel 600 series" },
	{ 0x5180, 0xffe0, RATES_PWRM, "Intel 600 series LP" },
	{ 0x7a00, 0xffe0, RATES_PWRM, "Intel 700 series" },
	{ 0x1b80, 0xffe0, RATES_PWRM, "Intel C740" },
	{ 0x3480, 0xffe0, RATES_PWRM, "Intel Ice Lake" },
	{ 0x3880, 0xffe0, RATES_PWRM, "Intel Ice Lake" },
	{ 0x4b00, 0xffe0, RATES_PWRM, "Intel Elkhart Lake" },
	{ 0x4d80, 0xffe0, RATES_PWRM, "Intel Jasper Lake" },
	{ 0x7e00, 0xffe0, RATES_PWRM, "Intel Meteor Lake" },
	{ 0xae00, 0xffe0, RATES_PWRM, "Intel Arrow Lake" },
	{ 0x7700, 0xffe0, RATES_PWRM, "Intel Arrow Lake" },
	{ 0x7f00, 0xffe0, RATES_PWRM, "Intel 800 series" },
	{ 0x5480, 0xffe0, RATES_PWRM, "Intel Alder Lake-N" },
	{ 0xa800, 0xffe0, RATES_PWRM, "Intel Lunar Lake" },
	{ 0xe300, 0xffe0, RATES_PWRM, "Intel Panther Lake" },
	{ 0xe400, 0xffe0, RATES_PWRM, "Intel Panther Lake" },
	{ 0x0f1c, 0xffff, RATES_NOWHERE, "Intel Bay Trail" },
	{ 0x5ae8, 0xffff, APOLLO, "Intel Apollo Lake" },
	{ 0x31e8, 0xffff, APOLLO, "Intel Gemini Lake" },
	{ 0x19dc, 0xffff, RATES_NOWHERE, "Intel Denverton" },
	{ 0x18dc, 0xffff, RATES_NOWHERE, "Intel Ice Lake-D" },
};

/*
 * SMI_EN. EOS is no source but is named: 0 there means that the last SMI was
 * never ended. Bits that a generation lacks read as 0.
 */
static const struct chipset_source sources[] = {
	{ 0, "GBL_SMI" },     { 1, "EOS" },       { 2, "BIOS" },
	{ 3, "LEGACY_USB" },  { 4, "SLP_SMI" },   { 5, "APMC" },
	{ 6, "SWSMI_TMR" },   { 7, "BIOS_RLS" },  { 11, "MCSMI" },
	{ 13, "TCO" },        { 14, "PERIODIC" }, { 17, "LEGACY_USB2" },
	{ 18, "INTEL_USB2" }, { 25, "EL_SMI" },   { 27, "GPIO_UNLOCK_SMI" },
	{ 28, "ESPI_SMI" },   { 30, "ME_SMI" },   { 31, "XHCI_SMI" },
};

/* Periods by rate field: 1.5, 16, 32, 64 ms; 64, 32, 16, 8 s. */
#define SWSMI_NS(rate)    ((rate) ? UINT64_C(8000000) << (rate) : 1500000)
#define PERIODIC_NS(rate) (UINT64_C(64000000000) >> (rate))

static const struct pci_address lpc_at = { 0, 0, LPC_DEVICE, LPC_FN };
static const struct pci_address pmc_at = { 0, 0, LPC_DEVICE, PMC_FN };
static const struct pci_address smbus_at = { 0, 0, LPC_DEVICE, SMBUS_FN };

static void add_tco(const struct chipset *c, struct chipset_texts *texts,
		    struct record_stage *stage)
{
	uint16_t control = arch_in16((uint16_t)(c->tco_base + TCO1_CNT));
	uint16_t ticks = arch_in16((uint16_t)(c->tco_base + TCO_TMR)) & TCO_TMR_MASK;

	if (!(control & TCO_HALT) && ticks >= TCO_TMR_MIN)
		chipset_add_timer(texts, stage, "TCO", ticks * CHIPSET_TCO_TICK_NS);
}

static uint16_t watchdog_left(const struct chipset *c)
{
	if (arch_in16((uint16_t)(c->tco_base + TCO1_CNT)) & TCO_HALT)
		return CHIPSET_HALTED;
	return arch_in16((uint16_t)(c->tco_base + TCO_RLD)) & TCO_TMR_MASK;
}

static void read_state(const struct chipset *c, struct chipset_texts *texts,
		       struct record_stage *stage)
{
	uint32_t smi_en = arch_in32((uint16_t)(c->smi_base + SMI_EN));

	if (smi_en == UINT32_MAX)
		return;
	stage->chipset = c->name;
	stage->smi_en = (struct maybe){ smi_en, true };
	stage->smi_enabled = texts->enabled;
	for (unsigned bit = 0; bit < 32; bit++)
		if (smi_en >> bit & 1)
			chipset_add_source(texts->enabled, sources,
					   sizeof(sources) / sizeof(sources[0]), bit, "bit");
	/* Without the global bit, no source becomes an SMI. */
	if (!(smi_en & GBL_SMI))
		smi_en = 0;
	if (c->rates_known && smi_en & SWSMI_TMR)
		chipset_add_timer(texts, stage, "SWSMI", SWSMI_NS(c->rates >> 2));
	if (c->rates_known && smi_en & PERIODIC)
		chipset_add_timer(texts, stage, "periodic SMI", PERIODIC_NS(c->rates & 3));
	if (c->tco_base && smi_en & TCO)
		add_tco(c, texts, stage);
}

static void rates_in_config(struct chipset *c, const struct pci_address *at)
{
	uint32_t pmcon_1 = pci_read32(c->pci, at, GEN_PMCON_1);
	uint32_t pmcon_3 = pci_read32(c->pci, at, GEN_PMCON_3);

	c->rates_known = pmcon_1 != PCI_ABSENT && pmcon_3 != PCI_ABSENT;
	c->rates = (pmcon_3 >> 6 & 3) << 2 | (pmcon_1 & 3);
}

static void rates_in_memory(struct chipset *c)
{
	uint32_t pmcon;

	if (!arch_map_device(PWRM_BASE + PWRM_PMCON_A, 4))
		return;
	pmcon = arch_mmio_read32(PWRM_BASE + PWRM_PMCON_A);
	c->rates_known = pmcon != PCI_ABSENT;
	c->rates = (pmcon >> 6 & 3) << 2 | (pmcon >> 1 & 3);
}

static void find_rates(struct chipset *c, enum rates_place place)
{
	if (place == RATES_PWRM)
		rates_in_memory(c);
	else if (place == RATES_LPC || place == RATES_PMC)
		rates_in_config(c, place == RATES_LPC ? &lpc_at : &pmc_at);
}

static uint16_t find_tco(const struct chipset *c, enum rates_place place)
{
	uint32_t base;

	if (place == RATES_LPC)
		return (uint16_t)(c->pm_base + TCO_IN_PM);
	base = pci_read32(c->pci, &smbus_at, SMBUS_TCOBASE);
	if (base == PCI_ABSENT || !(pci_read32(c->pci, &smbus_at, SMBUS_TCOCTL) & TCOCTL_ENABLE))
		return 0;
	return base & TCOBASE_MASK;
}

static const struct family *family_of(uint16_t device)
{
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((device & known[i].mask) == known[i].id)
			return &known[i];
	return NULL;
}

bool chipset_intel(struct chipset *c, const struct acpi_info *acpi)
{
	uint32_t id = pci_read32(c->pci, &lpc_at, PCI_ID);
	const struct family *family;

	if ((uint16_t)id != INTEL || pci_read32(c->pci, &lpc_at, PCI_CLASS) >> 16 != CLASS_ISA)
		return false;
	c->lpc_id = id;
	family = family_of((uint16_t)(id >> 16));
	if (!family || acpi->pm1a_evt.space != ACPI_SPACE_IO || !acpi->pm1a_evt.address ||
	    acpi->pm1a_evt.address > UINT16_MAX - PM_END)
		return true;
	c->name = family->name;
	c->pm_base = (uint16_t)acpi->pm1a_evt.address;
	c->smi_base = (uint16_t)(c->pm_base + (family->rates == APOLLO ? SMI_LATER : 0));
	c->tco_base = find_tco(c, family->rates);
	c->read = read_state;
	if (c->tco_base)
		c->watchdog_left = watchdog_left;
	find_rates(c, family->rates);
	return true;
}
