/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Surveys of machines, played from boot to verdict: tests/data/surveys, or the folder that the
 * environment's SURVEYS names. A clean one passes where its SMIs are counted; one with a single SMI
 * fails, with that cause where its evidence exists; if nothing counts SMIs, the verdict is not
 * known. A survey of the player reads what was played.
 */
#define MOCK_CPUS 512
#define MOCK_GAPS 64

#include "tests/unit/common/test.h"
#include "tests/unit/played_machine.h"
#include "tests/unit/survey_file.h"
#include "core/modes/survey/survey_room.h"
#include "survey/survey.h"

#include <dirent.h>
#include <stdio.h>

#define FOLDER     "tests/data/surveys"
#define FILES_MAX  4096
#define FAMILY_AMD 0x17u
#define DUNNINGTON 0x1du
#define DEFAULT_HZ UINT64_C(2400085000)
#define CORES_MAX  16u

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

static int find_files(void **state)
{
	const char *folder = getenv("SURVEYS") ? getenv("SURVEYS") : FOLDER;
	DIR *d = opendir(folder);
	struct dirent *e;

	(void)state;
	if (!d) {
		perror(folder);
		return -1;
	}
	while ((e = readdir(d)) && files < FILES_MAX)
		if (strlen(e->d_name) > 7 && !strcmp(e->d_name + strlen(e->d_name) - 7, ".survey"))
			snprintf(names[files++], sizeof(names[0]), "%.40s/%.80s", folder,
				 e->d_name);
	closedir(d);
	qsort(names, files, sizeof(names[0]), by_name);
	return 0;
}

/*
 * Choose the make's registers, and what is known about them: MSR_SMI_COUNT since Nehalem and
 * Silvermont, the first whose leaf 0Bh is not empty, but for Dunnington, a Core 2 (SDM vol. 4 has
 * it for none of these); PMCx02B is documented since 17h. Of a dump that was taken in a guest,
 * PMCx02B is the hypervisor's.
 */
static void choose_make(struct machine *m, const struct arch_identity *id)
{
	bool intel = !strcmp(id->vendor, "GenuineIntel") && (id->family == 6 || id->family >= 18);
	bool amd = !strcmp(id->vendor, "AuthenticAMD") || !strcmp(id->vendor, "HygonGenuine");

	m->make = INTEL_OLD;
	m->clean = VERDICT_INCOMPLETE;
	m->cause = CAUSE_UNKNOWN;
	if (intel && leaf_of(0xb, 0).ebx && id->model != DUNNINGTON)
		m->make = INTEL;
	else if (amd && id->family >= FAMILY_AMD && !id->hypervisor[0])
		m->make = AMD;
	else
		return;
	m->clean = VERDICT_PASS;
	m->cause = CAUSE_SMI;
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

static struct machine *machine_of(void)
{
	static struct machine m;
	struct arch_identity id;

	identify(&mock_regs, &id);
	m = (struct machine){ .name = played.name, .cores = 2 };
	choose_make(&m, &id);
	m.hz = rate_of();
	return &m;
}

static struct physical memory;
static struct acpi_info acpi;
static unsigned complaints;

static void complain(void *ctx, const char *text)
{
	(void)ctx;
	complaints++;
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

/* Read the number of cores, and the clocks, from the tables; false: there are none. */
static bool read_tables(struct machine *m)
{
	struct acpi_memory from = physical_memory(&memory);
	uint64_t rsdp = survey_file_tables(&played, &memory);

	if (!rsdp)
		return false;
	complaints = 0;
	if (!acpi_read(&acpi, &from, rsdp, complain, NULL))
		fail_msg("%s: no table can be read", played.name);
	if (!acpi.cpu_count || !acpi.has_fadt)
		fail_msg("%s: %u cores, %s FADT", played.name, (unsigned)acpi.cpu_count,
			 acpi.has_fadt ? "a" : "no");
	digest_tables();
	m->cores = acpi.cpu_count < CORES_MAX ? acpi.cpu_count : CORES_MAX;
	played_clocks.no_hpet = !acpi.hpet_address;
	played_clocks.no_pm_timer = !acpi.pm_timer.address;
	played_clocks.pm_timer_bits = acpi.pm_timer_32bit ? 32 : 24;
	physical_reset(&memory);
	return true;
}

static unsigned passed, judged, with_tables;

static bool is_believed(const struct cpu *cpu, const char *name)
{
	const struct core *on = &cores[cpu->position];
	const char *found[COUNTER_ROWS_MAX];
	size_t n = counters_believed(&on->counters, cpu_knows(cpu), found, COUNTER_ROWS_MAX);

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

/* Each core believes what moved on it, and no counter that the leaves do not have. */
static void check_believed(const struct machine *m)
{
	bool bare = !(leaf_of(1, 0).ecx >> 31), runs = bare && m->make != INTEL_OLD;
	bool intel = m->make == INTEL, amd = m->make == AMD, rates = leaf_of(6, 0).ecx & 1;

	for (uint32_t i = 0; i < m->cores; i++) {
		const struct cpu *cpu = &mock.cpu[i];

		assert_int_equal(is_believed(cpu, "smi_count"), intel);
		assert_int_equal(is_believed(cpu, "smi_received"), amd);
		assert_int_equal(is_believed(cpu, "mperf"), runs && rates);
		assert_int_equal(is_believed(cpu, "aperf"), runs && rates);
		assert_int_equal(is_believed(cpu, "reference"), runs && intel && has_fixed(2));
		assert_int_equal(is_believed(cpu, "cycles"),
				 runs && (amd || (intel && has_fixed(1))));
		assert_int_equal(is_believed(cpu, "instructions"),
				 runs && (amd || (intel && has_fixed(0))));
	}
}

static void play(const char *path)
{
	struct machine *m;

	load(path);
	core = &cores[0];
	m = machine_of();
	with_tables += read_tables(m);
	machine = m;
	with_smi = false;
	do_run(machine->clean);
	passed += machine->clean == VERDICT_PASS;
	check_believed(m);
	assert_int_equal(run.clock_faults.hidden_ns, 0);
	assert_int_equal(run.clock_faults.ahead_ns, 0);
	with_smi = true;
	do_run(VERDICT_FAIL);
	check_length();
	judged++;
}

TEST(test_verdicts)
{
	for (unsigned i = 0; i < files; i++)
		play(names[i]);
	printf("replayed %u machines, %u of which count SMIs, %u with their tables\n", judged,
	       passed, with_tables);
	if (getenv("SURVEYS"))
		return;
	assert_true(judged >= 60 && passed >= 60 && with_tables >= 60);
	if (digest != TABLES_DIGEST)
		fail_msg("digest of the tables: %#llx", (unsigned long long)digest);
}

/* All cores know of a window before it begins, however many there are. */
TEST(test_many_cores)
{
	struct machine *m;

	load(USUAL);
	core = &cores[0];
	m = machine_of();
	m->cores = MOCK_CPUS;
	machine = m;
	for (unsigned n = 0; n < 2; n++) {
		with_smi = n;
		late = 0;
		do_run(n ? VERDICT_FAIL : VERDICT_PASS);
		assert_int_equal(late, 0);
	}
	check_length();
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

/*
 * The TSC's stated rate is accepted if measured to be right, and refused if the other clocks run 3
 * % slower: in any case the result is the true rate.
 */
TEST(test_rates)
{
	unsigned stated = 0;

	for (unsigned i = 0; i < files; i++) {
		struct tsc_rate_source source[ARCH_CLOCK_SOURCES + 1];
		struct tsc_rate chosen;
		unsigned n;

		load(names[i]);
		n = identify_clock(&mock_regs, source);
		if (!n)
			continue;
		stated++;
		source[n] = (struct tsc_rate_source){ "hpet", source[0].hz, TSC_RATE_MEASURED };
		tsc_rate_choose(&chosen, source, n + 1);
		assert_int_equal(chosen.hz, source[0].hz);
		assert_non_null(chosen.audited_by);
		source[n].hz = source[0].hz / 100 * 97;
		tsc_rate_choose(&chosen, source, n + 1);
		assert_string_equal(chosen.source, "hpet");
		assert_string_equal(chosen.refused.name, source[0].name);
	}
	assert_true(stated >= 20 || getenv("SURVEYS"));
}

static int play_files(void **state)
{
	played_leaf = leaf_of;
	played_msr = msr_of;
	return find_files(state);
}

TEST_GROUP(play_files, NULL);
