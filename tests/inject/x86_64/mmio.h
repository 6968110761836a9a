/* SPDX-License-Identifier: BSD-2-Clause */
/* Single accesses: device memory, ports, registers of the core. */
#pragma once

#include <stdint.h>

static inline uint32_t mmio_read(uint64_t address)
{
	return *(volatile uint32_t *)(uintptr_t)address;
}

static inline void mmio_write(uint64_t address, uint32_t value)
{
	*(volatile uint32_t *)(uintptr_t)address = value;
}

static inline uint32_t port_read32(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline void port_write32(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static inline void port_write8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint16_t port_read16(uint16_t port)
{
	uint16_t value;

	__asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline void port_write16(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint64_t read_msr(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t read_tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* Pass some time without a device access, which is slow to emulate. */
static inline void spin(uint32_t counts)
{
	__asm__ volatile("1: decl %0; jnz 1b" : "+r"(counts) : : "cc", "memory");
}
