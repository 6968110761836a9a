/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysjitter's raw files (--raw PREFIX), one per core, with every interruption. The core
 * is in the file's name only: PREFIX.<core>. Times in ns come from whole MHz; the
 * interruption in cycles is exact.
 */
#include "tool_format.h"

#include <string.h>

#define S_DIGITS 9

struct raw {
	uint64_t mhz;
	struct maybe threshold_ns, interruptions, runtime_ns;
	uint64_t rows;
};

/* "raw.07": core 7. */
static uint32_t core_of(const char *file)
{
	const char *dot = strrchr(file, '.');
	uint32_t cpu;

	return dot && scan_u32(&(const char *){ dot + 1 }, &cpu) &&
			       dot[1 + strspn(dot + 1, "0123456789")] == '\0'
		       ? cpu
		       : TOOL_ANY_CPU;
}

static bool take_maybe(const char *at, struct maybe *m)
{
	m->known = scan_u64(&at, &m->value);
	return m->known;
}

/* Seconds with decimals; the line in cycles of the same name is passed over. */
static bool take_runtime(const char *at, struct raw *r)
{
	uint64_t ns;

	if (strstr(at, "cycles") || !scan_fixed(&at, S_DIGITS, &ns))
		return true;
	r->runtime_ns = (struct maybe){ ns, true };
	return true;
}

static bool take_head(struct raw *r, const char *line)
{
	const char *at = line;

	if (scan_literal(&at, "# cpu_mhz:"))
		return scan_u64(&at, &r->mhz) && r->mhz;
	if (scan_literal(&at, "# threshold:"))
		return take_maybe(at, &r->threshold_ns);
	if (scan_literal(&at, "# n_interruptions:"))
		return take_maybe(at, &r->interruptions);
	if (scan_literal(&at, "# total_runtime:"))
		return take_runtime(at, r);
	return true;
}

/* Timestamp, delta, cycles, ns; --sort drops the delta. */
static bool read_row(const char *at, uint64_t *cycles)
{
	uint64_t n[4];
	size_t count = 0;

	while (count < 4 && scan_u64(&at, &n[count]))
		count++;
	if (count < 3 || !scan_end(at))
		return false;
	*cycles = n[count - 2];
	return true;
}

/* cycles / MHz in ns, where MHz was cut to a whole number. */
static struct range to_ns(uint64_t cycles, uint64_t mhz)
{
	uint64_t thousand = arith_times(cycles, 1000);

	return range_of(thousand / (mhz + 1), arith_sum(thousand / mhz, 1));
}

static void parse(struct tool_parse *p, const char *line)
{
	struct raw *r = p->state;
	struct tool_core *core;
	struct range ns;
	uint64_t cycles;

	if (*line == '#') {
		if (!take_head(r, line))
			tool_wrong(p, line, "a number above 0");
		return;
	}
	if (scan_end(line))
		return;
	if (!r->mhz || !read_row(line, &cycles)) {
		tool_wrong(p, line, "timestamp, delta (if not sorted), cycles, ns");
		return;
	}
	core = tool_core(p, core_of(p->tool->file));
	if (!core)
		return;
	ns = to_ns(cycles, r->mhz);
	tool_count(core, ns.low, ns.high, 1);
	r->rows++;
	p->tool->rows++;
}

static void finish(struct tool_parse *p)
{
	struct raw *r = p->state;
	struct tool_core *core = tool_core(p, core_of(p->tool->file));

	if (!core)
		return;
	if (r->interruptions.known && r->interruptions.value != r->rows) {
		tool_report(
			p, "sysjitter: its header counts %llu interruptions, but there are %llu",
			(unsigned long long)r->interruptions.value, (unsigned long long)r->rows);
		p->tool->notes |= TOOL_CUT;
	}
	core->events.known = core->sum_ns.known = core->max_ns.known = true;
	if (r->runtime_ns.known) {
		tool_exposure(core, range_exact(r->runtime_ns.value), TOOL_STATED);
	}
	if (r->threshold_ns.known) {
		tool_threshold(p->tool, range_exact(r->threshold_ns.value), TOOL_STATED);
	}
}

const struct tool_format tool_sysjitter_raw = {
	.name = "sysjitter raw",
	.opening = "# cpu_mhz:",
	.state_bytes = sizeof(struct raw),
	.parse = parse,
	.finish = finish,
};
