/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Surveys of machines, of which a core is played: tests/data/surveys, or the folder that the
 * environment's SURVEYS names. Its leaves are the survey's; its registers run as the real ones do.
 * Each counter that the leaves have is believed, and no other; a single SMI is of that cause where
 * its evidence exists. A survey of the player reads what was played.
 */
#include "core/gaps/cpu.h"
#include "core/modes/survey/survey_room.h"
#include "identify.h"
#include "survey/survey.h"
#include "tests/unit/arch/mocked_core.h"
#include "tests/unit/survey_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER     "tests/data/surveys"
#define FILES_MAX  4096
#define FAMILY_AMD 0x17u
#define DUNNINGTON 0x1du
#define DEFAULT_HZ UINT64_C(2400085000)
#define SMI_TICKS  400000

/* The survey that is played. */
static struct survey_file played;

static struct cpuid leaf_of(uint32_t leaf, uint32_t sub)
{
	return survey_file_leaf(&played, leaf, sub);
}

static bool msr_of(uint32_t number, uint64_t *value)
{
	return survey_file_msr(&played, number, value);
}

/* ---- The registers of the played core ---- */

enum make { INTEL, INTEL_OLD, AMD };

static struct {
	enum make make; /* decides on the registers */
	struct arch_identity id;
	struct counters counters;
	struct cpu cpu;
} core;

static bool read_register(uint32_t msr, uint64_t *value)
{
	return mocked_rdmsr(msr, value) || msr_of(msr, value);
}

static const struct regs mock_regs = { leaf_of, read_register, mocked_wrmsr, mocked_clock };

/* SMM freezes the fixed counters, where that was armed; it is armed before the first SMI. */
static void lay_registers(void)
{
	static const uint32_t stand[] = { FIXED_CTR_CTRL, GLOBAL_CTRL, DEBUGCTL };

	memset(&mocked, 0, sizeof(mocked));
	mocked.clock = 1000000000;
	if (core.make == INTEL_OLD)
		return;
	mocked_add(0xe7, 0, AT_CLOCK);
	mocked_add(0xe8, 0, AT_CORE);
	if (core.make == INTEL) {
		mocked_add(0x34, 610, AT_SMI); /* before the run */
		mocked_reg(0x34)->read_only = true;
		mocked_add(0x345, BIT(12), STANDS);
		for (uint32_t i = 0; i < 3; i++) {
			mocked_add(0x309 + i, 0, FIXED0 + i);
			mocked_add(stand[i], 0, STANDS);
		}
		for (uint32_t i = 0; i < 8; i++)
			mocked_add(0x186 + i, 0, STANDS);
		return;
	}
	if (leaf_of(0x80000022u, 0).eax & 1)
		mocked_add(AMD_GLOBAL, 0, STANDS);
	for (uint32_t i = 0; i < 12; i++)
		mocked_add(0xc0010200u + i, 0, i % 2 ? AMD_EVENT : STANDS);
}

/* calibrate_span(), of which no gap comes. */
static bool sample(struct cpu *cpu, uint64_t ticks, bool through)
{
	(void)cpu, (void)through;
	mocked_pass(ticks, LOOP);
	return true;
}

/* ---- Surveys ---- */

/* The processor that is played for a survey of tables alone. */
#define USUAL FOLDER "/GenuineIntel00906EA_Coffeelake.survey"

static void take_usual(void)
{
	static struct survey_file usual;

	survey_file_load(&usual, USUAL);
	memcpy(played.leaf, usual.leaf, sizeof(usual.leaf));
	memcpy(played.msr, usual.msr, sizeof(usual.msr));
	played.leaves = usual.leaves;
	played.msrs = usual.msrs;
}

static void load(const char *path)
{
	survey_file_load(&played, path);
	if (!played.leaves && played.tables)
		take_usual();
	if (!played.leaves)
		fail_msg("%s: no leaf", path);
}

static char names[FILES_MAX][128];
static unsigned files;

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void find_files(void)
{
	const char *folder = getenv("SURVEYS") ? getenv("SURVEYS") : FOLDER;
	DIR *d = opendir(folder);
	struct dirent *e;

	if (!d) {
		perror(folder);
		fail();
	}
	while ((e = readdir(d)) && files < FILES_MAX)
		if (strlen(e->d_name) > 7 && !strcmp(e->d_name + strlen(e->d_name) - 7, ".survey"))
			snprintf(names[files++], sizeof(names[0]), "%.40s/%.80s", folder,
				 e->d_name);
	closedir(d);
	qsort(names, files, sizeof(names[0]), by_name);
}

/*
 * The make, by what is known about its registers: MSR_SMI_COUNT since Nehalem and Silvermont, the
 * first whose leaf 0Bh is not empty, but for Dunnington, a Core 2 (SDM vol. 4 has it for none of
 * these); PMCx02B is documented since 17h. In a dump that was taken in a guest, PMCx02B is the
 * hypervisor's.
 */
static enum make make_of(const struct arch_identity *id)
{
	bool intel = !strcmp(id->vendor, "GenuineIntel") && (id->family == 6 || id->family >= 18);
	bool amd = !strcmp(id->vendor, "AuthenticAMD") || !strcmp(id->vendor, "HygonGenuine");

	if (intel && leaf_of(0xb, 0).ebx && id->model != DUNNINGTON)
		return INTEL;
	return amd && id->family >= FAMILY_AMD && !id->hypervisor[0] ? AMD : INTEL_OLD;
}

/* The rate by the leaves: exact, or nominal, which real processors miss by 0.2 %. */
static uint64_t rate_of(void)
{
	struct tsc_rate_source source[ARCH_CLOCK_SOURCES];
	unsigned n = identify_clock(&mock_regs, source);
	uint64_t hz = DEFAULT_HZ;

	for (unsigned i = n; i-- > 0;)
		hz = source[i].kind == TSC_RATE_EXACT ? source[i].hz : source[i].hz / 1000 * 998;
	return hz;
}

/* arch_evidence_detect() and arch_evidence_learn() on the played core. */
static void prepare(void)
{
	struct counters *c = &core.counters;
	const struct counter_slot *smi;
	uint64_t v = 0;

	memset(&core, 0, sizeof(core));
	identify(&mock_regs, &core.id);
	core.make = make_of(&core.id);
	lay_registers();
	counters_detect(c, &mock_regs, &core.id, rate_of(), NULL);
	counters_arm(c, false);
	smi = counters_armed(c, EVIDENCE_SMI);
	core.cpu.smi.msr = smi ? smi->msr : 0;
	core.cpu.smi.readable = smi && read_register(smi->msr, &v);
	core.cpu.smi.last = (uint32_t)v;
	core.cpu.smi.moved = core.cpu.smi.last != 0 || (smi && smi->proved);
	if (c->columns)
		counters_learn_from(c, &core.cpu, sample);
}

static struct physical memory;
static struct acpi_info acpi;

static void complain(void *ctx, const char *text)
{
	(void)ctx;
	printf("%s: %s\n", played.name, text);
}

/*
 * The contents of all surveys' tables in one number, FNV-1a by 64-bit words. A second decoder, of
 * the manuals, found the same contents when this number was taken.
 */
#define TABLES_DIGEST UINT64_C(0x80628eb99ca4c894)

static uint64_t digest = UINT64_C(0xcbf29ce484222325);

static void digest_add(uint64_t value)
{
	digest = (digest ^ value) * UINT64_C(0x100000001b3);
}

static void digest_gas(const struct acpi_gas *g)
{
	digest_add(g->space);
	digest_add(g->address);
}

static void digest_fadt(void)
{
	const struct acpi_gas *gas[] = { &acpi.pm1a_evt, &acpi.pm1b_evt, &acpi.pm1a_cnt,
					 &acpi.pm1b_cnt, &acpi.pm_timer, &acpi.gpe[0],
					 &acpi.gpe[1] };

	for (size_t i = 0; i < sizeof(gas) / sizeof(gas[0]); i++)
		digest_gas(gas[i]);
	if (acpi.has_reset_reg)
		digest_gas(&acpi.reset_reg);
	digest_add(acpi.smi_cmd);
	digest_add(acpi.acpi_enable);
	digest_add(acpi.acpi_disable);
	digest_add(acpi.has_8042 | acpi.pm_timer_32bit << 1 | acpi.hw_reduced << 2);
}

static void digest_tables(void)
{
	for (uint32_t i = 0; i < acpi.cpu_count; i++) {
		digest_add(acpi.cpu[i].apic_id);
		digest_add(acpi.cpu[i].uid);
	}
	for (uint32_t i = 0; i < acpi.nmi_count; i++)
		digest_add((uint64_t)acpi.nmi[i].uid << 32 | acpi.nmi[i].lint << 1 |
			   acpi.nmi[i].all_cpus);
	for (uint32_t i = 0; i < acpi.ecam_count; i++) {
		digest_add(acpi.ecam[i].base);
		digest_add((uint64_t)acpi.ecam[i].segment << 32 | acpi.ecam[i].first_bus << 8 |
			   acpi.ecam[i].last_bus);
	}
	for (uint32_t i = 0; i < acpi.iommu_count; i++) {
		digest_add(acpi.iommu[i].base);
		digest_add(acpi.iommu[i].amd);
	}
	digest_add(acpi.hpet_address);
	digest_fadt();
}

/* True if the survey has tables, which are read and added to the digest. */
static bool read_tables(void)
{
	struct acpi_memory from = physical_memory(&memory);
	uint64_t rsdp = survey_file_tables(&played, &memory);

	if (!rsdp)
		return false;
	if (!acpi_read(&acpi, &from, rsdp, complain, NULL))
		fail_msg("%s: no table can be read", played.name);
	if (!acpi.cpu_count || !acpi.has_fadt)
		fail_msg("%s: %u cores, %s FADT", played.name, (unsigned)acpi.cpu_count,
			 acpi.has_fadt ? "a" : "no");
	digest_tables();
	physical_reset(&memory);
	return true;
}

static bool is_believed(const char *name)
{
	const char *found[COUNTER_ROWS_MAX];
	size_t n = counters_believed(&core.counters, cpu_knows(&core.cpu), found, COUNTER_ROWS_MAX);

	while (n-- > 0)
		if (!strcmp(found[n], name))
			return true;
	return false;
}

/* SDM vol. 2, leaf 0Ah: by number in EDX[4:0], or by its bit in ECX, from version 2 on. */
static bool has_fixed(unsigned number)
{
	struct cpuid r = leaf_of(0xa, 0);

	return (r.eax & 0xff) >= 2 && ((r.edx & 0x1f) > number || (r.ecx >> number & 1));
}

/* A counter that moved is believed, and none that the leaves do not have. */
static void check_believed(void)
{
	bool intel = core.make == INTEL, amd = core.make == AMD, rates = leaf_of(6, 0).ecx & 1;
	bool runs = !(leaf_of(1, 0).ecx >> 31) && (intel || amd);

	assert_int_equal(is_believed("smi_count"), intel);
	assert_int_equal(is_believed("smi_received"), amd);
	assert_int_equal(is_believed("mperf"), runs && rates);
	assert_int_equal(is_believed("aperf"), runs && rates);
	assert_int_equal(is_believed("reference"), runs && intel && has_fixed(2));
	assert_int_equal(is_believed("cycles"), runs && (amd || (intel && has_fixed(1))));
	assert_int_equal(is_believed("instructions"), runs && (amd || (intel && has_fixed(0))));
	assert_int_equal(cpu_knows(&core.cpu) & EVIDENCE(SMI), intel || amd ? EVIDENCE(SMI) : 0);
}

/* A gap of so many ticks, with an SMI in it, and the cause that it gets. */
static enum cause cause_of_an_smi(uint64_t ticks)
{
	struct cpu_counter *smi = &core.cpu.smi;
	struct gap_evidence counted = { 0 };
	struct evidence e = { .gap = ticks };
	struct attribution why;
	uint64_t v = 0;

	counters_step(&core.counters, &e);
	mocked_pass(core.counters.hz / 2, LOOP);
	mocked_pass(ticks, IN_SMM);
	if (smi->readable && read_register(smi->msr, &v))
		counted.smi = (uint32_t)v - smi->last;
	counters_step(&core.counters, &e);
	counters_counted(&core.counters, cpu_knows(&core.cpu), &counted, &e);
	attribution_decide(&e, &why);
	return (enum cause)why.cause;
}

TEST(test_evidence)
{
	unsigned counting = 0, with_tables = 0;

	for (unsigned i = 0; i < files; i++) {
		enum cause want;

		load(names[i]);
		prepare();
		with_tables += read_tables();
		check_believed();
		want = core.make == INTEL_OLD ? CAUSE_UNKNOWN : CAUSE_SMI;
		counting += want == CAUSE_SMI;
		if (cause_of_an_smi(SMI_TICKS) != want)
			fail_msg("%s: an SMI is of another cause", played.name);
	}
	printf("replayed %u machines, %u of which count SMIs, %u with their tables\n", files,
	       counting, with_tables);
	if (getenv("SURVEYS"))
		return;
	assert_true(files >= 60 && counting >= 60 && with_tables >= 60);
	if (digest != TABLES_DIGEST)
		fail_msg("digest of the tables: %#llx", (unsigned long long)digest);
}

static uint32_t no_mmio(uint64_t address)
{
	(void)address;
	return 0;
}

static void check_leaf(const struct survey_reading *r)
{
	struct cpuid was = leaf_of(r->number, r->sub);

	assert_int_equal(r->value[0], was.eax | (uint64_t)was.ebx << 32);
	assert_int_equal(r->value[1], was.ecx | (uint64_t)was.edx << 32);
}

static void check_register(const struct survey_reading *r)
{
	uint64_t value;
	bool there = msr_of(r->number, &value);

	assert_int_equal(!(r->flags & SURVEY_FAULTED), there);
	assert_int_equal(r->value[0], value);
}

/* Leaves and registers that were played come back, each as it was, and none that was not there. */
TEST(test_survey_again)
{
	static struct survey_reading readings[SURVEY_READINGS_MAX];
	static const struct regs regs = { .cpuid = leaf_of, .rdmsr = msr_of };
	const struct survey_source source = { &regs, no_mmio, 0 };
	struct survey_core again = { .at = readings };
	unsigned with_registers = 0;

	for (unsigned i = 0; i < files; i++) {
		unsigned count[SURVEY_AREAS] = { 0 };

		load(names[i]);
		survey_read(&source, &again);
		for (uint32_t n = 0; n < again.count; n++) {
			const struct survey_reading *r = &again.at[n];

			if (r->area == SURVEY_CPUID)
				check_leaf(r);
			if (r->area == SURVEY_MSR)
				check_register(r);
			count[r->area] += !(r->flags & SURVEY_FAULTED) && r->sub == 0;
		}
		assert_true(count[SURVEY_CPUID] >= 2 && !again.left_out);
		with_registers += count[SURVEY_MSR] > 5;
	}
	assert_true(with_registers >= 40 || getenv("SURVEYS"));
}

TEST_GROUP(find_files, NULL);
