/* SPDX-License-Identifier: BSD-2-Clause */
/* Code common to all chipsets. */
#include "chipset.h"

#include "core/lib/mem.h"
#include "core/lib/text.h"

#define MORE     "..."
#define NAME_MAX 40

void chipset_find(struct chipset *c, const struct pci *pci, const struct acpi_info *acpi)
{
	*c = (struct chipset){ .pci = pci, .watchdog = CHIPSET_HALTED };
	if (!chipset_intel(c, acpi))
		chipset_amd(c);
}

void chipset_read(const struct chipset *c, struct chipset_texts *texts, struct record_stage *stage)
{
	memset(texts, 0, sizeof(*texts));
	if (c->read)
		c->read(c, texts, stage);
}

bool chipset_watchdog(struct chipset *c, uint64_t *left_ns)
{
	uint16_t before = c->watchdog;

	if (c->watchdog_runs || !c->watchdog_left)
		return false;
	c->watchdog = c->watchdog_left(c);
	c->watchdog_runs = before != CHIPSET_HALTED && c->watchdog < before;
	*left_ns = c->watchdog * CHIPSET_TCO_TICK_NS;
	return c->watchdog_runs;
}

static void add_name(char *list, const char *name)
{
	size_t used = strlen(list);
	struct text t;

	if (used >= sizeof(MORE) && !strcmp(list + used - strlen(MORE), MORE))
		return;
	text_init(&t, list + used, CHIPSET_NAMES_MAX - used);
	/* Reserve room for a later " ...". */
	if (used + 1 + strlen(name) + 1 + sizeof(MORE) > CHIPSET_NAMES_MAX)
		text_add(&t, " " MORE);
	else
		text_add(&t, "%s%s", used ? " " : "", name);
}

void chipset_add_source(char *list, const struct chipset_source *sources, size_t count,
			unsigned number, const char *unnamed)
{
	TEXT_DEFINE(name, NAME_MAX);
	size_t n = 0;

	while (n < count && sources[n].number != number)
		n++;
	if (n < count)
		text_add(&name, "%s", sources[n].name);
	else
		text_add(&name, "%s%u", unnamed, number);
	add_name(list, name.buf);
}

/* Append a period exactly, as in manuals: "1.5 ms", "64 ms", "1.2 s". */
static void add_period(struct text *t, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
	unsigned u = 0, digits = 3;
	uint64_t thousandths;

	while (ns < units[u].ns && u < 3)
		u++;
	thousandths = ns / units[u].ns * 1000 + ns % units[u].ns * 1000 / units[u].ns;
	for (; digits && thousandths % 10 == 0; digits--)
		thousandths /= 10;
	text_fixed(t, thousandths, digits, 0);
	text_add(t, " %s", units[u].name);
}

void chipset_add_timer(struct chipset_texts *texts, struct record_stage *stage, const char *what,
		       uint64_t period_ns)
{
	struct text t;
	size_t n = record_timers(stage->timers);

	if (n == RECORD_TIMERS)
		return;
	text_init(&t, texts->timer[n], CHIPSET_TIMER_MAX);
	text_add(&t, "%s timer ", what);
	add_period(&t, period_ns);
	stage->timers[n] = (struct period_timer){ texts->timer[n], period_ns };
}
