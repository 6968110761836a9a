/* SPDX-License-Identifier: BSD-2-Clause */
/* The conditions under which Linux lets us measure, where they are not ideal. */
#define _GNU_SOURCE /* calls of Linux that are not in POSIX */
#include "linux_platform.h"

#include "core/lib/text.h"
#include "core/lib/units.h"

#include <string.h>

/* One sentence for all cores that have the defect, an errno at `offset`, with the first's reason.
 */
static void log_defect(const struct linux_platform *lp, size_t offset, const char *text)
{
	static struct cpulist cpus;
	TEXT_DEFINE(list, 200);
	int error = 0;

	cpulist_clear(&cpus);
	for (uint32_t i = lp->platform.cpus; i-- > 0;) {
		int defect = *(const int *)((const char *)&lp->thread[i] + offset);

		if (!defect)
			continue;
		cpulist_add(&cpus, lp->platform.cpu[i].index);
		error = defect;
	}
	if (!error)
		return;
	cpulist_print(&cpus, &list);
	report_log(lp->report, "warning", "cpus %s: %s: %s", list.buf, text, strerror(error));
}

static bool any_fifo(const struct linux_platform *lp)
{
	for (uint32_t i = 0; i < lp->platform.cpus; i++)
		if (!lp->thread[i].not_fifo)
			return true;
	return false;
}

static void log_room(const struct linux_platform *lp, const struct config *config)
{
	TEXT_DEFINE(window, 40);
	TEXT_DEFINE(rest, 40);

	if (!lp->rest_ns)
		return;
	units_print_ns(&window, config->window_ns);
	units_print_ns(&rest, lp->rest_ns);
	report_log(lp->report, "info", "windows of %s, with %s for the rest of the system between",
		   window.buf, rest.buf);
}

/* Left as it is: what it takes from us is a gap, and the reader must know whose. */
static void log_throttling(const struct linux_platform *lp, const struct config *config)
{
	const struct linux_throttle *t = &lp->throttle;
	TEXT_DEFINE(most, 40);
	TEXT_DEFINE(of, 40);

	if (!any_fifo(lp) || !t->known)
		return;
	if (!t->on) {
		report_log(lp->report, "info",
			   "real-time throttling is off: nothing of lower priority runs on the "
			   "measured cores while a window lasts");
		return;
	}
	units_print_ns(&most, t->runtime_ns);
	units_print_ns(&of, t->period_ns);
	report_log(lp->report, config->quiet ? "warning" : "info",
		   "real-time throttling is on and left so: SCHED_FIFO gets at most %s of each %s "
		   "(sched_rt_runtime_us, sched_rt_period_us)%s",
		   most.buf, of.buf, config->quiet ? "; with quiet=yes it causes gaps itself" : "");
}

void linux_platform_report(const struct linux_platform *lp, const struct config *config)
{
	report_log(lp->report, "info",
		   "stage os: a pinned thread per core, interrupts on; counters are read around "
		   "windows, so a gap's share in them is not known");
	log_defect(lp, offsetof(struct linux_thread, not_pinned),
		   "not measured: no thread could be bound there");
	log_defect(lp, offsetof(struct linux_thread, not_fifo),
		   "SCHED_FIFO is not available: other tasks take the core in turn");
	if (lp->not_locked)
		report_log(lp->report, "warning",
			   "memory is not locked, page faults are possible in a window: %s",
			   strerror(lp->not_locked));
	log_throttling(lp, config);
	log_room(lp, config);
}
