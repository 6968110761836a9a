/* SPDX-License-Identifier: BSD-2-Clause */
/* Hardware that no table has is listed once, and what is known is not. */
#include "drivers/nic/nics.h"
#include "drivers/unfamiliar.h"
#include "tests/unit/common/test.h"
#include "tests/unit/fake_pci.h"

#define NIC_CLASS 0x020000

static struct pci pci;
static const struct acpi_info no_tables;
static char list[400];

static const struct arch_identity skylake = { .vendor = "GenuineIntel", .family = 6 };
static const struct chipset ich9 = { .name = "Intel ICH9", .lpc_id = 0x29188086 };

static int setup(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

static const char *listed(const struct arch_identity *id, const struct chipset *chipset)
{
	struct text t;

	pci_open(&pci, &no_tables, NULL, NULL);
	text_init(&t, list, sizeof(list));
	unfamiliar_list(&t, id, chipset, &pci);
	return list;
}

TEST_F(setup, NULL, test_all_known)
{
	fake_add(0, 3, 0, 0x10d38086, NIC_CLASS);
	fake_add(0, 4, 0, 0x813910ec, 0x030000); /* no network card */
	assert_string_equal(listed(&skylake, &ich9), "");
}

TEST_F(setup, NULL, test_all_unknown)
{
	static const struct arch_identity via = { .vendor = "CentaurHauls", .family = 7 };
	static const struct chipset new = { .lpc_id = 0x7a848086 };

	fake_add(0, 3, 0, 0x816810ec, NIC_CLASS);
	fake_add(0, 4, 0, 0x816810ec, NIC_CLASS);
	fake_add(0, 5, 0, 0x15728086, NIC_CLASS + 0x8000);
	assert_string_equal(
		listed(&via, &new),
		"processor CentaurHauls family 7, chipset 8086:7a84 and its SMI sources, "
		"network card 10ec:8168, network card 8086:1572");
}

TEST_F(setup, NULL, test_processors)
{
	static const struct {
		struct arch_identity id;
		bool known;
	} rows[] = {
		{ { .vendor = "GenuineIntel", .family = 6 }, true },
		{ { .vendor = "GenuineIntel", .family = 15 }, false },
		{ { .vendor = "GenuineIntel", .family = 19 }, true },
		{ { .vendor = "AuthenticAMD", .family = 0x16 }, false },
		{ { .vendor = "AuthenticAMD", .family = 0x17 }, true },
		{ { .vendor = "AuthenticAMD", .family = 0x1b }, false },
		{ { .vendor = "HygonGenuine", .family = 0x18 }, true },
		{ { .vendor = "AuthenticAMD", .family = 15, .hypervisor = "TCG" }, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(!*listed(&rows[i].id, &ich9), rows[i].known);
}

/* No chipset at all, and more kinds of cards than are listed. */
TEST_F(setup, NULL, test_bounds)
{
	static const struct chipset none = { .name = NULL };

	for (uint8_t i = 1; i < 12; i++)
		fake_add(0, i, 0, 0x100010ecu + ((uint32_t)i << 16), NIC_CLASS);
	listed(&skylake, &none);
	assert_non_null(strstr(list, "10ec:1008"));
	assert_null(strstr(list, "10ec:1009"));
	assert_null(strstr(list, "chipset"));
}
