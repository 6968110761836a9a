/* SPDX-License-Identifier: BSD-2-Clause */
/* Device paths, node by node. */
#include "boot_path.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define HEAD        4u /* type, subtype, length */
#define OPTION_HEAD 6u /* attributes, bytes of the device paths */
#define FILE_MAX    200u

enum node_type { HARDWARE = 1, ACPI = 2, MESSAGING = 3, MEDIA = 4, END = 0x7f };
enum { PCI = 1 }; /* subtype of HARDWARE */
enum media { DISK = 1, FILE_PATH = 4, RAM_DISK = 9 };
enum messaging { MAC = 0x0b, IPV4 = 0x0c, IPV6 = 0x0d, VLAN = 0x14, URI = 0x18 };
enum { USB_CLASS = 0x0f, USB_WWID = 0x10 };
enum { WIFI = 0x1c, BLUETOOTH = 0x1b, BLUETOOTH_LE = 0x1e, DNS = 0x1f };

/* Messaging nodes of networks: no disk is behind them. */
static const uint8_t network[] = { MAC, IPV4, IPV6, VLAN, URI, WIFI, BLUETOOTH, BLUETOOTH_LE, DNS };

/* Offsets of members in address nodes, and the nodes' sizes. */
#define V4_LOCAL   4u
#define V4_GATEWAY 19u
#define V4_MASK    23u
#define V4_BYTES   27u /* since UEFI 2.0; older nodes end before the gateway */
#define V6_LOCAL   4u
#define V6_GATEWAY 44u
#define MAC_AT     4u
#define MAC_ROOM   32u

/* A partition's node: number, start, size, signature, format, type of signature. */
#define DISK_BYTES      42u
#define DISK_SIGNATURE  24u
#define SIGNATURE_BYTES 16u

/* Ids of a USB device: its descriptor has the vendor, then the product. */
#define USB_IDS                8u
#define ID(vendor, product)    ((vendor) | (uint32_t)(product) << 16)
#define AMI_VIRTUAL_HDISK      ID(0x046b, 0xff31) /* usb.ids (linux-usb.org) */
#define LINUX_COMPOSITE_GADGET ID(0x1d6b, 0x0104) /* OpenBMC's "Virtual Media Device", jsnbd */

/* Returns the node at *at, and moves *at past it. NULL: there are no more nodes. */
static const uint8_t *boot_path_next(const uint8_t *path, size_t bytes, size_t *at, size_t *length)
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

size_t boot_path_bytes(const void *path, size_t most)
{
	size_t at = 0, length;

	while (boot_path_next(path, most, &at, &length))
		;
	return at;
}

static bool is_network(const uint8_t *node)
{
	return node[0] == MESSAGING && memchr(network, node[1], sizeof(network));
}

/*
 * RAM disks are found without ACPI's NFIT. EDK II's RamDiskDxe adds a disk to that table only after
 * its handle has a path with a RAM disk's node. The path of any other volume has no address to look
 * up in the table, or is MemoryMapped(), which is not proved to survive, whatever the table has.
 */
enum boot_path_medium boot_path_medium(const uint8_t *path, size_t bytes)
{
	bool has_bus = false, is_downloaded = false;
	const uint8_t *node;
	size_t at = 0, length;

	while ((node = boot_path_next(path, bytes, &at, &length)) != NULL) {
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

bool boot_path_virtual_stick(const uint8_t descriptor[BOOT_PATH_USB_BYTES])
{
	uint32_t id = bytes_le32(descriptor + USB_IDS);

	return id == AMI_VIRTUAL_HDISK || id == LINUX_COMPOSITE_GADGET;
}

/* Servers */

/* The address; none if all its bytes are 0. */
static struct ipaddr address_at(const uint8_t *bytes, enum ipaddr_family family)
{
	struct ipaddr a = { .family = family };

	memcpy(a.bytes, bytes, family == IPADDR_V4 ? IPADDR_V4_BYTES : IPADDR_V6_BYTES);
	return ipaddr_is_unspecified(&a) ? (struct ipaddr){ .family = IPADDR_NONE } : a;
}

static void read_node(struct boot_path_server *s, const uint8_t *node, size_t length)
{
	if (node[0] != MESSAGING)
		return;
	if (node[1] == MAC && length >= MAC_AT + MAC_ROOM)
		s->mac = node + MAC_AT;
	if (node[1] == IPV4 && length >= V4_GATEWAY)
		s->address = address_at(node + V4_LOCAL, IPADDR_V4);
	if (node[1] == IPV4 && length >= V4_BYTES)
		s->mask = address_at(node + V4_MASK, IPADDR_V4);
	if (node[1] == IPV6 && length >= V6_GATEWAY)
		s->address = address_at(node + V6_LOCAL, IPADDR_V6);
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
	while ((node = boot_path_next(path, bytes, &at, &length)) != NULL)
		read_node(s, node, length);
	return s->uri_bytes != 0;
}

/* Boot entries */

struct target {
	const uint8_t *device; /* nodes before the file's */
	size_t device_bytes;
	const uint8_t *disk;     /* the partition's node among these; NULL: there is none */
	bool is_network;         /* the device is a network card: the boot server names the file */
	uint16_t file[FILE_MAX]; /* path from the root, in upper case; empty: no file is named */
	size_t chars;
};

static uint16_t upper(uint16_t c)
{
	return c >= 'a' && c <= 'z' ? (uint16_t)(c - 'a' + 'A') : c;
}

static bool add_char(struct target *t, uint16_t c)
{
	if (c == '\\' && t->chars && t->file[t->chars - 1] == '\\')
		return true;
	if (t->chars == FILE_MAX)
		return false;
	t->file[t->chars++] = upper(c);
	return true;
}

/* A path may be split over nodes, with a backslash at each end or at none. */
static bool add_file(struct target *t, const uint8_t *text, size_t bytes)
{
	bool fits = add_char(t, '\\');

	for (size_t i = 0; fits && i + 2 <= bytes && bytes_le16(text + i); i += 2)
		fits = add_char(t, bytes_le16(text + i));
	return fits;
}

/* True for nodes of the machine's address and server, which differ from start to start. */
static bool is_address(const uint8_t *node)
{
	return node[0] == MESSAGING && (node[1] == IPV4 || node[1] == IPV6 || node[1] == URI);
}

static bool read_path(struct target *t, const uint8_t *path, size_t bytes)
{
	const uint8_t *node;
	size_t at = 0, length;

	memset(t, 0, sizeof(*t));
	t->device = path;
	while ((node = boot_path_next(path, bytes, &at, &length)) != NULL) {
		if (node[0] == MEDIA && node[1] == FILE_PATH) {
			if (!add_file(t, node + HEAD, length - HEAD))
				return false;
			continue;
		}
		if (node[0] == MEDIA && node[1] == DISK && length >= DISK_BYTES)
			t->disk = node;
		t->is_network |= node[0] == MESSAGING && node[1] == MAC;
		if (!t->chars && !is_address(node))
			t->device_bytes = at;
	}
	return bytes - at < HEAD || path[at] == END;
}

static bool read_option(struct target *t, const uint8_t *option, size_t bytes)
{
	size_t at = OPTION_HEAD;

	while (at + 2 <= bytes && bytes_le16(option + at))
		at += 2;
	at += 2;
	return at <= bytes && bytes_le16(option + 4) <= bytes - at &&
	       read_path(t, option + at, bytes_le16(option + 4));
}

/* True for the file that firmware starts if none is named, for any processor. */
static bool is_default_file(const struct target *t)
{
	static const uint16_t name[] = u"\\EFI\\BOOT\\BOOT";
	size_t bytes = sizeof(name) - sizeof(name[0]);

	return !t->chars || (t->chars * sizeof(name[0]) >= bytes && !memcmp(t->file, name, bytes));
}

static size_t folder_chars(const struct target *t)
{
	size_t n = t->chars;

	while (n && t->file[n - 1] != '\\')
		n--;
	return n;
}

static bool same_file(const struct target *option, const struct target *image, bool folder_only)
{
	size_t chars = folder_only ? folder_chars(option) : option->chars;

	if (!option->chars)
		return option->is_network || is_default_file(image);
	return chars == (folder_only ? folder_chars(image) : image->chars) &&
	       !memcmp(option->file, image->file, chars * sizeof(*option->file));
}

static bool same_disk(const uint8_t *a, const uint8_t *b)
{
	return bytes_le32(a + HEAD) == bytes_le32(b + HEAD) &&
	       !memcmp(a + DISK_SIGNATURE, b + DISK_SIGNATURE, SIGNATURE_BYTES);
}

/* True if the path stands for any USB device of a kind, which the firmware looks for. */
static bool is_any_usb(const struct target *t)
{
	return t->device_bytes && t->device[0] == MESSAGING &&
	       (t->device[1] == USB_CLASS || t->device[1] == USB_WWID);
}

static bool same_device(const struct target *option, const struct target *image)
{
	if (option->disk)
		return image->disk && same_disk(option->disk, image->disk);
	return is_any_usb(option) || (option->device_bytes <= image->device_bytes &&
				      !memcmp(option->device, image->device, option->device_bytes));
}

bool boot_path_option_leads(const void *option, size_t bytes, const void *image, size_t image_bytes,
			    bool folder_only)
{
	struct target o, i;

	return read_option(&o, option, bytes) && read_path(&i, image, image_bytes) &&
	       same_device(&o, &i) && same_file(&o, &i, folder_only);
}
