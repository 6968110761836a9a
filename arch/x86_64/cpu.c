/* SPDX-License-Identifier: BSD-2-Clause */
/* Halt, port I/O, and whether interrupts are masked. */
#include "arch/arch.h"
#include "asm.h"

#define QEMU_EXIT_PORT 0x501 /* -device isa-debug-exit,iobase=0x501 */

bool arch_interrupts_masked(void)
{
	return !(read_flags() & FLAGS_IF);
}

void arch_relax(void)
{
	clock_relax();
}

void arch_sleep(void)
{
	/* STI holds interrupts off for one more instruction: a wake-up in between is not lost. */
	__asm__ volatile("sti; hlt; cli" : : : "memory");
}

void arch_exit_qemu(uint8_t code)
{
	arch_out8(QEMU_EXIT_PORT, code);
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
