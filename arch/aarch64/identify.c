/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor's identity. Source: Arm ARM (DDI 0487), D17.2.99 (MIDR_EL1); part numbers from the
 * Technical Reference Manuals, as Linux's asm/cputype.h has them.
 */
#include "arch/arch.h"
#include "asm.h"
#include "core/lib/mem.h"
#include "core/lib/splitmix.h"
#include "core/lib/text.h"

#define MIDR_IMPLEMENTER(midr) ((uint32_t)((midr) >> 24 & 0xff))
#define MIDR_VARIANT(midr)     ((uint32_t)((midr) >> 20 & 0xf))
#define MIDR_PART(midr)        ((uint32_t)((midr) >> 4 & 0xfff))
#define MIDR_REVISION(midr)    ((uint32_t)((midr)&0xf))

#define ISAR0_RNDR(isar0) ((isar0) >> 60 & 0xf)

#define NO_PART 0x1000 /* the implementer's own name: room for 12 characters */

static const struct name {
	uint8_t implementer;
	uint16_t part;
	const char *name;
} names[] = {
	{ 0x41, NO_PART, "Arm" },       { 0x42, NO_PART, "Broadcom" },
	{ 0x43, NO_PART, "Cavium" },    { 0x46, NO_PART, "Fujitsu" },
	{ 0x48, NO_PART, "HiSilicon" }, { 0x4e, NO_PART, "NVIDIA" },
	{ 0x50, NO_PART, "APM" },       { 0x51, NO_PART, "Qualcomm" },
	{ 0x61, NO_PART, "Apple" },     { 0x6d, NO_PART, "Microsoft" },
	{ 0xc0, NO_PART, "Ampere" },    { 0x41, 0xd03, "Cortex-A53" },
	{ 0x41, 0xd04, "Cortex-A35" },  { 0x41, 0xd05, "Cortex-A55" },
	{ 0x41, 0xd07, "Cortex-A57" },  { 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },  { 0x41, 0xd0a, "Cortex-A75" },
	{ 0x41, 0xd0b, "Cortex-A76" },  { 0x41, 0xd0c, "Neoverse N1" },
	{ 0x41, 0xd0d, "Cortex-A77" },  { 0x41, 0xd40, "Neoverse V1" },
	{ 0x41, 0xd41, "Cortex-A78" },  { 0x41, 0xd42, "Cortex-A78AE" },
	{ 0x41, 0xd44, "Cortex-X1" },   { 0x41, 0xd46, "Cortex-A510" },
	{ 0x41, 0xd47, "Cortex-A710" }, { 0x41, 0xd48, "Cortex-X2" },
	{ 0x41, 0xd49, "Neoverse N2" }, { 0x41, 0xd4f, "Neoverse V2" },
	{ 0x41, 0xd84, "Neoverse V3" }, { 0x41, 0xd8e, "Neoverse N3" },
	{ 0x41, 0xd4b, "Cortex-A78C" }, { 0x41, 0xd4c, "Cortex-X1C" },
	{ 0x41, 0xd4d, "Cortex-A715" }, { 0x41, 0xd4e, "Cortex-X3" },
	{ 0x41, 0xd80, "Cortex-A520" }, { 0x41, 0xd81, "Cortex-A720" },
	{ 0x41, 0xd82, "Cortex-X4" },   { 0x41, 0xd83, "Neoverse V3AE" },
	{ 0x41, 0xd85, "Cortex-X925" }, { 0x41, 0xd87, "Cortex-A725" },
	{ 0x4e, 0x004, "Carmel" },      { 0x6d, 0xd49, "Azure Cobalt 100" },
	{ 0x43, 0x0a1, "ThunderX" },    { 0x43, 0x0af, "ThunderX2" },
	{ 0x46, 0x001, "A64FX" },       { 0x48, 0xd01, "Kunpeng 920" },
	{ 0x50, 0x000, "X-Gene" },      { 0xc0, 0xac3, "AmpereOne" },
	{ 0xc0, 0xac4, "AmpereOne A" },
};

/* NULL: none is known. */
static const char *name_of(uint32_t implementer, uint32_t part)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].implementer == implementer && names[i].part == part)
			return names[i].name;
	return NULL;
}

void arch_identify(struct arch_identity *id)
{
	uint64_t midr = sysreg_read("midr_el1");
	uint32_t implementer = MIDR_IMPLEMENTER(midr), part = MIDR_PART(midr);
	const char *maker = name_of(implementer, NO_PART), *name = name_of(implementer, part);
	struct text t;

	memset(id, 0, sizeof(*id));
	text_init(&t, id->vendor, sizeof(id->vendor));
	if (maker)
		text_add(&t, "%s", maker);
	else
		text_add(&t, "0x%x", (unsigned)implementer);
	text_init(&t, id->brand, sizeof(id->brand));
	if (name)
		text_add(&t, "%s", name);
	else
		text_add(&t, "part 0x%x", (unsigned)part);
	text_add(&t, " r%up%u", (unsigned)MIDR_VARIANT(midr), (unsigned)MIDR_REVISION(midr));
	id->family = implementer;
	id->model = part;
	id->stepping = MIDR_VARIANT(midr) << 4 | MIDR_REVISION(midr);
	/* The system counter runs at one rate, whatever the cores do (Arm ARM, D11.1.1). */
	id->clock_invariant = true;
}

/* A Realm (Arm CCA) is sealed, but only a call to its monitor can show that this is one. */
const char *arch_sealed(void)
{
	return NULL;
}

unsigned arch_clock_sources(struct tsc_rate_source source[ARCH_CLOCK_SOURCES])
{
	source[0] = (struct tsc_rate_source){ "cntfrq", sysreg_read("cntfrq_el0"), TSC_RATE_EXACT };
	return 1;
}

uint64_t arch_entropy(void)
{
	uint64_t random = 0;

	if (ISAR0_RNDR(sysreg_read("id_aa64isar0_el1")))
		__asm__ volatile("mrs %0, s3_3_c2_c4_0" : "=r"(random) : : "cc"); /* RNDR */
	return splitmix_mix(random ^ clock_now());
}
