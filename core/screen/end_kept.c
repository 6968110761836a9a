/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the end page, and restores it. */
#include "end_kept.h"

#include "core/lib/mem.h"
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

#define HZ_MIN UINT64_C(1000000) /* least rate that ticks_to_ns() accepts */
#define HZ_MAX UINT64_C(16000000000)

#define COUNT_MAX ((UINT64_C(1) << 48) - 1) /* most gaps in a bucket */

/* Members of `begin` with the names at the head of the page. */
static const size_t names[END_KEPT_NAMES] = {
	offsetof(struct record_begin, version),
	offsetof(struct record_begin, machine.vendor),
	offsetof(struct record_begin, machine.product),
	offsetof(struct record_begin, machine.bios_vendor),
	offsetof(struct record_begin, machine.bios_version),
	offsetof(struct record_begin, machine.bios_date),
	offsetof(struct record_begin, cpu.brand),
};

size_t end_kept_bytes(uint32_t cores)
{
	return sizeof(struct end_kept) + cores * sizeof(struct end_kept_core);
}

static void add_fact(void *ctx, const char *line, size_t bytes)
{
	struct text *t = ctx;

	text_bytes(t, line, bytes);
	text_char(t, '\n');
}

static void copy_text(char *to, size_t cap, const char *from)
{
	struct text t;

	text_init(&t, to, cap);
	if (from)
		text_bytes(&t, from, strlen(from));
}

static void keep_core(struct end_kept *k, const struct cpu *cpu)
{
	k->core[k->cores++] = (struct end_kept_core){ .length = cpu->stage.length,
						      .gaps = cpu->stage.gaps,
						      .noise = cpu->stage.noise,
						      .max = cpu->stage.max,
						      .smi = cpu->stage.smi,
						      .tail = cpu->tail,
						      .index = cpu->index,
						      .smi_moved = cpu->smi.moved };
	for (size_t b = 0; b < HIST_BUCKETS; b++)
		k->hist.count[b] += cpu->hist.count[b];
}

size_t end_kept_make(struct end_kept *k, const struct record_begin *begin, const struct report *r,
		     const struct screen_end *end, const char *code)
{
	const struct platform *p = r->platform;
	struct text about, facts;
	struct lines lines;

	memset(k, 0, sizeof(*k));
	k->sid = end->sid;
	k->hz = p->hz;
	k->found = begin->cpus.found;
	k->measured = begin->cpus.measured;
	k->no_smi = r->summary.no_smi;
	k->mode = r->config->mode;
	k->threshold_ns = r->config->threshold_ns;
	memcpy(k->limit, r->config->limit, sizeof(k->limit));
	k->reasons = *end->reasons;
	text_init(&about, k->about, sizeof(k->about));
	lines_init(&lines, add_fact, &about);
	record_kind_of(RECORD_BEGIN)->text(&lines, begin, &(struct record_context){ 0 });
	text_init(&facts, k->facts, sizeof(k->facts));
	screen_end_facts(r, end, add_fact, &facts);
	copy_text(k->code, sizeof(k->code), code);
	for (size_t i = 0; i < END_KEPT_NAMES; i++)
		copy_text(k->name[i], sizeof(k->name[i]),
			  *(const char *const *)(const void *)((const char *)begin + names[i]));
	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].measured)
			keep_core(k, &p->cpu[i]);
	return end_kept_bytes(k->cores);
}

/* Terminate a text, and replace its unprintable bytes; newlines stay. */
static void end_kept_clean(char *text, size_t cap)
{
	text[cap - 1] = '\0';
	for (; *text; text++)
		if ((*text < ' ' && *text != '\n') || *text > '~')
			*text = '?';
}

/* Any other byte than 0 and 1 in a bool is undefined behaviour: make it 1. */
static void clean_bool(bool *value)
{
	uint8_t byte;

	memcpy(&byte, value, sizeof(byte));
	*value = byte != 0;
}

static void clean_numbers(struct end_kept *k)
{
	clean_bool(&k->no_smi);
	for (unsigned i = 0; i < LIMITS; i++)
		clean_bool(&k->limit[i].set);
	for (uint32_t i = 0; i < k->cores; i++) {
		clean_bool(&k->core[i].tail.known);
		clean_bool(&k->core[i].smi_moved);
	}
	/* The sum of all buckets is then below 2^60, and cannot overflow. */
	for (size_t b = 0; b < HIST_BUCKETS; b++)
		k->hist.count[b] &= COUNT_MAX;
}

bool end_kept_check(struct end_kept *k, size_t bytes)
{
	if (bytes < sizeof(*k) || k->cores > END_KEPT_CORES_MAX ||
	    bytes != end_kept_bytes(k->cores) || k->hz < HZ_MIN || k->hz > HZ_MAX ||
	    k->mode >= MODES || k->reasons.verdict >= VERDICTS ||
	    k->reasons.count >= RECORD_STRINGS)
		return false;
	for (size_t i = 0; i < END_KEPT_NAMES; i++)
		end_kept_clean(k->name[i], sizeof(k->name[i]));
	for (unsigned i = 0; i < k->reasons.count; i++)
		end_kept_clean(k->reasons.text[i], sizeof(k->reasons.text[i]));
	end_kept_clean(k->reasons.remark, sizeof(k->reasons.remark));
	end_kept_clean(k->about, sizeof(k->about));
	end_kept_clean(k->facts, sizeof(k->facts));
	end_kept_clean(k->code, sizeof(k->code));
	clean_numbers(k);
	return true;
}

void end_kept_restore(const struct end_kept *k, struct cpu *cpu, struct end_kept_state *s)
{
	memset(s, 0, sizeof(*s));
	s->config.mode = (enum config_mode)k->mode;
	s->config.threshold_ns = k->threshold_ns;
	memcpy(s->config.limit, k->limit, sizeof(k->limit));
	s->begin.cpus.found = k->found;
	s->begin.cpus.measured = k->measured;
	for (size_t i = 0; i < END_KEPT_NAMES; i++)
		*(const char **)(void *)((char *)&s->begin + names[i]) = k->name[i];
	for (uint32_t i = 0; i < k->cores; i++) {
		const struct end_kept_core *c = &k->core[i];

		cpu[i].index = c->index;
		cpu[i].position = i;
		cpu[i].measured = true;
		cpu[i].smi.moved = c->smi_moved;
		cpu[i].tail = c->tail;
		cpu[i].stage = (struct cpu_sums){ .length = c->length,
						  .gaps = c->gaps,
						  .noise = c->noise,
						  .max = c->max,
						  .smi = c->smi };
	}
	if (k->cores)
		cpu[0].hist = k->hist;
	s->platform = (struct platform){ .cpu = cpu, .cpus = k->cores, .hz = k->hz };
	s->report.config = &s->config;
	s->report.platform = &s->platform;
	s->report.stage = "";
	s->report.summary.no_smi = k->no_smi;
}
