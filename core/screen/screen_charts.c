/* SPDX-License-Identifier: BSD-2-Clause */
/* Histogram, table of cores, heat strip. */
#include "core/lib/mem.h"
#include "screen_draw.h"
#include "core/lib/ticks.h"

/* Powers of ten of ns. */
#define DECADE_MAX  19u /* 292 years are less than 10^19 ns */
#define DECADE_1US  3u
#define DECADES_MIN 3u /* least span of an axis */
#define LABEL_BYTES 24
#define SCALE_WIDTH 6u /* columns left of the histogram */

#define BLOCK_WIDTH  40u /* columns of one core in the table, with the space to the next */
#define SINGLE_BLOCK 6u  /* up to this number, all cores are in one block */
#define STRIP_STEP   16u
#define STRIP_LABEL  5u

unsigned screen_log2(uint64_t n)
{
	unsigned octave = 63u - (unsigned)__builtin_clzll(n | 1);
	uint64_t rest = n - (UINT64_C(1) << octave);

	return octave << 8 | (unsigned)(octave >= 8 ? rest >> (octave - 8) : rest << (8 - octave));
}

static uint64_t power_of_ten(unsigned n)
{
	uint64_t value = 1;

	while (n--)
		value *= 10;
	return value;
}

/* Highest power of ten that is at most `ns`. */
static unsigned decade_of(uint64_t ns)
{
	unsigned n = 0;

	while (n < DECADE_MAX && ns / 10 >= power_of_ten(n))
		n++;
	return n;
}

/* A logarithmic axis between two powers of ten. */
struct axis {
	unsigned first, last;
	unsigned width; /* columns */
};

static struct axis axis_for(const struct screen *s, unsigned width)
{
	const struct report *r = s->report;
	const struct cpu *worst = screen_worst(s);
	uint64_t longest = worst ? ticks_to_ns(worst->stage.max, r->platform->hz) : 0;
	struct axis axis = { decade_of(r->config->threshold_ns), decade_of(longest) + 1, width };

	/* A page of an earlier run may have any threshold. */
	if (axis.first > DECADE_MAX - DECADES_MIN)
		axis.first = DECADE_MAX - DECADES_MIN;
	if (axis.last < axis.first + DECADES_MIN)
		axis.last = axis.first + DECADES_MIN;
	if (axis.last > DECADE_MAX)
		axis.last = DECADE_MAX;
	return axis;
}

static unsigned column_at(const struct axis *a, uint64_t ns)
{
	unsigned first = screen_log2(power_of_ten(a->first));
	unsigned last = screen_log2(power_of_ten(a->last));
	unsigned at = screen_log2(ns ? ns : 1), column;

	if (at < first)
		return 0;
	column = (at - first) * a->width / (last - first);
	return column < a->width ? column : a->width - 1;
}

/* Sum up all cores; returns the height of the highest column. */
static uint64_t fill_columns(struct screen *s, const struct axis *axis)
{
	const struct platform *p = s->report->platform;
	const struct cpu *worst = screen_worst(s);
	/* No gap is shorter than the threshold or longer than the longest. */
	size_t first = hist_bucket(ticks_from_ns(s->report->config->threshold_ns, p->hz));
	size_t last = worst ? hist_bucket(worst->stage.max) : 0;
	uint64_t highest = 0;

	memset(s->column, 0, sizeof(s->column));
	for (size_t b = first; b <= last; b++)
		s->column_of[b] = (uint8_t)column_at(axis, ticks_to_ns(hist_low(b), p->hz));
	for (uint32_t i = 0; i < p->cpus; i++)
		for (size_t b = first; b <= last; b++)
			s->column[s->column_of[b]] += p->cpu[i].hist.count[b];
	for (unsigned x = 0; x < axis->width; x++)
		if (s->column[x] > highest)
			highest = s->column[x];
	return highest;
}

static void draw_axis(struct screen *s, const struct screen_area *a, const struct axis *axis)
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	TEXT_DEFINE(label, LABEL_BYTES);

	for (unsigned d = axis->first; d < axis->last; d++) {
		unsigned u = d / 3 < 3 ? d / 3 : 3;

		text_reset(&label);
		text_add(&label, "%llu%s", (unsigned long long)power_of_ten(d - 3 * u), unit[u]);
		screen_print(s, a, column_at(axis, power_of_ten(d)), a->height - 1, INK_FAINT, "%s",
			     label.buf);
	}
}

/* Print a count with at most SCALE_WIDTH - 1 characters. */
static void print_scale(struct screen *s, const struct screen_area *a, unsigned n, uint64_t count)
{
	static const char unit[] = " kMGTPE";
	TEXT_DEFINE(label, LABEL_BYTES);
	unsigned u = 0;

	for (; count >= 10000; u++)
		count /= 1000;
	text_add(&label, "%4llu%c", (unsigned long long)count, unit[u]);
	screen_print(s, a, 0, n, INK_FAINT, "%s", label.buf);
}

static void draw_column(struct screen *s, const struct screen_area *a, unsigned x, unsigned eighths,
			uint8_t inks)
{
	unsigned bottom = a->y + a->height - 2;

	for (unsigned n = 0; 8 * n < eighths; n++) {
		unsigned left = eighths - 8 * n;

		cells_put(&s->cells, a->x + x, bottom - n, GLYPH_LOWER(left < 8 ? left : 8), inks);
	}
}

/*
 * The height of a column is logarithmic as well: a single gap must be visible beside a million. The
 * scale on the left has the highest and the lowest value.
 */
void screen_draw_histogram(struct screen *s, const struct screen_area *a)
{
	const struct config_limit *max = &s->report->config->limit[LIMIT_MAX];
	struct screen_area bars = { a->x + SCALE_WIDTH, a->y, a->width - SCALE_WIDTH, a->height };
	unsigned width = bars.width < SCREEN_COLUMNS_MAX ? bars.width : SCREEN_COLUMNS_MAX;
	struct axis axis = axis_for(s, width);
	uint64_t highest = fill_columns(s, &axis);
	unsigned over = max->set ? column_at(&axis, max->value) : width;

	screen_print(s, a, 0, 0, INK_FAINT, "GAPS BY LENGTH, ALL CORES");
	screen_print_right(s, a, 0, 0, INK_FAINT, "log scales");
	if (highest)
		print_scale(s, a, 1, highest);
	if (highest > 1)
		print_scale(s, a, a->height - 2, 1);
	for (unsigned x = 0; x < width; x++) {
		unsigned full = (a->height - 2) * 8;

		if (!s->column[x])
			continue;
		draw_column(s, &bars, x,
			    1 + (full - 1) * screen_log2(s->column[x] + 1) /
					    screen_log2(highest + 1),
			    x > over ? INK_BAD : INK_BAR);
	}
	draw_axis(s, &bars, &axis);
}

/* Cores */

static uint32_t measured(const struct platform *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->cpus; i++)
		n += p->cpu[i].measured;
	return n;
}

/* Rows of the table; it has as many blocks side by side as necessary. */
static unsigned table_rows(unsigned cores, unsigned width)
{
	unsigned blocks = (width + 2) / BLOCK_WIDTH;

	if (!blocks || cores <= SINGLE_BLOCK)
		return cores;
	return (cores + blocks - 1) / blocks;
}

/* Cells in a line of the strip. */
static unsigned strip_width(unsigned width)
{
	unsigned cells = width > STRIP_LABEL ? (width - STRIP_LABEL) / STRIP_STEP * STRIP_STEP : 0;

	return cells ? cells : 1;
}

/* Number of cores per cell, such that the strip has at most `lines` lines. */
static unsigned cores_per_cell(unsigned cores, unsigned width, unsigned lines)
{
	unsigned cells = strip_width(width) * (lines ? lines : 1);

	return (cores + cells - 1) / cells;
}

static unsigned strip_lines(unsigned cores, unsigned width, unsigned lines)
{
	unsigned each = cores_per_cell(cores, width, lines);
	unsigned cells = each ? (cores + each - 1) / each : 0;

	return (cells + strip_width(width) - 1) / strip_width(width);
}

unsigned screen_cores_lines(const struct screen *s, unsigned width, unsigned most)
{
	unsigned cores = measured(s->report->platform);

	if (table_rows(cores, width) < most)
		return 1 + table_rows(cores, width);
	return most > 2 ? 1 + strip_lines(cores, width, most - 1) : most;
}

static void draw_core(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
		      const struct cpu *cpu)
{
	const struct cpu_sums *sum = &cpu->stage;
	struct verdict_core core;
	TEXT_DEFINE(max, 24);
	TEXT_DEFINE(noise, 24);
	TEXT_DEFINE(smi, 24);

	if (!sum->length) {
		screen_print(s, a, x, n, INK_TEXT, "%4u     n/a", (unsigned)cpu->index);
		return;
	}
	verdict_core_of_cpu(cpu, s->report->platform->hz, &core);
	if (sum->gaps)
		text_duration(&max, core.value[LIMIT_MAX].value);
	else
		text_add(&max, "none");
	text_maybe(&noise, core.value[LIMIT_MAX_NOISE]);
	if (!s->report->summary.no_smi)
		text_maybe(&smi, core.value[LIMIT_MAX_SMI]);
	screen_print(s, a, x, n,
		     verdict_core_exceeds(s->report->config, &core) ? INK_BAD : INK_TEXT,
		     "%4u %7llu %8s %10s %5s", (unsigned)cpu->index, (unsigned long long)sum->gaps,
		     max.buf, noise.buf, smi.buf);
}

static void draw_table(struct screen *s, const struct screen_area *a, unsigned cores)
{
	const struct platform *p = s->report->platform;
	unsigned rows = table_rows(cores, a->width), n = 0;

	for (unsigned x = 0; x * rows < cores; x++)
		screen_print(s, a, x * BLOCK_WIDTH, 0, INK_FAINT, "%4s %7s %8s %10s %5s", "CPU",
			     "GAPS", "MAX", "NOISE ppm", s->report->summary.no_smi ? "" : "SMI");
	for (uint32_t i = 0; i < p->cpus; i++) {
		if (!p->cpu[i].measured)
			continue;
		draw_core(s, a, n / rows * BLOCK_WIDTH, 1 + n % rows, &p->cpu[i]);
		n++;
	}
}

/* Heat of a length: up to 1 us, 10 us, 100 us, 1 ms, 10 ms, and more. */
static uint8_t heat_of(uint64_t ns)
{
	unsigned step = ns ? decade_of(ns) : 0;

	step = !ns ? 0 : step < DECADE_1US ? 1 : step - DECADE_1US + 2;
	return (uint8_t)(INK_HEAT + (step < HEAT_STEPS ? step : HEAT_STEPS - 1));
}

static void draw_legend(struct screen *s, const struct screen_area *a, bool shared)
{
	static const char *const label[HEAT_STEPS] = { "none", "<1us",  "<10us", "<100us",
						       "<1ms", "<10ms", "more" };
	unsigned x = 2 + screen_print(s, a, 0, 0, INK_FAINT, "CORES BY LONGEST GAP%s",
				      shared ? ", SEVERAL TO A CELL" : "");

	for (unsigned i = 0; i < HEAT_STEPS && x + 8 < a->width; i++) {
		/* No gap is shorter than the threshold. */
		if (i && INK_HEAT + i < heat_of(s->report->config->threshold_ns))
			continue;
		cells_put(&s->cells, a->x + x, a->y, GLYPH_BOX, (uint8_t)(INK_HEAT + i));
		x += 3 + screen_print(s, a, x + 2, 0, INK_FAINT, "%s", label[i]);
	}
}

static void draw_strip(struct screen *s, const struct screen_area *a, unsigned cores)
{
	const struct platform *p = s->report->platform;
	unsigned each = cores_per_cell(cores, a->width, a->height - 1), n = 0;
	uint64_t longest = 0;

	draw_legend(s, a, each > 1);
	for (uint32_t i = 0; i < p->cpus; i++) {
		unsigned cell = n / each, x = cell % strip_width(a->width);
		unsigned line = 1 + cell / strip_width(a->width);

		if (!p->cpu[i].measured)
			continue;
		if (n++ % each == 0) {
			longest = 0;
			if (!x)
				screen_print(s, a, 0, line, INK_FAINT, "%4u",
					     (unsigned)p->cpu[i].index);
		}
		if (p->cpu[i].stage.max > longest)
			longest = p->cpu[i].stage.max;
		if (line < a->height)
			cells_put(&s->cells, a->x + STRIP_LABEL + x, a->y + line, GLYPH_BOX,
				  heat_of(ticks_to_ns(longest, p->hz)));
	}
}

void screen_draw_cores(struct screen *s, const struct screen_area *a)
{
	unsigned cores = measured(s->report->platform);

	if (!cores || a->height < 2)
		return;
	if (table_rows(cores, a->width) < a->height)
		draw_table(s, a, cores);
	else
		draw_strip(s, a, cores);
}
