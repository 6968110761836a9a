/* SPDX-License-Identifier: BSD-2-Clause */
/* Where boot entries lead, in the forms that firmware writes them. */
#include "core/firmware/boot_option.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

struct path {
	uint8_t bytes[600];
	size_t count;
};

static const uint8_t guid_a[16 + 1] = "partition-a-0001", guid_b[16 + 1] = "partition-b-0002";

static void node(struct path *p, uint8_t type, uint8_t subtype, const void *data, size_t bytes)
{
	p->bytes[p->count] = type;
	p->bytes[p->count + 1] = subtype;
	p->bytes[p->count + 2] = (uint8_t)(bytes + 4);
	p->bytes[p->count + 3] = (uint8_t)((bytes + 4) >> 8);
	if (bytes)
		memcpy(p->bytes + p->count + 4, data, bytes);
	p->count += bytes + 4;
}

static void end(struct path *p)
{
	node(p, 0x7f, 0xff, NULL, 0);
}

static void pci(struct path *p, uint8_t device)
{
	const uint8_t root[8] = { 0xd0, 0x41, 3, 0x0a }, at[2] = { 0, device };

	node(p, 2, 1, root, sizeof(root));
	node(p, 1, 1, at, sizeof(at));
}

static void disk(struct path *p, const uint8_t guid[16])
{
	uint8_t data[38] = { 1 };

	memcpy(data + 20, guid, 16);
	data[36] = data[37] = 2;
	node(p, 4, 1, data, sizeof(data));
}

static void file(struct path *p, const char *name)
{
	uint8_t wide[200] = { 0 };

	for (size_t i = 0; name[i]; i++)
		wide[2 * i] = (uint8_t)name[i];
	node(p, 4, 4, wide, 2 * (strlen(name) + 1));
}

static void mac(struct path *p, uint8_t server)
{
	const uint8_t card[33] = { 0x52, 0x54 }, address[23] = { 10, 0, 0, server };

	node(p, 3, 11, card, sizeof(card));
	node(p, 3, 12, address, sizeof(address));
}

/* With the path, a name and optional data; in a block of its exact size. */
static bool leads(const struct path *to, const struct path *image, bool folder_only)
{
	static const uint8_t name[] = { 'd', 0, 'i', 0, 's', 0, 'k', 0, 0, 0 };
	size_t bytes = 6 + sizeof(name) + to->count + 3;
	uint8_t *option = calloc(1, bytes);
	bool result;

	assert_non_null(option);
	option[4] = (uint8_t)to->count;
	option[5] = (uint8_t)(to->count >> 8);
	memcpy(option + 6, name, sizeof(name));
	memcpy(option + 6 + sizeof(name), to->bytes, to->count);
	result = boot_option_leads(option, bytes, image->bytes, image->count, folder_only);
	/* Cut short anywhere it leads nowhere, and nothing is read behind its end. */
	for (size_t cut = 0; cut < bytes - 3; cut++) {
		uint8_t *less = malloc(cut ? cut : 1);

		memcpy(less, option, cut);
		assert_false(boot_option_leads(less, cut, image->bytes, image->count, folder_only));
		free(less);
	}
	free(option);
	return result;
}

static struct path image_on(const uint8_t *guid, const char *name)
{
	struct path p = { .count = 0 };

	pci(&p, 3);
	if (guid)
		disk(&p, guid);
	if (name)
		file(&p, name);
	end(&p);
	return p;
}

static struct path short_form(const uint8_t *guid, const char *name)
{
	struct path p = { .count = 0 };

	disk(&p, guid);
	if (name)
		file(&p, name);
	end(&p);
	return p;
}

#define OURS "\\EFI\\noisefloor\\noisefloor.efi"

TEST(test_a_file_on_a_partition)
{
	struct path image = image_on(guid_a, "\\EFI\\NOISEFLOOR\\noisefloor.efi");
	struct path ours = short_form(guid_a, OURS), other_disk = short_form(guid_b, OURS),
		    grub = short_form(guid_a, "\\EFI\\debian\\grubx64.efi"),
		    whole = image_on(guid_a, OURS);

	assert_true(leads(&ours, &image, false));
	assert_true(leads(&whole, &image, false));
	assert_false(leads(&other_disk, &image, false));
	assert_false(leads(&grub, &image, false));
}

/* Split over nodes, as an image's path may be. */
TEST(test_the_path_in_pieces)
{
	struct path image = { .count = 0 }, ours = short_form(guid_a, OURS);

	pci(&image, 3);
	disk(&image, guid_a);
	file(&image, "\\EFI");
	file(&image, "noisefloor\\");
	file(&image, "\\noisefloor.efi");
	end(&image);
	assert_true(leads(&ours, &image, false));
}

/* An entry of a device alone starts the default file there. */
TEST(test_a_stick)
{
	struct path entry = { .count = 0 }, other = { .count = 0 }, usb = { .count = 0 };
	struct path image = image_on(guid_a, "\\EFI\\BOOT\\BOOTX64.EFI");
	struct path loaded = image_on(guid_a, OURS);
	const uint8_t class[7] = { 0xff, 0xff, 0xff, 0xff, 8 };

	pci(&entry, 3);
	end(&entry);
	pci(&other, 4);
	end(&other);
	node(&usb, 3, 15, class, sizeof(class));
	end(&usb);
	assert_true(leads(&entry, &image, false));
	assert_true(leads(&usb, &image, false));
	assert_false(leads(&other, &image, false));
	/* GRUB is that file, and has loaded this one. */
	assert_false(leads(&entry, &loaded, false));
	assert_false(leads(&usb, &loaded, false));
}

TEST(test_shim)
{
	struct path shim = short_form(guid_a, "\\EFI\\noisefloor\\shimx64.efi");
	struct path far = short_form(guid_a, "\\EFI\\debian\\shimx64.efi");
	struct path image = image_on(guid_a, OURS);

	assert_false(leads(&shim, &image, false));
	assert_true(leads(&shim, &image, true));
	assert_false(leads(&far, &image, true));
}

TEST(test_the_network)
{
	struct path entry = { .count = 0 }, image = { .count = 0 }, other = { .count = 0 };
	struct path chained = { .count = 0 };

	pci(&chained, 2);
	mac(&chained, 0);
	file(&chained, "\\noisefloor.efi"); /* as iPXE loads it */
	end(&chained);
	pci(&entry, 2);
	mac(&entry, 0);
	end(&entry);
	pci(&image, 2);
	mac(&image, 5);
	end(&image);
	pci(&other, 3);
	mac(&other, 0);
	end(&other);
	assert_true(leads(&entry, &image, false));
	assert_false(leads(&other, &image, false));
	assert_true(leads(&entry, &chained, false));
	assert_false(leads(&other, &chained, false));
}

TEST(test_a_paths_length)
{
	struct path p = { .count = 0 };

	pci(&p, 2);
	end(&p);
	assert_int_equal(boot_option_path(p.bytes, sizeof(p.bytes)), p.count - 4);
	/* Cut in a node, in a head, and a length that leads out of it. */
	assert_int_equal(boot_option_path(p.bytes, p.count - 5), 12);
	assert_int_equal(boot_option_path(p.bytes, 15), 12);
	assert_int_equal(boot_option_path(p.bytes, 3), 0);
	p.bytes[12 + 2] = 3;
	assert_int_equal(boot_option_path(p.bytes, sizeof(p.bytes)), 12);
}

/* Lengths that lead out of it, or to nowhere. */
TEST(test_nonsense)
{
	struct path image = image_on(guid_a, OURS), none = { .count = 0 }, zero = { .count = 8 },
		    far = short_form(guid_a, OURS);

	assert_false(leads(&zero, &image, false));
	far.bytes[2] = 0xff;
	far.bytes[3] = 0xff;
	assert_false(leads(&far, &image, false));
	assert_false(boot_option_leads("", 0, image.bytes, image.count, false));
	/* A path that is no more than its end could be anything: the file decides. */
	end(&none);
	assert_false(leads(&none, &image, false));
}
