/* SPDX-License-Identifier: BSD-2-Clause */
/* The UART driver against a PL011 played here. Offsets and bits: Arm DDI 0183, chapter 3. */
#include "drivers/uart.h"

#include <string.h>

#include "tests/registers.h"
#include "tests/unit/common/test.h"

#define BASE       UINT64_C(0x9000000)
#define DR         0x00
#define FR         0x18
#define LCR_H      0x2c
#define CR         0x30
#define IMSC       0x38
#define ID         0xfe0
#define IDS        8
#define OVERRUN    0x400u
#define FR_BUSY    0x08u
#define FR_RXFE    0x10u
#define FR_TXFF    0x20u
#define FR_TXFE    0x80u
#define DR_BREAK   0x400u
#define DR_FRAMING 0x100u
/* Depth of the FIFO: with LCR_H.FEN clear, and by UARTPCR's revision. */
static const unsigned depths[] = { 1, 16, 32 };

/* DDI 0183, 3.3.15 to 3.3.22. */
static const uint8_t arm_ids[IDS] = { 0x11, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1 };

static struct {
	char sent[200];
	size_t bytes;
	unsigned in_fifo, fifo;
	unsigned drains_after; /* looks at the flags */
	const uint16_t *received;
	size_t left;
	uint32_t mask, first_mask;
	bool no_mask;
	const uint8_t *ids; /* PeriphID0 to 3, PCellID0 to 3; NULL: they read as zero, as SBSA's */
	bool absent, stuck;
	unsigned others; /* writes to registers that are the firmware's */
} port;

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	assert_int_equal(address, BASE);
	assert_int_equal(bytes, 0x1000);
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

static uint32_t read_at(uint64_t address, unsigned bytes)
{
	assert_int_equal(bytes, 4);
	switch (address - BASE) {
	case DR:
		assert_true(port.left);
		port.left--;
		return *port.received++;
	case FR:
		return flags();
	case IMSC:
		return port.no_mask ? 0 : port.mask;
	default:
		assert_in_range(address - BASE, ID, ID + 4 * (IDS - 1));
		return port.ids ? port.ids[(address - BASE - ID) / 4] : 0;
	}
}

static void write_at(uint64_t address, uint32_t value, unsigned bytes)
{
	assert_int_equal(bytes, 4);
	switch (address - BASE) {
	case DR:
		assert_true(port.in_fifo < port.fifo); /* another would be lost */
		port.in_fifo++;
		port.drains_after = 5;
		port.sent[port.bytes++] = (char)value;
		break;
	case IMSC:
		/* The port's owner may have interrupts on: no further one may be enabled. */
		assert_int_equal(value & ~(port.first_mask | OVERRUN), 0);
		port.mask = value;
		break;
	default:
		port.others++;
	}
}

/* Only another kind has ports. */
static uint32_t no_port_in(uint16_t at, unsigned bytes)
{
	fail_msg("port 0x%x, %u bytes", at, bytes);
	return 0;
}

static void no_port_out(uint16_t at, uint32_t value, unsigned bytes)
{
	fail_msg("port 0x%x, %u bytes: %u", at, bytes, (unsigned)value);
}

REGISTERS(no_port_in, no_port_out, read_at, write_at)

static struct uart uart;

static void start(void)
{
	memset(&port, 0, sizeof(port));
	port.mask = port.first_mask = 0x10;
	port.fifo = 16;
	port.ids = arm_ids;
	uart = (struct uart){ .port = { .kind = SERIAL_PORT_PL011,
					.mmio = true,
					.base = BASE,
					.stride = 4,
					.access = 4 },
			      .baud = 9600 };
}

static const char *why;

static bool open_port(void)
{
	if (!uart_probe(&uart, &why))
		return false;
	uart_open(&uart);
	return true;
}

static void assert_absent(const char *reason)
{
	assert_false(uart_probe(&uart, &why));
	assert_string_equal(why, reason);
}

TEST_F(start, NULL, test_rate_and_line_stay_as_they_are)
{
	assert_true(open_port());
	assert_int_equal(port.mask, 0); /* polled: no interrupts */
	assert_int_equal(port.others, 0);
	assert_int_equal(port.bytes, 0);
}

TEST_F(start, NULL, test_no_byte_is_lost)
{
	const char text[] = "more than a FIFO can hold, and more than two of them can";

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		start();
		port.fifo = depths[i];
		assert_true(open_port());
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
	assert_absent("has flags that no PL011 has");

	port.absent = false;
	assert_true(open_port());
	port.stuck = true;
	for (unsigned i = 0; i < 100 && uart.present; i++)
		uart_write(&uart, "x", 1);
	assert_false(uart.present);
}

TEST_F(start, NULL, test_only_what_somebody_sent_is_read)
{
	const uint16_t received[] = { DR_BREAK, DR_FRAMING | 'x', 0, 'k', 'l' };
	uint8_t byte = 0;

	assert_true(open_port());
	assert_false(uart_read(&uart, &byte));
	port.received = received;
	port.left = sizeof(received) / sizeof(received[0]);
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'k');
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'l');
	assert_false(uart_read(&uart, &byte));
}

/* The probe changes nothing, since the firmware may still use the port. */
TEST_F(start, NULL, test_probe_changes_nothing)
{
	assert_true(uart_probe(&uart, &why));
	assert_int_equal(port.mask, port.first_mask);
	assert_int_equal(port.others, 0);
	assert_int_equal(port.bytes, 0);
}

/* SBSA's generic UART has no ID registers. */
TEST_F(start, NULL, test_without_ids)
{
	port.ids = NULL;
	assert_true(uart_probe(&uart, &why));
}

/* PL031, a clock: DDI 0224, 3.3.9. */
TEST_F(start, NULL, test_another_device)
{
	static const uint8_t clock_ids[IDS] = { 0x31, 0x10, 0x04, 0x00, 0x0d, 0xf0, 0x05, 0xb1 };

	port.ids = clock_ids;
	assert_absent("has the ID registers of another device");
	assert_int_equal(port.others, 0);
	assert_int_equal(port.mask, port.first_mask);
}

/* A bus with nobody on it may read as zero: then no flag is set. */
TEST_F(start, NULL, test_nothing_that_reads_as_zero)
{
	port.ids = NULL;
	port.no_mask = true;
	assert_absent("does not hold what is written to its interrupt mask");
}
