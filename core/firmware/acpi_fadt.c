/* SPDX-License-Identifier: BSD-2-Clause */
/* FADT, ACPI 6.5 section 5.2.9: power management registers, the SMI command port, reset. */
#include "acpi_table.h"
#include "core/lib/bytes.h"

/* Offsets in the table, ACPI 6.5 section 5.2.9. */
#define FADT_DSDT         40
#define FADT_SMI_CMD      48
#define FADT_ACPI_ENABLE  52
#define FADT_ACPI_DISABLE 53
#define FADT_PM1_EVT_LEN  88
#define FADT_PM1_CNT_LEN  89
#define FADT_PM_TMR_LEN   91
#define FADT_GPE0_LEN     92
#define FADT_GPE1_LEN     93
#define FADT_BOOT_ARCH    109
#define FADT_FLAGS        112
#define FADT_RESET_REG    116
#define FADT_RESET_VALUE  128
#define FADT_ARM_BOOT     129
#define FADT_X_DSDT       140
#define FADT_HYPERVISOR   268 /* from revision 6 on */

#define PCI_PORTS 0xcf8u /* eight: PCI's configuration, and the reset control register */

#define BOOT_ARCH_8042     (1u << 1) /* reserved in revision 1 */
#define BOOT_ARCH_NO_RTC   (1u << 5) /* reserved before revision 5 */
#define ARM_BOOT_PSCI      (1u << 0) /* reserved before revision 5.1 */
#define ARM_BOOT_PSCI_HVC  (1u << 1)
#define FLAG_TMR_VAL_EXT   (1u << 8)
#define FLAG_RESET_REG_SUP (1u << 10)
#define FLAG_HW_REDUCED    (1u << 20) /* reserved before revision 5 */

/*
 * Register blocks: a port at `legacy`, or a GAS at `extended` if the table is long enough for one;
 * the length in bytes is at `length`. The extended one is used if it is not zero (ACPI 6.5 section
 * 5.2.9, "X_PM1a_EVT_BLK").
 */
static const struct block {
	const char *name;
	uint32_t legacy, extended, length;
	uint8_t min_bytes;
	size_t gas; /* in struct acpi_info */
} blocks[] = {
	{ "PM1a_EVT_BLK", 56, 148, FADT_PM1_EVT_LEN, 4, offsetof(struct acpi_info, pm1a_evt) },
	{ "PM1b_EVT_BLK", 60, 160, FADT_PM1_EVT_LEN, 4, offsetof(struct acpi_info, pm1b_evt) },
	{ "PM1a_CNT_BLK", 64, 172, FADT_PM1_CNT_LEN, 2, offsetof(struct acpi_info, pm1a_cnt) },
	{ "PM1b_CNT_BLK", 68, 184, FADT_PM1_CNT_LEN, 2, offsetof(struct acpi_info, pm1b_cnt) },
	{ "PM_TMR_BLK", 76, 208, FADT_PM_TMR_LEN, 4, offsetof(struct acpi_info, pm_timer) },
	{ "GPE0_BLK", 80, 220, FADT_GPE0_LEN, 2, offsetof(struct acpi_info, gpe[0]) },
	{ "GPE1_BLK", 84, 232, FADT_GPE1_LEN, 2, offsetof(struct acpi_info, gpe[1]) },
};

static void complain_of_port(struct acpi_reader *r, const char *name, uint64_t port)
{
	acpi_complain_of(r, "FACP: %s cannot be at port 0x%llx; ignored", name,
			 (unsigned long long)port);
}

/* The block as a port; address 0 when it has none. */
static struct acpi_gas legacy_block(struct acpi_reader *r, const struct acpi_table *t,
				    const struct block *block)
{
	struct acpi_gas gas = {
		.space = ACPI_SPACE_IO,
		.bit_width = (uint8_t)(t->bytes[block->length] * 8),
		.address = bytes_le32(t->bytes + block->legacy),
	};

	if (gas.address >= ACPI_IO_END) {
		complain_of_port(r, block->name, gas.address);
		gas.address = 0;
	}
	return gas;
}

/* The block as a GAS; address 0 when it has none. */
static struct acpi_gas extended_block(struct acpi_reader *r, const struct acpi_table *t,
				      const struct block *block)
{
	struct acpi_gas gas = { .address = 0 };

	if (t->length < block->extended + ACPI_GAS_BYTES)
		return gas;
	gas = acpi_gas_at(t, block->extended);
	if (gas.address && !acpi_gas_usable(&gas)) {
		acpi_complain_of(r, "FACP: X_%s is in space %u at 0x%llx; ignored", block->name,
				 gas.space, (unsigned long long)gas.address);
		gas.address = 0;
	}
	return gas;
}

static struct acpi_gas read_block(struct acpi_reader *r, const struct acpi_table *t,
				  const struct block *block)
{
	struct acpi_gas legacy = legacy_block(r, t, block);
	struct acpi_gas extended = extended_block(r, t, block);
	struct acpi_gas *gas = extended.address ? &extended : &legacy;

	if (legacy.address && extended.address &&
	    (extended.space != legacy.space || extended.address != legacy.address))
		acpi_complain_of(r,
				 "FACP: X_%s is 0x%llx in space %u, %s is port 0x%llx; X_ is used",
				 block->name, (unsigned long long)extended.address, extended.space,
				 block->name, (unsigned long long)legacy.address);

	if (gas->address && t->bytes[block->length] < block->min_bytes) {
		acpi_complain_of(r, "FACP: %s has %u bytes, at least %u required; ignored",
				 block->name, t->bytes[block->length], block->min_bytes);
		gas->address = 0;
	}
	return gas->address ? *gas : (struct acpi_gas){ .address = 0 };
}

static void read_smi_cmd(struct acpi_reader *r, const struct acpi_table *t)
{
	uint32_t port = bytes_le32(t->bytes + FADT_SMI_CMD);

	if (port >= ACPI_IO_END || (port & ~7u) == PCI_PORTS) {
		complain_of_port(r, "SMI_CMD", port);
		return;
	}
	r->info->smi_cmd = port;
	r->info->acpi_enable = t->bytes[FADT_ACPI_ENABLE];
	r->info->acpi_disable = t->bytes[FADT_ACPI_DISABLE];
}

static void read_reset(struct acpi_reader *r, const struct acpi_table *t)
{
	uint32_t flags = bytes_le32(t->bytes + FADT_FLAGS);

	if (!(flags & FLAG_RESET_REG_SUP) || t->length <= FADT_RESET_VALUE)
		return;

	struct acpi_gas gas = acpi_gas_at(t, FADT_RESET_REG);

	if (!acpi_gas_usable(&gas)) {
		acpi_complain_of(r, "FACP: RESET_REG is in space %u at 0x%llx; ignored", gas.space,
				 (unsigned long long)gas.address);
		return;
	}
	r->info->has_reset_reg = true;
	r->info->reset_reg = gas;
	r->info->reset_value = t->bytes[FADT_RESET_VALUE];
}

/* The ACPI hardware of section 4.8, which a hardware-reduced platform does not have. */
static void read_hardware(struct acpi_reader *r, const struct acpi_table *t)
{
	struct acpi_info *info = r->info;

	read_smi_cmd(r, t);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		struct acpi_gas *gas = (struct acpi_gas *)((char *)info + blocks[i].gas);

		*gas = read_block(r, t, &blocks[i]);
	}
	for (unsigned n = 0; n < 2; n++)
		info->gpe_bytes[n] = info->gpe[n].address ? t->bytes[FADT_GPE0_LEN + n] : 0;
	info->has_8042 = t->bytes[ACPI_HEADER_REVISION] < 2 ||
			 (bytes_le16(t->bytes + FADT_BOOT_ARCH) & BOOT_ARCH_8042);
	info->pm_timer_32bit = bytes_le32(t->bytes + FADT_FLAGS) & FLAG_TMR_VAL_EXT;
}

static void read_arm_boot(struct acpi_reader *r, const struct acpi_table *t)
{
	const uint8_t *flags = t->bytes + FADT_ARM_BOOT; /* its upper byte is reserved */

	if (t->length < FADT_ARM_BOOT + 2)
		return;
	r->info->has_psci = *flags & ARM_BOOT_PSCI;
	r->info->psci_by_hvc = *flags & ARM_BOOT_PSCI_HVC;
}

static void read_hypervisor(struct acpi_reader *r, const struct acpi_table *t)
{
	if (t->length >= FADT_HYPERVISOR + 8)
		r->info->hypervisor = bytes_le64(t->bytes + FADT_HYPERVISOR);
}

uint64_t acpi_fadt_dsdt(const struct acpi_table *t)
{
	uint64_t address = 0;

	if (t->length >= FADT_X_DSDT + 8)
		address = bytes_le64(t->bytes + FADT_X_DSDT);
	if (!address && t->length >= FADT_DSDT + 4)
		address = bytes_le32(t->bytes + FADT_DSDT);
	return address;
}

void acpi_parse_fadt(struct acpi_reader *r, const struct acpi_table *t)
{
	struct acpi_info *info = r->info;
	bool knows_reduced = t->bytes[ACPI_HEADER_REVISION] >= 5;

	info->has_fadt = true;
	info->hw_reduced = knows_reduced && (bytes_le32(t->bytes + FADT_FLAGS) & FLAG_HW_REDUCED);
	read_reset(r, t);
	read_arm_boot(r, t);
	read_hypervisor(r, t);
	info->no_rtc = t->bytes[ACPI_HEADER_REVISION] >= 5 &&
		       (bytes_le16(t->bytes + FADT_BOOT_ARCH) & BOOT_ARCH_NO_RTC);
	if (info->hw_reduced)
		return;
	read_hardware(r, t);
}
