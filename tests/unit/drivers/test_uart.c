/* SPDX-License-Identifier: BSD-2-Clause */
/* The UART driver against a mocked 16550: present, absent, stuck, and slow. */
#include "drivers/uart.h"

#include <stdlib.h>
#include <string.h>

#include "tests/registers.h"
#include "tests/unit/common/test.h"

#define BASE           0x2e8
#define UART_REGISTERS 8
#define SENT_MAX       1000
#define LSR_RX         0x01
#define LSR_ROOM       0x20
#define LSR_EMPTY      0x40
#define LSR_BREAK      0x10
#define LSR_FRAME      0x08
#define LSR_PARITY     0x04
#define LSR_OVERRUN    0x02
#define END_OF_ERRORS  0xff
#define AUX_ENABLES    0x04
#define MINI_FIRST     0x40

/* Registers as the data sheet has them; with DLAB set, 0 and 1 are the divisor. */
static struct {
	uint64_t base;
	unsigned stride, access; /* distance and width of its registers, bytes */
	uint8_t scratch, lcr, ier, fcr, mcr, divisor[2], lsr;
	bool no_scratch;
	const uint32_t *enables; /* AUX_ENABLES of a BCM2835; NULL: a plain 16550 */
	bool absent;
	uint8_t floating; /* reading of an absent port */
	char sent[SENT_MAX];
	size_t sent_bytes, in_burst, longest_burst;
	const char *received;
	unsigned polls; /* reads of LSR */
	unsigned busy;  /* polls after each burst before there is room again */
	unsigned wait;
	unsigned outside;      /* accesses outside the port's registers */
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
	assert_true(bytes >= UART_REGISTERS);
	return !port.unmapped;
}

static uint8_t read_register(unsigned reg)
{
	if (port.absent)
		return port.floating;
	switch (reg) {
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
		return port.no_scratch ? 0 : port.scratch;
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

static void write_register(unsigned reg, uint8_t value)
{
	switch (reg) {
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
		port.cut_off |= port.wait != 0;
		port.mcr = value;
		break;
	case 7:
		port.scratch = value;
		break;
	default:
		break;
	}
}

/* The register that an access addresses; UART_REGISTERS if it is none, or has the wrong width. */
static unsigned register_at(uint64_t address, unsigned bytes)
{
	uint64_t at = address - port.base;

	if (address < port.base || at % port.stride || at / port.stride >= UART_REGISTERS ||
	    bytes != port.access) {
		port.outside++;
		return UART_REGISTERS;
	}
	return (unsigned)(at / port.stride);
}

/* Bytes above a register's width are undefined. */
static uint32_t read_at(uint64_t address, unsigned bytes)
{
	if (port.enables && address == port.base - MINI_FIRST + AUX_ENABLES)
		return *port.enables;
	return read_register(register_at(address, bytes)) | (bytes == 4 ? 0xabcdef00 : 0);
}

static void write_at(uint64_t address, uint32_t value, unsigned bytes)
{
	write_register(register_at(address, bytes), (uint8_t)value);
}

REGISTERS(read_at, write_at, read_at, write_at)

/* hz is 0: the driver cannot wait by time, and polls the minimum number of times. */
static struct uart uart;

static void start(void)
{
	memset(&port, 0, sizeof(port));
	port.lsr = LSR_ROOM | LSR_EMPTY;
	port.ier = 0x0f;
	port.divisor[0] = 0x34;
	port.divisor[1] = 0x12;
	port.received = "";
	port.base = BASE;
	port.stride = port.access = 1;
	uart = (struct uart){
		.port = { .kind = SERIAL_PORT_16550, .base = BASE, .stride = 1, .access = 1 },
		.baud = 115200
	};
}

static const char *why;

/* Probe and open the port, as is done for the firmware's console. */
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

TEST_F(start, NULL, test_open)
{
	assert_true(open_port());
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
		start();
		uart.baud = rows[i].baud;
		assert_true(open_port());
		assert_int_equal(port.divisor[0] | port.divisor[1] << 8, rows[i].divisor);
		assert_int_equal(port.ier, 0);
		assert_false(dlab());
	}
}

/* baud 0: as the firmware left it. */
TEST_F(start, NULL, test_rate_left_alone)
{
	uart.baud = 0;
	assert_true(open_port());
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
		start();
		port.absent = true;
		port.floating = floating[i];
		assert_false(open_port());
		assert_dead();
	}
}

static const char no_scratch[] = "does not hold what is written to its scratch register";

/* Something holds the scratch register's value, but is no UART. */
TEST_F(start, NULL, test_no_line_status)
{
	port.lsr = 0xff;
	assert_absent("has a line status of 0xff");
	assert_false(open_port());
	assert_dead();
}

TEST_F(start, NULL, test_no_scratch_register)
{
	port.no_scratch = true;
	assert_absent(no_scratch);
	port.absent = true;
	port.floating = 0xff;
	assert_absent(no_scratch);
}

/*
 * The probe leaves all registers but the scratch register as they were: the firmware may still use
 * the port.
 */
TEST_F(start, NULL, test_probe_leaves_the_line_alone)
{
	port.lcr = 0x07;
	port.mcr = 0x0b;
	assert_true(uart_probe(&uart, &why));
	assert_int_equal(port.lcr, 0x07);
	assert_int_equal(port.mcr, 0x0b);
	assert_int_equal(port.ier, 0x0f);
	assert_int_equal(port.fcr, 0);
	assert_int_equal(port.sent_bytes, 0);
	assert_int_equal(port.outside, 0);
}

/* The firmware's last byte is on the wire: the probe does not change the line, a set-up waits. */
TEST_F(start, NULL, test_open_waits_for_what_was_sent)
{
	port.wait = 20;
	assert_true(uart_probe(&uart, &why));
	assert_false(port.cut_off);
	port.wait = 20;
	uart_open(&uart);
	assert_int_equal(port.wait, 0);
	assert_false(port.cut_off);
}

TEST_F(start, NULL, test_write)
{
	char bytes[333];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	port.busy = 50;
	assert_true(open_port());
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
	assert_true(open_port());
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

	assert_true(open_port());
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
	assert_true(open_port());
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
	assert_true(open_port());
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

	assert_true(open_port());
	assert_false(uart_read(&uart, &byte));
	port.received = "qz";
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'q');
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'z');
	assert_false(uart_read(&uart, &byte));
	assert_int_equal(byte, 'z');
}

/* Noise of an open line, a pulled cable, or a board's controller is not taken for keys. */
TEST_F(start, NULL, test_noise_is_not_read)
{
	static const uint8_t errors[] = { LSR_BREAK, LSR_FRAME,   LSR_PARITY,
					  0,         LSR_OVERRUN, END_OF_ERRORS };
	uint8_t byte = 0;

	assert_true(open_port());
	port.received = "abc";
	port.errors = errors; /* the last two bytes: a NUL, and a valid one after an overrun */
	assert_false(uart_read(&uart, &byte));
	assert_int_equal(byte, 0);
	port.received = "q";
	port.errors = (const uint8_t[]){ LSR_OVERRUN, END_OF_ERRORS };
	assert_true(uart_read(&uart, &byte));
	assert_int_equal(byte, 'q');
}

/* A line that is held in break for ever does not block uart_read(). */
TEST_F(start, NULL, test_a_line_that_only_breaks)
{
	static uint8_t breaks[2000];
	uint8_t byte;

	memset(breaks, LSR_BREAK, sizeof(breaks));
	assert_true(open_port());
	port.polls = 0;
	port.errors = breaks;
	assert_false(uart_read(&uart, &byte));
	assert_in_range(port.polls, 1, 100);
}

TEST_F(start, NULL, test_memory_that_cannot_be_reached)
{
	uart.port = (struct serial_port){ .kind = SERIAL_PORT_16550,
					  .mmio = true,
					  .base = UINT64_C(1) << 45,
					  .stride = 4,
					  .access = 4 };
	port.unmapped = true;
	assert_absent("cannot be mapped");
	assert_false(uart.present);
}

/* Registers are accessed with the port's width and stride. */
TEST_F(start, NULL, test_widths)
{
	static const struct {
		uint8_t stride, access;
	} rows[] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 4, 1 }, { 4, 2 }, { 4, 4 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t byte = 0;

		start();
		port.base = uart.port.base = UINT64_C(0xfe032000);
		port.stride = uart.port.stride = rows[i].stride;
		port.access = uart.port.access = rows[i].access;
		uart.port.mmio = true;
		assert_true(uart_probe(&uart, &why));
		assert_true(open_port());
		assert_int_equal(port.lcr, 0x03);
		uart_write(&uart, "a", 1);
		assert_int_equal(port.sent[0], 'a');
		port.received = "k";
		assert_true(uart_read(&uart, &byte));
		assert_int_equal(byte, 'k');
		assert_int_equal(port.outside, 0);
		assert_int_equal(uart_bytes(&uart.port), 8 * rows[i].stride);
	}
}

/*
 * BCM2835 ARM Peripherals, 2.2: the registers begin at 0x40, and are off until enabled in
 * AUX_ENABLES.
 */
TEST_F(start, NULL, test_mini_uart)
{
	uint32_t enables = 0x06; /* the two SPIs */

	port.enables = &enables;
	port.base = UINT64_C(0x3f215040);
	port.stride = port.access = 4;
	uart.port = (struct serial_port){ .kind = SERIAL_PORT_BCM2835,
					  .mmio = true,
					  .base = UINT64_C(0x3f215000),
					  .stride = 4,
					  .access = 4 };
	uart.baud = 0;
	assert_absent("is switched off in AUX_ENABLES");
	enables |= 1;
	assert_true(uart_probe(&uart, &why));
	assert_true(open_port());
	uart_write(&uart, "abc", 3);
	assert_memory_equal(port.sent, "abc", 3);
	assert_int_equal(port.longest_burst, 1); /* THRE: room for one */
	assert_int_equal(port.divisor[0], 0x34);
	assert_int_equal(port.outside, 0);
	assert_int_equal(uart_bytes(&uart.port), 0x60);
	port.no_scratch = true;
	assert_absent(no_scratch);
}
