/* SPDX-License-Identifier: BSD-2-Clause */
/* mode=services on a mocked platform: services that stop all, one or no core. */
#include "core/modes/services/service_room.h"

#include "core/config/mode.h"
#include "tests/unit/common/test.h"
#include "tests/unit/kept_run.h"

#include <string.h>

#define CPUS  4
#define STEP  20000
#define OTHER 700000
#define WAIT  1000000 /* ns between two looks of a core that waits */

static struct service_room room;
static struct service_tally tallies[MOCK_CPUS];

/* Behaviour of the services. */
static struct {
	uint64_t length; /* duration of a call, ns */
	uint64_t stops;  /* how long it stops others, ns; 0: it does not */
	uint32_t whom;   /* bits of positions */
	bool in_turn;    /* stop only one of these per call, in turn */
	uint64_t status;
	const char *fault, *why;
	uint64_t background; /* a gap on each core at each window's start */
	bool hangs;          /* a call returns only when its hang is reported */
	unsigned opened, closed, lost;
} is;

static struct {
	uint64_t start, end;
} calls[SERVICE_CALLS_MAX];
static unsigned made, before_window;

static const char *open_it(void *ctx, enum config_service service)
{
	(void)ctx, (void)service;
	is.opened++;
	return is.why;
}

static void call_it(void *ctx, enum config_service service, struct service_call *call)
{
	(void)ctx, (void)service;
	assert_null(mock_self);
	call->start = mock_now();
	mock_work(is.length);
	while (is.hangs && !is.lost)
		mock_work(WAIT);
	call->end = mock_now();
	call->status = is.status;
	call->fault = is.fault;
	calls[made].start = call->start;
	calls[made++].end = call->end;
}

static void close_it(void *ctx, enum config_service service)
{
	(void)ctx, (void)service;
	is.closed++;
}

static void lose_it(void *ctx)
{
	(void)ctx;
	is.lost++;
}

/* Play the window of the other cores up to its end, which the boot core moves. */
static void window(struct cpu *cpu, struct platform_window *plan)
{
	memset(&cpu->window, 0, sizeof(cpu->window));
	plan->gather(cpu, plan->gather_ctx);
	while (mock_now() - mock_skew < plan->end)
		mock_work(WAIT);
	cpu->window_start = plan->start + mock_skew;
	cpu->window_end = plan->end + mock_skew;
	cpu->window.length = plan->end - plan->start;
	mock.on_window(cpu, plan);
}

/* Play a window of another core, with the effects of the calls. */
static void others_window(struct cpu *cpu, struct platform_window *plan)
{
	const struct gap_evidence smi = { .smi = 1 }, none = { 0 };

	if (is.background)
		mock_gap(cpu, plan, plan->start, is.background, &none);
	for (unsigned i = before_window; i < made && is.stops; i++) {
		uint32_t whom = is.in_turn ? 1u << (1 + i % (CPUS - 1)) : is.whom;

		if (whom >> cpu->position & 1)
			mock_gap(cpu, plan, calls[i].start + 10, is.stops, &smi);
	}
}

/* Between windows. */
static bool no_stop(void)
{
	before_window = made;
	return false;
}

static void lay(void)
{
	lay_run(CPUS);
	mock.on_window = others_window;
	mock.on_stop = no_stop;
	config.mode = MODE_SERVICES;
	config.selftest = false;
	config.services = 1u << SERVICE_GET_TIME;
	config.services_all = false;
	memset(&room, 0, sizeof(room));
	memset(&is, 0, sizeof(is));
	mock.step = STEP;
	is.length = OTHER;
	is.whom = 0xe;
	made = before_window = 0;
	room.core = tallies;
	room.open = open_it;
	room.call = call_it;
	room.close = close_it;
	room.lost = lose_it;
	mock.platform.services = &room;
	for (unsigned i = 0; i < CPUS; i++) {
		mock.cpu[i].smi.readable = mock.cpu[i].smi.moved = true;
		mock.skew[i] = i * 1000;
		mock.cpu[i].tsc_offset = (int64_t)mock.skew[i];
	}
	mock.platform.window = window;
}

/* The first service's record of so many. */
static const struct record_service *measure_services(unsigned services)
{
	mock_run(&run);
	assert_int_equal(links[0].count[RECORD_SERVICE], services);
	assert_string_equal(links[0].service->stage, "handoff");
	assert_int_equal(links[0].count[RECORD_FAULT], is.hangs);
	return links[0].service;
}

static const struct record_service *measure(void)
{
	const struct record_service *r = measure_services(1);

	assert_string_equal(r->service, "get_time");
	assert_int_equal(is.opened, 1);
	return r;
}

TEST_F(lay, NULL, test_stops_all)
{
	const struct record_service *r;

	is.stops = 500000;
	r = measure();
	assert_int_equal(r->calls, 100);
	assert_int_equal(r->controls, 100);
	assert_int_equal(r->others, CPUS - 1);
	assert_true(r->stops);
	assert_int_equal(r->stopped, CPUS - 1);
	assert_int_equal(r->overlaps, 100);
	assert_int_equal(r->control_overlaps, 0);
	assert_int_equal(r->least_ns.value, 500000);
	assert_int_equal(r->longest_ns.value, 500000);
	assert_string_equal(r->cause, "smi");
	assert_true(r->smi_others.known);
	assert_int_equal(r->smi_others.value, 100 * (CPUS - 1));
	assert_in_range(r->p50_ns.value, OTHER, OTHER + 2 * STEP);
	assert_in_range(r->min_ns.value, OTHER, r->p50_ns.value);
	assert_int_equal(r->failed, 0);
	assert_false(r->status.known);
	assert_int_equal(is.closed, 1);
	assert_int_equal(run.reasons.verdict, VERDICT_NONE);
	assert_text("get_time stops all 4 cores, 500 us: confining it");
}

/* No stops are reported, with and without unrelated gaps. */
TEST_F(lay, NULL, test_stops_none)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct record_service *r;

		lay();
		is.background = i * 20000;
		r = measure();
		assert_false(r->stops);
		assert_int_equal(r->stopped, 0);
		assert_int_equal(r->overlaps, 0);
		assert_int_equal(r->chance_milli, 0);
		assert_false(r->longest_ns.known);
		assert_text("get_time takes up to ");
		assert_text(" on its own core only, confine it: no other was seen to be stopped "
			    "by 100 calls");
	}
}

TEST_F(lay, NULL, test_stops_one)
{
	const struct record_service *r;

	is.stops = 500000;
	is.whom = 1u << 2;
	r = measure();
	assert_true(r->stops);
	assert_int_equal(r->stopped, 1);
	assert_text("get_time stops 1 of 3 other cores, 500 us");
}

TEST_F(lay, NULL, test_stops_another_each_time)
{
	const struct record_service *r;

	is.stops = 500000;
	is.in_turn = true;
	r = measure();
	assert_true(r->stops);
	assert_int_equal(r->overlaps, 100);
}

TEST_F(lay, NULL, test_few_writes)
{
	const struct record_service *r;

	config.services = 1u << SERVICE_SET_VARIABLE;
	is.stops = 500000;
	r = measure_services(1);
	assert_int_equal(made, 10);
	assert_int_equal(r->calls, 10);
	assert_int_equal(r->controls, 90);
	assert_true(r->stops);
	assert_int_equal(r->stopped, CPUS - 1);
}

TEST_F(lay, NULL, test_errors)
{
	const struct record_service *r;

	is.status = 3;
	r = measure();
	assert_int_equal(r->failed, 100);
	assert_int_equal(r->status.value, 3);
	assert_null(r->why);
	assert_int_equal(run.reasons.verdict, VERDICT_NONE);
}

TEST_F(lay, NULL, test_fault_ends_it)
{
	const struct record_service *r;

	is.fault = "exception 13";
	r = measure();
	assert_int_equal(r->calls, 1);
	assert_int_equal(r->failed, 1);
	assert_string_equal(r->why, "exception 13");
	assert_int_equal(run.reasons.verdict, VERDICT_INCOMPLETE);
	assert_int_equal(is.closed, 1);
}

/* One other core reports the call that hangs. If it returns after all, it is the service's last. */
TEST_F(lay, NULL, test_does_not_return)
{
	const struct record_service *r;

	is.hangs = true;
	is.length = 61 * MOCK_HZ;
	r = measure();
	assert_int_equal(r->calls, 1);
	assert_string_equal(r->why, "a call took longer than the others sample");
	assert_string_equal(links[0].fault->kind, "wait");
	assert_string_equal(links[0].fault->what, "a service of firmware");
	assert_int_equal(links[0].fault->cpu.value, 0);
	assert_text("get_time has not returned for 60 s");
	assert_int_equal(run.reasons.verdict, VERDICT_INCOMPLETE);
	assert_string_equal(run.reasons.text[0], "get_time has not returned");
	assert_int_equal(is.lost, 1);
}

TEST_F(lay, NULL, test_not_there)
{
	is.why = "there is none";
	assert_int_equal(measure()->calls, 0);
	assert_int_equal(made, 0);
	assert_int_equal(is.closed, 0);
	assert_false(links[0].service->p50_ns.known);
	assert_int_equal(run.reasons.verdict, VERDICT_INCOMPLETE);
	assert_string_equal(run.reasons.text[0], "get_time: there is none");
	assert_text("get_time                n/a  there is none");
	/* Among all services, some do not exist on each machine. */
	lay();
	is.why = "there is none";
	config.services_all = true;
	measure();
	assert_int_equal(run.reasons.verdict, VERDICT_NONE);
}

TEST_F(lay, NULL, test_smi_is_called_by_its_own_key)
{
	config.services = 1u << SERVICE_RTC;
	config.smi = (struct config_limit){ true, 0x42 };
	assert_string_equal(measure_services(2)->service, "rtc");
	assert_string_equal(links[0].service[1].service, "smi");
}

TEST_F(lay, NULL, test_limits)
{
	static const struct {
		uint64_t own, max, stops;
		enum verdict verdict;
	} cases[] = {
		{ 1000, 0, 0, VERDICT_FAIL },          { 1000000, 0, 0, VERDICT_PASS },
		{ 0, 4000, 5000, VERDICT_FAIL },       { 0, 5000, 5000, VERDICT_PASS },
		{ 1000000, 5000, 5000, VERDICT_PASS },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lay();
		config.limit[LIMIT_SERVICE_MAX] = (struct config_limit){ cases[i].own,
									 cases[i].own };
		config.limit[LIMIT_MAX] = (struct config_limit){ cases[i].max, cases[i].max };
		is.stops = cases[i].stops;
		measure();
		assert_int_equal(run.reasons.verdict, cases[i].verdict);
	}
}

/* No other core could be stopped: that is not a pass. */
TEST_F(lay, NULL, test_alone)
{
	const struct record_service *r;

	mock.platform.cpus = 1;
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 1000000 };
	r = measure();
	assert_int_equal(r->calls, 100);
	assert_int_equal(r->others, 0);
	assert_false(r->stops);
	assert_false(r->smi_others.known);
	assert_int_equal(run.reasons.verdict, VERDICT_INCOMPLETE);
	assert_text("whom it stops is not known: no other core sampled");
	assert_text("only one core is measured");
}

/* Counters read from outside for all cores are read around each window, while nobody samples. */
static unsigned counted[2];

static void count_it(struct platform *p, bool after)
{
	(void)p;
	counted[after]++;
	assert_int_equal(counted[0], counted[1] + !after);
}

TEST_F(lay, NULL, test_counts_around_windows)
{
	mock.platform.count = count_it;
	counted[0] = counted[1] = 0;
	measure();
	mock.platform.count = NULL;
	assert_true(counted[0] > 0);
	assert_int_equal(counted[0], counted[1]);
}

/* A gap's own SMIs are not known there, however well they are counted from outside. */
TEST_F(lay, NULL, test_smis_of_no_gap)
{
	const struct record_service *r;

	is.stops = 500000;
	for (unsigned i = 0; i < CPUS; i++) {
		mock.cpu[i].blind.gaps = true;
		mock.cpu[i].smi.readable = false;
	}
	r = measure();
	assert_true(r->stops);
	assert_false(r->smi_others.known);
	assert_true(r->smi.known);
	/* A counter that never counted is not known, either. */
	lay();
	mock.cpu[0].smi.readable = mock.cpu[0].smi.moved = false;
	assert_false(measure()->smi.known);
}

/* Rests of the boot core between windows. */
static unsigned rests;

static void rest_a_while(const struct cpu *self)
{
	if (mock_self)
		mock_idle(self);
	else
		rests++, mock_work(WAIT);
}

/*
 * If the service requires pauses between calls, there is one call per window, and no core samples
 * in between.
 */
TEST_F(lay, NULL, test_calls_apart)
{
	const uint64_t apart = 3 * MOCK_HZ;

	config.service_calls.value = 3;
	mock.platform.idle = rest_a_while;
	rests = 0;
	measure();
	assert_int_equal(made, 3);
	assert_true(calls[1].start - calls[0].start < apart);
	lay();
	config.service_calls.value = 20;
	mock.platform.idle = rest_a_while;
	room.apart_ns = apart;
	assert_int_equal(measure()->calls, 20);
	assert_true(rests > 19 * 2000);
	for (unsigned i = 1; i < made; i++)
		assert_true(calls[i].start - calls[i - 1].start > apart);
}

/* Gaps lost because a ring is full do not count as cores that were not stopped. */
TEST_F(lay, NULL, test_ring_is_full)
{
	const struct record_service *r;

	is.stops = 500000;
	mock.cpu[2].ring.capacity = 3;
	r = measure();
	assert_true(r->unseen > 0);
	assert_true(r->overlaps + r->unseen == 100);
	assert_int_equal(r->overlaps, r->controls);
}
