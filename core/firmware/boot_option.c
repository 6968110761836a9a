/* SPDX-License-Identifier: BSD-2-Clause */
/* Load options and device paths. They are the firmware's, or anybody's: nothing is trusted. */
#include "boot_option.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define OPTION_HEAD 6u /* attributes, bytes of the device paths */
#define NODE_HEAD   4u /* type, subtype, length */
#define FILE_MAX    200u

enum node_type { NODE_MESSAGING = 3, NODE_MEDIA = 4, NODE_END = 0x7f };
enum media { MEDIA_DISK = 1, MEDIA_FILE = 4 };
enum messaging {
	MAC = 0x0b,
	USB_CLASS = 0x0f,
	USB_WWID = 0x10,
	IPV4 = 0x0c,
	IPV6 = 0x0d,
	URI = 0x18
};

/* A partition: number, start, size, signature, format, type of signature. */
#define DISK_BYTES     42u
#define DISK_SIGNATURE 24u

struct target {
	const uint8_t *device; /* nodes before the file's */
	size_t device_bytes;
	const uint8_t *disk;     /* the partition's node among them; NULL: there is none */
	bool is_network;         /* it is a network card: the boot server names the file */
	uint16_t file[FILE_MAX]; /* upper case, from the root; empty: none is named */
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

/* Its own address and server differ from start to start. */
static bool is_address(const uint8_t *node)
{
	return node[0] == NODE_MESSAGING && (node[1] == IPV4 || node[1] == IPV6 || node[1] == URI);
}

/* Bytes of a node of which there may be `left`; 0: the path ends here, or it is none. */
static size_t node_bytes(const uint8_t *node, size_t left)
{
	size_t bytes;

	if (left < NODE_HEAD || node[0] == NODE_END)
		return 0;
	bytes = bytes_le16(node + 2);
	return bytes < NODE_HEAD || bytes > left ? 0 : bytes;
}

size_t boot_option_path(const void *path, size_t most)
{
	size_t at = 0, length;

	while ((length = node_bytes((const uint8_t *)path + at, most - at)) != 0)
		at += length;
	return at;
}

static bool read_path(struct target *t, const uint8_t *path, size_t bytes)
{
	size_t at = 0, length;

	memset(t, 0, sizeof(*t));
	t->device = path;
	for (; (length = node_bytes(path + at, bytes - at)) != 0; at += length) {
		const uint8_t *node = path + at;

		if (node[0] == NODE_MEDIA && node[1] == MEDIA_FILE) {
			if (!add_file(t, node + NODE_HEAD, length - NODE_HEAD))
				return false;
			continue;
		}
		if (node[0] == NODE_MEDIA && node[1] == MEDIA_DISK && length >= DISK_BYTES)
			t->disk = node;
		t->is_network |= node[0] == NODE_MESSAGING && node[1] == MAC;
		if (!t->chars && !is_address(node))
			t->device_bytes = at + length;
	}
	return bytes - at < NODE_HEAD || path[at] == NODE_END;
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

static bool starts_with(const struct target *t, const char *text, size_t count)
{
	if (t->chars < count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (t->file[i] != upper((uint8_t)text[i]))
			return false;
	return true;
}

/* What firmware starts where no file is named, whatever the processor. */
static bool is_default_file(const struct target *t)
{
	static const char name[] = "\\EFI\\BOOT\\BOOT";

	return !t->chars || starts_with(t, name, sizeof(name) - 1);
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
	return bytes_le32(a + NODE_HEAD) == bytes_le32(b + NODE_HEAD) &&
	       !memcmp(a + DISK_SIGNATURE, b + DISK_SIGNATURE, BOOT_OPTION_GUID_BYTES);
}

/* Any stick of the kind: the firmware looks for it. */
static bool is_any_usb(const struct target *t)
{
	return t->device_bytes && t->device[0] == NODE_MESSAGING &&
	       (t->device[1] == USB_CLASS || t->device[1] == USB_WWID);
}

static bool same_device(const struct target *option, const struct target *image)
{
	if (option->disk)
		return image->disk && same_disk(option->disk, image->disk);
	return is_any_usb(option) || (option->device_bytes <= image->device_bytes &&
				      !memcmp(option->device, image->device, option->device_bytes));
}

bool boot_option_leads(const void *option, size_t bytes, const void *image, size_t image_bytes,
		       bool folder_only)
{
	struct target o, i;

	return read_option(&o, option, bytes) && read_path(&i, image, image_bytes) &&
	       same_device(&o, &i) && same_file(&o, &i, folder_only);
}
