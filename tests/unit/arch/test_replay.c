/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Surveys of processors, played from boot to verdict: tests/data/surveys, or the folder that the
 * environment's SURVEYS names. A clean one passes where its SMIs are counted; one with a single SMI
 * fails, with that cause where its evidence exists; where nobody counts, nobody knows. What a
 * survey reads of the player is what was played.
 */
#define MOCK_CPUS 8
#define MOCK_GAPS 64

#include "tests/unit/common/test.h"
#include "tests/unit/played_machine.h"
#include "core/modes/survey/survey_cores.h"
#include "survey/survey.h"

#include <dirent.h>
#include <stdio.h>

#define FOLDER     "tests/data/surveys"
#define FILES_MAX  4096
#define LEAVES_MAX 512
#define FAMILY_AMD 0x17u
#define DUNNINGTON 0x1du
#define DEFAULT_HZ UINT64_C(2400085000)

/* The survey that is played. */
static struct {
	char name[128];
	struct {
		uint32_t leaf, sub;
		struct cpuid r;
		bool own_id;
	} leaf[LEAVES_MAX];
	unsigned leaves;
} played;

/* By core 0's leaves; of what it has not, zeros. */
static struct cpuid leaf_of(uint32_t leaf, uint32_t sub)
{
	for (unsigned i = 0; i < played.leaves; i++)
		if (played.leaf[i].leaf == leaf && played.leaf[i].sub == sub)
			return played.leaf[i].r;
	return (struct cpuid){ 0 };
}

/* "00000001 0 000906ea 00100800 7ffafbff bfebfbff 0-3 id" */
static void take_leaf(const char *line)
{
	unsigned n = played.leaves;
	char of[400] = "", mark[8] = "";
	struct cpuid *r = &played.leaf[n].r;
	int fields;

	if (n == LEAVES_MAX)
		fail_msg("%s: more than %d leaves", played.name, LEAVES_MAX);
	fields = sscanf(line, "%8x %x %8x %8x %8x %8x %399s %7s", &played.leaf[n].leaf,
			&played.leaf[n].sub, &r->eax, &r->ebx, &r->ecx, &r->edx, of, mark);
	if (fields < 7)
		fail_msg("%s: not a leaf: %s", played.name, line);
	/* Of cores that differ the first one's. */
	if (of[0] != '0' || (of[1] && of[1] != '-' && of[1] != ','))
		return;
	played.leaf[n].own_id = fields == 8;
	played.leaves++;
}

static bool load(const char *path)
{
	FILE *f = fopen(path, "r");
	bool of_cpuid = false;
	char line[512];

	played.leaves = 0;
	snprintf(played.name, sizeof(played.name), "%s", path);
	if (!f)
		fail_msg("%s: it cannot be opened", path);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '[')
			of_cpuid = !strcmp(line, "[cpuid]\n");
		else if (of_cpuid && line[0] != '#' && line[0] != '\n')
			take_leaf(line);
	}
	fclose(f);
	return played.leaves;
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
 * Which registers the processor has, and what can be known of it by them: MSR_SMI_COUNT since
 * Nehalem and Silvermont, the first whose leaf 0Bh is not empty, but for Dunnington, a Core 2 (SDM
 * vol. 4 has it for none of these); PMCx02B is documented since 17h.
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
	else if (amd && id->family >= FAMILY_AMD)
		m->make = AMD;
	else
		return;
	m->clean = VERDICT_PASS;
	m->cause = CAUSE_SMI;
}

/* As its leaves report it: exactly, or as the number on the box, which real ones miss by 0.2 %. */
static uint64_t rate_of(void)
{
	struct tsc_rate_source source[ARCH_CLOCK_SOURCES];
	unsigned n = identify_clock(&mock_regs, source);
	uint64_t hz = DEFAULT_HZ;

	for (unsigned i = n; i-- > 0;)
		hz = source[i].kind == TSC_RATE_EXACT ? source[i].hz : source[i].hz / 1000 * 998;
	return hz;
}

static const struct machine *machine_of(void)
{
	static struct machine m;
	struct arch_identity id;

	identify(&mock_regs, &id);
	m = (struct machine){ .name = played.name, .cores = 2 };
	choose_make(&m, &id);
	m.hz = rate_of();
	return &m;
}

static unsigned passed, judged;

static void play(const char *path)
{
	if (!load(path))
		fail_msg("%s: no leaf", path);
	core = &cores[0];
	machine = machine_of();
	with_smi = false;
	do_run(machine->clean);
	passed += machine->clean == VERDICT_PASS;
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
	printf("replayed %u processors, %u of which count SMIs\n", judged, passed);
	assert_true(judged >= 60 || getenv("SURVEYS"));
}

static uint32_t no_mmio(uint64_t address)
{
	(void)address;
	return 0;
}

static bool no_rdmsr(uint32_t number, uint64_t *value)
{
	(void)number, (void)value;
	return false;
}

/* The leaves that were played come back, each as it was, and none that was not there. */
TEST(test_survey_again)
{
	static struct survey_reading readings[SURVEY_READINGS_MAX];
	static const struct regs regs = { .cpuid = leaf_of, .rdmsr = no_rdmsr };
	const struct survey_source source = { &regs, no_mmio, 0 };
	struct survey_core again = { .at = readings };

	for (unsigned i = 0; i < files; i++) {
		unsigned leaves = 0;

		load(names[i]);
		survey_read(&source, &again);
		for (uint32_t n = 0; n < again.count; n++) {
			const struct survey_reading *r = &again.at[n];
			struct cpuid was = leaf_of(r->number, r->sub);

			if (r->area != SURVEY_CPUID)
				continue;
			leaves += r->sub == 0;
			assert_int_equal(r->value[0], was.eax | (uint64_t)was.ebx << 32);
			assert_int_equal(r->value[1], was.ecx | (uint64_t)was.edx << 32);
		}
		assert_true(leaves >= 2 && !again.left_out);
	}
}

TEST_GROUP(find_files, NULL);

int main(void)
{
	played_leaf = leaf_of;
	return tests_run(NULL);
}
