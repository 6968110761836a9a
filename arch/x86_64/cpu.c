/* SPDX-License-Identifier: BSD-2-Clause */
/* Halting, reset, port I/O, and the interrupt mask. */
#include "arch/arch.h"
#include "asm.h"

#define QEMU_EXIT_PORT     0x501 /* -device isa-debug-exit,iobase=0x501 */
#define RESET_CONTROL      0xcf9 /* Intel PCH, AMD FCH: reset control register */
#define RESET_CONTROL_KIND 0x0a  /* full, with the power off for a moment; then the trigger: */
#define RESET_CONTROL_FULL 0x0e
#define KEYBOARD_CONTROL   0x64
#define KEYBOARD_BUSY      0x02
#define KEYBOARD_RESET     0xfe
#define KEYBOARD_TRIES     2
#define LOOKS              50000 /* polls of a port, about 1 us each: longer than a reset takes */

bool arch_interrupts_masked(void)
{
	return !(read_flags() & FLAGS_IF);
}

void arch_exit_qemu(uint8_t code)
{
	arch_out8(QEMU_EXIT_PORT, code);
}

/* Wait until the controller's input buffer is free, or there is no controller. */
static void wait_keyboard(void)
{
	for (unsigned n = 0; n < LOOKS && arch_in8(KEYBOARD_CONTROL) & KEYBOARD_BUSY; n++)
		;
}

static void wait_reset(void)
{
	for (unsigned n = 0; n < LOOKS; n++)
		arch_in8(KEYBOARD_CONTROL);
}

/* Shut down by a triple fault: without any gate, the breakpoint's fault faults twice more. */
static void fault_three_times(void)
{
	const struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) none = { 0, 0 };

	__asm__ volatile("lidt %0\n"
			 "int3\n"
			 :
			 : "m"(none)
			 : "memory");
}

/*
 * The chipset resets the whole platform. A keyboard controller may reset only the processors, so
 * that devices keep their state, and laptops have none. A triple fault comes last: the board
 * decides about a shutdown, and nothing can be tried after it.
 */
void arch_reset(void)
{
	arch_out8(RESET_CONTROL, RESET_CONTROL_KIND);
	arch_out8(RESET_CONTROL, RESET_CONTROL_FULL);
	wait_reset();
	for (unsigned n = 0; n < KEYBOARD_TRIES; n++) {
		wait_keyboard();
		arch_out8(KEYBOARD_CONTROL, KEYBOARD_RESET);
		wait_reset();
	}
	fault_three_times();
}

void arch_power_off(void)
{
}

void arch_halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt" : : : "memory");
}

#define PORT(bits, suffix)                                                           \
	uint##bits##_t arch_in##bits(uint16_t port)                                  \
	{                                                                            \
		uint##bits##_t v;                                                    \
                                                                                     \
		__asm__ volatile("in" suffix " %1, %0" : "=a"(v) : "Nd"(port));      \
		return v;                                                            \
	}                                                                            \
	void arch_out##bits(uint16_t port, uint##bits##_t value)                     \
	{                                                                            \
		__asm__ volatile("out" suffix " %0, %1" : : "a"(value), "Nd"(port)); \
	}

PORT(8, "b")
PORT(16, "w")
PORT(32, "l")
