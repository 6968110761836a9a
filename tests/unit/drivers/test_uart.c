/* SPDX-License-Identifier: BSD-2-Clause */
/* The UART driver against a 16550 played here: present, absent, stuck, and slow. */
#include "arch/arch.h"
#include "drivers/uart.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define BASE          0x2e8
#define REGISTERS     8
#define SENT_MAX      1000
#define LSR_RX        0x01
#define LSR_ROOM      0x20
#define LSR_EMPTY     0x40
#define LSR_BREAK     0x10
#define LSR_FRAME     0x08
#define LSR_PARITY    0x04
#define LSR_OVERRUN   0x02
#define END_OF_ERRORS 0xff

/* Registers as the data sheet has them; with DLAB set, 0 and 1 are the divisor. */
static struct {
	uint8_t scratch, lcr, ier, fcr, mcr, divisor[2], lsr;
	bool absent;
	uint8_t floating; /* what an absent port reads as */
	char sent[SENT_MAX];
	size_t sent_bytes, in_burst, longest_burst;
	const char *received;
	unsigned polls; /* of LSR */
	unsigned busy;  /* polls after each burst before there is room again */
	unsigned wait;
	unsigned outside;      /* accesses that are not the port's */
	const uint8_t *errors; /* LSR's error bits with each received byte; NULL: none */
	bool unmapped;         /* its memory cannot be reached */
	bool cut_off;          /* the line was set up while a byte was on the wire */
} port;

static bool dlab(void)
{
	return port.lcr & 0x80;
}

static uint8_t line_status(void)
{
	uint8_t lsr = port.lsr;

	port.polls++;
	port.in_burst = 0;
	if (port.wait) {
		port.wait--;
		lsr &= (uint8_t) ~(LSR_ROOM | LSR_EMPTY);
	}
	if (!*port.received && !port.errors)
		return lsr;
	return lsr | LSR_RX | (port.errors ? *port.errors : 0);
}

static uint8_t receive(void)
{
	if (port.errors && *++port.errors == END_OF_ERRORS)
		port.errors = NULL;
	return *port.received ? (uint8_t)*port.received++ : 0;
}

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	(void)address;
	assert_true(bytes >= REGISTERS);
	return !port.unmapped;
}

/* Only another kind has registers of 32 bits. */
uint32_t arch_mmio_read32(uint64_t address)
{
	(void)address;
	fail();
	return 0;
}

void arch_mmio_write32(uint64_t address, uint32_t value)
{
	(void)address, (void)value;
	fail();
}

uint8_t arch_in8(uint16_t at)
{
	if (at < BASE || at >= BASE + REGISTERS)
		port.outside++;
	if (port.absent)
		return port.floating;
	switch (at - BASE) {
	case 0:
		return dlab() ? port.divisor[0] : receive();
	case 1:
		return dlab() ? port.divisor[1] : port.ier;
	case 3:
		return port.lcr;
	case 4:
		return port.mcr;
	case 5:
		return line_status();
	case 7:
		return port.scratch;
	default:
		return 0;
	}
}

static void send(uint8_t byte)
{
	assert_true(port.sent_bytes < SENT_MAX);
	port.sent[port.sent_bytes++] = (char)byte;
	if (++port.in_burst > port.longest_burst)
		port.longest_burst = port.in_burst;
	port.wait = port.busy;
}

void arch_out8(uint16_t at, uint8_t value)
{
	if (at < BASE || at >= BASE + REGISTERS)
		port.outside++;
	switch (at - BASE) {
	case 0:
		if (dlab())
			port.divisor[0] = value;
		else
			send(value);
		break;
	case 1:
		*(dlab() ? &port.divisor[1] : &port.ier) = value;
		break;
	case 2:
		port.fcr = value;
		break;
	case 3:
		port.cut_off |= port.wait != 0;
		port.lcr = value;
		break;
	case 4:
		port.mcr = value;
		break;
	case 7:
		port.scratch = value;
		break;
	default:
		break;
	}
}

/* hz 0: no time to wait is given, so that only the least number of polls is left. */
static struct uart uart;

static int start(void **state)
{
	(void)state;
	memset(&port, 0, sizeof(port));
	port.lsr = LSR_ROOM | LSR_EMPTY;
	port.ier = 0x0f;
	port.divisor[0] = 0x34;
	port.divisor[1] = 0x12;
	port.received = "";
	uart = (struct uart){ .base = BASE, .stride = 1, .baud = 115200 };
	return 0;
}

TEST_F(start, NULL, test_open)
{
	assert_true(uart_open(&uart));
	assert_true(uart.present);
	assert_int_equal(port.lcr, 0x03); /* 8N1, DLAB off */
	assert_int_equal(port.ier, 0);    /* polled: no interrupts */
	assert_int_equal(port.fcr & 0x01, 1);
	assert_int_equal(port.mcr, 0x03);
	assert_int_equal(port.sent_bytes, 0);
	assert_int_equal(port.outside, 0);
}

TEST_F(start, NULL, test_divisor)
{
	static const struct {
		uint32_t baud;
		unsigned divisor;
	} rows[] = { { 115200, 1 }, { 57600, 2 }, { 9600, 12 }, { 300, 384 }, { 50, 2304 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(NULL);
		uart.baud = rows[i].baud;
		assert_true(uart_open(&uart));
		assert_int_equal(port.divisor[0] | port.divisor[1] << 8, rows[i].divisor);
		assert_int_equal(port.ier, 0);
		assert_false(dlab());
	}
}

/* baud 0: as the firmware left it. */
TEST_F(start, NULL, test_rate_left_alone)
{
	uart.baud = 0;
	assert_true(uart_open(&uart));
	assert_int_equal(port.divisor[0], 0x34);
	assert_int_equal(port.divisor[1], 0x12);
}

static void assert_dead(void)
{
	uint8_t byte = 0x77;

	assert_false(uart.present);
	port.polls = 0;
	uart_write(&uart, "swallowed", 9);
	uart_drain(&uart);
	assert_false(uart_read(&uart, &byte));
	assert_int_equal(byte, 0x77);
	assert_int_equal(port.polls, 0);
	assert_int_equal(port.sent_bytes, 0);
}

TEST_F(start, NULL, test_absent)
{
	static const uint8_t floating[] = { 0xff, 0x00, 0x5a, 0xa5 };

	for (size_t i = 0; i < sizeof(floating); i++) {
		start(NULL);
		port.absent = true;
		port.floating = floating[i];
		assert_false(uart_open(&uart));
		assert_dead();
	}
}

/* Something holds the scratch register's value, but is no UART. */
TEST_F(start, NULL, test_no_line_status)
{
	port.lsr = 0xff;
	assert_false(uart_open(&uart));
	assert_dead();
}

TEST_F(start, NULL, test_write)
{
	char bytes[333];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	port.busy = 50;
	assert_true(uart_open(&uart));
	uart_write(&uart, bytes, sizeof(bytes));
	assert_int_equal(port.sent_bytes, sizeof(bytes));
	assert_memory_equal(port.sent, bytes, sizeof(bytes));
	assert_in_range(port.longest_burst, 1, 16); /* the FIFO holds no more */
	assert_true(uart.present);
	uart_write(&uart, bytes, 0);
	assert_int_equal(port.sent_bytes, sizeof(bytes));
}

/* A transmitter that never has room is given up, after a bounded number of looks. */
TEST_F(start, NULL, test_stuck)
{
	assert_true(uart_open(&uart));
	port.lsr = 0;
	port.polls = 0;
	uart_write(&uart, "never sent", 10);
	assert_false(uart.present);
	assert_int_equal(port.sent_bytes, 0);
	assert_in_range(port.polls, 3, 100000);
	assert_dead();
}

/* Unplugged in mid-run: all ones is not "ready". */
TEST_F(start, NULL, test_goes_away)
{
	uint8_t byte;

	assert_true(uart_open(&uart));
	port.absent = true;
	port.floating = 0xff;
	assert_false(uart_read(&uart, &byte));
	uart_write(&uart, "never sent", 10);
	assert_false(uart.present);
	assert_int_equal(port.sent_bytes, 0);
}

/* Slow is not stuck: one late answer in a while does not add up to a dead port. */
TEST_F(start, NULL, test_late_answers_do_not_add_up)
{
	assert_true(uart_open(&uart));
	for (unsigned i = 0; i < 20; i++) {
		port.lsr = LSR_ROOM | LSR_EMPTY;
		uart_write(&uart, "x", 1);
		port.lsr = LSR_ROOM;
		uart_drain(&uart);
		assert_true(uart.present);
	}
	assert_int_equal(port.sent_bytes, 20);
}

TEST_F(start, NULL, test_drain_is_bounded)
{
	assert_true(uart_open(&uart));
	port.polls = 0;
	uart_drain(&uart);
	assert_int_equal(port.polls, 1);
	port.lsr = LSR_ROOM; /* never empty */
	for (unsigned i = 0; uart.present && i < 10; i++)
		uart_drain(&uart);
	assert_false(uart.present);
	assert_in_range(port.polls, 3, 100000);
}

TEST_F(start, NULL, test_read)
{
	uint8_t byte = 0;

	assert_true(uart_open(&uart));
	assert_false(uart_read(&uart, &byte));
	port.received = "qz";
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'q');
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'z');
	assert_false(uart_read(&uart, &byte));
	assert_int_equal(byte, 'z');
}

/* What an open line, a cable that is pulled, or a board's controller sends: nobody has typed it. */
TEST_F(start, NULL, test_noise_is_not_read)
{
	static const uint8_t errors[] = { LSR_BREAK, LSR_FRAME,   LSR_PARITY,
					  0,         LSR_OVERRUN, END_OF_ERRORS };
	uint8_t byte = 0;

	assert_true(uart_open(&uart));
	port.received = "abc";
	port.errors = errors; /* the last two bytes are a NUL, and a good one after an overrun */
	assert_false(uart_read(&uart, &byte));
	assert_int_equal(byte, 0);
	port.received = "q";
	port.errors = (const uint8_t[]){ LSR_OVERRUN, END_OF_ERRORS };
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'q');
}

/* An end to it, however long the line is held. */
TEST_F(start, NULL, test_a_line_that_only_breaks)
{
	static uint8_t breaks[2000];
	uint8_t byte;

	memset(breaks, LSR_BREAK, sizeof(breaks));
	assert_true(uart_open(&uart));
	port.polls = 0;
	port.errors = breaks;
	assert_false(uart_read(&uart, &byte));
	assert_in_range(port.polls, 1, 100);
}

/* The firmware's last bytes are still on the wire. */
TEST_F(start, NULL, test_the_line_is_set_up_when_it_is_quiet)
{
	port.wait = 20;
	assert_true(uart_open(&uart));
	assert_int_equal(port.wait, 0);
	assert_false(port.cut_off);
}

TEST_F(start, NULL, test_memory_that_cannot_be_reached)
{
	uart = (struct uart){ .mmio = true, .base = UINT64_C(1) << 45, .stride = 4 };
	port.unmapped = true;
	assert_false(uart_open(&uart));
	assert_false(uart.present);
}

/* In memory, four bytes apart: plain words, which hold what is written to them. */
TEST_F(start, NULL, test_in_memory)
{
	uint32_t words[REGISTERS] = { [5] = LSR_ROOM | LSR_EMPTY };
	uint8_t byte = 0;

	uart = (struct uart){ .mmio = true, .base = (uintptr_t)words, .stride = 4, .baud = 9600 };
	assert_true(uart_open(&uart));
	assert_int_equal(words[3], 0x03);
	uart_write(&uart, "a", 1);
	assert_int_equal(words[0], 'a');
	words[5] |= LSR_RX;
	words[0] = 'k';
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'k');
	words[5] = 0xffffffff;
	assert_false(uart_open(&uart));
	assert_int_equal(port.polls, 0);
}

TEST_F(start, NULL, test_in_memory_bytes)
{
	uint8_t bytes[REGISTERS] = { [5] = LSR_ROOM | LSR_EMPTY };

	uart = (struct uart){ .mmio = true, .base = (uintptr_t)bytes, .stride = 1, .baud = 9600 };
	assert_true(uart_open(&uart));
	uart_write(&uart, "b", 1);
	assert_int_equal(bytes[0], 'b');
	assert_int_equal(bytes[3], 0x03);
}
