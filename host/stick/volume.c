/* SPDX-License-Identifier: BSD-2-Clause */
/* Partitions and a file system, written front to back. */
#include "volume.h"

#include "core/lib/bytes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define MIB        ((uint64_t)1 << 20)
#define SECTOR     VOLUME_SECTOR
#define LABEL      "NOISEFLOOR "
#define VOLUME_ID  0x4e464c52
#define PART_START 2048u /* sectors; the partition ends 1 MiB before what is taken of the disk */
#define CHUNK      (1u << 20)

/* Where to, and what went wrong first. */
struct sink {
	int fd;
	int error;
};

static void put(struct sink *s, uint64_t at, const void *bytes, size_t count)
{
	const char *from = bytes;
	ssize_t done = 0;

	for (; count && !s->error; from += done, at += (uint64_t)done, count -= (size_t)done) {
		done = pwrite(s->fd, from, count, (off_t)at);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			s->error = done ? errno : ENOSPC;
	}
}

static void put_zeroes(struct sink *s, uint64_t at, uint64_t count)
{
	static const uint8_t zeroes[CHUNK];

	for (uint64_t done = 0; done < count && !s->error; done += CHUNK)
		put(s, at + done, zeroes, count - done < CHUNK ? (size_t)(count - done) : CHUNK);
}

/* ---- GPT ---- */

#define GPT_ENTRIES       128u
#define GPT_ENTRY_BYTES   128u
#define GPT_TABLE_SECTORS (GPT_ENTRIES * GPT_ENTRY_BYTES / SECTOR)
#define GPT_HEADER_BYTES  92u

static const uint8_t esp_type[16] = { 0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11,
				      0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b };
/* 9F3C2D50-6E66-4F41-8D0B-4E4F49534546 and the next: those of mk/image.sh. */
static const uint8_t disk_guid[16] = { 0x50, 0x2d, 0x3c, 0x9f, 0x66, 0x6e, 0x41, 0x4f,
				       0x8d, 0x0b, 'N',  'O',  'I',  'S',  'E',  'F' };

static uint32_t crc_of(const uint8_t *bytes, size_t count)
{
	return (uint32_t)crc32(0, bytes, (uInt)count);
}

static void fill_table(uint8_t table[GPT_ENTRIES * GPT_ENTRY_BYTES], uint64_t sectors)
{
	memset(table, 0, GPT_ENTRIES * GPT_ENTRY_BYTES);
	memcpy(table, esp_type, sizeof(esp_type));
	memcpy(table + 16, disk_guid, sizeof(disk_guid));
	table[16]++;
	bytes_put_le64(table + 32, PART_START);
	bytes_put_le64(table + 40, PART_START + sectors - 1);
	for (size_t n = 0; n < strlen("NOISEFLOOR"); n++)
		table[56 + 2 * n] = (uint8_t)LABEL[n];
}

/* The header is there twice, with a table each. In sectors. */
struct header_place {
	uint64_t own, other, table;
};

static void put_header(struct sink *s, const struct header_place *at, uint64_t last,
		       const uint8_t *table)
{
	uint8_t header[SECTOR] = "EFI PART";

	bytes_put_le32(header + 8, 0x10000);
	bytes_put_le32(header + 12, GPT_HEADER_BYTES);
	bytes_put_le64(header + 24, at->own);
	bytes_put_le64(header + 32, at->other);
	bytes_put_le64(header + 40, 2 + GPT_TABLE_SECTORS);
	bytes_put_le64(header + 48, last - GPT_TABLE_SECTORS - 1);
	memcpy(header + 56, disk_guid, sizeof(disk_guid));
	bytes_put_le64(header + 72, at->table);
	bytes_put_le32(header + 80, GPT_ENTRIES);
	bytes_put_le32(header + 84, GPT_ENTRY_BYTES);
	bytes_put_le32(header + 88, crc_of(table, GPT_ENTRIES * GPT_ENTRY_BYTES));
	bytes_put_le32(header + 16, crc_of(header, GPT_HEADER_BYTES));
	put(s, at->own * SECTOR, header, sizeof(header));
	put(s, at->table * SECTOR, table, GPT_ENTRIES * GPT_ENTRY_BYTES);
}

/* So that what knows no GPT takes the disk for full. */
static void put_protective_mbr(struct sink *s, uint64_t last)
{
	uint8_t mbr[SECTOR] = { 0 };

	memcpy(mbr + 446, "\0\0\2\0\xee\xff\xff\xff\1\0\0\0", 12);
	bytes_put_le32(mbr + 458, last < UINT32_MAX ? (uint32_t)last : UINT32_MAX);
	bytes_put_le16(mbr + 510, 0xaa55);
	put(s, 0, mbr, sizeof(mbr));
}

static void put_partitions(struct sink *s, uint64_t disk_sectors, uint64_t sectors)
{
	static uint8_t table[GPT_ENTRIES * GPT_ENTRY_BYTES];
	uint64_t last = disk_sectors - 1;
	const struct header_place front = { 1, last, 2 };
	const struct header_place end = { last, 1, last - GPT_TABLE_SECTORS };

	fill_table(table, sectors);
	put_protective_mbr(s, last);
	put_header(s, &front, last, table);
	put_header(s, &end, last, table);
}

/* ---- FAT32 ---- */

#define RESERVED      32u
#define FATS          2u
#define FSINFO_SECTOR 1u
#define BACKUP_SECTOR 6u
#define ROOT_CLUSTER  2u
#define CHAIN_END     0x0fffffffu

#define ENTRY_BYTES    32u
#define NAME_BYTES     11u
#define LONG_CHARS     13u
#define LONG_LAST      0x40u
#define ATTR_LABEL     0x08u
#define ATTR_FOLDER    0x10u
#define ATTR_FILE      0x20u
#define ATTR_LONG      0x0fu
#define FOLDER_ENTRIES 16u

struct fat {
	struct sink sink;
	uint64_t start; /* bytes, of the partition */
	uint32_t sectors, cluster_sectors, fat_sectors, clusters;
	uint32_t next;   /* the first cluster that is free */
	uint32_t *chain; /* of the clusters before it */
	uint16_t date, time;
};

/* As FAT counts them: from 1980, in steps of 2 s. */
static void set_time(struct fat *f, time_t when)
{
	struct tm tm;

	if (!gmtime_r(&when, &tm) || tm.tm_year < 80 || tm.tm_year > 207)
		tm = (struct tm){ .tm_year = 80, .tm_mday = 1 };
	f->date = (uint16_t)((tm.tm_year - 80) << 9 | (tm.tm_mon + 1) << 5 | tm.tm_mday);
	f->time = (uint16_t)(tm.tm_hour << 11 | tm.tm_min << 5 | tm.tm_sec / 2);
}

/* Sectors per cluster, by the size: Microsoft's table, and one where there are enough clusters. */
static uint32_t cluster_sectors(uint64_t sectors)
{
	static const struct {
		uint32_t gib, sectors;
	} table[] = { { 8, 8 }, { 16, 16 }, { 32, 32 } };

	if (sectors <= 260 * MIB / SECTOR)
		return 1;
	for (size_t n = 0; n < sizeof(table) / sizeof(table[0]); n++)
		if (sectors <= table[n].gib * 1024 * MIB / SECTOR)
			return table[n].sectors;
	return 64;
}

static void set_size(struct fat *f, uint64_t sectors)
{
	uint64_t per, entries;

	f->sectors = (uint32_t)sectors;
	f->cluster_sectors = cluster_sectors(sectors);
	/* Each cluster takes its sectors, and an entry of 4 bytes in each FAT. */
	per = (uint64_t)f->cluster_sectors * SECTOR + 4 * FATS;
	entries = (sectors - RESERVED) * SECTOR / per + 2;
	f->fat_sectors = (uint32_t)((entries * 4 + SECTOR - 1) / SECTOR);
	f->clusters = (f->sectors - RESERVED - FATS * f->fat_sectors) / f->cluster_sectors;
	f->next = ROOT_CLUSTER;
}

static uint64_t place_of(const struct fat *f, uint32_t cluster)
{
	uint64_t sector = RESERVED + FATS * f->fat_sectors +
			  (uint64_t)(cluster - 2) * f->cluster_sectors;

	return f->start + sector * SECTOR;
}

/* The next clusters, in one piece. The first, or 0, with ENOSPC. */
static uint32_t take(struct fat *f, size_t bytes)
{
	size_t each = (size_t)f->cluster_sectors * SECTOR;
	size_t count = (bytes + each - 1) / each;
	uint32_t first = f->next;
	uint32_t *chain;

	if (count > f->clusters + 2 - f->next) {
		f->sink.error = f->sink.error ? f->sink.error : ENOSPC;
		return 0;
	}
	chain = realloc(f->chain, (f->next + count) * sizeof(*chain));
	if (!chain) {
		f->sink.error = ENOMEM;
		return 0;
	}
	f->chain = chain;
	for (; f->next < first + count; f->next++)
		chain[f->next] = f->next + 1 < first + count ? f->next + 1 : CHAIN_END;
	return first;
}

/* Entries of a folder, which is one cluster. */
struct folder {
	uint32_t cluster;
	uint8_t *at;
	uint8_t entries[FOLDER_ENTRIES * ENTRY_BYTES];
};

/* What an entry leads to. */
struct target {
	uint8_t attributes;
	uint32_t cluster;
	size_t bytes; /* of a folder 0 */
};

static void add_entry(const struct fat *f, struct folder *d, const uint8_t name[NAME_BYTES],
		      const struct target to)
{
	uint8_t *e = d->at;

	memcpy(e, name, NAME_BYTES);
	e[11] = to.attributes;
	bytes_put_le16(e + 14, f->time);
	bytes_put_le16(e + 16, f->date);
	bytes_put_le16(e + 18, f->date);
	bytes_put_le16(e + 20, (uint16_t)(to.cluster >> 16));
	bytes_put_le16(e + 22, f->time);
	bytes_put_le16(e + 24, f->date);
	bytes_put_le16(e + 26, (uint16_t)to.cluster);
	bytes_put_le32(e + 28, (uint32_t)to.bytes);
	d->at += ENTRY_BYTES;
}

static uint8_t upper(char c)
{
	return (uint8_t)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

/* "noisefloor.conf" is "NOISEF~1.CON". True where that is all of it, but for letters' case. */
static bool short_name(const char *name, uint8_t out[NAME_BYTES])
{
	const char *dot = strrchr(name, '.');
	size_t base = dot ? (size_t)(dot - name) : strlen(name);

	memset(out, ' ', NAME_BYTES);
	for (size_t n = 0; n < base && n < 8; n++)
		out[n] = upper(name[n]);
	if (base > 8)
		memcpy(out + 6, "~1", 2);
	for (size_t n = 0; dot && n < 3 && dot[1 + n]; n++)
		out[8 + n] = upper(dot[1 + n]);
	return base <= 8 && (!dot || strlen(dot) <= 4);
}

static bool is_upper(const char *name)
{
	for (; *name; name++)
		if (*name >= 'a' && *name <= 'z')
			return false;
	return true;
}

/* The part of a long name from `from` on; behind its end are one zero and ones. */
static void add_long(struct folder *d, const char *name, size_t from, uint8_t order, uint8_t sum)
{
	static const uint8_t place[LONG_CHARS] = { 1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30 };
	size_t length = strlen(name);

	d->at[0] = order;
	d->at[11] = ATTR_LONG;
	d->at[13] = sum;
	for (size_t n = 0; n < LONG_CHARS; n++)
		bytes_put_le16(d->at + place[n], from + n < length    ? (uint8_t)name[from + n]
						 : from + n == length ? 0
								      : 0xffff);
	d->at += ENTRY_BYTES;
}

static void add_name(const struct fat *f, struct folder *d, const char *name,
		     const struct target to)
{
	size_t parts = (strlen(name) + LONG_CHARS - 1) / LONG_CHARS;
	uint8_t shorter[NAME_BYTES], sum = 0;

	if (!short_name(name, shorter) || !is_upper(name)) {
		for (size_t n = 0; n < NAME_BYTES; n++)
			sum = (uint8_t)((sum << 7 | sum >> 1) + shorter[n]);
		for (size_t n = parts; n--;)
			add_long(d, name, n * LONG_CHARS,
				 (uint8_t)((n + 1) | (n + 1 == parts ? LONG_LAST : 0)), sum);
	}
	add_entry(f, d, shorter, to);
}

static struct target folder_at(uint32_t cluster)
{
	return (struct target){ ATTR_FOLDER, cluster, 0 };
}

static void begin_folder(struct fat *f, struct folder *d, uint32_t above)
{
	*d = (struct folder){ .cluster = take(f, SECTOR) };
	d->at = d->entries;
	if (d->cluster == ROOT_CLUSTER) {
		add_entry(f, d, (const uint8_t *)LABEL, (struct target){ ATTR_LABEL, 0, 0 });
		return;
	}
	add_entry(f, d, (const uint8_t *)".          ", folder_at(d->cluster));
	/* The root is 0 there. */
	add_entry(f, d, (const uint8_t *)"..         ",
		  folder_at(above == ROOT_CLUSTER ? 0 : above));
}

static void put_folder(struct fat *f, const struct folder *d)
{
	uint64_t at = place_of(f, d->cluster);

	put_zeroes(&f->sink, at, (uint64_t)f->cluster_sectors * SECTOR);
	put(&f->sink, at, d->entries, sizeof(d->entries));
}

static void put_file(struct fat *f, struct folder *d, const struct volume_file *file)
{
	uint32_t cluster = take(f, file->count);

	if (!cluster)
		return;
	add_name(f, d, file->name, (struct target){ ATTR_FILE, cluster, file->count });
	put(&f->sink, place_of(f, cluster), file->bytes, file->count);
}

static void put_files(struct fat *f, const struct volume *v)
{
	struct folder root, efi, boot;

	begin_folder(f, &root, 0);
	begin_folder(f, &efi, root.cluster);
	begin_folder(f, &boot, efi.cluster);
	if (f->sink.error)
		return;
	add_name(f, &root, "EFI", folder_at(efi.cluster));
	add_name(f, &efi, "BOOT", folder_at(boot.cluster));
	for (size_t n = 0; n < v->count; n++)
		put_file(f, v->files[n].folder[0] ? &boot : &root, &v->files[n]);
	put_folder(f, &root);
	put_folder(f, &efi);
	put_folder(f, &boot);
}

static void put_fats(struct fat *f)
{
	uint64_t bytes = (uint64_t)f->fat_sectors * SECTOR, used = (uint64_t)f->next * 4;

	f->chain[0] = 0x0ffffff8;
	f->chain[1] = CHAIN_END;
	for (uint32_t n = 0; n < f->next; n++) {
		uint32_t entry = f->chain[n];

		bytes_put_le32((uint8_t *)&f->chain[n], entry);
	}
	for (uint32_t n = 0; n < FATS; n++) {
		uint64_t at = f->start + RESERVED * SECTOR + n * bytes;

		put(&f->sink, at, f->chain, (size_t)used);
		put_zeroes(&f->sink, at + used, bytes - used);
	}
}

static void fill_boot_sector(const struct fat *f, uint8_t boot[SECTOR])
{
	memcpy(boot, "\xeb\x58\x90noisefl ", 11);
	bytes_put_le16(boot + 11, SECTOR);
	boot[13] = (uint8_t)f->cluster_sectors;
	bytes_put_le16(boot + 14, RESERVED);
	boot[16] = FATS;
	boot[21] = 0xf8; /* a disk */
	bytes_put_le16(boot + 24, 63);
	bytes_put_le16(boot + 26, 255);
	bytes_put_le32(boot + 28, PART_START);
	bytes_put_le32(boot + 32, f->sectors);
	bytes_put_le32(boot + 36, f->fat_sectors);
	bytes_put_le32(boot + 44, ROOT_CLUSTER);
	bytes_put_le16(boot + 48, FSINFO_SECTOR);
	bytes_put_le16(boot + 50, BACKUP_SECTOR);
	boot[64] = 0x80;
	boot[66] = 0x29; /* what follows is there */
	bytes_put_le32(boot + 67, VOLUME_ID);
	memcpy(boot + 71, LABEL "FAT32   ", 19);
	/* Where a BIOS jumps to: halt. */
	memcpy(boot + 90, "\xf4\xeb\xfd", 3);
	bytes_put_le16(boot + 510, 0xaa55);
}

static void put_boot_sectors(struct fat *f)
{
	uint8_t sectors[2 * SECTOR] = { 0 }, *info = sectors + SECTOR;

	fill_boot_sector(f, sectors);
	memcpy(info, "RRaA", 4);
	memcpy(info + 484, "rrAa", 4);
	bytes_put_le32(info + 488, f->clusters + 2 - f->next);
	bytes_put_le32(info + 492, f->next);
	bytes_put_le32(info + 508, 0xaa550000);
	put_zeroes(&f->sink, f->start, RESERVED * SECTOR);
	put(&f->sink, f->start, sectors, sizeof(sectors));
	put(&f->sink, f->start + BACKUP_SECTOR * SECTOR, sectors, sizeof(sectors));
}

int volume_write(const struct volume *v, int fd)
{
	uint64_t sectors = (v->mib - 2) * MIB / SECTOR;
	struct fat f = { .sink = { .fd = fd }, .start = (uint64_t)PART_START * SECTOR };

	/* What is cut short is no disk to boot from, neither by what was there: partitions go first
	 * and come last. */
	put_zeroes(&f.sink, 0, MIB);
	set_time(&f, v->time);
	set_size(&f, sectors);
	put_files(&f, v);
	if (!f.sink.error) {
		put_fats(&f);
		put_boot_sectors(&f);
	}
	if (!f.sink.error)
		put_partitions(&f.sink, v->disk_bytes / SECTOR, sectors);
	free(f.chain);
	return f.sink.error;
}
