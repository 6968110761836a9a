/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's gigabit cards, those whose first queue works by one set of registers: 8254x, 82571 to
 * 82574, 82583, the ports of chipsets from ICH8 on (I217, I218, I219), 82575, 82576, 82580, I350,
 * I210, I211, and for 2.5 Gbit/s I225, I226. Copper only. Differences are in a table, by PCI id.
 *
 * Broadcasts, the card's own address, and all multicast are received. The PHY is left as the
 * firmware set it up, except if the card has no link and the PHY can be accessed directly: then it
 * negotiates again, unless management firmware reserves or does not release it.
 *
 * Sources: PCI/PCI-X Family of Gigabit Ethernet Controllers Software Developer's Manual, rev. 4.0;
 * 82574 GbE Controller Family Datasheet, rev. 3.4; 82576 and I210 Datasheets; what ICH8, I210, I219
 * and I225 need beyond that, from open drivers.
 *
 * Seen working, in emulation only: 82540EM, 82545EM, 82544GC and 82574L in QEMU 7.2, 82576 in QEMU
 * 10. No row has been seen on hardware.
 */
#include "e1000e_row.h"

#include "arch/arch.h"
#include "core/lib/mem.h"
#include "drivers/deadline.h"

/* 8254x SDM chapter 13, 82574 chapter 10, I210 chapter 8. */
#define CTRL                0x0000u
#define CTRL_MASTER_DISABLE (1u << 2)
#define CTRL_LINK_RESET     (1u << 3)
#define CTRL_SET_LINK_UP    (1u << 6)
#define CTRL_FORCE_SPEED    (1u << 11)
#define CTRL_FORCE_DUPLEX   (1u << 12)
#define CTRL_RESET          (1u << 26)
#define CTRL_PAUSE          (3u << 27) /* flow control, receive and transmit */
#define CTRL_VLAN           (1u << 30) /* takes tags off */
#define STATUS              0x0008u
#define STATUS_LINK         (1u << 1)
#define STATUS_FUNCTION     2 /* shift of 2 bits: which port of the chip */
#define STATUS_MASTER       (1u << 19)
#define MDIC                0x0020u
#define MDIC_READY          (1u << 28)
#define RCTL                0x0100u
#define RCTL_ENABLE         (1u << 1)
#define RCTL_ALL_MULTICAST  (1u << 4)
#define RCTL_BROADCAST      (1u << 15)
#define RCTL_STRIP_CHECKSUM (1u << 26) /* the buffer size of 2 KB needs no bit */
#define TCTL                0x0400u
#define TCTL_ENABLE         (1u << 1)
#define TCTL_PAD            (1u << 3)
#define TCTL_COLLISIONS     (0x0fu << 4 | 0x40u << 12) /* 15 tries, 64 byte times */
#define TCTL_COLLISION_MASK (0xffu << 4 | 0x3ffu << 12)
#define RAL0                0x5400u
#define RAH0                0x5404u
#define RAH0_VALID          (1u << 31)
#define MANC                0x5820u
#define MANC_KEEP_PHY       (1u << 18) /* its firmware uses the link: nobody resets the PHY */
#define SW_FW_SYNC          0x5b5cu    /* software's bits, and 16 further up firmware's */

/* Registers of a ring, from its base. */
#define RING_LOW     0x00u
#define RING_HIGH    0x04u
#define RING_BYTES   0x08u
#define RING_HEAD    0x10u
#define RING_TAIL    0x18u
#define RING_CONTROL 0x28u

/* I219's RXDCTL: prefetch 31, host 1, counted in descriptors; the others stay. */
#define RX_THRESHOLDS   0xffffc000u
#define RX_READ_AT_ONCE (31u | 1u << 8 | 1u << 24)

/* IEEE 802.3, 22.2.4.1: negotiate once more, with power on and nothing isolated. */
#define PHY_CONTROL_NEGOTIATE 0x1340u

/* I219, in configuration space. */
#define CONFIG_PENDING 0xe4u
#define PENDING_RESET  0x100u

/* Time that open drivers give a reset; the ICH's hangs if it is read in the first 20 ms. */
#define RESET_QUIET_MS 20u
#define RESET_MS       200u
#define MASTER_MS      80u
#define LINK_MS        50u
#define MDIC_MS        10u
#define QUEUE_MS       10u
#define FLUSH_MS       1u
#define LOCK_MS        20u
#define SYNC_MS        1000u

#define BUFFER_BYTES 2048u

struct descriptor {
	uint64_t buffer, word;
};

#define TX_DONE       (UINT64_C(1) << 32)
#define TX_NOT_AN_END (UINT64_C(0x02000000) | 512) /* half a frame, which is never sent */

struct e1000e {
	/* Each lies on a multiple of its size: some cards cannot cross pages otherwise. */
	volatile struct descriptor rx[E1000E_RX], tx[E1000E_TX];
	uint8_t rx_buffer[E1000E_RX][BUFFER_BYTES];
	uint8_t tx_buffer[E1000E_TX][BUFFER_BYTES];
	struct nic_setup setup;
	const struct e1000e_row *row;
	const struct e1000e_places *at; /* places of the row */
	uint64_t registers;             /* mapped; 0: not, or closed */
	unsigned rx_next;               /* the next that comes */
	unsigned tx_next;               /* the next to send by */
	unsigned tx_first;              /* the first that the card may still have */
	bool in_long_frame;             /* the frame's last piece has not come */
};

static uint32_t e1000e_get(const struct e1000e *c, uint32_t reg)
{
	return arch_mmio_read32(c->registers + reg);
}

static void e1000e_put(const struct e1000e *c, uint32_t reg, uint32_t value)
{
	arch_mmio_write32(c->registers + reg, value);
}

/* Wait until the bits read as `wanted`. */
static bool wait_bits(const struct e1000e *c, uint32_t reg, uint32_t bits, uint32_t wanted,
		      uint64_t ms)
{
	struct deadline d = deadline_in(ms, c->setup.hz);

	return deadline_until(c->registers + reg, bits, wanted, &d);
}

static bool drives(uint32_t id)
{
	return e1000e_row(id);
}

/* Switch off interrupts, frames and DMA, without checking the result. */
static void stop(const struct e1000e *c)
{
	if (c->registers) {
		e1000e_put(c, c->at->imc, UINT32_MAX);
		e1000e_put(c, RCTL, 0);
		e1000e_put(c, TCTL, TCTL_PAD);
		if (c->row->pcie) {
			e1000e_put(c, CTRL, e1000e_get(c, CTRL) | CTRL_MASTER_DISABLE);
			wait_bits(c, STATUS, STATUS_MASTER, 0, MASTER_MS);
		}
	}
	nic_master(&c->setup, false);
}

static void take_steps(const struct e1000e *c, const struct e1000e_step *step)
{
	for (unsigned i = 0; i < E1000E_STEPS && step[i].reg; i++) {
		uint32_t kept = step[i].keep ? e1000e_get(c, step[i].reg) & step[i].keep : 0;

		e1000e_put(c, step[i].reg, kept | step[i].set);
	}
}

/*
 * The PHY, which management firmware may use for its own traffic. No other software is left on the
 * machine, so semaphores that others have not released do not count.
 */

static void e1000e_release(const struct e1000e *c)
{
	if (c->row->lock.reg)
		e1000e_put(c, c->row->lock.reg,
			   e1000e_get(c, c->row->lock.reg) & ~c->row->lock.clear);
}

static bool claim(const struct e1000e *c)
{
	const struct e1000e_lock *l = &c->row->lock;
	struct deadline d = deadline_in(LOCK_MS, c->setup.hz);

	if (!l->reg)
		return true;
	do {
		e1000e_put(c, l->reg, e1000e_get(c, l->reg) | l->set);
		if (e1000e_get(c, l->reg) & l->set)
			return true;
	} while (!deadline_passed(&d));
	e1000e_release(c);
	return false;
}

/* 82576 4.7: the semaphore protects a word, in which software has one bit for each port's PHY. */
static uint32_t sync_bit(const struct e1000e *c)
{
	static const uint8_t bits[] = { 1u << 1, 1u << 2, 1u << 5, 1u << 6 };

	return bits[e1000e_get(c, STATUS) >> STATUS_FUNCTION & 3];
}

static bool claim_phy(const struct e1000e *c)
{
	struct deadline d = deadline_in(SYNC_MS, c->setup.hz);
	uint32_t mine = sync_bit(c);
	bool is_free;

	if (!c->row->sync)
		return claim(c);
	do {
		if (!claim(c))
			return false;
		is_free = !(e1000e_get(c, SW_FW_SYNC) & mine << 16);
		if (is_free)
			e1000e_put(c, SW_FW_SYNC, e1000e_get(c, SW_FW_SYNC) | mine);
		e1000e_release(c);
	} while (!is_free && !deadline_passed(&d));
	return is_free;
}

static void release_phy(const struct e1000e *c)
{
	if (c->row->sync) {
		claim(c);
		e1000e_put(c, SW_FW_SYNC, e1000e_get(c, SW_FW_SYNC) & ~sync_bit(c));
	}
	e1000e_release(c);
}

/*
 * Negotiate. Without the semaphore, or if management firmware forbids it, the link is left as it
 * is.
 */
static void negotiate(const struct e1000e *c)
{
	if (e1000e_get(c, MANC) & MANC_KEEP_PHY || !claim_phy(c))
		return;
	e1000e_put(c, MDIC, c->row->mdic | PHY_CONTROL_NEGOTIATE);
	wait_bits(c, MDIC, MDIC_READY, MDIC_READY, MDIC_MS);
	release_phy(c);
}

/*
 * True if the reset would hang: an I219 that is reset with descriptors pending works again only
 * after power is removed.
 */
static bool would_hang(const struct e1000e *c)
{
	return c->row->sticks &&
	       pci_read16(c->setup.pci, &c->setup.at, CONFIG_PENDING) & PENDING_RESET &&
	       e1000e_get(c, c->at->tx_ring + RING_BYTES);
}

static void write_ring(const struct e1000e *c, uint32_t ring, const volatile void *descriptors,
		       uint32_t bytes)
{
	e1000e_put(c, ring + RING_LOW, (uint32_t)(uintptr_t)descriptors);
	e1000e_put(c, ring + RING_HIGH, (uint32_t)((uint64_t)(uintptr_t)descriptors >> 32));
	e1000e_put(c, ring + RING_BYTES, bytes);
	e1000e_put(c, ring + RING_HEAD, 0);
	e1000e_put(c, ring + RING_TAIL, 0);
}

/*
 * Flush pending descriptors, in rings of our own, since the last driver's rings are memory with
 * another owner by now. One more descriptor makes the card read them all; if that is not enough,
 * the receiver is switched on, with thresholds that make it read at once, and without a buffer to
 * write to. From open drivers.
 */
static void flush(struct e1000e *c)
{
	write_ring(c, c->at->rx_ring, c->rx, sizeof(c->rx));
	write_ring(c, c->at->tx_ring, c->tx, sizeof(c->tx));
	e1000e_put(c, CTRL, e1000e_get(c, CTRL) & ~CTRL_MASTER_DISABLE);
	nic_master(&c->setup, true);
	e1000e_put(c, TCTL, e1000e_get(c, TCTL) | TCTL_ENABLE);
	c->tx[0].buffer = (uintptr_t)c->tx;
	c->tx[0].word = TX_NOT_AN_END;
	isa_dma_fence();
	e1000e_put(c, c->at->tx_ring + RING_TAIL, 1);
	deadline_sleep(FLUSH_MS, c->setup.hz);
	if (would_hang(c)) {
		e1000e_put(c, c->at->rx_ring + RING_CONTROL,
			   (e1000e_get(c, c->at->rx_ring + RING_CONTROL) & RX_THRESHOLDS) |
				   RX_READ_AT_ONCE);
		e1000e_put(c, RCTL, RCTL_ENABLE);
		deadline_sleep(FLUSH_MS, c->setup.hz);
	}
	stop(c);
}

/* Some cards lose the PHY if they are reset while management firmware accesses it. */
static bool finish_reset(const struct e1000e *c)
{
	bool claimed = c->row->lock.reg == E1000E_EXTCNF && claim(c), ended;

	e1000e_put(c, CTRL, e1000e_get(c, CTRL) | CTRL_RESET);
	deadline_sleep(RESET_QUIET_MS, c->setup.hz);
	ended = wait_bits(c, CTRL, CTRL_RESET, 0, RESET_MS);
	if (claimed)
		e1000e_release(c);
	return ended;
}

static bool e1000e_reset(struct nic *n, struct e1000e *c)
{
	stop(c);
	take_steps(c, c->row->before_reset);
	if (would_hang(c))
		flush(c);
	if (would_hang(c))
		return nic_fail(n, "frames of its last driver are pending: a reset would hang it");
	if (!finish_reset(c))
		return nic_fail(n, "its reset does not end");
	e1000e_put(c, c->at->imc, UINT32_MAX);
	e1000e_get(c, c->at->icr);
	return true;
}

static bool read_mac(struct nic *n, const struct e1000e *c)
{
	const uint32_t mac[] = { e1000e_get(c, RAL0), e1000e_get(c, RAH0) };

	memcpy(n->mac, mac, NIC_MAC_BYTES);
	return nic_mac_valid(n->mac);
}

static void write_mac(const struct nic *n, const struct e1000e *c)
{
	uint32_t mac[2] = { 0 };

	memcpy(mac, n->mac, NIC_MAC_BYTES);
	e1000e_put(c, RAL0, mac[0]);
	e1000e_put(c, RAH0, mac[1] | RAH0_VALID);
}

static void rx_refill(struct e1000e *c, unsigned i)
{
	c->rx[i].buffer = (uintptr_t)c->rx_buffer[i];
	c->rx[i].word = 0;
}

static bool enable_queue(struct nic *n, const struct e1000e *c, uint32_t ring)
{
	uint32_t enable = c->row->queue_enable;

	if (!enable)
		return true;
	e1000e_put(c, ring + RING_CONTROL, e1000e_get(c, ring + RING_CONTROL) | enable);
	return wait_bits(c, ring + RING_CONTROL, enable, enable, QUEUE_MS) ||
	       nic_fail(n, "its %s queue stays off",
			ring == c->at->rx_ring ? "receive" : "transmit");
}

/* A tail equal to the head means an empty ring, so one descriptor of each ring is never used. */
static bool start_rings(struct nic *n, struct e1000e *c)
{
	for (unsigned i = 0; i < E1000E_RX; i++)
		rx_refill(c, i);
	write_ring(c, c->at->rx_ring, c->rx, sizeof(c->rx));
	write_ring(c, c->at->tx_ring, c->tx, sizeof(c->tx));
	nic_master(&c->setup, true);
	if (!enable_queue(n, c, c->at->rx_ring) || !enable_queue(n, c, c->at->tx_ring))
		return false;
	e1000e_put(c, TCTL,
		   (e1000e_get(c, TCTL) & ~TCTL_COLLISION_MASK) | TCTL_ENABLE | TCTL_PAD |
			   TCTL_COLLISIONS);
	e1000e_put(c, RCTL,
		   RCTL_ENABLE | RCTL_ALL_MULTICAST | RCTL_BROADCAST | RCTL_STRIP_CHECKSUM);
	isa_dma_fence();
	e1000e_put(c, c->at->rx_ring + RING_TAIL, E1000E_RX - 1);
	return true;
}

static void start_link(const struct e1000e *c)
{
	uint32_t off = CTRL_LINK_RESET | CTRL_FORCE_SPEED | CTRL_FORCE_DUPLEX | CTRL_PAUSE |
		       CTRL_VLAN;

	e1000e_put(c, CTRL, (e1000e_get(c, CTRL) & ~off) | CTRL_SET_LINK_UP);
	if (c->row->mdic && !wait_bits(c, STATUS, STATUS_LINK, STATUS_LINK, LINK_MS))
		negotiate(c);
}

static bool e1000e_link(struct nic *n)
{
	uint32_t status;

	if (n->problem[0])
		return false;
	status = e1000e_get(n->state, STATUS);
	if (status == UINT32_MAX)
		return nic_fail(n, "it does not answer any more");
	return status & STATUS_LINK;
}

/* True if descriptor tx_next is free, after reclaiming those that the card has finished. */
static bool tx_room(struct e1000e *c)
{
	while (c->tx_first != c->tx_next && c->tx[c->tx_first].word & TX_DONE)
		c->tx_first = (c->tx_first + 1) % E1000E_TX;
	isa_dma_fence();
	return (c->tx_next + 1) % E1000E_TX != c->tx_first;
}

static bool e1000e_send(struct nic *n, const uint8_t *frame, size_t bytes)
{
	struct e1000e *c = n->state;
	unsigned i = c->tx_next;

	if (!nic_may_send(n, bytes) || !tx_room(c))
		return false;
	bytes = nic_copy_frame(c->tx_buffer[i], frame, bytes);
	c->tx[i].buffer = (uintptr_t)c->tx_buffer[i];
	c->tx[i].word = (uint64_t)(bytes * c->row->format->tx_total) << 32 |
			c->row->format->tx_command | bytes;
	c->tx_next = (i + 1) % E1000E_TX;
	isa_dma_fence();
	e1000e_put(c, c->at->tx_ring + RING_TAIL, c->tx_next);
	return true;
}

/* Copies the frame of a descriptor out, whose word is given; 0: it is none. */
static size_t unpack(struct e1000e *c, uint64_t word, uint8_t *frame)
{
	const struct e1000e_format *f = c->row->format;
	size_t bytes = (uint16_t)(word >> f->rx_length);
	bool part = c->in_long_frame || !(word & f->rx_end);

	c->in_long_frame = !(word & f->rx_end);
	if (part || word & f->rx_errors || bytes > NIC_FRAME_MAX)
		return 0;
	memcpy(frame, c->rx_buffer[c->rx_next], bytes);
	return bytes;
}

static bool e1000e_receive(struct nic *n, uint8_t frame[NIC_FRAME_MAX], size_t *bytes)
{
	struct e1000e *c = n->state;
	unsigned at = c->rx_next;
	uint64_t word = c->rx[at].word;

	if (n->problem[0] || !(word & c->row->format->rx_done))
		return false;
	isa_dma_fence();
	*bytes = unpack(c, word, frame);
	rx_refill(c, at);
	c->rx_next = (at + 1) % E1000E_RX;
	isa_dma_fence();
	e1000e_put(c, c->at->rx_ring + RING_TAIL, at);
	return true;
}

static void close_card(struct nic *n)
{
	struct e1000e *c = n->state;

	if (c->registers)
		e1000e_reset(n, c);
	c->registers = 0;
	nic_fail(n, "it is closed");
}

static bool e1000e_find(struct nic *n, struct e1000e *c)
{
	if (!nic_wake(n, &c->setup))
		return false;
	c->row = e1000e_row(pci_read32(c->setup.pci, &c->setup.at, PCI_ID));
	if (!c->row)
		return nic_fail(n, "it is not a known card");
	c->at = c->row->places;
	c->registers = nic_map(n, &c->setup, 0, 0, c->at->end);
	return c->registers;
}

/*
 * Start the card with the address that the firmware used, or else with the one that a reset loads.
 */
static bool bring_up(struct nic *n, struct e1000e *c, bool has_mac)
{
	if (!e1000e_reset(n, c))
		return false;
	if (!has_mac && !read_mac(n, c))
		return nic_fail(n, "it has no address of its own");
	take_steps(c, c->row->after_reset);
	write_mac(n, c);
	start_link(c);
	return start_rings(n, c);
}

static bool open_card(struct nic *n, const struct nic_setup *s)
{
	struct e1000e *c = s->memory;
	bool has_mac;

	*n = (struct nic){
		.driver = e1000e_driver.name,
		.state = c,
		.link = e1000e_link,
		.send = e1000e_send,
		.receive = e1000e_receive,
		.close = close_card,
	};
	c->setup = *s;
	if (e1000e_find(n, c)) {
		has_mac = read_mac(n, c);
		if (!nic_is_wanted(s, n->mac))
			return false;
		if (bring_up(n, c, has_mac))
			return true;
		e1000e_reset(n, c);
	}
	c->registers = 0;
	nic_master(&c->setup, false);
	return false;
}

const struct nic_driver e1000e_driver = {
	.name = "e1000e",
	.drives = drives,
	.memory = sizeof(struct e1000e),
	.open = open_card,
};
