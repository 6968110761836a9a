/* SPDX-License-Identifier: BSD-2-Clause */
/* Last words, and the watches for a call that does not return and for a boot core that hangs. */
#include "probe/app.h"
#include "probe/door.h"

#include "arch/arch.h"
#include "core/lib/arith.h"
#include "core/lib/lines.h"
#include "core/lib/steps.h"
#include "core/lib/ticks.h"
#include "core/records/record_kind.h"

static struct last_words *all;

static void put_line(void *ctx, const char *line, size_t bytes)
{
	struct uart *uart = ctx;

	uart_write(uart, line, bytes);
	uart_write(uart, "\r\n", 2);
}

/* A line that the port is in the middle of is lost. */
static void print_serial(struct last_words_kept *k)
{
	struct lines lines;

	if (k->printed || !output_has_link(&app->output))
		return;
	k->printed = true;
	uart_write(&app->output.uart, "\r\n", 2);
	lines_init(&lines, put_line, &app->output.uart);
	record_kind_of(RECORD_FAULT)->text(&lines, &k->words.record, &(struct record_context){ 0 });
	record_send(&app->output.link, RECORD_FAULT, &k->words.record);
}

static void report_fault(const struct record_fault *f)
{
	uint32_t n = atomic_fetch_add(&all->count, 1);
	struct last_words_kept *k;

	if (n >= LAST_WORDS_MAX)
		return;
	k = &all->kept[n];
	k->words.record = *f;
	k->words.record.stage = app->stages.name;
	k->words.record.image = (struct maybe){ (uintptr_t)door.image, f->pc.known };
	fault_take_steps(&k->words);
	print_serial(k);
	if (!f->cpu.known || f->cpu.value == 0)
		display_fault(&app->display, &k->words.record);
	atomic_store(&k->whole, true);
}

static void last_words_send_kept(struct last_words_kept *k)
{
	print_serial(k);
	for (unsigned i = 0; i < app->report.links; i++)
		if (app->report.link[i].to != &app->output.link)
			record_send(app->report.link[i].to, RECORD_FAULT, &k->words.record);
}

void last_words_send(struct last_words *w)
{
	uint32_t count = atomic_load(&w->count);

	for (uint32_t n = 0; n < count && n < LAST_WORDS_MAX; n++) {
		struct last_words_kept *k = &w->kept[n];

		if (k->sent || !atomic_load(&k->whole))
			continue;
		k->sent = true;
		last_words_send_kept(k);
	}
	if (count > LAST_WORDS_MAX && count != w->logged)
		report_log(&app->report, "error", "%u faults; the first %u are listed",
			   (unsigned)count, LAST_WORDS_MAX);
	w->logged = count;
	if (w->returned)
		report_log(&app->report, "warning",
			   "the firmware has returned from the call that was waited for in vain");
	w->returned = false;
}

/* Calls of the firmware that do not return */

#define LIMIT 60

static void begin_wait(void)
{
	all->steps = steps_count();
	all->since = clock_now();
	all->ticks = 0;
	all->reported = false;
}

/*
 * Called from the firmware's timer, so it must not call the firmware, which is in the middle of a
 * call. The timer stops while interrupts are masked, as in windows, and some firmware makes up for
 * the missed ticks at once. So the limit is exceeded only if both the ticks and the clock exceed
 * it.
 */
static void on_tick(void)
{
	static const struct record_fault fault = {
		.kind = "wait",
		.what = "the firmware to return from a call",
		.cpu = { 0, true },
	};

	if (all->steps != steps_count() || all->others_watch)
		begin_wait();
	all->ticks++;
	if (all->reported || all->ticks <= all->limit ||
	    clock_now() - all->since < all->limit * app->machine.clock.hz)
		return;
	all->reported = true;
	if (!app->report.line)
		output_open(&app->output);
	report_fault(&fault);
	leave_lost(app, "the firmware has not returned from a call");
	/*
	 * The boot core logs this as soon as the call returns. The lines printed here must not
	 * count as a step.
	 */
	all->returned = true;
	all->steps = steps_count();
}

/* ---- A boot core that hangs, once the machine is ours ---- */

/* True for the first other core that takes part. */
static bool watches(const struct cpu *self)
{
	const struct platform *p = &app->platform;
	uint32_t i = 1;

	while (i < p->cpus && !team_member(&p->cpu[i]))
		i++;
	return i < p->cpus && self == &p->cpu[i];
}

/*
 * Ticks. The boot core makes no step in a round of the team, nor while it calls services to the end
 * of a window; others may rest meanwhile. It waits for late cores longer if there are more of them.
 */
static uint64_t longest_step(void)
{
	uint64_t window = ticks_from_ns(app->options.config.window_ns, app->platform.hz);

	return arith_max(window, atomic_load(&app->run.team.longest)) +
	       (all->limit + (uint64_t)app->platform.cpus) * app->platform.hz;
}

void last_words_rest(const struct cpu *self)
{
	static struct {
		const struct cpu *core;
		uint32_t steps;
		uint64_t at, waited; /* ticks of the core's clock */
	} watch;
	uint32_t steps = steps_count() + atomic_load(&app->run.team.round);
	void (*rest)(const struct cpu *self) = arch_resting(&app->machine.identity);
	uint64_t now, passed;

	if (!watches(self)) {
		rest(self);
		return;
	}
	arch_relax();
	now = clock_now();
	/* A longer time between two looks is a window, or the whole machine was stopped. */
	passed = arith_min(now - watch.at, app->platform.hz / 10);
	watch.waited = self == watch.core && steps == watch.steps ? watch.waited + passed : 0;
	watch.core = self;
	watch.steps = steps;
	watch.at = now;
	if (watch.waited <= longest_step())
		return;
	watch.waited = 0;
	arch_break_off(&app->platform.cpu[0]);
}

void last_words_start(struct last_words *w)
{
	all = w;
	w->limit = LIMIT;
	arch_last_words(report_fault);
	if (door.watch)
		door.watch(on_tick);
	if (door.take_faults)
		door.take_faults();
}

void last_words_unwatch(void)
{
	if (door.unwatch)
		door.unwatch();
}

void last_words_stop(void)
{
	if (door.is_gone())
		return;
	last_words_unwatch();
	if (door.give_faults)
		door.give_faults();
}
