/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading privileged registers before any core is taken over. A processor may lack each of them, so
 * our own exception handlers are loaded meanwhile.
 */
#include "asm.h"
#include "core/lib/mem.h"
#include "identify.h"
#include "percpu.h"
#include "traps.h"

size_t arch_first_look_bytes(void)
{
	return TRAPS_BYTES + sizeof(struct percpu);
}

static bool read_directly(uint32_t msr, uint64_t *value)
{
	*value = rdmsr(msr);
	return true;
}

const char *arch_sealed(void)
{
	/* Keep the firmware's handlers: in a sealed guest, many exceptions need them. */
	static const struct regs unguarded = { .cpuid = cpuid, .rdmsr = read_directly };

	return identify_sealed(&unguarded);
}

struct findings {
	struct arch_identity *id;
	struct tsc_rate_source *source;
	unsigned sources;
};

static void first_look_look(void *arg)
{
	struct findings *s = arg;

	identify_microcode(&regs_real, s->id);
	s->sources = identify_clock(&regs_real, s->source);
}

unsigned arch_first_look(struct arch_identity *id,
			 struct tsc_rate_source source[ARCH_CLOCK_SOURCES], void *memory,
			 const struct acpi_info *acpi)
{
	struct findings s = { .id = id, .source = source };
	struct arch_borrowed saved;

	(void)acpi;
	memset(memory, 0, arch_first_look_bytes());
	traps_init(memory);
	traps_borrow((struct percpu *)(void *)((uint8_t *)memory + TRAPS_BYTES), &saved);
	arch_try(first_look_look, &s);
	traps_restore(&saved);
	return s.sources;
}
