/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the layers above may ask of a processor architecture: clock, cores,
 * traps, evidence. arch/<isa>/ implements it; the Makefile picks the folder.
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
 * CRC-32C, as core/lib/crc32c.h has it, by the processor's own instruction. False: it has none. Any
 * program may ask.
 */
bool arch_crc32c(const void *data, size_t bytes, uint32_t *crc);

/* Identity of the processor, as it reports it. Strings live as long as the program. */
struct arch_identity {
	char vendor[13];
	char brand[49];
	uint32_t family, model, stepping;
	struct maybe microcode;
	char hypervisor[32]; /* "" when none announces itself */
	bool clock_invariant;
};

/* All but the microcode: any program may ask. */
void arch_identify(struct arch_identity *id);

/*
 * What seals this guest's memory and state from its hypervisor ("AMD SEV-ES"), or NULL. In such
 * a guest nothing that takes the machine over works. Reads nothing that could fault.
 */
const char *arch_sealed(void);

#define ARCH_CLOCK_SOURCES 3

/*
 * Before any core is taken over, on the boot core: fill in what not every program may ask for (the
 * microcode's revision, a hypervisor that answers calls), and the sources of the clock's rate, of
 * which it returns the number. What is not there does no harm. memory: arch_first_look_bytes(),
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
/* Sleep until arch_wake(), or any other time for no reason. Interrupts are masked at the end. */
void arch_sleep(const struct cpu *self);
/* How cores of such a machine rest between windows: by arch_sleep(), or as arch_relax() does. */
void (*arch_resting(const struct arch_identity *id))(const struct cpu *self);
void arch_wake(const struct cpu *cpu);
/* End QEMU with (code << 1) | 1, where it has what that takes; else nothing, or a fault. */
void arch_exit_qemu(uint8_t code);
/*
 * Reset the machine, or switch it off, without the firmware's services and ACPI: by the chipset's
 * register, the keyboard controller and a triple fault, or by PSCI. Returns where that does
 * nothing.
 */
void arch_reset(void);
void arch_power_off(void);
/* Stop this core for good. */
void arch_halt(void) __attribute__((noreturn));

/* Register-sized I/O. Ports on ISAs that have them. */
uint8_t arch_in8(uint16_t port);
uint16_t arch_in16(uint16_t port);
uint32_t arch_in32(uint16_t port);
void arch_out8(uint16_t port, uint8_t value);
void arch_out16(uint16_t port, uint16_t value);
void arch_out32(uint16_t port, uint32_t value);

/* Registers in memory, each access of exactly its size. arch_map_device() comes first. */
uint8_t arch_mmio_read8(uint64_t address);
uint16_t arch_mmio_read16(uint64_t address);
uint32_t arch_mmio_read32(uint64_t address);
void arch_mmio_write8(uint64_t address, uint8_t value);
void arch_mmio_write16(uint64_t address, uint16_t value);
void arch_mmio_write32(uint64_t address, uint32_t value);

/*
 * Make sure that [address, address + bytes) can be accessed at its own address from now on, after
 * arch_take_over() too: as it is, or, once the page tables are ours, by mapping it uncached. False
 * when it cannot: past the processor's physical addresses, or no table left to map it.
 * On the boot core, while no other maps.
 */
bool arch_map_device(uint64_t address, uint64_t bytes);

/* Once the page tables are ours: page 0 is there, or faults, as it does otherwise. */
void arch_map_page_0(bool there);

/* The clock's rate as any program may know it: fills in sources, returns how many there are. */
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

/* Fills the sizes for `cpus` cores and physical addresses below `top`. */
void arch_plan_memory(struct arch_memory *m, uint32_t cpus, uint64_t top);

enum arch_share { ARCH_NONE, ARCH_SOME, ARCH_ALL };

struct arch_setup {
	struct cpu *cpu;
	uint32_t cpus;
	uint64_t hz;
	uint64_t top; /* physical addresses to map end here */
	/*
	 * How much of [from, end), above 4 GiB, is memory; NULL: all is. What is not stays
	 * unmapped: a processor that reads ahead must not get there (AMD's HyperTransport range,
	 * FD_0000_0000h; Linux 1bbbbe779aab). Devices have arch_map_device().
	 */
	enum arch_share (*share)(const void *map, uint64_t from, uint64_t end);
	const void *map;
	const struct acpi_info *acpi;
	bool only_reads; /* cores on loan keep their NMI wiring: nothing is measured on them */
	void (*idle)(const struct cpu *self); /* how started cores rest */
	/* Receives what the operator should know, e.g. that a core did not start. */
	void (*complain)(const char *text);
	/* What was decided where the tables leave a choice: how NMIs reach the boot core. */
	void (*remark)(const char *text);
};

/* Lay out what each core owns; nothing changes on the processor. Once, before all that follows. */
void arch_setup_cores(const struct arch_memory *m, const struct arch_setup *s);

/*
 * While the firmware is alive: our descriptor tables, handlers and, unless setup.only_reads, NMI
 * wiring on the calling core, which is cpu[position], and the firmware's again. Interrupts
 * are masked in between, and come back as they were.
 */
void arch_borrow(uint32_t position, struct arch_borrowed *b);
void arch_give_back(const struct arch_borrowed *b);

/* After ExitBootServices: the calling core is ours for good, page tables and local APIC too. */
void arch_take_over(void);

/*
 * Start the other cores (INIT-SIPI-SIPI, one retry); each that answers becomes CPU_READY, and halts
 * for good after arch_serve(): a core that rests may spin, at full power. Returns ticks from first
 * INIT to the last answer.
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
 * Called on another core after arch_take_over(): have a core that hangs take an exception where it
 * is, which is reported as a wait. NULL: no core can.
 */
extern void (*const arch_break_off)(const struct cpu *cpu);

/*
 * Find out which evidence the calling core has, arm its counters and fill its
 * struct cpu. clear_logs: thermal and power-limit logs are cleared, which is not
 * undone. To be called on every core by itself, and again after the firmware ran.
 */
void arch_evidence_detect(struct cpu *cpu, uint64_t hz, bool clear_logs);

/* See on the calling core how its counters run while it does nothing but sample. */
void arch_evidence_learn(struct cpu *cpu, spans_sample *sample);

/* Whether cores may have counters that measure, as far as the calling one reports. */
bool arch_evidence_measures(void);

/* platform.logs: slow. */
void arch_evidence_logs(struct cpu *cpu);

/* Steps of the calling core's counters since the last call, but for SMI, NMI and MCE. */
void arch_evidence_count(struct cpu *cpu, struct evidence *e);

/*
 * Let the calling core use vector registers, which the firmware may not have enabled. Once it is
 * gone: nobody else's are left, and no handler touches any.
 */
void arch_enable_vectors(void);

/* Put back on the calling core all that was armed. */
void arch_evidence_restore(struct cpu *cpu);

/*
 * Names of the core's evidence that is believed, and of what the firmware uses and
 * was left alone; each up to a NULL, with room for so many.
 */
void arch_evidence_names(const struct cpu *cpu, const char *names[], const char *busy[],
			 size_t room);

/*
 * Read the calling core for a survey, in a rising order of areas; a register that it refuses is a
 * reading that faulted. Nothing is written, no counter is armed. hz: as for evidence.
 */
void arch_survey(struct survey_core *c, uint64_t hz);

/*
 * Services that are devices' registers, or calls of who is above: whether there is what one needs,
 * which is then made ready; NULL: there is, else why not. On the boot core, while no other maps.
 */
const char *arch_service_open(enum config_service service, const struct acpi_info *acpi);

/* Once it is open: call it once. Of an SMI, `value` is the command. 0, or the error's number. */
uint64_t arch_service_call(enum config_service service, uint8_t value);

/* Where the calling core sits. */
void arch_topology(struct topology *t);

/*
 * Run fn(arg); true when it returned, false when it was cut short by an
 * exception that is not fixed up. arch_fault_text() then names it.
 */
bool arch_try(void (*fn)(void *), void *arg);
const char *arch_fault_text(const struct cpu *cpu);

enum arch_tried {
	ARCH_TRIED_RETURNED,
	ARCH_TRIED_FAULTED, /* arch_fault_text() names the exception */
	ARCH_TRIED_LATE,    /* the time was over, and fn was left where it was */
};

/*
 * arch_try() for at most `ticks` of the clock, on the boot core after arch_take_over(). fn is
 * single-stepped, so that it is left wherever it spins, with interrupts masked too, and no timer or
 * other core is needed. Each of its instructions takes an exception's time longer. With 0 ticks it
 * is not stepped, and there is no limit.
 */
enum arch_tried arch_try_for(void (*fn)(void *), void *arg, uint64_t ticks);

/* arch_try(), and an exception is reported as arch_last_words() has it before it returns. */
bool arch_try_last(void (*fn)(void *), void *arg);

/*
 * The same for all of what the boot core does, whoever owns the machine: where nothing of the above
 * is in force. Of several the innermost counts.
 */
bool arch_guard(void (*fn)(void *), void *arg);

/* The same, and an exception is not reported: for registers that may not be there. */
bool arch_guard_quietly(void (*fn)(void *), void *arg);

/*
 * Let report(f) have each exception that is not fixed up, nor cuts arch_try() short, at once and on
 * the core that took it; f->steps are not filled in. It must need nothing that another core, or
 * what was interrupted, may hold.
 */
void arch_last_words(void (*report)(const struct record_fault *f));

/*
 * The same for exceptions that the firmware takes while it is there, given as its handlers are:
 * UEFI 2.10, 18.2 (EFI_SYSTEM_CONTEXT). Which they are: vectors up to a negative one.
 */
extern const int arch_firmware_faults[];

/* Report it; then let the handler return to where arch_guard() does. Else the core is halted. */
void arch_firmware_fault(unsigned vector, void *context, bool is_boot_core);
