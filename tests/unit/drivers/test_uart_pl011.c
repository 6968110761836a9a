/* SPDX-License-Identifier: BSD-2-Clause */
/* The UART driver against a PL011 played here. Offsets and bits: Arm DDI 0183, chapter 3. */
#include "arch/arch.h"
#include "drivers/uart.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define BASE       UINT64_C(0x9000000)
#define DR         0x00
#define FR         0x18
#define LCR_H      0x2c
#define CR         0x30
#define IMSC       0x38
#define FR_BUSY    0x08u
#define FR_RXFE    0x10u
#define FR_TXFF    0x20u
#define FR_TXFE    0x80u
#define DR_BREAK   0x400u
#define DR_FRAMING 0x100u
/* By UARTPCR's revision, and where LCR_H.FEN is 0. */
static const unsigned depths[] = { 1, 16, 32 };

static struct {
	char sent[200];
	size_t bytes;
	unsigned in_fifo, fifo;
	unsigned drains_after; /* looks at the flags */
	const uint16_t *received;
	size_t left;
	uint32_t mask;
	bool absent, stuck;
	unsigned others; /* writes to registers that are the firmware's */
} port;

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	assert_int_equal(address, BASE);
	assert_true(bytes > IMSC);
	return true;
}

static uint32_t flags(void)
{
	if (port.absent)
		return UINT32_MAX;
	if (port.in_fifo && !port.stuck && port.drains_after-- == 0)
		port.in_fifo = 0;
	return (port.in_fifo ? FR_BUSY : FR_TXFE) | (port.in_fifo >= port.fifo ? FR_TXFF : 0) |
	       (port.left ? 0 : FR_RXFE);
}

uint32_t arch_mmio_read32(uint64_t address)
{
	switch (address - BASE) {
	case DR:
		assert_true(port.left);
		port.left--;
		return *port.received++;
	case FR:
		return flags();
	default:
		fail();
		return 0;
	}
}

void arch_mmio_write32(uint64_t address, uint32_t value)
{
	switch (address - BASE) {
	case DR:
		assert_true(port.in_fifo < port.fifo); /* another would be lost */
		port.in_fifo++;
		port.drains_after = 5;
		port.sent[port.bytes++] = (char)value;
		break;
	case IMSC:
		port.mask = value;
		break;
	default:
		port.others++;
	}
}

static struct uart uart;

static int start(void **state)
{
	(void)state;
	memset(&port, 0, sizeof(port));
	port.mask = 0x10;
	port.fifo = 16;
	uart = (struct uart){
		.pl011 = true, .mmio = true, .base = BASE, .stride = 1, .baud = 9600
	};
	return 0;
}

TEST_F(start, NULL, test_rate_and_line_stay_as_they_are)
{
	assert_true(uart_open(&uart));
	assert_int_equal(port.mask, 0); /* polled: no interrupts */
	assert_int_equal(port.others, 0);
	assert_int_equal(port.bytes, 0);
}

TEST_F(start, NULL, test_no_byte_is_lost)
{
	const char text[] = "more than a FIFO can hold, and more than two of them can";

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		start(state);
		port.fifo = depths[i];
		assert_true(uart_open(&uart));
		uart_write(&uart, text, sizeof(text));
		assert_int_equal(port.bytes, sizeof(text));
		assert_string_equal(port.sent, text);
		uart_drain(&uart);
		assert_int_equal(port.in_fifo, 0);
		assert_true(uart.present);
	}
}

TEST_F(start, NULL, test_absent_or_stuck_is_given_up)
{
	port.absent = true;
	assert_false(uart_open(&uart));

	port.absent = false;
	assert_true(uart_open(&uart));
	port.stuck = true;
	for (unsigned i = 0; i < 100 && uart.present; i++)
		uart_write(&uart, "x", 1);
	assert_false(uart.present);
}

TEST_F(start, NULL, test_only_what_somebody_sent_is_read)
{
	const uint16_t received[] = { DR_BREAK, DR_FRAMING | 'x', 0, 'k', 'l' };
	uint8_t byte = 0;

	assert_true(uart_open(&uart));
	assert_false(uart_read(&uart, &byte));
	port.received = received;
	port.left = sizeof(received) / sizeof(received[0]);
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'k');
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'l');
	assert_false(uart_read(&uart, &byte));
}
