/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `rtla osnoise top` and `rtla hwnoise`: a table of sums since the start, drawn again
 * every second unless -q is given; the last row of each core counts. hwnoise runs with
 * interrupts off and lacks the last three columns. The threshold is not printed.
 */
#include "tool_format.h"
#include "tool_frame.h"
#include "host/lib/memory.h"

#include <stdio.h>
#include <string.h>

struct top {
	bool hwnoise;
};

struct row {
	uint64_t periods, runtime_us, noise_us, max_noise_us, max_us;
	uint64_t count[TOOL_CAUSES];
};

static const char title_hw[] = "Hardware-related Noise";

static enum tool_match find(const char *line, const char **at)
{
	*at = tool_frame_title(line, "Operating System Noise");
	if (!*at)
		*at = tool_frame_title(line, title_hw);
	return tool_match_at(*at, TOOL_TITLE);
}

/* The share available has five decimals, and Max Noise may touch them when it is large. */
static bool take_share(const char **at)
{
	const char *from = *at;
	uint64_t whole;

	if (!scan_u64(&from, &whole) || *from != '.' || strspn(from + 1, "0123456789") < 5)
		return false;
	*at = from + 6;
	return true;
}

static bool read_row(const char *at, bool hwnoise, uint32_t *cpu, struct row *r)
{
	if (!scan_u32(&at, cpu) || !scan_literal(&at, "#") || !scan_u64(&at, &r->periods) ||
	    !scan_u64(&at, &r->runtime_us) || !scan_u64(&at, &r->noise_us) || !take_share(&at) ||
	    !scan_u64(&at, &r->max_noise_us) || !scan_u64(&at, &r->max_us) ||
	    !scan_u64(&at, &r->count[TOOL_HARDWARE]) || !scan_u64(&at, &r->count[TOOL_NMI]))
		return false;
	if (hwnoise)
		return scan_end(at);
	return scan_u64(&at, &r->count[TOOL_IRQ]) && scan_u64(&at, &r->count[TOOL_SOFTIRQ]) &&
	       scan_u64(&at, &r->count[TOOL_THREAD]) && scan_end(at);
}

static bool adds_up(const struct row *r)
{
	return r->noise_us <= r->runtime_us && r->max_noise_us <= r->noise_us &&
	       r->max_us <= r->max_noise_us;
}

static void take_row(struct tool_parse *p, struct tool_core *core, const struct row *r)
{
	const struct row *before = core->more;

	if (before && (r->runtime_us < before->runtime_us || r->noise_us < before->noise_us)) {
		tool_report(p,
			    "%s: the sums of core %u went back, from %llu us of %llu us to %llu us "
			    "of %llu us: two runs in one file; the first is left out",
			    p->tool->tool, core->cpu, (unsigned long long)before->noise_us,
			    (unsigned long long)before->runtime_us, (unsigned long long)r->noise_us,
			    (unsigned long long)r->runtime_us);
		p->tool->notes |= TOOL_DAMAGED;
	}
	if (!core->more)
		core->more = memory_new(1, sizeof(*r));
	memcpy(core->more, r, sizeof(*r));
	p->tool->rows++;
}

/* A core and its number of periods, or what is left of them. */
static bool is_row(const char *at)
{
	uint64_t cpu;

	return scan_u64(&at, &cpu) && (scan_end(at) || scan_literal(&at, "#"));
}

static void parse(struct tool_parse *p, const char *line)
{
	struct top *top = p->state;
	struct tool_core *core;
	struct row r = { 0 };
	uint32_t cpu;

	if (find(line, &(const char *){ NULL })) {
		top->hwnoise = strstr(line, title_hw) != NULL;
		p->tool->tool = top->hwnoise ? "rtla hwnoise" : "rtla osnoise top";
		return;
	}
	if (strstr(line, "events missed")) {
		p->tool->notes |= TOOL_LOST;
	} else if (!is_row(line)) {
		return;
	} else if (!read_row(line, top->hwnoise, &cpu, &r)) {
		tool_wrong(p, line,
			   "CPU #PERIOD RUNTIME NOISE AVAILABLE MAX-NOISE MAX-SINGLE HW NMI "
			   "[IRQ SOFTIRQ THREAD]");
	} else if (!adds_up(&r)) {
		tool_wrong(p, line, "a runtime not below the noise, and that not below its maxima");
	} else {
		core = tool_core(p, cpu);
		if (core)
			take_row(p, core, &r);
	}
}

/* Each period's sum was cut to whole us before it was added. */
static void fill(struct tool_core *core, const struct row *r, bool hwnoise)
{
	uint64_t noise_ns = arith_times(r->noise_us, NS_PER_US);

	tool_exposure(core, range_exact(arith_times(r->runtime_us, NS_PER_US)), TOOL_STATED);
	core->sum_ns = range_of(noise_ns,
				arith_sum(noise_ns, arith_times(r->periods, NS_PER_US - 1)));
	core->max_ns = range_cut(r->max_us, NS_PER_US);
	tool_count_causes(core, r->count);
	if (hwnoise && !r->count[TOOL_NMI])
		core->cause[TOOL_HARDWARE].ns = core->sum_ns;
}

static void finish(struct tool_parse *p)
{
	const struct top *top = p->state;
	struct tool *tool = p->tool;

	for (size_t i = 0; i < tool->cores; i++)
		fill(&tool->core[i], tool->core[i].more, top->hwnoise);
	tool_threshold(tool, range_of(OSNOISE_THRESHOLD_NS, OSNOISE_THRESHOLD_OLD_NS),
		       TOOL_ASSUMED);
}

const struct tool_format tool_rtla_top = {
	.name = "rtla osnoise top",
	.find = find,
	.state_bytes = sizeof(struct top),
	.parse = parse,
	.finish = finish,
};
