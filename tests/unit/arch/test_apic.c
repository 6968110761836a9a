/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores that xAPIC mode can name, and the pins by which NMIs reach a core. */
#include "apic.h"

#include <string.h>

#include "tests/unit/common/test.h"

/* An INIT to 255 would be one to all cores, this one too. */
TEST(test_broadcast_is_no_core)
{
	assert_true(apic_is_xapic_id(0));
	assert_true(apic_is_xapic_id(254));
	assert_false(apic_is_xapic_id(255));
	assert_false(apic_is_xapic_id(256));
	assert_false(apic_is_xapic_id(UINT32_MAX));
}

static struct {
	uint32_t reg[64]; /* 10h apart */
	unsigned writes;
	uint32_t sent;
} core;

static uint32_t mock_read(uint32_t reg)
{
	return core.reg[reg >> 4];
}

static void mock_write(uint32_t reg, uint32_t value)
{
	core.reg[reg >> 4] = value;
	core.writes++;
}

static bool mock_send(uint32_t apic_id, uint32_t command)
{
	assert_int_equal(apic_id, 0);
	core.sent = command;
	return true;
}

/* The boot core is recognised by IA32_APIC_BASE.BSP: an INIT to it would reset the machine. */
TEST(test_others_are_stopped_by_the_core_that_boots_alone)
{
	static const struct apic_ops ops = { mock_read, mock_write, mock_send };

	for (unsigned boots = 0; boots < 2; boots++) {
		apic_init(UINT64_C(0xfee00800) | boots << 8, 1);
		apic = &ops;
		core.sent = 0;
		assert_int_equal(apic_stop_others(), boots);
		assert_int_equal(core.sent, boots ? 0xc4500 : 0);
	}
}

#define VERSION 0x30
#define THERMAL 0x330
#define PERF    0x340
#define CMCI    0x2f0
#define SMI     0x00200u

/* A boot core, and one that was just started; entries that exist by SDM vol. 3, 11.5.1. */
TEST(test_what_the_firmware_has_for_itself)
{
	static const struct apic_ops ops = { mock_read, mock_write, NULL };
	static const struct {
		uint32_t last, there;
	} versions[] = { { 3, 0 }, { 4, 1 }, { 5, 2 }, { 6, 3 } };

	apic = &ops;
	for (size_t i = 0; i < 4; i++) {
		uint32_t lvt[APIC_FIRMWARES];

		core.reg[VERSION >> 4] = versions[i].last << 16 | 0x15;
		core.reg[THERMAL >> 4] = core.reg[PERF >> 4] = core.reg[CMCI >> 4] = SMI;
		apic_save_firmwares(lvt);
		core.reg[THERMAL >> 4] = core.reg[PERF >> 4] = core.reg[CMCI >> 4] = 0x10000;
		core.writes = 0;
		apic_copy_firmwares(lvt);
		assert_int_equal(core.writes, versions[i].there);
		assert_int_equal(core.reg[PERF >> 4], i >= 1 ? SMI : 0x10000);
		assert_int_equal(core.reg[THERMAL >> 4], i >= 2 ? SMI : 0x10000);
		assert_int_equal(core.reg[CMCI >> 4], i >= 3 ? SMI : 0x10000);
		/* Interrupts of an OS, or none: not the firmware's. */
		core.reg[THERMAL >> 4] = 0x100fa;
		core.reg[PERF >> 4] = core.reg[CMCI >> 4] = 0x10000;
		apic_save_firmwares(lvt);
		core.writes = 0;
		apic_copy_firmwares(lvt);
		assert_int_equal(core.writes, 0);
	}
}

#define FIXED  0x00000u
#define NMI    0x00400u
#define EXTINT 0x00700u
#define RESET  0x10000u /* masked: SDM vol. 3, 11.5.1 */

/* LINT0 and LINT1, as the MADT names them, as the firmware left them, and as they are to be. */
static const struct nmi_row {
	const char *what;
	bool named[2];
	uint32_t left[2];
	bool boot, on[2], known;
	const char *why; /* a part of it; NULL: nothing to remark */
} nmi_rows[] = {
	{ "the usual", { 0, 1 }, { EXTINT, NMI }, 1, { 0, 1 }, 1, NULL },
	{ "another core", { 0, 1 }, { EXTINT, NMI }, 0, { 0, 1 }, 1, NULL },
	{ "the MADT against the firmware", { 0, 1 }, { RESET, RESET }, 1, { 0, 1 }, 1, NULL },
	{ "no entry", { 0, 0 }, { EXTINT, NMI }, 1, { 0, 1 }, 1, "as under an OS" },
	{ "no entry, nothing left", { 0, 0 }, { RESET, RESET }, 1, { 0, 1 }, 1, "as under an OS" },
	{ "no entry, other left", { 0, 0 }, { EXTINT, FIXED }, 1, { 0, 1 }, 1, "as under an OS" },
	{ "no entry, another core", { 0, 0 }, { EXTINT, NMI }, 0, { 0, 0 }, 1, NULL },
	{ "LINT0", { 1, 0 }, { RESET, RESET }, 1, { 1, 0 }, 1, "LINT0, as the MADT has it" },
	{ "LINT0, as it was", { 1, 0 }, { NMI, RESET }, 1, { 1, 0 }, 1, "by LINT0, as the MADT" },
	{ "LINT0, another core", { 1, 0 }, { NMI, RESET }, 0, { 1, 0 }, 1, NULL },
	{ "LINT0 and what was left", { 1, 0 }, { RESET, NMI }, 1, { 1, 1 }, 1, "and by LINT1" },
	{ "LINT0 of the 8259", { 1, 0 }, { EXTINT, NMI }, 1, { 0, 1 }, 1, "not by LINT0" },
	{ "LINT0 of the 8259, another core", { 1, 0 }, { EXTINT, NMI }, 0, { 0, 0 }, 1, NULL },
	{ "nobody knows", { 1, 0 }, { EXTINT, RESET }, 1, { 0, 0 }, 0, "is not known" },
	{ "both", { 1, 1 }, { RESET, RESET }, 1, { 0, 1 }, 1, NULL },
	{ "both, another core", { 1, 1 }, { NMI, RESET }, 0, { 0, 1 }, 1, NULL },
};

TEST(test_pins_of_nmis)
{
	for (size_t i = 0; i < sizeof(nmi_rows) / sizeof(nmi_rows[0]); i++) {
		const struct nmi_row *r = &nmi_rows[i];
		struct apic_nmi n = apic_choose_nmi(r->named, r->left, r->boot);

		if (n.on[0] != r->on[0] || n.on[1] != r->on[1] || n.known != r->known ||
		    !n.why != !r->why || (r->why && !strstr(n.why, r->why)))
			fail_msg("%s: LINT0 %d, LINT1 %d, known %d, %s", r->what, n.on[0], n.on[1],
				 n.known, n.why ? n.why : "-");
	}
}
