/* SPDX-License-Identifier: BSD-2-Clause */
/* Families of Intel's gigabit cards, and of those for 2.5 Gbit/s. */
#include "e1000e_row.h"

#include <stddef.h>

#define VENDOR_INTEL 0x8086u

#define ALL UINT32_MAX

/* Transmit commands: end of packet, insert checksum, report status. */
#define TX_COMMAND UINT32_C(0x0b000000)
/* Receive errors: checksum, symbol, sequence, carrier extension, data. */
#define RX_ERRORS UINT64_C(0x97)

/* 8254x SDM 3.2.3 and 3.3.3. */
static const struct e1000e_format legacy = {
	.tx_command = TX_COMMAND,
	.rx_done = UINT64_C(1) << 32,
	.rx_end = UINT64_C(2) << 32,
	.rx_errors = RX_ERRORS << 40,
	.rx_length = 0,
};

/* I210 chapter 7: advanced, one buffer; data descriptor with its payload's length. */
static const struct e1000e_format advanced = {
	.tx_command = TX_COMMAND | UINT32_C(0x20300000),
	.tx_total = UINT32_C(1) << 14,
	.rx_done = 1,
	.rx_end = 2,
	.rx_errors = RX_ERRORS << 24,
	.rx_length = 32,
};

static const struct e1000e_places usual = {
	.rx_ring = 0x2800,
	.tx_ring = 0x3800,
	.icr = 0x00c0,
	.imc = 0x00d8,
	.end = 0x6000,
};

/* The I210 has them here as well; the I225 here alone (open drivers). */
static const struct e1000e_places further_up = {
	.rx_ring = 0xc000,
	.tx_ring = 0xe000,
	.icr = 0x1500,
	.imc = 0x150c,
	.end = 0x10000,
};

/* 8254x SDM, MDIC: write register 0 of the PHY at that address. */
#define PHY_AT(address) (UINT32_C(1) << 26 | (address) << 21)

/* A step, or a lock. */
#define REGISTER(...)       \
	{                   \
		__VA_ARGS__ \
	}

/* Inform the management firmware that a driver is loaded. */
#define DRIVER_LOADED      REGISTER(E1000E_CTRL_EXT, ALL, UINT32_C(1) << 28)
#define DRIVER_LOADED_SWSM REGISTER(E1000E_SWSM, ALL, UINT32_C(1) << 3)
/* Write each descriptor back by itself; thresholds are in descriptors; count them. */
#define WRITE_BACK REGISTER(E1000E_TXDCTL, ALL, UINT32_C(0x01410000))
/* 8254x SDM 13.4.34: gaps between frames on copper. */
#define COPPER_GAPS REGISTER(E1000E_TIPG, 0, UINT32_C(0x0060200a))
/* ICH8 corrupts frames with any other division of its buffer: 8 KB, of 16 KB. */
#define ICH8_BUFFER REGISTER(E1000E_PBA, 0, 8), REGISTER(E1000E_PBS, 0, 16)
/* I210 8.3: these survive resets, and a size that somebody else chose stops it. */
#define I210_BUFFER \
	REGISTER(E1000E_RXPBS, 0, UINT32_C(0xa2)), REGISTER(E1000E_TXPBS, 0, UINT32_C(0x04000014))
/* I219 hangs at its next reset without this, which has no public description. */
#define I219_HANG REGISTER(E1000E_FEXTNVM11, ALL, UINT32_C(1) << 13)
/*
 * I225 Specification Update 1.2, "IEEE behavior in 2.5Gbps mode": the gap that a reset chooses is
 * too short there. This one, from open drivers, is longer than need be at other speeds.
 */
#define I225_GAP REGISTER(E1000E_TIPG, ALL << 10, 0x0b)
/* Buffers of 2 KB, advanced descriptors with one buffer. */
#define ADVANCED_QUEUE    REGISTER(E1000E_SRRCTL, 0, UINT32_C(0x02000002))
#define ADVANCED_QUEUE_UP REGISTER(E1000E_SRRCTL_UP, 0, UINT32_C(0x02000002))
#define QUEUE_ENABLE      (UINT32_C(1) << 25)
/* 82574 10.2.2.11: MDIO software ownership; ICH8 to I219 call the same bit SWFLAG. */
#define LOCK_EXTCNF REGISTER(E1000E_EXTCNF, 1u << 5, 1u << 5)
/* 82576 8.8.3: SWESMBI, against firmware, and SMBI, against other software, set by each read. */
#define LOCK_SWSM REGISTER(E1000E_SWSM, 2u, 3u)

static const uint16_t ids_8254x[] = {
	0x100c, 0x100e, 0x100f, 0x1010, 0x1015, 0x1016, 0x1017, 0x101e, 0x1026, 0x1079, 0,
};
/* 82571, 82572. */
static const uint16_t ids_82571[] = { 0x105e, 0x10a4, 0x10bc, 0x10d5, 0x107d, 0x10b9, 0 };
/* 82574, 82583. */
static const uint16_t ids_82574[] = { 0x10d3, 0x10f6, 0x150c, 0 };
static const uint16_t ids_82573[] = { 0x108b, 0x108c, 0x109a, 0 };
static const uint16_t ids_ich8[] = { 0x1049, 0x104a, 0x104b, 0x104c, 0x104d,
				     0x10c4, 0x10c5, 0x1501, 0 };
/* ICH9, ICH10, 5 and 6 series (82577 to 82579), I217, I218. */
static const uint16_t ids_ich9[] = {
	0x10bd, 0x10bf, 0x10c0, 0x10c2, 0x10c3, 0x10cb, 0x10cc, 0x10cd, 0x10ce, 0x10de,
	0x10df, 0x10e5, 0x10f5, 0x1525, 0x294c, 0x10ea, 0x10eb, 0x10ef, 0x10f0, 0x1502,
	0x1503, 0x153a, 0x153b, 0x1559, 0x155a, 0x15a0, 0x15a1, 0x15a2, 0x15a3, 0,
};
static const uint16_t ids_i219[] = {
	0x156f, 0x1570, 0x15b7, 0x15b8, 0x15b9, 0x15d6, 0x15d7, 0x15d8, 0x15e3, 0x15bb, 0x15bc,
	0x15bd, 0x15be, 0x15df, 0x15e0, 0x15e1, 0x15e2, 0x0d4c, 0x0d4d, 0x0d4e, 0x0d4f, 0x0d53,
	0x0d55, 0x15f4, 0x15f5, 0x15f9, 0x15fa, 0x15fb, 0x15fc, 0x1a1c, 0x1a1d, 0x1a1e, 0x1a1f,
	0x0dc5, 0x0dc6, 0x0dc7, 0x0dc8, 0x550a, 0x550b, 0x550c, 0x550d, 0x550e, 0x550f, 0x5510,
	0x5511, 0x57a0, 0x57a1, 0x57b3, 0x57b4, 0x57b5, 0x57b6, 0x57b7, 0x57b8, 0,
};
/* 82575, 82576, 82580, I350. */
static const uint16_t ids_igb[] = {
	0x10a7, 0x10d6, 0x10c9, 0x10e8, 0x1526, 0x150a, 0x150e, 0x1516, 0x1521, 0,
};
static const uint16_t ids_i210[] = { 0x1533, 0x157b, 0x1539, 0 };
/* I225, I226, and I220, I221 as well; Linux, igc_hw.h. */
static const uint16_t ids_i225[] = { 0x15f2, 0x15f3, 0x15f7, 0x15f8, 0x0d9f, 0x3100, 0x3101, 0x3102,
				     0x5502, 0x5503, 0x125b, 0x125c, 0x125d, 0x125e, 0 };

static const struct e1000e_row rows[] = {
	{ ids_8254x, &legacy, &usual, .mdic = PHY_AT(1), .after_reset = { COPPER_GAPS } },
	{ ids_82571, &legacy, &usual, .pcie = true, .mdic = PHY_AT(1), .lock = LOCK_SWSM,
	  .after_reset = { DRIVER_LOADED, WRITE_BACK } },
	{ ids_82574, &legacy, &usual, .pcie = true, .mdic = PHY_AT(1), .lock = LOCK_EXTCNF,
	  .after_reset = { DRIVER_LOADED, WRITE_BACK } },
	{ ids_82573, &legacy, &usual, .pcie = true, .lock = LOCK_EXTCNF,
	  .after_reset = { DRIVER_LOADED_SWSM, WRITE_BACK } },
	{ ids_ich8, &legacy, &usual, .pcie = true, .lock = LOCK_EXTCNF,
	  .before_reset = { ICH8_BUFFER }, .after_reset = { DRIVER_LOADED, WRITE_BACK } },
	{ ids_ich9, &legacy, &usual, .pcie = true, .lock = LOCK_EXTCNF,
	  .after_reset = { DRIVER_LOADED, WRITE_BACK } },
	{ ids_i219, &legacy, &usual, .pcie = true, .lock = LOCK_EXTCNF, .sticks = true,
	  .before_reset = { I219_HANG }, .after_reset = { I219_HANG, DRIVER_LOADED, WRITE_BACK } },
	{ ids_igb, &advanced, &usual, .pcie = true, .mdic = PHY_AT(1), .lock = LOCK_SWSM,
	  .sync = true, .queue_enable = QUEUE_ENABLE,
	  .after_reset = { DRIVER_LOADED, ADVANCED_QUEUE } },
	{ ids_i210, &advanced, &usual, .pcie = true, .mdic = PHY_AT(1), .lock = LOCK_SWSM,
	  .sync = true, .queue_enable = QUEUE_ENABLE, .before_reset = { I210_BUFFER },
	  .after_reset = { DRIVER_LOADED, ADVANCED_QUEUE } },
	{ ids_i225, &advanced, &further_up, .pcie = true, .mdic = PHY_AT(0), .lock = LOCK_SWSM,
	  .sync = true, .queue_enable = QUEUE_ENABLE,
	  .after_reset = { DRIVER_LOADED, I225_GAP, ADVANCED_QUEUE_UP } },
};

static bool lists(const uint16_t *device, uint16_t wanted)
{
	while (*device && *device != wanted)
		device++;
	return *device;
}

const struct e1000e_row *e1000e_row(uint32_t id)
{
	if ((id & 0xffff) != VENDOR_INTEL)
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (lists(rows[i].device, (uint16_t)(id >> 16)))
			return &rows[i];
	return NULL;
}
