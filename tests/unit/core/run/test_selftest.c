/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks before measuring: TSC offsets of clocks set apart, and NMIs counted or not. */
#include "core/run/selftest.h"
#include "tests/unit/common/test.h"
#include "tests/unit/mock_platform.h"

#define MILLISECOND (MOCK_HZ / 1000)

static struct team team;
static struct platform *platform;
static unsigned lost_count;

static void lost(void *ctx, const struct cpu *cpu)
{
	(void)ctx, (void)cpu;
	lost_count++;
}

static void lay(uint32_t cpus)
{
	platform = mock_lay(cpus);
	mock.step = 100;
	for (uint32_t i = 0; i < cpus; i++)
		mock.cpu[i].measured = true;
	memset(&team, 0, sizeof(team));
	team.lost = lost;
	lost_count = 0;
}

static void find_offsets(void)
{
	team_start(&team, platform);
	selftest_offsets(&team);
	team_leave(&team);
}

static void assert_offset(uint32_t i)
{
	const struct cpu *cpu = &mock.cpu[i];
	int64_t error = cpu->tsc_offset - (int64_t)mock.skew[i];

	assert_true(cpu->tsc_offset_bound.known);
	assert_in_range(error < 0 ? -error : error, 0, cpu->tsc_offset_bound.value);
}

/* Clocks far apart, ahead and behind, are found within the bound that is claimed. */
TEST(test_offsets_are_found)
{
	static const int64_t skews[MOCK_CPUS] = {
		0,           INT64_C(1) << 50,  -3000000000, 3600 * (int64_t)MOCK_HZ,
		-4999999999, UINT64_C(1) << 62, 0,           -1000000000,
	};

	for (uint32_t cpus = 2; cpus <= MOCK_CPUS; cpus += 3) {
		lay(cpus);
		for (uint32_t i = 0; i < cpus; i++)
			mock.skew[i] = (uint64_t)skews[i];
		find_offsets();
		for (uint32_t i = 0; i < cpus; i++)
			assert_offset(i);
		assert_int_equal(lost_count, 0);
	}
}

/* A way there that is longer than the way back falsifies the offset, by no more than the bound. */
TEST(test_bound_covers_a_longer_way)
{
	const uint64_t delay = 100000;

	lay(2);
	mock.skew[1] = 50 * delay;
	mock.delay = delay;
	find_offsets();
	assert_offset(1);
	assert_int_not_equal(mock.cpu[1].tsc_offset, mock.skew[1]);
	assert_true(mock.cpu[1].tsc_offset_bound.value >= delay / 2);
	/* An offset that may be zero counts as zero. */
	lay(2);
	mock.delay = delay;
	find_offsets();
	assert_int_equal(mock.cpu[1].tsc_offset, 0);
}

/* A core that is not there has no known offset, and costs no time. */
TEST(test_absent_core_has_no_offset)
{
	lay(3);
	mock.cpu[1].state = CPU_ABSENT;
	mock.cpu[1].measured = false;
	mock.skew[2] = 1000000;
	find_offsets();
	assert_false(mock.cpu[1].tsc_offset_bound.known);
	assert_offset(2);
	assert_int_equal(lost_count, 0);
}

/* A core that never answers: no offset, and it is lost, once. */
static void sit(struct cpu *cpu, void *arg)
{
	struct team *t = arg;

	(void)cpu;
	while (t->task || !atomic_load(&t->round))
		mock_relax();
}

static bool start_sitting(struct platform *p, void (*member)(struct cpu *, void *), void *arg)
{
	(void)member;
	return mock_start(p, sit, arg);
}

TEST(test_silent_core)
{
	lay(2);
	platform->start = start_sitting;
	mock.step = 100 * MILLISECOND;
	find_offsets();
	assert_false(mock.cpu[1].tsc_offset_bound.known);
	assert_int_equal(mock.cpu[1].tsc_offset, 0);
	assert_int_equal(lost_count, 1);
	assert_false(mock.cpu[1].measured);
}

static unsigned relaxed; /* times that the partner has */

static void count_relax(void)
{
	relaxed += mock_self != NULL;
	mock_relax();
}

/* A partner that hears nothing leaves its processor to others. */
TEST(test_partner_relaxes)
{
	lay(2);
	relaxed = 0;
	platform->relax = count_relax;
	find_offsets();
	assert_true(relaxed > 0);
	assert_offset(1);
}

/* NMIs that arrive `late` after they were sent, on a clock that moves with each wait. */
static struct {
	unsigned sent[MOCK_CPUS];
	bool broken[MOCK_CPUS];
	uint64_t late, due;
} nmi;

static void deliver(void)
{
	for (uint32_t i = 0; i < platform->cpus; i++) {
		mock.nmi[i] += nmi.broken[i] ? 0 : nmi.sent[i];
		nmi.sent[i] = 0;
	}
}

static void send(const struct cpu *cpu)
{
	nmi.sent[cpu->position]++;
	nmi.due = mock_clock() + nmi.late;
	if (!nmi.late)
		deliver();
}

static void wait_for_nmi(void)
{
	mock_work(MILLISECOND);
	if (mock_clock() >= nmi.due)
		deliver();
}

static void lay_nmi(uint32_t cpus, uint64_t late)
{
	memset(&nmi, 0, sizeof(nmi));
	nmi.late = late;
	lay(cpus);
	platform->send_nmi = send;
	platform->relax = wait_for_nmi;
	team.platform = platform;
	for (uint32_t i = 0; i < cpus; i++)
		mock.nmi[i] = 100 * i; /* NMIs that came before prove nothing */
}

static void assert_proved(uint32_t cpus, uint32_t unproved)
{
	for (uint32_t i = 0; i < cpus; i++) {
		assert_non_null(mock.cpu[i].proved);
		if (i == unproved)
			assert_string_equal(mock.cpu[i].proved, "test NMI was not counted");
		else
			assert_string_equal(mock.cpu[i].proved, "nmi");
	}
}

/* An NMI that comes a little later is waited for. */
TEST(test_late_nmi_is_proved)
{
	lay_nmi(4, 50 * MILLISECOND);
	selftest_nmi(&team);
	assert_proved(4, UINT32_MAX);
}

TEST(test_nmi_that_never_comes)
{
	for (uint32_t broken = 0; broken < 4; broken++) {
		lay_nmi(4, 0);
		nmi.broken[broken] = true;
		selftest_nmi(&team);
		assert_proved(4, broken);
	}
}

/* A hypervisor may take a second to let a core run. */
TEST(test_patience_with_a_hypervisor)
{
	lay_nmi(2, 1000 * MILLISECOND);
	selftest_nmi(&team);
	assert_string_equal(mock.cpu[1].proved, "test NMI was not counted");
	lay_nmi(2, 1000 * MILLISECOND);
	platform->hypervisor = true;
	selftest_nmi(&team);
	assert_proved(2, UINT32_MAX);
}

/* The test's own NMI is not the machine's: counting begins after it. */
TEST(test_own_nmi_is_accounted_for)
{
	lay_nmi(3, 0);
	selftest_nmi(&team);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(mock.cpu[i].nmi.last, mock.nmi[i]);
}

TEST(test_unmeasured_core_is_left_alone)
{
	lay_nmi(3, 0);
	mock.cpu[1].measured = false;
	selftest_nmi(&team);
	assert_int_equal(mock.nmi[1], 100);
	assert_null(mock.cpu[1].proved);
	assert_string_equal(mock.cpu[0].proved, "nmi");
	assert_string_equal(mock.cpu[2].proved, "nmi");
}

/* The core of this number does not find its delay. */
static uint32_t blind;

static bool find_delay(struct cpu *cpu, uint64_t ticks)
{
	assert_true(ticks > 0);
	return cpu->index != blind;
}

static void find_delays(void)
{
	platform->relax = mock_relax;
	platform->delay = find_delay;
	team_start(&team, platform);
	selftest_delay(&team);
	team_leave(&team);
}

TEST(test_delay)
{
	for (blind = 0; blind < 4; blind++) {
		lay_nmi(3, 0);
		nmi.broken[1] = true;
		selftest_nmi(&team);
		find_delays();
		for (uint32_t i = 0; i < 3; i++)
			assert_string_equal(mock.cpu[i].proved, i == 1 ? "test NMI was not counted"
								: i == blind
									? "test delay was not found"
									: "nmi, delay");
	}
}

TEST(test_platform_without_nmi)
{
	lay_nmi(2, 0);
	platform->send_nmi = NULL;
	selftest_nmi(&team);
	assert_null(mock.cpu[0].proved);
	assert_null(mock.cpu[1].proved);
	blind = 1;
	find_delays();
	assert_string_equal(mock.cpu[0].proved, "delay");
	assert_string_equal(mock.cpu[1].proved, "test delay was not found");
}
