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
#define FADT_ARM_BOOT     129 /* two bytes; the upper one is reserved */
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

/* True if the register can be reached; if not, that is reported. */
static bool check_register(struct acpi_reader *r, const char *x, const char *name,
			   const struct acpi_gas *gas)
{
	if (acpi_gas_usable(gas))
		return true;
	acpi_complain_of(r, "FACP: %s%s is in space %u at 0x%llx; ignored", x, name, gas->space,
			 (unsigned long long)gas->address);
	return false;
}

/* The block; address 0 when there is none. */
static struct acpi_gas read_block(struct acpi_reader *r, const struct acpi_table *t,
				  const struct block *block)
{
	uint8_t bytes = t->bytes[block->length];
	struct acpi_gas extended = { .address = 0 }, *gas = &extended;
	struct acpi_gas legacy = { .space = ACPI_SPACE_IO,
				   .bit_width = (uint8_t)(bytes * 8),
				   .address = bytes_le32(t->bytes + block->legacy) };

	if (legacy.address && !check_register(r, "", block->name, &legacy))
		legacy.address = 0;
	if (t->length >= block->extended + ACPI_GAS_BYTES)
		extended = acpi_gas_at(t, block->extended);
	if (!extended.address || !check_register(r, "X_", block->name, &extended))
		gas = &legacy;
	else if (legacy.address &&
		 (extended.space != legacy.space || extended.address != legacy.address))
		acpi_complain_of(r,
				 "FACP: X_%s is 0x%llx in space %u, %s is port 0x%llx; X_ is used",
				 block->name, (unsigned long long)extended.address, extended.space,
				 block->name, (unsigned long long)legacy.address);

	if (gas->address && bytes >= block->min_bytes)
		return *gas;
	if (gas->address)
		acpi_complain_of(r, "FACP: %s has %u bytes, at least %u required; ignored",
				 block->name, bytes, block->min_bytes);
	return (struct acpi_gas){ .address = 0 };
}

static void read_smi_cmd(struct acpi_reader *r, const struct acpi_table *t)
{
	uint32_t port = bytes_le32(t->bytes + FADT_SMI_CMD);

	if (port >= ACPI_IO_END || (port & ~7u) == PCI_PORTS) {
		acpi_complain_of(r, "FACP: SMI_CMD cannot be at port 0x%x; ignored",
				 (unsigned)port);
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

	if (!check_register(r, "", "RESET_REG", &gas))
		return;
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
	bool is_5 = t->bytes[ACPI_HEADER_REVISION] >= 5;

	info->has_fadt = true;
	info->hw_reduced = is_5 && (bytes_le32(t->bytes + FADT_FLAGS) & FLAG_HW_REDUCED);
	info->no_rtc = is_5 && (bytes_le16(t->bytes + FADT_BOOT_ARCH) & BOOT_ARCH_NO_RTC);
	read_reset(r, t);
	if (t->length >= FADT_ARM_BOOT + 2) {
		info->has_psci = t->bytes[FADT_ARM_BOOT] & ARM_BOOT_PSCI;
		info->psci_by_hvc = t->bytes[FADT_ARM_BOOT] & ARM_BOOT_PSCI_HVC;
	}
	if (t->length >= FADT_HYPERVISOR + 8)
		info->hypervisor = bytes_le64(t->bytes + FADT_HYPERVISOR);
	if (!info->hw_reduced)
		read_hardware(r, t);
}
