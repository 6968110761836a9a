/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `rtla osnoise top` and `rtla hwnoise`: a table of sums since the start, drawn again
 * every second unless -q is given; the last row of each core counts. hwnoise runs with
 * interrupts off and lacks the last three columns. The threshold is not printed.
 */
#include "tool_format.h"
#include "tool_frame.h"
#include "host/lib/memory.h"

#include <string.h>

struct row {
	uint64_t periods, runtime_us, noise_us, max_noise_us, max_us;
	uint64_t count[TOOL_CAUSES];
	bool hwnoise;
};

struct top {
	bool known, hwnoise; /* by its title, else its first row */
};

static const char title_os[] = "Operating System Noise", title_hw[] = "Hardware-related Noise";
static const char name_os[] = "rtla osnoise top", name_hw[] = "rtla hwnoise";

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

static bool read_row(const char *at, uint32_t *cpu, struct row *r)
{
	if (!scan_u32(&at, cpu) || !scan_literal(&at, "#") || !scan_u64(&at, &r->periods) ||
	    !scan_u64(&at, &r->runtime_us) || !scan_u64(&at, &r->noise_us) || !take_share(&at) ||
	    !scan_u64(&at, &r->max_noise_us) || !scan_u64(&at, &r->max_us) ||
	    !scan_u64(&at, &r->count[TOOL_HARDWARE]) || !scan_u64(&at, &r->count[TOOL_NMI]))
		return false;
	r->hwnoise = scan_end(at);
	return r->hwnoise ||
	       (scan_u64(&at, &r->count[TOOL_IRQ]) && scan_u64(&at, &r->count[TOOL_SOFTIRQ]) &&
		scan_u64(&at, &r->count[TOOL_THREAD]) && scan_end(at));
}

/* Up to the share, which no other's row has; a mail's program may have broken the rest off. */
static bool is_row_begun(const char *at)
{
	uint64_t cpu, periods, runtime, noise;

	return scan_u64(&at, &cpu) && scan_literal(&at, "#") && scan_u64(&at, &periods) &&
	       scan_u64(&at, &runtime) && scan_u64(&at, &noise) && take_share(&at);
}

/* Its title, or a row without one. */
static enum tool_match find(const char *line, const char **at)
{
	const char *rest;

	*at = tool_frame_title(line, title_os);
	if (!*at)
		*at = tool_frame_title(line, title_hw);
	if (*at)
		return TOOL_OPENING;
	*at = tool_find_row(line, &rest);
	return tool_match_at(*at && is_row_begun(*at) ? *at : NULL, TOOL_BODY);
}

static bool adds_up(const struct row *r)
{
	return r->noise_us <= r->runtime_us && r->max_noise_us <= r->noise_us &&
	       r->max_us <= r->max_noise_us;
}

static void name(struct tool_parse *p, bool hwnoise)
{
	*(struct top *)p->state = (struct top){ true, hwnoise };
	p->tool->tool = hwnoise ? name_hw : name_os;
}

/* A second row of a core is another table's. */
static void take_row(struct tool_parse *p, uint32_t cpu, const struct row *r, const char *line)
{
	const struct top *top = p->state;
	struct tool_core *core;

	if (tool_find(p->tool, cpu) || (top->known && r->hwnoise != top->hwnoise)) {
		p->rest = line;
		return;
	}
	core = tool_core(p, cpu);
	if (!core)
		return;
	core->more = memory_copy(r, 1, sizeof(*r));
	name(p, r->hwnoise);
	p->tool->rows++;
}

/* "duration:   0 00:00:05 | time is in us" */
static bool take_drawn(struct tool *tool, const char *at)
{
	struct maybe *s = &tool->drawn_s;

	return scan_literal(&at, "duration:") && (s->known = tool_take_days(&at, &s->value));
}

/* A core and its number of periods, or what is left of them. */
static bool is_row(const char *at)
{
	uint64_t cpu;

	return scan_u64(&at, &cpu) && (scan_end(at) || scan_literal(&at, "#"));
}

static void parse(struct tool_parse *p, const char *line)
{
	const struct top *top = p->state;
	struct row r = { 0 };
	uint32_t cpu;

	if (strstr(line, title_hw) || strstr(line, title_os)) {
		name(p, strstr(line, title_hw));
		return;
	}
	if (take_drawn(p->tool, line))
		return;
	if (strstr(line, "events missed")) {
		p->tool->notes |= TOOL_LOST;
	} else if (!is_row(line)) {
		return;
	} else if (!read_row(line, &cpu, &r) || (top->known && r.hwnoise && !top->hwnoise)) {
		tool_wrong(p, line,
			   "CPU #PERIOD RUNTIME NOISE AVAILABLE MAX-NOISE MAX-SINGLE HW NMI "
			   "[IRQ SOFTIRQ THREAD]");
	} else if (!adds_up(&r)) {
		tool_wrong(p, line, "a runtime not below the noise, and that not below its maxima");
	} else {
		take_row(p, cpu, &r, line);
	}
}

/* Each period's sum was cut to whole us before it was added. */
static void fill(struct tool_core *core, const struct row *r)
{
	uint64_t noise_ns = arith_times(r->noise_us, NS_PER_US);

	tool_exposure(core, range_exact(arith_times(r->runtime_us, NS_PER_US)), TOOL_STATED);
	core->sum_ns = range_of(noise_ns,
				arith_sum(noise_ns, arith_times(r->periods, NS_PER_US - 1)));
	core->max_ns = range_cut(r->max_us, NS_PER_US);
	tool_count_causes(core, r->count);
	if (r->hwnoise && !r->count[TOOL_NMI])
		core->cause[TOOL_HARDWARE].ns = core->sum_ns;
}

static void finish(struct tool_parse *p)
{
	struct tool *tool = p->tool;

	for (size_t i = 0; i < tool->cores; i++)
		fill(&tool->core[i], tool->core[i].more);
	tool_threshold(tool, range_of(OSNOISE_THRESHOLD_NS, OSNOISE_THRESHOLD_OLD_NS),
		       TOOL_ASSUMED);
}

const struct tool_format tool_rtla_top = {
	.name = name_os,
	.find = find,
	.sums = true,
	.state_bytes = sizeof(struct top),
	.parse = parse,
	.finish = finish,
};
