/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * virtio-net, by the modern interface only: 1af4:1041, and 1af4:1000 where it has that too.
 * One queue each way, no offloads: a buffer is a frame. Source: VIRTIO 1.2, 5.1.
 *
 * ACCESS_PLATFORM is taken where it is offered: the addresses are physical ones, as for any
 * other PCI card, for an IOMMU that is off or lets pass.
 *
 * Seen working: QEMU 7.2.
 */
#pragma once

#include "nic.h"

#define VIRTIO_NET_RX 256 /* frames that may wait to be received, where the card has as many */
#define VIRTIO_NET_TX 64  /* and to be sent */

extern const struct nic_driver virtio_net_driver;
