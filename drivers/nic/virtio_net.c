/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * virtio-net: on PCI by the modern interface only, 1af4:1041, and 1af4:1000 where it has that too;
 * in memory by both. One queue each way, no offloads: a buffer is a frame. Source: VIRTIO 1.2, 5.1.
 *
 * ACCESS_PLATFORM is taken where it is offered: the addresses are physical ones, as for any
 * other PCI card, for an IOMMU that is off or lets pass.
 *
 * Seen working: QEMU 7.2.
 */
#include "virtio.h"

#include "core/lib/mem.h"

#define ID_MODERN       0x1041u
#define ID_TRANSITIONAL 0x1000u

#define QUEUE_RX 0
#define QUEUE_TX 1

/* 5.1.3 and 5.1.4. */
#define NET_F_MAC      (UINT64_C(1) << 5)
#define NET_F_MERGE    (UINT64_C(1) << 15)
#define NET_F_STATUS   (UINT64_C(1) << 16)
#define CONFIG_MAC     0u
#define CONFIG_STATUS  6u
#define STATUS_LINK_UP 1u

#define WANTED (VIRTIO_F_ACCESS_PLATFORM | VIRTIO_F_ORDER_PLATFORM | NET_F_STATUS)

/*
 * 5.1.6: before each frame. All zero where no offload was agreed on, as memory was when it was
 * given to us. A legacy card's is that long with NET_F_MERGE, which lets a frame have several
 * buffers: none is longer than one.
 */
#define HEADER_BYTES 12u
#define BUFFER_BYTES 2048u

struct virtio_net {
	struct virtq_memory rx_memory, tx_memory;
	struct virtio device;
	struct virtq rx, tx;
	uint8_t rx_buffer[VIRTIO_NET_RX][BUFFER_BYTES];
	uint8_t tx_buffer[VIRTIO_NET_TX][BUFFER_BYTES];
};

static bool drives(uint32_t id)
{
	uint32_t device = id >> 16;

	return (id & 0xffff) == VIRTIO_VENDOR && (device == ID_MODERN || device == ID_TRANSITIONAL);
}

static bool virtio_net_link(struct nic *n)
{
	struct virtio_net *c = n->state;
	uint8_t status[2];

	if (n->problem[0])
		return false;
	if (virtio_broken(&c->device))
		return nic_fail(n, "it has given up and needs a reset");
	if (!(c->device.features & NET_F_STATUS))
		return true;
	return virtio_config(&c->device, CONFIG_STATUS, status, sizeof(status)) &&
	       status[0] & STATUS_LINK_UP;
}

static bool virtio_net_send(struct nic *n, const uint8_t *frame, size_t bytes)
{
	struct virtio_net *c = n->state;
	uint32_t wrote;
	uint16_t id;

	if (!nic_may_send(n, bytes))
		return false;
	while (virtq_take(n, &c->tx, &id, &wrote))
		;
	/* Buffers are used in turn; one that the card still has is waited for. */
	id = c->tx.given % c->tx.size % VIRTIO_NET_TX;
	if (n->problem[0] || c->tx.has[id])
		return false;
	bytes = nic_copy_frame(c->tx_buffer[id] + HEADER_BYTES, frame, bytes);
	virtq_give(&c->tx, id, c->tx_buffer[id], (uint32_t)(HEADER_BYTES + bytes), false);
	virtq_notify(&c->device, &c->tx);
	return true;
}

static void give_empty(struct virtio_net *c, uint16_t id)
{
	virtq_give(&c->rx, id, c->rx_buffer[id], BUFFER_BYTES, true);
}

static bool virtio_net_receive(struct nic *n, uint8_t frame[NIC_FRAME_MAX], size_t *bytes)
{
	struct virtio_net *c = n->state;
	uint32_t wrote;
	uint16_t id;

	if (n->problem[0] || !virtq_take(n, &c->rx, &id, &wrote))
		return false;
	*bytes = wrote > HEADER_BYTES ? wrote - HEADER_BYTES : 0;
	if (*bytes > NIC_FRAME_MAX)
		*bytes = 0;
	memcpy(frame, c->rx_buffer[id] + HEADER_BYTES, *bytes);
	give_empty(c, id);
	virtq_notify(&c->device, &c->rx);
	return true;
}

static void close_card(struct nic *n)
{
	struct virtio_net *c = n->state;

	virtio_reset(&c->device);
	c->device.common = 0;
	nic_fail(n, "it is closed");
}

static bool bring_up(struct nic *n, struct virtio_net *c, const struct nic_setup *s)
{
	struct virtio *v = &c->device;
	/* A frame has one descriptor with its header, which a legacy card need not understand. */
	const uint64_t needed = NET_F_MAC | (v->is_legacy ? NET_F_MERGE | VIRTIO_F_ANY_LAYOUT
							  : VIRTIO_F_VERSION_1);

	if (!virtio_agree(n, v, WANTED | needed, needed))
		return false;
	if (!virtio_config(v, CONFIG_MAC, n->mac, NIC_MAC_BYTES) || !nic_mac_valid(n->mac))
		return nic_fail(n, "it has no address of its own");
	if (!nic_is_wanted(s, n->mac))
		return false;
	c->rx = (struct virtq){ &c->rx_memory, .number = QUEUE_RX, .size = VIRTIO_NET_RX };
	c->tx = (struct virtq){ &c->tx_memory, .number = QUEUE_TX, .size = VIRTIO_NET_TX };
	if (!virtq_open(n, v, &c->rx) || !virtq_open(n, v, &c->tx))
		return false;
	for (uint16_t id = 0; id < c->rx.size; id++)
		give_empty(c, id);
	virtio_start(v);
	virtq_notify(v, &c->rx);
	return true;
}

static bool open_card(struct nic *n, const struct nic_setup *s)
{
	struct virtio_net *c = s->memory;

	*n = (struct nic){
		.driver = virtio_net_driver.name,
		.state = c,
		.link = virtio_net_link,
		.send = virtio_net_send,
		.receive = virtio_net_receive,
		.close = close_card,
	};
	if (virtio_find(n, &c->device, s) && bring_up(n, c, s))
		return true;
	virtio_reset(&c->device);
	c->device.common = 0;
	return false;
}

const struct nic_driver virtio_net_driver = {
	.name = "virtio-net",
	.drives = drives,
	.memory = sizeof(struct virtio_net),
	.open = open_card,
};
