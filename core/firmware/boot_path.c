/* SPDX-License-Identifier: BSD-2-Clause */
/* Device paths, node by node. */
#include "boot_path.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define HEAD 4u /* type, subtype, length */

enum node_type { HARDWARE = 1, ACPI = 2, MESSAGING = 3, MEDIA = 4, END = 0x7f };
enum { PCI = 1 };      /* of hardware */
enum { RAM_DISK = 9 }; /* of media */
enum messaging { MAC = 0x0b, IPV4 = 0x0c, IPV6 = 0x0d, VLAN = 0x14, URI = 0x18 };
enum { WIFI = 0x1c, BLUETOOTH = 0x1b, BLUETOOTH_LE = 0x1e, DNS = 0x1f };

/* Messaging nodes that are no bus for disks. */
static const uint8_t network[] = { MAC, IPV4, IPV6, VLAN, URI, WIFI, BLUETOOTH, BLUETOOTH_LE, DNS };

/* Where the members of EFI's address nodes are. */
#define V4_LOCAL   4u
#define V4_STATIC  18u
#define V4_GATEWAY 19u
#define V4_MASK    23u
#define V4_BYTES   27u /* as of UEFI 2.0; before that, up to the gateway */
#define V6_LOCAL   4u
#define V6_ORIGIN  42u
#define V6_GATEWAY 44u
#define V6_BYTES   60u
#define MAC_AT     4u
#define MAC_ROOM   32u

/* The node at *at, which moves on; NULL: there are no more. */
static const uint8_t *next(const uint8_t *path, size_t bytes, size_t *at, size_t *length)
{
	const uint8_t *node = path + *at;

	if (bytes - *at < HEAD || node[0] == END)
		return NULL;
	*length = bytes_le16(node + 2);
	if (*length < HEAD || *length > bytes - *at)
		return NULL;
	*at += *length;
	return node;
}

static bool is_network(const uint8_t *node)
{
	return node[0] == MESSAGING && memchr(network, node[1], sizeof(network));
}

/*
 * ACPI's NFIT is not needed for RAM disks. EDK II's RamDiskDxe enters a disk there only after it
 * gave its handle a path with a RAM disk's node. The path of any other volume has no address to
 * look for in the table, or is MemoryMapped(), which is not proved to last whatever the table has.
 */
enum boot_path_medium boot_path_medium(const uint8_t *path, size_t bytes)
{
	bool has_bus = false, is_downloaded = false;
	const uint8_t *node;
	size_t at = 0, length;

	while ((node = next(path, bytes, &at, &length)) != NULL) {
		if (node[0] == MEDIA && node[1] == RAM_DISK)
			return BOOT_PATH_RAM_DISK;
		if (is_network(node))
			is_downloaded = true;
		else if (node[0] == MESSAGING)
			is_downloaded = false;
		has_bus |= node[0] == ACPI || node[0] == MESSAGING ||
			   (node[0] == HARDWARE && node[1] == PCI);
	}
	if (is_downloaded)
		return BOOT_PATH_DOWNLOADED;
	return has_bus ? BOOT_PATH_LASTS : BOOT_PATH_UNPROVED;
}

static struct ipaddr v6(const uint8_t *bytes)
{
	struct ipaddr a = { .family = IPADDR_V6 };

	memcpy(a.bytes, bytes, IPADDR_V6_BYTES);
	return a;
}

static struct ipaddr present(struct ipaddr a)
{
	return ipaddr_is_unspecified(&a) ? (struct ipaddr){ .family = IPADDR_NONE } : a;
}

static void read_v4(struct boot_path_server *s, const uint8_t *node, size_t length)
{
	if (length < V4_GATEWAY)
		return;
	s->address = present(ipaddr_v4(node + V4_LOCAL));
	s->is_static = node[V4_STATIC];
	if (length < V4_BYTES)
		return;
	s->gateway = present(ipaddr_v4(node + V4_GATEWAY));
	s->mask = present(ipaddr_v4(node + V4_MASK));
}

static void read_v6(struct boot_path_server *s, const uint8_t *node, size_t length)
{
	if (length < V6_GATEWAY)
		return;
	s->address = present(v6(node + V6_LOCAL));
	s->is_static = !node[V6_ORIGIN];
	if (length >= V6_BYTES)
		s->gateway = present(v6(node + V6_GATEWAY));
}

static void read_node(struct boot_path_server *s, const uint8_t *node, size_t length)
{
	if (node[0] != MESSAGING)
		return;
	if (node[1] == MAC && length >= MAC_AT + MAC_ROOM)
		s->mac = node + MAC_AT;
	if (node[1] == IPV4)
		read_v4(s, node, length);
	if (node[1] == IPV6)
		read_v6(s, node, length);
	if (node[1] == URI) {
		s->uri = (const char *)node + HEAD;
		s->uri_bytes = length - HEAD;
	}
}

bool boot_path_server(const uint8_t *path, size_t bytes, struct boot_path_server *s)
{
	const uint8_t *node;
	size_t at = 0, length;

	memset(s, 0, sizeof(*s));
	while ((node = next(path, bytes, &at, &length)) != NULL)
		read_node(s, node, length);
	return s->uri_bytes != 0;
}
