/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of addresses, in an ELF file laid by hand, and in files that are none. */
#include "host/forms/symbols.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/common/test.h"

static char path[] = "/tmp/noisefloor.XXXXXX";

static struct image {
	Elf64_Ehdr head;
	Elf64_Shdr section[3];
	Elf64_Sym symbol[7];
	char names[32];
} image;

static const char names[32] = " pci_open\0entry\0table\0inner\0far";

static void lay(void)
{
	image = (struct image){
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
			.e_shoff = offsetof(struct image, section),
			.e_shnum = 3,
		},
		.section = {
			{ .sh_type = SHT_NULL },
			{ .sh_type = SHT_SYMTAB, .sh_link = 2,
			  .sh_offset = offsetof(struct image, symbol),
			  .sh_size = sizeof(image.symbol) },
			{ .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, names),
			  .sh_size = sizeof(image.names) },
		},
		.symbol = {
			{ .st_name = 0 },
			{ .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x1000,
			  .st_size = 0x40 },
			{ .st_name = 10, .st_info = STT_NOTYPE, .st_shndx = 1, .st_value = 0x1040 },
			{ .st_name = 16, .st_info = STT_OBJECT, .st_shndx = 2, .st_value = 0x1050,
			  .st_size = 0x100 },
			{ .st_name = 22, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x1020,
			  .st_size = 8 },
			{ .st_name = 28, .st_info = STT_FUNC, .st_shndx = SHN_UNDEF,
			  .st_value = 0x1000, .st_size = 0x8000 },
			{ .st_name = 4096, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x1048,
			  .st_size = 8 },
		},
	};
	memcpy(image.names, names, sizeof(names));
}

static struct symbols *read_of(const void *bytes, size_t count)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, count, f), count);
	assert_int_equal(fclose(f), 0);
	return symbols_read(path);
}

static int make_file(void **state)
{
	int file = mkstemp(path);

	(void)state;
	return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

TEST_GROUP(make_file, remove_file);

static void assert_name(uint64_t address, const char *wanted)
{
	struct symbols *s = read_of(&image, sizeof(image));
	TEXT_DEFINE(t, 60);

	assert_non_null(s);
	assert_int_equal(symbols_print(s, address, &t), wanted != NULL);
	assert_string_equal(t.buf, wanted ? wanted : "");
	symbols_free(s);
}

TEST(test_names)
{
	lay();
	assert_name(0x1000, "pci_open+0x0");
	assert_name(0x101f, "pci_open+0x1f");
	assert_name(0x1020, "inner+0x0");
	assert_name(0x1028, "pci_open+0x28");
	/* Assembly has no sizes. Data is no place to be, a name outside of the strings none. */
	assert_name(0x1040, "entry+0x0");
	assert_name(0x1060, "entry+0x20");
	assert_name(0x104a, "entry+0xa");
	assert_name(0xfff, NULL);
}

TEST(test_refused)
{
	static const char text[] =
		"no ELF file at all, but long enough to have a head of one......";

	assert_null(read_of(text, sizeof(text)));
	assert_null(read_of(text, 0));
	lay();
	image.section[1].sh_type = SHT_PROGBITS;
	assert_null(read_of(&image, sizeof(image)));
	lay();
	image.section[1].sh_link = 1;
	assert_null(read_of(&image, sizeof(image)));
	image.section[1].sh_link = 77;
	assert_null(read_of(&image, sizeof(image)));
	lay();
	image.section[1].sh_size = UINT64_MAX;
	assert_null(read_of(&image, sizeof(image)));
	lay();
	image.head.e_shoff = UINT64_MAX - 8;
	assert_null(read_of(&image, sizeof(image)));
	lay();
	image.head.e_ident[EI_CLASS] = ELFCLASS32;
	assert_null(read_of(&image, sizeof(image)));
	lay();
	for (size_t bytes = 0; bytes < sizeof(image); bytes++)
		assert_null(read_of(&image, bytes));
}
