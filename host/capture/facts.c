/* SPDX-License-Identifier: BSD-2-Clause */
/* The worst core decides, as in the probe: the sums of a run hide it. */
#include "facts.h"

#include "host/lib/text_sanitize.h"

#include "core/config/limit.h"
#include "core/lib/arith.h"
#include "core/lib/crc32c.h"
#include "core/lib/text.h"

#include <string.h>

static void ignore(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx, (void)source, (void)line, (void)text;
}

static void read_config(struct facts *f, const char *text)
{
	static const struct config_source source = { .name = "begin record", .one_line = true };
	struct config config;

	config_defaults(&config);
	config_apply(&config, &source, text, strlen(text), ignore, NULL);
	f->threshold_ns = config.threshold_ns;
	sha256(text, strlen(text), f->config);
}

void facts_begin(struct facts *f, const struct record_begin *begin)
{
	if (begin->version)
		text_sanitize_ascii(f->version, sizeof(f->version), begin->version);
	if (begin->config)
		read_config(f, begin->config);
	f->found = (uint32_t)arith_max(f->found, begin->cpus.found);
	f->measured = (uint32_t)arith_max(f->measured, begin->cpus.measured);
}

bool facts_config_known(const uint8_t digest[SHA256_BYTES])
{
	static const uint8_t unknown[SHA256_BYTES];

	return memcmp(digest, unknown, SHA256_BYTES) != 0;
}

static void add(struct facts_worst *worst, struct maybe value, uint32_t cpu)
{
	worst->unknown |= !value.known;
	if (!value.known || value.value <= worst->value)
		return;
	worst->value = value.value;
	worst->cpu = cpu;
}

static void add_stage(struct facts *f, const char *name)
{
	for (unsigned stage = 0; name && stage < STAGES; stage++)
		if (strcmp(name, config_stage_name((enum config_stage)stage)) == 0)
			f->stages |= UINT32_C(1) << stage;
}

void facts_cpu(struct facts *f, const struct record_cpu *cpu)
{
	struct verdict_core core = { .index = 0 };

	if (cpu) {
		verdict_core_of(cpu, &core);
		add_stage(f, cpu->stage);
		f->cpus++;
	}
	for (unsigned l = 0; l < LIMITS; l++)
		if (limit_row((enum limit)l)->of & LIMIT_OF_GAPS)
			add(&f->worst[l], core.value[l], core.index);
}

#define ONE UINT64_C(1000000) /* ppm */

/* Of its stage, kernel and phase. */
static uint32_t work_of(const struct record_stretch *r)
{
	TEXT_DEFINE(name, 80);

	text_add(&name, "%s %s %s", r->stage ? r->stage : "", r->kernel ? r->kernel : "",
		 r->phase ? r->phase : "");
	return crc32c(name.buf, name.len);
}

void facts_stretch(struct facts *f, const struct record_stretch *stretch)
{
	struct maybe tail = { 0, false };

	if (stretch && stretch->quanta)
		tail = (struct maybe){ arith_sum(ONE, stretch->p999), true };
	add(&f->worst[LIMIT_MAX_STRETCH], tail, stretch ? stretch->cpu : 0);
	if (stretch && !f->workers)
		f->work = work_of(stretch);
	f->workers += stretch && work_of(stretch) == f->work;
	f->works++;
}

/* As in the probe, one that was not called has no length. */
void facts_service(struct facts *f, const struct record_service *service)
{
	if (!service->max_ns.known)
		return;
	add(&f->worst[LIMIT_SERVICE_MAX], service->max_ns, service->cpu);
	f->calls++;
}
