/* SPDX-License-Identifier: BSD-2-Clause */
/* Arms what was found, proves that it counts, reads the logs, and restores all of it. */
#include "counters.h"

#include "core/lib/mem.h"
#include "core/lib/steps.h"

#define MSR_MC0_STATUS  0x401u
#define MC_STATUS_STEP  4u
#define MC_STATUS_VALID (UINT64_C(1) << 63)

#define PROOF_READS 1000u /* a counter that runs has moved by then */

/*
 * Give the bits of a setting's mask in its register these values. False: this has no effect. A
 * count may go on at once: that it was written is enough.
 */
static bool apply(const struct counters *c, const struct counter_setting *s, uint64_t bits,
		  bool is_count)
{
	uint64_t v;

	steps_note_at("setting MSR", s->msr);
	if (!c->regs->rdmsr(s->msr, &v))
		return false;
	if ((v & s->mask) == bits)
		return true;
	if (!c->regs->wrmsr(s->msr, (v & ~s->mask) | bits))
		return false;
	return is_count || (c->regs->rdmsr(s->msr, &v) && (v & s->mask) == bits);
}

static bool is_count(const struct counter_slot *slot, unsigned n)
{
	return n == SETTING_COUNT && slot->settings > 1;
}

static bool apply_all(const struct counters *c, const struct counter_slot *slot)
{
	unsigned n = 0;

	while (n < slot->settings &&
	       apply(c, &slot->setting[n], slot->setting[n].bits, is_count(slot, n)))
		n++;
	return n == slot->settings;
}

/* Undo all settings, the last first: a counter stands still when its value is restored. */
static void put_back(const struct counters *c, const struct counter_slot *slot)
{
	for (unsigned n = slot->settings; n-- > 0;)
		apply(c, &slot->setting[n], slot->setting[n].found & slot->setting[n].mask, true);
}

static bool counter_moves(const struct counters *c, const struct counter_slot *slot)
{
	uint64_t first, now;

	if (!c->regs->rdmsr(slot->msr, &first))
		return false;
	for (unsigned n = 0; n < PROOF_READS; n++)
		if (c->regs->rdmsr(slot->msr, &now) && now != first)
			return true;
	return false;
}

/*
 * A machine without SMIs never shows that it would count them. Counting instructions with the same
 * counter proves that it works.
 */
static bool prove(const struct counters *c, struct counter_slot *slot)
{
	struct counter_setting *control = &slot->setting[SETTING_CONTROL];
	uint64_t event = control->bits;

	control->bits = slot->proof;
	slot->proved = apply_all(c, slot) && counter_moves(c, slot);
	put_back(c, slot);
	control->bits = event;
	return slot->proved;
}

static bool arms(const struct counters *c, enum counter_proof proof, struct counter_slot *slot)
{
	slot->proved = false;
	if (slot->proof && !prove(c, slot))
		return false;
	if (!apply_all(c, slot))
		return false;
	if (proof == PROOF_FILLED)
		return *(volatile uint32_t *)&c->area->version != 0;
	return (proof != PROOF_RUNS && proof != PROOF_RATE) || counter_moves(c, slot);
}

/* Rows of READ_CLOCK come first. One core never has more of both kinds than there are columns. */
static void add_column(struct counters *c, unsigned i)
{
	const struct counter_slot *slot = &c->slot[i];

	if (c->columns == GAP_COLUMNS)
		return;
	c->column[c->columns++] =
		(struct counter_column){ .mask = slot->mask, .msr = slot->msr, .row = (uint8_t)i };
	c->clocks += counter_rows[i].reader == READ_CLOCK;
}

static void arm_row(struct counters *c, unsigned i)
{
	struct counter_slot *slot = &c->slot[i];

	if (!arms(c, counter_rows[i].proof, slot)) {
		put_back(c, slot);
		slot->state = COUNTER_SILENT;
		return;
	}
	slot->state = COUNTER_ARMED;
	slot->believed = counter_rows[i].proof != PROOF_RATE;
	slot->rate = (struct counter_rate){ 0 };
	if (counter_rows[i].reader <= READ_STEAL)
		add_column(c, i);
}

/* IA32_THERM_STATUS, SDM vol. 4, table 2-2: each status has its log in the bit above. */
static const struct {
	uint8_t bit, throttle;
} statuses[] = {
	{ 0, THROTTLE_THERMAL }, { 2, THROTTLE_PROCHOT },  { 4, THROTTLE_CRITICAL },
	{ 10, THROTTLE_POWER },  { 12, THROTTLE_CURRENT }, { 14, THROTTLE_DOMAIN },
};

/*
 * Logs stay set until cleared, so new is what rose; if a log was set before, only the status beside
 * it can still be seen.
 */
static uint32_t new_throttles(uint64_t rose)
{
	uint32_t throttles = 0;

	for (unsigned i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (rose >> statuses[i].bit & 3)
			throttles |= statuses[i].throttle;
	return throttles;
}

/* A mask of the banks whose status is valid. */
static uint64_t read_banks(const struct counters *c, uint64_t there)
{
	uint64_t valid = 0, v;

	for (uint32_t bank = 0; there >> bank & 1; bank++)
		if (c->regs->rdmsr(MSR_MC0_STATUS + bank * MC_STATUS_STEP, &v) &&
		    (v & MC_STATUS_VALID))
			valid |= UINT64_C(1) << bank;
	return valid;
}

static void read_log(struct counters *c, enum counter_reader reader, struct counter_slot *slot)
{
	uint64_t now, rose;

	if (reader == READ_BANKS)
		now = read_banks(c, slot->mask);
	else if (!c->regs->rdmsr(slot->msr, &now))
		return;
	rose = now & ~slot->last;
	slot->last = now;
	if (reader == READ_BANKS)
		c->banks |= (uint32_t)rose;
	else
		c->throttled |= new_throttles(rose);
}

void counters_logs(struct counters *c)
{
	for (unsigned i = 0; i < counter_rows_count; i++) {
		enum counter_reader reader = counter_rows[i].reader;

		if (c->slot[i].state == COUNTER_ARMED &&
		    (reader == READ_THERMAL || reader == READ_BANKS))
			read_log(c, reader, &c->slot[i]);
	}
}

void counters_arm(struct counters *c, bool clear_logs)
{
	if (c->area)
		memset(c->area, 0, sizeof(*c->area));
	for (unsigned i = 0; i < counter_rows_count; i++) {
		if (c->slot[i].state != COUNTER_FOUND)
			continue;
		arm_row(c, i);
		/* Logs are cleared by 0, statuses are read-only (SDM vol. 3, IA32_THERM_STATUS). */
		if (clear_logs && counter_rows[i].reader == READ_THERMAL)
			c->regs->wrmsr(c->slot[i].msr, 0);
	}
	counters_begin(c);
	counters_logs(c);
	c->throttled = c->banks = 0;
}

void counters_restore(struct counters *c)
{
	for (unsigned i = counter_rows_count; i-- > 0;) {
		if (c->slot[i].state != COUNTER_ARMED)
			continue;
		put_back(c, &c->slot[i]);
		c->slot[i].state = COUNTER_FOUND;
	}
	c->clocks = c->columns = 0;
}

const struct counter_slot *counters_armed(const struct counters *c, unsigned kind)
{
	for (unsigned i = 0; i < counter_rows_count; i++)
		if (counter_rows[i].kind == kind && c->slot[i].state == COUNTER_ARMED)
			return &c->slot[i];
	return NULL;
}

size_t counters_names(const struct counters *c, enum counter_state state, const char **names,
		      size_t max)
{
	size_t n = 0;

	for (unsigned i = 0; i < counter_rows_count && n < max; i++) {
		if (c->slot[i].state == state)
			names[n++] = counter_rows[i].name;
	}
	return n;
}

size_t counters_believed(const struct counters *c, uint32_t known, const char **names, size_t max)
{
	size_t n = 0;

	for (unsigned i = 0; i < counter_rows_count && n < max; i++) {
		bool seen = counter_rows[i].proof == PROOF_SEEN
				    ? known >> counter_rows[i].kind & 1 || c->slot[i].proved
				    : c->slot[i].believed;

		if (c->slot[i].state == COUNTER_ARMED && seen)
			names[n++] = counter_rows[i].name;
	}
	return n;
}
