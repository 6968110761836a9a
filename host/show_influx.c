/* SPDX-License-Identifier: BSD-2-Clause */
/* A run in InfluxDB's line protocol. */
#include "show_series.h"

#include "shown.h"

#include "core/ticks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One run on its way out. */
struct line_run {
	const struct shown *shown;
	uint64_t sid;
	uint64_t began_ns, end_ns; /* wall times */
};

/*
 * A tag; an absent or empty one is left out, as the protocol has none. Blanks, commas
 * and equals signs are escaped; a backslash, which at the end would escape what
 * follows, and control characters have no place.
 */
static void put_tag(const char *name, const char *value)
{
	if (!value || !*value)
		return;
	printf(",%s=", name);
	for (const unsigned char *at = (const unsigned char *)value; *at; at++) {
		if (*at == ' ' || *at == ',' || *at == '=')
			putchar('\\');
		putchar(*at < 0x20 || *at == 0x7f ? '?' : *at == '\\' ? '/' : *at);
	}
}

static void put_tag_number(const char *name, uint64_t value)
{
	printf(",%s=%" PRIu64, name, value);
}

static void start_line(const struct line_run *r, const char *measurement, const char *stage)
{
	printf("%s,run=%016" PRIx64, measurement, r->sid);
	put_tag("stage", stage);
}

/* The first field is parted from the tags by a blank, further ones by commas. */
static void put_field(char *before, const char *name, uint64_t value)
{
	printf("%c%s=%" PRIu64 "i", *before, name, value > INT64_MAX ? INT64_MAX : value);
	*before = ',';
}

static void put_maybe(char *before, const char *name, struct maybe m)
{
	if (m.known)
		put_field(before, name, m.value);
}

static void end_line(uint64_t ns)
{
	printf(" %" PRIu64 "\n", ns > INT64_MAX ? INT64_MAX : ns);
}

static void put_info(const struct line_run *r)
{
	const struct record_begin *b = &r->shown->begin;
	char before = ' ';

	if (!r->shown->has_begin)
		return;
	start_line(r, "noisefloor_info", NULL);
	put_tag("version", b->version);
	put_tag("uuid", b->machine.uuid);
	put_tag("vendor", b->machine.vendor);
	put_tag("product", b->machine.product);
	put_tag("bios_version", b->machine.bios_version);
	put_tag("bios_date", b->machine.bios_date);
	put_tag("cpu", b->cpu.brand);
	put_tag("hypervisor", b->hypervisor);
	put_field(&before, "value", 1);
	put_field(&before, "cpus_measured", b->cpus.measured);
	put_field(&before, "hz", b->clock.hz);
	put_maybe(&before, "microcode", b->cpu.microcode);
	end_line(r->end_ns);
}

static void put_causes(char *before, const struct record_cpu *cpu)
{
	for (unsigned c = 0; c < CAUSES; c++) {
		char name[40];

		if (!cpu->cause[c].gaps)
			continue;
		snprintf(name, sizeof(name), "gaps_%s", cause_name((enum cause)c));
		put_field(before, name, cpu->cause[c].gaps);
		snprintf(name, sizeof(name), "ns_%s", cause_name((enum cause)c));
		put_field(before, name, cpu->cause[c].ns);
	}
}

static void put_cpu(const struct line_run *r, const struct record_cpu *cpu)
{
	char before = ' ';

	start_line(r, "noisefloor_cpu", cpu->stage);
	put_tag_number("cpu", cpu->cpu);
	put_field(&before, "exposure_ns", cpu->exposure_ns);
	put_field(&before, "noise_ns", cpu->noise_ns);
	put_field(&before, "max_ns", cpu->max_ns);
	put_field(&before, "gaps", cpu->gaps);
	put_field(&before, "dropped", cpu->dropped);
	put_maybe(&before, "smi", cpu->smi);
	put_maybe(&before, "nmi", cpu->nmi);
	put_maybe(&before, "mce", cpu->mce);
	put_causes(&before, cpu);
	end_line(r->end_ns);
}

static void put_histogram(const struct line_run *r, const struct record_cpu *cpu)
{
	for (size_t i = 0; i < cpu->histogram.count; i++) {
		char before = ' ';

		start_line(r, "noisefloor_hist", cpu->stage);
		put_tag_number("cpu", cpu->cpu);
		put_tag_number("low_ns", cpu->histogram.at[i][0]);
		put_field(&before, "count", cpu->histogram.at[i][1]);
		end_line(r->end_ns);
	}
}

static void put_gaps(const struct line_run *r, const struct run_stage *stage)
{
	for (size_t i = 0; i < stage->gaps; i++) {
		const struct stage_gap *g = &stage->gap[i];
		char before = ' ';

		start_line(r, "noisefloor_gap", stage->name);
		put_tag_number("cpu", g->cpu);
		put_tag("cause", cause_name(g->cause));
		put_field(&before, "len_ns", g->len_ns);
		end_line(g->t_ns > INT64_MAX ? g->t_ns : r->began_ns + g->t_ns);
	}
}

static void put_end(const struct line_run *r, struct reader_run *run)
{
	const struct shown *s = r->shown;
	char before = ' ';

	start_line(r, "noisefloor_end", NULL);
	put_tag("verdict", s->has_end ? s->end.verdict : "incomplete");
	put_field(&before, "exit_code", (uint64_t)shown_exit_code(run));
	put_field(&before, "whole", reader_run_whole(run));
	if (s->has_end) {
		put_field(&before, "gaps_unsent", s->end.gaps_unsent);
		put_maybe(&before, "watched_ppm", s->end.watched_ppm);
	}
	end_line(r->end_ns);
}

/* From the begin to the end of the last window, ns. */
static uint64_t run_length(const struct shown *s)
{
	uint64_t length = 0;

	for (size_t i = 0; i < s->stages.count; i++) {
		for (size_t n = 0; n < s->stages.stage[i].windows; n++) {
			const struct stage_window *w = &s->stages.stage[i].window[n];
			uint64_t end = w->start_ns + w->len_ns;

			/* A sum that wraps is no time. */
			if (end >= w->start_ns && end > length)
				length = end;
		}
	}
	return length;
}

/* Records have no wall time: a capture was last written when its run ended. */
static uint64_t guess_began(const struct intake *in, uint64_t length)
{
	struct stat st;
	uint64_t changed;

	if (stat(in->name, &st) != 0 || st.st_mtim.tv_sec < 0)
		return 0;
	changed = (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
	return changed > length ? changed - length : 0;
}

static void put_run(const struct show_options *o, const struct intake *in, struct reader_run *run)
{
	const struct shown *s = shown_of(run);
	uint64_t length = run_length(s);
	struct line_run r = { .shown = s, .sid = run->sid };

	r.began_ns = o->has_began ? o->began_ns : guess_began(in, length);
	r.end_ns = length > INT64_MAX ? length : r.began_ns + length;
	put_info(&r);
	for (size_t i = 0; i < s->cpus; i++) {
		put_cpu(&r, &s->cpu[i]);
		put_histogram(&r, &s->cpu[i]);
	}
	for (size_t i = 0; i < s->stages.count; i++)
		put_gaps(&r, &s->stages.stage[i]);
	put_end(&r, run);
}

bool show_influx_capture(const struct show_options *o, const struct intake *in)
{
	struct reader_run *run;

	for (size_t n = 0; (run = reader_run(in->reader, n)); n++)
		put_run(o, in, run);
	return true;
}
