/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports: a 16550 at COM1, a real-time clock, the registers of ACPI; and the tables. */
#include "mocked_inside.h"

#include "core/lib/text.h"
#include "tests/registers.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCESS_TICKS 10000 /* ticks per access to a port: 5 us */
/* Ticks per read of the PM timer: 50 us, as the program polls it until 100 ms have passed. */
#define TIMER_TICKS 100000

#define COM1        0x3f8
#define UART_DATA   (COM1 + 0)
#define UART_LCR    (COM1 + 3)
#define UART_LSR    (COM1 + 5)
#define UART_SCR    (COM1 + 7)
#define LCR_DLAB    0x80
#define LSR_DATA    0x01
#define LSR_FREE    0x60
#define RTC_INDEX   0x70
#define RTC_DATA    0x71
#define RTC_B       0x0b
#define RTC_B_24H   0x02
#define RTC_D       0x0d
#define RTC_D_VALID 0x80
#define SMI_CMD     0xb2
#define ACPI_ENABLE 0xa0
#define PM1_CNT     0x404
#define SLP_EN      0x2000
#define PM_TIMER    0x408
#define PM_HZ       3579545u
#define ABSENT      0xff
#define LOOKS_MAX   20000

static struct {
	uint8_t lcr, scratch, index;
	bool typed, sci_en;
	unsigned looks; /* looks for a key without success */
} port;

/* ---- The serial port ---- */

static void send(uint8_t byte)
{
	if (mocked_shared->bytes < MOCKED_SERIAL_MAX - 1)
		mocked_shared->serial[mocked_shared->bytes++] = (char)byte;
}

static bool is_typed(void)
{
	return mocked->key && !port.typed && mocked_clock() >= mocked_ticks(mocked->key_at);
}

bool mocked_take_key(void)
{
	bool typed = is_typed();

	port.typed = port.typed || typed;
	if (!typed && ++port.looks == LOOKS_MAX)
		mocked_halt();
	return typed;
}

static uint8_t read_serial(uint16_t at)
{
	if (mocked->no_serial)
		return ABSENT;
	switch (at) {
	case UART_DATA:
		port.typed = port.typed || is_typed();
		return (uint8_t)mocked->key;
	case UART_LSR:
		return LSR_FREE | (is_typed() ? LSR_DATA : 0);
	case UART_SCR:
		return port.scratch;
	default:
		return 0;
	}
}

static void write_serial(uint16_t at, uint8_t value)
{
	if (mocked->no_serial)
		return;
	if (at == UART_DATA && !(port.lcr & LCR_DLAB))
		send(value);
	else if (at == UART_LCR)
		port.lcr = value;
	else if (at == UART_SCR)
		port.scratch = value;
}

/* ---- The real-time clock, in BCD ---- */

/*
 * The clock shows 6 May 2031, 07:00:00 at the first power on, and a minute more at each later one.
 */

static uint8_t bcd(uint64_t v)
{
	return (uint8_t)(v / 10 << 4 | v % 10);
}

static uint8_t read_rtc(void)
{
	uint64_t s = mocked_clock() / MOCKED_HZ + 60 * mocked_minutes();

	if (mocked->no_rtc)
		abort();

	switch (port.index & 0x7f) {
	case 0:
		return bcd(s % 60);
	case 2:
		return bcd(s / 60 % 60);
	case 4:
		return bcd(7 + s / 3600);
	case 7:
		return bcd(6);
	case 8:
		return bcd(5);
	case 9:
		return bcd(31);
	case RTC_B:
		return RTC_B_24H;
	case RTC_D:
		return RTC_D_VALID;
	default:
		return 0;
	}
}

/* ---- All ports ---- */

static uint32_t port_in(uint16_t at, unsigned bytes)
{
	mocked_pass(at == PM_TIMER ? TIMER_TICKS : ACCESS_TICKS);
	if (bytes == 4 && at == PM_TIMER)
		return (uint32_t)((unsigned __int128)mocked_clock() * PM_HZ / MOCKED_HZ) & 0xffffff;
	if (bytes == 2 && at == PM1_CNT)
		return port.sci_en;
	if (bytes == 1 && at >= COM1 && at <= UART_SCR)
		return read_serial(at);
	return bytes == 1 && at == RTC_DATA ? read_rtc() : UINT32_MAX;
}

static void port_out(uint16_t at, uint32_t value, unsigned bytes)
{
	mocked_pass(ACCESS_TICKS);
	/* ACPI 6.5, 4.8.3.2.1: SLP_EN. */
	if (bytes == 2 && at == PM1_CNT && value & SLP_EN)
		mocked_end(MOCKED_OFF_ALONE, 0);
	if (bytes != 1)
		return;
	if (at >= COM1 && at <= UART_SCR)
		write_serial(at, (uint8_t)value);
	else if (at == RTC_INDEX)
		port.index = (uint8_t)value;
	else if (at == SMI_CMD && value == ACPI_ENABLE)
		port.sci_en = true;
}

/* No device has its registers in memory: what is read is 0. */
static uint32_t memory_in(uint64_t address, unsigned bytes)
{
	(void)address, (void)bytes;
	return 0;
}

static void memory_out(uint64_t address, uint32_t value, unsigned bytes)
{
	(void)value, (void)bytes;
	if (address < MOCKED_DEVICES) {
		fprintf(stderr, "memory is written as a device, at 0x%llx\n",
			(unsigned long long)address);
		abort();
	}
}

REGISTERS(port_in, port_out, memory_in, memory_out)

/* ---- The tables: ACPI 6.5, 5.2 ---- */

#define HEADER 36
#define FADT   244

/* Name (_S5, Package () { 5, 5, 0, 0 }) */
static const uint8_t s5[] = { 0x08, '_',  'S',  '5',  '_',  0x12, 0x08,
			      0x04, 0x0a, 0x05, 0x0a, 0x05, 0x00, 0x00 };

static uint8_t dsdt[HEADER + sizeof(s5)];
static uint8_t madt[HEADER + 8 + 8 * MOCKED_CORES], fadt[FADT], rsdp[36];
static uint8_t xsdt[HEADER + 8 * 3], spcr[HEADER + MOCKED_SPCR];

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void close_sum(uint8_t *at, size_t bytes, size_t sum)
{
	at[sum] = 0;
	for (size_t i = 0; i < bytes; i++)
		if (i != sum)
			at[sum] = (uint8_t)(at[sum] - at[i]);
}

static void close_table(uint8_t *table, const char *name, size_t bytes, uint8_t revision)
{
	memcpy(table, name, 4);
	put(table + 4, bytes, 4);
	table[8] = revision;
	close_sum(table, bytes, 9);
}

static void fill_madt(void)
{
	uint32_t cores = mocked->cores ? mocked->cores : 1;

	put(madt + HEADER, 0xfee00000, 4);
	for (uint32_t i = 0; i < cores; i++) {
		uint8_t *entry = madt + HEADER + 8 + 8 * i;

		entry[0] = 0; /* Processor Local APIC */
		entry[1] = 8;
		entry[2] = (uint8_t)i;
		entry[3] = (uint8_t)(2 * i);
		entry[4] = 1; /* enabled */
	}
	close_table(madt, "APIC", HEADER + 8 + 8 * cores, 3);
}

static void fill_fadt(void)
{
	put(fadt + 48, SMI_CMD, 4);
	fadt[52] = ACPI_ENABLE;
	fadt[53] = ACPI_ENABLE + 1;
	put(fadt + 64, PM1_CNT, 4);
	put(fadt + 76, PM_TIMER, 4);
	fadt[89] = 2; /* PM1_CNT_LEN */
	fadt[91] = 4; /* PM_TMR_LEN */
	fadt[109] = mocked->no_rtc ? 1 << 5 : 0;
	if (mocked->s5) {
		memcpy(dsdt + HEADER, s5, sizeof(s5));
		close_table(dsdt, "DSDT", sizeof(dsdt), 2);
		put(fadt + 140, (uintptr_t)dsdt, 8); /* X_DSDT */
	}
	close_table(fadt, "FACP", FADT, mocked->no_rtc ? 5 : 3);
}

uint64_t mocked_tables(void)
{
	fill_madt();
	fill_fadt();
	put(xsdt + HEADER, (uintptr_t)madt, 8);
	put(xsdt + HEADER + 8, (uintptr_t)fadt, 8);
	if (mocked->spcr) {
		memcpy(spcr + HEADER, mocked->spcr, MOCKED_SPCR);
		close_table(spcr, "SPCR", sizeof(spcr), 2);
		put(xsdt + HEADER + 16, (uintptr_t)spcr, 8);
	}
	close_table(xsdt, "XSDT", HEADER + (mocked->spcr ? 24 : 16), 1);
	memcpy(rsdp, "RSD PTR ", 8);
	rsdp[15] = 2;
	put(rsdp + 20, sizeof(rsdp), 4);
	put(rsdp + 24, (uintptr_t)xsdt, 8);
	close_sum(rsdp, 20, 8);
	close_sum(rsdp, sizeof(rsdp), 32);
	return (uintptr_t)rsdp;
}
