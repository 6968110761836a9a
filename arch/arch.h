/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of a processor architecture to the layers above: clock, cores, traps, evidence.
 * arch/<isa>/ implements it; the Makefile picks the folder.
 */
#pragma once

#include "clock_now.h"
#include "isa.h"
#include "spans.h"
#include "core/config/config.h"
#include "core/firmware/acpi.h"
#include "core/gaps/cpu.h"
#include "core/gaps/platform.h"
#include "core/gaps/tsc_rate.h"
#include "core/kinds/survey/survey.h"
#include "core/lib/value.h"
#include "core/gaps/topology.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * CRC-32C, as in core/lib/crc32c.h, with the processor's own instruction. False: it has none. Any
 * program may call this.
 */
bool arch_crc32c(const void *data, size_t bytes, uint32_t *crc);

/* Identity of the processor, as it reports it. Strings live as long as the program. */
struct arch_identity {
	char vendor[13];
	char brand[49];
	uint32_t family, model, stepping;
	struct maybe microcode;
	char hypervisor[32]; /* "" if none announces itself */
	bool clock_invariant;
};

/* Fill in everything but the microcode. Any program may call this. */
void arch_identify(struct arch_identity *id);

/*
 * Name of the technology that seals this guest's memory and state from its hypervisor ("AMD
 * SEV-ES"), or NULL. In such a guest nothing that takes the machine over works. Reads nothing that
 * could fault.
 */
const char *arch_sealed(void);

#define ARCH_CLOCK_SOURCES 3

/*
 * Before any core is taken over, on the boot core: fill in values that not every program may read
 * (the microcode's revision, a hypervisor that answers calls), and the sources of the clock's rate.
 * Returns the number of sources. Missing registers do no harm. memory: arch_first_look_bytes(),
 * page-aligned, free again afterwards.
 */
size_t arch_first_look_bytes(void);
unsigned arch_first_look(struct arch_identity *id,
			 struct tsc_rate_source source[ARCH_CLOCK_SOURCES], void *memory,
			 const struct acpi_info *acpi);

/* The calling core's APIC id, as the MADT names it. */
uint32_t arch_apic_id(void);

/* Mask interrupts on the calling core; NMI and #MC still come. */
void arch_mask_interrupts(void);
void arch_unmask_interrupts(void);
bool arch_interrupts_masked(void);
/*
 * Unmask interrupts unless they were `masked` before. Some firmware, such as U-Boot, runs with
 * interrupts masked and cannot handle one.
 */
static inline void arch_mask_as(bool masked)
{
	if (!masked)
		arch_unmask_interrupts();
}
void arch_relax(void);
/* Sleep until arch_wake(), or until a spurious event. Interrupts are masked afterwards. */
void arch_sleep(const struct cpu *self);
/*
 * The function with which cores of such a machine rest between windows: arch_sleep(), or one like
 * arch_relax().
 */
void (*arch_resting(const struct arch_identity *id))(const struct cpu *self);
void arch_wake(const struct cpu *cpu);
/* End QEMU with (code << 1) | 1, if it has the device for that; otherwise nothing, or a fault. */
void arch_exit_qemu(uint8_t code);
/*
 * Reset the machine, or switch it off, without the firmware's services and ACPI: by the chipset's
 * register, the keyboard controller and a triple fault, or by PSCI. Returns if that has no effect.
 */
void arch_reset(void);
void arch_power_off(void);
/* Stop this core for good. */
void arch_halt(void) __attribute__((noreturn));

/* Register-sized I/O to ports, on ISAs that have them. */
uint8_t arch_in8(uint16_t port);
uint16_t arch_in16(uint16_t port);
uint32_t arch_in32(uint16_t port);
void arch_out8(uint16_t port, uint8_t value);
void arch_out16(uint16_t port, uint16_t value);
void arch_out32(uint16_t port, uint32_t value);

/* Registers in memory, each access with exactly its size. Call arch_map_device() before. */
uint8_t arch_mmio_read8(uint64_t address);
uint16_t arch_mmio_read16(uint64_t address);
uint32_t arch_mmio_read32(uint64_t address);
void arch_mmio_write8(uint64_t address, uint8_t value);
void arch_mmio_write16(uint64_t address, uint16_t value);
void arch_mmio_write32(uint64_t address, uint32_t value);

/*
 * Make sure that [address, address + bytes) can be accessed at its own address from now on,
 * including after arch_take_over(): as it is or, once the page tables are ours, by mapping it
 * uncached. False if it cannot: it is past the processor's physical addresses, or no table is left
 * to map it. On the boot core, while no other core maps.
 */
bool arch_map_device(uint64_t address, uint64_t bytes);

/* After the page tables are ours: map page 0, or let it fault, as it does initially. */
void arch_map_page_0(bool there);

/* Sources of the clock's rate that any program may read. Returns their number. */
unsigned arch_clock_sources(struct tsc_rate_source source[ARCH_CLOCK_SOURCES]);

/* A number that differs from boot to boot, mixed from the processor's sources. */
uint64_t arch_entropy(void);

/* Memory for the cores: arch_plan_memory() computes how much, the caller allocates it. */
struct arch_memory {
	bool needs_low_page;
	void *low_page; /* one page below 1 MiB for the cores' first instructions */
	void *tables;   /* table_bytes below 4 GiB, page-aligned; none where that is 0 */
	size_t table_bytes;
	void *cores; /* core_bytes, page-aligned, anywhere */
	size_t core_bytes;
};

enum arch_share { ARCH_NONE, ARCH_SOME, ARCH_ALL };

struct arch_setup {
	struct cpu *cpu;
	uint32_t cpus;
	uint64_t hz;
	uint64_t top; /* physical addresses to map end here */
	/*
	 * The share of [from, end), above 4 GiB, that is memory; NULL: all is. The rest stays
	 * unmapped, because a processor that reads ahead must not get there (AMD's HyperTransport
	 * range, FD_0000_0000h; Linux 1bbbbe779aab). Devices have arch_map_device().
	 */
	enum arch_share (*share)(const void *map, uint64_t from, uint64_t end);
	const void *map;
	const struct acpi_info *acpi;
	bool only_reads; /* cores on loan keep their NMI wiring: nothing is measured on them */
	void (*idle)(const struct cpu *self); /* how started cores rest */
	/* Receives messages for the operator, such as that a core did not start. */
	void (*complain)(const char *text);
	/* A choice that the tables left open: how NMIs reach the boot core. */
	void (*remark)(const char *text);
};

/* Fill in the sizes for the cores and the memory of this set-up. */
void arch_plan_memory(struct arch_memory *m, const struct arch_setup *s);

/* Lay out each core's data; nothing changes on the processor. Once, before all functions below. */
void arch_setup_cores(const struct arch_memory *m, const struct arch_setup *s);

/*
 * While the firmware is alive: load our descriptor tables, handlers and, unless setup.only_reads,
 * NMI wiring on the calling core, which is cpu[position]; and the firmware's again. Interrupts are
 * masked in between, and restored.
 */
void arch_borrow(uint32_t position, struct arch_borrowed *b);
void arch_give_back(const struct arch_borrowed *b);

/*
 * After ExitBootServices: take over the calling core for good, including page tables and local
 * APIC.
 */
void arch_take_over(void);

/*
 * Start the other cores (INIT-SIPI-SIPI, one retry); each that answers becomes CPU_READY, and halts
 * for good after arch_serve(), since a resting core may spin at full power. Returns the ticks from
 * the first INIT to the last answer.
 */
uint64_t arch_start_cores(void);

/* Called on another core, borrowed or started: wait for arch_start(), and run its `member`. */
void arch_serve(struct cpu *cpu);

/* platform.start and platform.finish, for the cores in arch_serve(). */
bool arch_start(struct platform *p, void (*member)(struct cpu *, void *), void *arg);
void arch_finish(struct platform *p);

/* Send one NMI to the core (the calling one too). platform.send_nmi; NULL: there are none. */
extern void (*const arch_send_nmi)(const struct cpu *cpu);

/*
 * Called on another core after arch_take_over(): make a hanging core take an exception where it is,
 * which is reported as a wait. NULL: no core can.
 */
extern void (*const arch_break_off)(const struct cpu *cpu);

/*
 * Find the evidence that the calling core has, arm its counters and fill its struct cpu.
 * clear_logs: thermal and power-limit logs are cleared, which cannot be undone. Call this on every
 * core itself, and again after the firmware ran.
 */
void arch_evidence_detect(struct cpu *cpu, uint64_t hz, bool clear_logs);

/* Learn how the calling core's counters run while it only samples. */
void arch_evidence_learn(struct cpu *cpu, spans_sample *sample);

/* True if cores may have counters that measure, as far as the calling core reports. */
bool arch_evidence_measures(void);

/* platform.logs: slow. */
void arch_evidence_logs(struct cpu *cpu);

/* Get the steps of the calling core's counters since the last call, except for SMI, NMI and MCE. */
void arch_evidence_count(struct cpu *cpu, struct evidence *e);

/*
 * Let the calling core use vector registers, which the firmware may not have enabled. Only after
 * the firmware is gone: then no other program has values in them, and no handler uses any.
 */
void arch_enable_vectors(void);

/* Restore everything that was armed on the calling core. */
void arch_evidence_restore(struct cpu *cpu);

/*
 * Get the names of the core's evidence that is believed, and of counters that the firmware uses and
 * that were left alone; each list ends with NULL, and has room for so many.
 */
void arch_evidence_names(const struct cpu *cpu, const char *names[], const char *busy[],
			 size_t room);

/*
 * Read the calling core for a survey, in rising order of areas. A register that faults gives a
 * reading marked as faulted. Nothing is written, and no counter is armed. hz: as for evidence.
 */
void arch_survey(struct survey_core *c, uint64_t hz);

/*
 * Prepare a service that uses a device's registers, or calls to a higher level. Returns NULL, or
 * the reason why it is missing. On the boot core, while no other core maps.
 */
const char *arch_service_open(enum config_service service, const struct acpi_info *acpi);

/* Call an open service once. For an SMI, `value` is the command. Returns 0, or an error number. */
uint64_t arch_service_call(enum config_service service, uint8_t value);

/* The place of the calling core, by `acpi` on processors that do not report it; NULL: no tables. */
void arch_topology(struct topology *t, const struct acpi_info *acpi);

/*
 * Run fn(arg). True if it returned; false if it was ended by an exception without a fixup, which
 * arch_fault_text() names.
 */
bool arch_try(void (*fn)(void *), void *arg);
const char *arch_fault_text(const struct cpu *cpu);

enum arch_tried {
	ARCH_TRIED_RETURNED,
	ARCH_TRIED_FAULTED, /* arch_fault_text() names the exception */
	ARCH_TRIED_LATE,    /* the time was over, and fn was abandoned */
};

/*
 * arch_try() for at most `ticks` of the clock, on the boot core after arch_take_over(). fn is
 * single-stepped, so it is abandoned wherever it spins, even with interrupts masked, and neither a
 * timer nor another core is needed. Each instruction takes the time of an exception more. With 0
 * ticks it is not stepped, and there is no limit.
 */
enum arch_tried arch_try_for(void (*fn)(void *), void *arg, uint64_t ticks);

/* Like arch_try(), but an exception is first reported as with arch_last_words(). */
bool arch_try_last(void (*fn)(void *), void *arg);

/*
 * arch_try() for code of the boot core, whoever owns the machine. The innermost of these calls
 * counts, arch_try() among them.
 */
bool arch_guard(void (*fn)(void *), void *arg);

/* arch_guard(), but exceptions are not reported: for registers that may not exist. */
bool arch_guard_quietly(void (*fn)(void *), void *arg);

/*
 * Call report(f) for each exception that has no fixup and does not end arch_try(), at once and on
 * the core that took it; f->steps are not filled in. It must not need anything that another core,
 * or the interrupted code, may hold.
 */
void arch_last_words(void (*report)(const struct record_fault *f));

/*
 * Exceptions that the firmware handles until it is left. They are given by vector, as its handlers
 * are (UEFI 2.10, 18.2, EFI_SYSTEM_CONTEXT); a negative number ends the list.
 */
extern const int arch_firmware_faults[];

/*
 * Report an exception, then let the handler return to the end of the innermost such call. Without
 * one, the core is halted.
 */
void arch_firmware_fault(unsigned vector, void *context, bool is_boot_core);
