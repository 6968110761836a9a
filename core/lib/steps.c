/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of the last steps. A core may be stopped while it writes one, so a reader may see the
 * text of one step with the number of another.
 */
#include "steps.h"

#include <stdatomic.h>

/*
 * The two highest bits of a step's number are its format, since no address needs them. 0: no
 * number.
 */
#define FORM        (UINT64_C(3) << 62)
#define FORM_NUMBER (UINT64_C(1) << 62)
#define FORM_PCI    (UINT64_C(2) << 62)

static struct steps {
	struct step {
		const char *what;
		uint64_t number;
	} step[STEPS_KEPT];
	_Atomic uint32_t next, count;
} steps;

void steps_go_on(void)
{
	atomic_fetch_add(&steps.count, 1);
}

uint32_t steps_count(void)
{
	return atomic_load(&steps.count);
}

static void steps_put(const char *what, uint64_t number)
{
	uint32_t next = atomic_load(&steps.next);
	const struct step *last = &steps.step[(next - 1) % STEPS_KEPT];

	steps_go_on();
	if (next && last->what == what && last->number == number)
		return;
	/* PCI is scanned register by register: the last one is enough. */
	if (!next || last->what != what || (number & FORM) != FORM_PCI)
		next = atomic_fetch_add(&steps.next, 1) + 1;
	steps.step[(next - 1) % STEPS_KEPT] = (struct step){ what, number };
}

void steps_note(const char *what)
{
	steps_put(what, 0);
}

void steps_note_at(const char *what, uint64_t number)
{
	steps_put(what, FORM_NUMBER | (number & ~FORM));
}

void steps_note_pci(const char *what, uint64_t place)
{
	steps_put(what, FORM_PCI | (place & ~FORM));
}

static void print_pci(struct text *t, uint64_t place)
{
	text_add(t, " %04x:%02x:%02x.%x register 0x%x", (unsigned)(place >> 32),
		 (unsigned)(place >> 20 & 0xff), (unsigned)(place >> 15 & 0x1f),
		 (unsigned)(place >> 12 & 7), (unsigned)(place & 0xfff));
}

bool steps_print(unsigned back, struct text *t)
{
	uint32_t next = atomic_load(&steps.next);
	const struct step *s = &steps.step[(next - 1 - back) % STEPS_KEPT];

	if (back >= STEPS_KEPT || !s->what)
		return false;
	text_add(t, "%s", s->what);
	if ((s->number & FORM) == FORM_NUMBER)
		text_add(t, " 0x%llx", (unsigned long long)(s->number & ~FORM));
	else if (s->number & FORM)
		print_pci(t, s->number & ~FORM);
	return true;
}
