/* SPDX-License-Identifier: BSD-2-Clause */
/* Halt, reset, port I/O, and whether interrupts are masked. */
#include "arch/arch.h"
#include "asm.h"

#define QEMU_EXIT_PORT     0x501 /* -device isa-debug-exit,iobase=0x501 */
#define RESET_CONTROL      0xcf9 /* Intel PCH, AMD FCH: reset control register */
#define RESET_CONTROL_FULL 0x0e
#define KEYBOARD_CONTROL   0x64
#define KEYBOARD_RESET     0xfe

bool arch_interrupts_masked(void)
{
	return !(read_flags() & FLAGS_IF);
}

void arch_exit_qemu(uint8_t code)
{
	arch_out8(QEMU_EXIT_PORT, code);
}

/* The chipset's way, then the keyboard controller's. */
void arch_reset(void)
{
	arch_out8(RESET_CONTROL, RESET_CONTROL_FULL);
	arch_out8(KEYBOARD_CONTROL, KEYBOARD_RESET);
}

void arch_power_off(void)
{
}

void arch_halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt" : : : "memory");
}

uint8_t arch_in8(uint16_t port)
{
	uint8_t v;

	__asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

uint16_t arch_in16(uint16_t port)
{
	uint16_t v;

	__asm__ volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

uint32_t arch_in32(uint16_t port)
{
	uint32_t v;

	__asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

void arch_out8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

void arch_out16(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

void arch_out32(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}
