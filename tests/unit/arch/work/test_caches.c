/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of caches by leaves as processors have them, and by none. */
#include "arch/x86_64/work/caches.h"

#include "tests/unit/arch/mocked_leaves.h"

static struct caches read_as(const struct mocked_leaf *as, size_t count)
{
	struct caches c;

	memcpy(mocked_leaf, as, count * sizeof(*as));
	mocked_leaves = (unsigned)count;
	caches_read(&c, mocked_cpuid);
	return c;
}

/* SDM vol. 2, leaf 4: size = ways * partitions * line * sets, each field one less. */
#define WAYS(ways) (((ways)-1u) << 22 | 63)

static const struct mocked_leaf intel[] = {
	{ 0, 0, { .eax = 0x16 } },
	{ 4, 0, { 1 | 1 << 5 | 1 << 14, WAYS(8), 63, 0 } },      /* 32 KiB, data */
	{ 4, 1, { 2 | 1 << 5 | 1 << 14, WAYS(8), 63, 0 } },      /* instructions */
	{ 4, 2, { 3 | 2 << 5 | 1 << 14, WAYS(16), 1023, 0 } },   /* 1 MiB */
	{ 4, 3, { 3 | 3 << 5 | 63 << 14, WAYS(11), 32767, 0 } }, /* 22 MiB, 64 ids */
};

static const struct mocked_leaf amd[] = {
	{ 0, 0, { .eax = 0x10 } },
	{ 0x80000000u, 0, { .eax = 0x80000020u } },
	{ 0x80000001u, 0, { .ecx = 1u << 22 } },
	{ 0x8000001du, 0, { 1 | 1 << 5 | 1 << 14, WAYS(8), 63, 0 } },
	{ 0x8000001du, 1, { 2 | 1 << 5 | 1 << 14, WAYS(8), 63, 0 } },
	{ 0x8000001du, 2, { 3 | 2 << 5 | 1 << 14, WAYS(8), 1023, 0 } },
	{ 0x8000001du, 3, { 3 | 3 << 5 | 11 << 14, WAYS(16), 32767, 0 } }, /* 12 threads */
};

TEST(test_intel)
{
	struct caches c = read_as(intel, sizeof(intel) / sizeof(intel[0]));

	assert_int_equal(c.l1, 32 << 10);
	assert_int_equal(c.l2, 1 << 20);
	assert_int_equal(c.l3, 22 << 20);
	assert_int_equal(c.l3_bits, 6);
}

TEST(test_amd)
{
	struct caches c = read_as(amd, sizeof(amd) / sizeof(amd[0]));

	assert_int_equal(c.l1, 32 << 10);
	assert_int_equal(c.l2, 512 << 10);
	assert_int_equal(c.l3, 32 << 20);
	assert_int_equal(c.l3_bits, 4);
	/* Without the bit the leaf means something else. */
	c = read_as(amd, 2);
	assert_int_equal(c.l1, 0);
}

#define MIB  (UINT64_C(1) << 20)
#define MOST (UINT64_C(1) << 62)

TEST(test_what_is_larger)
{
	struct caches c = { .l1 = 32 << 10, .l2 = MIB, .l3 = 22 * MIB };

	assert_int_equal(caches_beyond(&c, 1, MOST), 256 * MIB);
	assert_int_equal(caches_beyond(&c, 1000, MOST), 256 * MIB);
	assert_int_equal(caches_beyond(&c, 1, 256 * MIB), 256 * MIB);
	/* A machine with less memory. */
	assert_int_equal(caches_beyond(&c, 1, 256 * MIB - 1), 128 * MIB);
	assert_int_equal(caches_beyond(&c, 1, 64 * MIB), 64 * MIB);
	/* No ring, if caches would hold most of it. */
	assert_int_equal(caches_beyond(&c, 1, 64 * MIB - 1), 0);
	assert_int_equal(caches_beyond(&c, 1, 32 * MIB), 0);
	c.l3 = 0;
	assert_int_equal(caches_beyond(&c, 1, MOST), 32 * MIB);
	assert_int_equal(caches_beyond(&c, 1, 32 * MIB - 1), 0);
	c.l2 = 0;
	assert_int_equal(caches_beyond(&c, 1, MOST), 0);
	for (uint64_t most = 1; most <= MOST; most <<= 1) {
		uint64_t bytes;

		c.l3 = most / 5 * 2;
		bytes = caches_beyond(&c, 1, most);
		assert_true(bytes <= most && (!bytes || bytes / 3 * 2 + 2 >= c.l3));
		assert_int_equal(bytes, most < 32 * MIB ? 0 : most);
	}
	c.l3 = UINT64_MAX;
	assert_int_equal(caches_beyond(&c, 1, MOST), 0);
}

/* An EPYC 9654: eight cores, sixteen threads, on each of twelve last levels. */
TEST(test_what_is_larger_than_all)
{
	struct caches c = { .l1 = 32 << 10, .l2 = MIB, .l3 = 32 * MIB, .l3_bits = 4 };

	assert_int_equal(caches_beyond(&c, 16, MOST), 256 * MIB);
	assert_int_equal(caches_beyond(&c, 4 * 16, MOST), 256 * MIB);
	assert_int_equal(caches_beyond(&c, 12 * 16, MOST), 1024 * MIB);
	assert_int_equal(caches_beyond(&c, UINT32_MAX, MOST), UINT64_C(1) << 54);
	assert_int_equal(caches_beyond(&c, UINT32_MAX, 512 * MIB), 512 * MIB);
}

static struct cpuid endless(uint32_t leaf, uint32_t subleaf)
{
	(void)leaf, (void)subleaf;
	return (struct cpuid){ UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
}

/* Leaves that report nothing, or have no end. */
TEST(test_odd)
{
	struct caches c = read_as(intel, 1);

	assert_int_equal(c.l1 | c.l2 | c.l3, 0);
	caches_read(&c, endless);
	assert_true(c.l3_bits <= 12);
}
