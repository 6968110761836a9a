/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers played by a test: arch.h's accesses to ports and to memory, of every width, by four
 * functions that have the width in bytes.
 */
#pragma once

#include "arch/arch.h"

#include <stdint.h>

#define REGISTERS_WIDTH(bits, in, out, read, write)                        \
	uint##bits##_t arch_in##bits(uint16_t number)                      \
	{                                                                  \
		return (uint##bits##_t)in(number, bits / 8);               \
	}                                                                  \
	void arch_out##bits(uint16_t number, uint##bits##_t value)         \
	{                                                                  \
		out(number, value, bits / 8);                              \
	}                                                                  \
	uint##bits##_t arch_mmio_read##bits(uint64_t address)              \
	{                                                                  \
		return (uint##bits##_t)read(address, bits / 8);            \
	}                                                                  \
	void arch_mmio_write##bits(uint64_t address, uint##bits##_t value) \
	{                                                                  \
		write(address, value, bits / 8);                           \
	}

/*
 * uint32_t in(uint16_t port, unsigned bytes), void out(uint16_t port, uint32_t value, unsigned
 * bytes), and as well with uint64_t address for memory.
 */
#define REGISTERS(in, out, read, write)           \
	REGISTERS_WIDTH(8, in, out, read, write)  \
	REGISTERS_WIDTH(16, in, out, read, write) \
	REGISTERS_WIDTH(32, in, out, read, write)
