/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places of cores from CPUID leaves, which are laid out by hand: as the manuals describe them, and
 * with the errors that processors and hypervisors were seen to have.
 */
#include "arch/x86_64/identify.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define ANY UINT32_MAX /* every subleaf */

#define INTEL_EBX 0x756e6547u /* "Genu" */
#define AMD_EBX   0x68747541u /* "Auth" */
#define HYGON_EBX 0x6f677948u /* "Hygo" */

#define HTT (1u << 28)

/* Leaves 0Bh and 1Fh, ECX[15:8]. */
#define THREAD 1u
#define CORE   2u
#define MODULE 3u
#define DIE    5u

struct row {
	uint32_t leaf, subleaf;
	struct cpuid r;
};

/* CPUID of one core: the rows; other subleaves are zero. */
static struct {
	const struct row *row;
	unsigned rows;
	uint32_t highest, highest_extended;
	uint32_t vendor_ebx;
	bool strayed; /* a leaf past the highest was asked for */
} processor;

static struct cpuid answer(uint32_t leaf, uint32_t subleaf)
{
	if (leaf == 0)
		return (struct cpuid){ .eax = processor.highest, .ebx = processor.vendor_ebx };
	if (leaf == 0x80000000)
		return (struct cpuid){ .eax = processor.highest_extended };
	if (leaf > (leaf >= 0x80000000 ? processor.highest_extended : processor.highest))
		processor.strayed = true;
	for (unsigned i = 0; i < processor.rows; i++) {
		const struct row *row = &processor.row[i];

		if (row->leaf == leaf && (row->subleaf == subleaf || row->subleaf == ANY))
			return row->r;
	}
	return (struct cpuid){ 0 };
}

static struct topology decode(uint32_t vendor_ebx, uint32_t highest, uint32_t highest_extended,
			      const struct row *row, unsigned rows)
{
	static const struct regs regs = { .cpuid = answer };
	struct topology t;

	processor.row = row;
	processor.rows = rows;
	processor.highest = highest;
	processor.highest_extended = highest_extended;
	processor.vendor_ebx = vendor_ebx;
	processor.strayed = false;
	memset(&t, 0xa5, sizeof(t));
	identify_topology(&regs, &t);
	assert_false(processor.strayed);
	return t;
}

#define DECODE(vendor, highest, extended, rows) \
	decode(vendor, highest, extended, rows, sizeof(rows) / sizeof((rows)[0]))

static void assert_place(const struct topology *t, uint32_t package, uint32_t core, uint32_t thread)
{
	assert_true(t->known);
	assert_int_equal(t->package, package);
	assert_int_equal(t->core, core);
	assert_int_equal(t->thread, thread);
}

/* clang-format off */
/* One level of leaf 0Bh or 1Fh; past the last, only the subleaf's number and the id are given. */
#define LEVEL(leaf, n, shift, processors, type, id) \
	{ leaf, n, { shift, processors, (type) << 8 | (n), id } }
#define PAST(leaf, n, id) { leaf, n, { 0, 0, n, id } }

/* Leaves 1 and 4 of the core with id 13: four cores of two threads. */
#define FIRST_LEAVES \
	{ 1, ANY, { 0, 13u << 24 | 8u << 16, 0, HTT } }, \
	{ 4, 0, { 3u << 26 | 0x21, 0, 0, 0 } }
/* clang-format on */

/* Two packages of eight cores of two threads: ids 0-15 and 16-31. */
TEST(test_two_packages)
{
	for (uint32_t id = 0; id < 32; id++) {
		const struct row rows[] = {
			{ 1, ANY, { 0x50654, id << 24 | 32u << 16, 0, HTT } },
			LEVEL(0x0b, 0, 1, 2, THREAD, id),
			LEVEL(0x0b, 1, 4, 16, CORE, id),
			PAST(0x0b, 2, id),
		};
		struct topology t = DECODE(INTEL_EBX, 0x16, 0x80000008, rows);

		assert_place(&t, id / 16, id % 16 / 2, id % 2);
		assert_null(t.type);
	}
}

/* Ten cores: ids have holes, and the package begins at bit 5. */
TEST(test_ids_with_holes)
{
	static const uint32_t ids[] = { 0, 1, 8, 9, 16, 24, 25, 32, 57 };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct row rows[] = {
			LEVEL(0x0b, 0, 1, 2, THREAD, ids[i]),
			LEVEL(0x0b, 1, 5, 20, CORE, ids[i]),
		};
		struct topology t = DECODE(INTEL_EBX, 0x0d, 0x80000008, rows);

		assert_place(&t, ids[i] / 32, ids[i] % 32 / 2, ids[i] % 2);
	}
}

/*
 * Eight P-cores of two threads at ids 0-15, and sixteen E-cores in modules of four at 16, 18, ...
 * 46. Ids of E-cores have the thread's bit, although E-cores have one thread.
 */
TEST(test_hybrid)
{
	for (uint32_t n = 0; n < 32; n++) {
		bool efficient = n >= 16;
		uint32_t id = efficient ? 16 + 2 * (n - 16) : n;
		const struct row rows[] = {
			{ 7, 0, { 0, 0, 0, 1u << 15 } },
			{ 0x1a, 0, { efficient ? 0x20000001 : 0x40000001, 0, 0, 0 } },
			LEVEL(0x0b, 0, 1, efficient ? 1 : 2, THREAD, id),
			LEVEL(0x0b, 1, 7, 32, CORE, id),
			LEVEL(0x1f, 0, 1, efficient ? 1 : 2, THREAD, id),
			LEVEL(0x1f, 1, 3, efficient ? 4 : 2, CORE, id),
			LEVEL(0x1f, 2, 7, 32, MODULE, id),
			PAST(0x1f, 3, id),
		};
		struct topology t = DECODE(INTEL_EBX, 0x20, 0x80000008, rows);

		assert_place(&t, 0, id / 2, efficient ? 0 : n % 2);
		assert_string_equal(t.type, efficient ? "E" : "P");
	}
}

#define TOPOLOGY_EXTENSIONS               \
	{                                 \
		0x80000001, ANY,          \
		{                         \
			0, 0, 1u << 22, 0 \
		}                         \
	}

/* clang-format off */
static const struct {
	const char *what;
	uint32_t vendor, highest, extended;
	struct row row[6];
	struct topology want;
} cores[] = {
	{ "leaf 1Ah filled in on a processor of one type", INTEL_EBX, 0x1f, 0,
	  { { 0x1a, 0, { 0x40000001, 0, 0, 0 } },
	    LEVEL(0x0b, 0, 0, 1, THREAD, 0), LEVEL(0x0b, 1, 3, 8, CORE, 0) },
	  { true, 0, 0, 0, NULL } },
	{ "a type unheard of", INTEL_EBX, 0x1f, 0,
	  { { 7, 0, { 0, 0, 0, 1u << 15 } }, { 0x1a, 0, { 0x10000001, 0, 0, 0 } },
	    LEVEL(0x0b, 0, 0, 1, THREAD, 0), LEVEL(0x0b, 1, 3, 8, CORE, 0) },
	  { true, 0, 0, 0, NULL } },
	{ "flagged as hybrid, but without the leaf", INTEL_EBX, 0x19, 0,
	  { { 7, 0, { 0, 0, 0, 1u << 15 } }, { 0x1a, 0, { 0x40000001, 0, 0, 0 } },
	    LEVEL(0x0b, 0, 0, 1, THREAD, 0), LEVEL(0x0b, 1, 3, 8, CORE, 0) },
	  { true, 0, 0, 0, NULL } },
	{ "two dies are one package", INTEL_EBX, 0x1f, 0x80000008,
	  { LEVEL(0x0b, 0, 1, 2, THREAD, 0x6b), LEVEL(0x0b, 1, 5, 32, CORE, 0x6b),
	    LEVEL(0x1f, 0, 1, 2, THREAD, 0x6b), LEVEL(0x1f, 1, 5, 32, CORE, 0x6b),
	    LEVEL(0x1f, 2, 6, 64, DIE, 0x6b) },
	  { true, 1, 0x2b / 2, 1, NULL } },
	{ "which leaf 0Bh cannot express", INTEL_EBX, 0x1e, 0x80000008,
	  { LEVEL(0x0b, 0, 1, 2, THREAD, 0x6b), LEVEL(0x0b, 1, 5, 32, CORE, 0x6b) },
	  { true, 3, 0x0b / 2, 1, NULL } },
	{ "leaf 1Fh there, but empty", INTEL_EBX, 0x1f, 0x80000008,
	  { LEVEL(0x0b, 0, 1, 2, THREAD, 300), LEVEL(0x0b, 1, 6, 64, CORE, 300) },
	  { true, 4, 44 / 2, 0, NULL } },
	{ "an id of 32 bits, too large for leaf 1", INTEL_EBX, 0x0b, 0,
	  { { 1, ANY, { 0, 0xff000000u | 255u << 16, 0, HTT } },
	    LEVEL(0x0b, 0, 1, 2, THREAD, 0xfffffffe), LEVEL(0x0b, 1, 31, 512, CORE, 0xfffffffe) },
	  { true, 1, 0x3fffffff, 0, NULL } },
	{ "seen in the wild: shift 0 for two threads", INTEL_EBX, 0x0b, 0,
	  { LEVEL(0x0b, 0, 0, 2, THREAD, 5), LEVEL(0x0b, 1, 3, 8, CORE, 5) },
	  { true, 0, 2, 1, NULL } },
	{ "QEMU with leaf 0Bh switched off", INTEL_EBX, 0x0d, 0x80000008, { FIRST_LEAVES },
	  { true, 1, 2, 1, NULL } },
	/* Leaves that contradict themselves. */
	{ "shifts that shrink", INTEL_EBX, 0x0b, 0,
	  { FIRST_LEAVES, LEVEL(0x0b, 0, 4, 2, THREAD, 77), LEVEL(0x0b, 1, 2, 8, CORE, 77) },
	  { true, 1, 2, 1, NULL } },
	{ "two ids", INTEL_EBX, 0x0b, 0,
	  { FIRST_LEAVES, LEVEL(0x0b, 0, 1, 2, THREAD, 77), LEVEL(0x0b, 1, 5, 8, CORE, 78) },
	  { true, 1, 2, 1, NULL } },
	{ "levels without end", INTEL_EBX, 0x0b, 0,
	  { FIRST_LEAVES, { 0x0b, ANY, { 1, 2, THREAD << 8, 77 } } }, { true, 1, 2, 1, NULL } },
	{ "no processors", INTEL_EBX, 0x0b, 0,
	  { FIRST_LEAVES, LEVEL(0x0b, 0, 1, 0, THREAD, 77) }, { true, 1, 2, 1, NULL } },
	{ "no type of level", INTEL_EBX, 0x0b, 0,
	  { FIRST_LEAVES, { 0x0b, ANY, { 1, 2, 0, 77 } } }, { true, 1, 2, 1, NULL } },
	{ "AMD: ApicIdSize 0, three bits for 12 threads", AMD_EBX, 0x0d, 0x8000001e,
	  { TOPOLOGY_EXTENSIONS, { 0x80000008, ANY, { 0, 0, 11, 0 } },
	    { 0x8000001e, ANY, { 27, 1u << 8, 0, 0 } } },
	  { true, 1, 5, 1, NULL } },
	{ "AMD: leaf 0Bh goes before", AMD_EBX, 0x10, 0x80000026,
	  { LEVEL(0x0b, 0, 1, 2, THREAD, 0x123), LEVEL(0x0b, 1, 8, 192, CORE, 0x123),
	    TOPOLOGY_EXTENSIONS, { 0x80000008, ANY, { 0, 0, 7u << 12 | 191, 0 } },
	    { 0x8000001e, ANY, { 0x123, 1u << 8, 0, 0 } } },
	  { true, 1, 0x11, 1, NULL } },
	{ "AMD family 10h: no topology leaf", AMD_EBX, 5, 0x8000001b,
	  { { 1, ANY, { 0, 13u << 24 | 6u << 16, 0, HTT } },
	    { 0x80000008, ANY, { 0, 0, 3u << 12 | 5, 0 } } },
	  { true, 1, 5, 0, NULL } },
	{ "AMD: the leaf switched off by firmware", AMD_EBX, 5, 0x8000001e,
	  { { 1, ANY, { 0, 13u << 24 | 6u << 16, 0, HTT } },
	    { 0x80000008, ANY, { 0, 0, 3u << 12 | 5, 0 } },
	    { 0x8000001e, ANY, { 77, 1u << 8, 0, 0 } } },
	  { true, 1, 5, 0, NULL } },
	{ "AMD: no sizes, leaf 1 counts", AMD_EBX, 5, 0x80000007,
	  { { 1, ANY, { 0, 13u << 24 | 6u << 16, 0, HTT } } }, { true, 1, 0, 5, NULL } },
	{ "AMD: more threads in a core than in the package", AMD_EBX, 0x0d, 0x8000001e,
	  { { 1, ANY, { 0, 6u << 24 | 4u << 16, 0, HTT } }, TOPOLOGY_EXTENSIONS,
	    { 0x80000008, ANY, { 0, 0, 3, 0 } }, { 0x8000001e, ANY, { 77, 7u << 8, 0, 0 } } },
	  { true, 1, 2, 0, NULL } },
	{ "AMD's leaf is not asked of others", INTEL_EBX, 0x0a, 0x8000001e,
	  { FIRST_LEAVES, TOPOLOGY_EXTENSIONS, { 0x80000008, ANY, { 0, 0, 7u << 12 | 63, 0 } },
	    { 0x8000001e, ANY, { 77, 1u << 8, 0, 0 } } },
	  { true, 1, 2, 1, NULL } },
	{ "nothing to go by", INTEL_EBX, 0, 0, { { 1, ANY, { 0, 7u << 24, 0, 0 } } },
	  { false, 0, 0, 0, NULL } },
	{ "no extended leaves, of which a question is answered with something else", AMD_EBX, 1,
	  0x07280202, { { 1, ANY, { 0, 7u << 24, 0, 0 } } }, { true, 7, 0, 0, NULL } },
};
/* clang-format on */

TEST(test_cores)
{
	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
		struct topology t = DECODE(cores[i].vendor, cores[i].highest, cores[i].extended,
					   cores[i].row);

		print_message("%s\n", cores[i].what);
		assert_int_equal(t.known, cores[i].want.known);
		if (t.known)
			assert_place(&t, cores[i].want.package, cores[i].want.core,
				     cores[i].want.thread);
		assert_null(t.type);
	}
}

static const struct {
	const char *what;
	uint32_t highest, leaf1_ebx, leaf1_edx, leaf4_eax;
	uint32_t package, core, thread;
} first_leaves[] = {
	{ "a single core", 5, 0, 0, 0x21, 0, 0, 0 },
	{ "single cores in two sockets", 5, 6u << 24, 0, 0x21, 6, 0, 0 },
	{ "a count without HTT means nothing", 5, 3u << 24 | 16u << 16, 0, 0x21, 3, 0, 0 },
	{ "one core, two threads", 2, 3u << 24 | 2u << 16, HTT, 0, 1, 0, 1 },
	{ "two cores", 4, 3u << 24 | 2u << 16, HTT, 1u << 26 | 0x21, 1, 1, 0 },
	{ "six cores of two threads, ids for eight", 4, 27u << 24 | 16u << 16, HTT, 7u << 26 | 0x21,
	  1, 5, 1 },
	{ "a count that is no power of two", 4, 27u << 24 | 12u << 16, HTT, 7u << 26 | 0x21, 1, 5,
	  1 },
	{ "leaf 4 empty", 4, 3u << 24 | 2u << 16, HTT, 0, 1, 0, 1 },
	{ "more cores than threads", 4, 13u << 24 | 1u << 16, HTT, 3u << 26 | 0x21, 3, 1, 0 },
	{ "no count", 3, 13u << 24, HTT, 0, 13, 0, 0 },
};

TEST(test_first_leaves)
{
	for (size_t i = 0; i < sizeof(first_leaves) / sizeof(first_leaves[0]); i++) {
		const struct row rows[] = {
			{ 1, ANY, { 0, first_leaves[i].leaf1_ebx, 0, first_leaves[i].leaf1_edx } },
			{ 4, 0, { first_leaves[i].leaf4_eax, 0, 0, 0 } },
		};
		struct topology t = DECODE(INTEL_EBX, first_leaves[i].highest, 0, rows);

		print_message("%s\n", first_leaves[i].what);
		assert_place(&t, first_leaves[i].package, first_leaves[i].core,
			     first_leaves[i].thread);
	}
}

/*
 * Family 17h without leaf 0Bh: two packages of 32 cores of two threads. A package has seven bits of
 * the id, and needs six.
 */
TEST(test_amd)
{
	for (uint32_t id = 0; id < 256; id += 5) {
		const struct row rows[] = {
			{ 1, ANY, { 0x800f12, id << 24 | 64u << 16, 0, HTT } },
			TOPOLOGY_EXTENSIONS,
			{ 0x80000008, ANY, { 0, 0, 7u << 12 | 63, 0 } },
			{ 0x8000001e, ANY, { id, 1u << 8 | (id % 128 / 2), 3u << 8, 0 } },
		};
		struct topology t = DECODE(AMD_EBX, 0x0d, 0x8000001f, rows);

		assert_place(&t, id / 128, id % 128 / 2, id % 2);
		assert_null(t.type);
		t = DECODE(HYGON_EBX, 0x0d, 0x8000001f, rows);
		assert_place(&t, id / 128, id % 128 / 2, id % 2);
	}
}

TEST(test_amd_core_types)
{
	static const struct {
		uint32_t eax, ebx;
		const char *type;
	} types[] = {
		{ 1u << 30, 0u << 28, "P" },
		{ 1u << 30, 1u << 28, "E" },
		{ 1u << 30, 2u << 28, NULL },
		{ 1u << 31, 1u << 28, NULL },
		{ 0, 0, NULL },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct row rows[] = {
			{ 0x80000026, ANY, { types[i].eax, types[i].ebx, 0, 0 } },
		};
		struct topology t = DECODE(AMD_EBX, 0x10, 0x80000026, rows);

		if (types[i].type)
			assert_string_equal(t.type, types[i].type);
		else
			assert_null(t.type);
		t = DECODE(AMD_EBX, 0x10, 0x80000025, rows);
		assert_null(t.type);
		t = DECODE(INTEL_EBX, 0x10, 0x80000026, rows);
		assert_null(t.type);
	}
}

TEST(test_neighbours)
{
	const struct topology a = { true, 1, 2, 0, NULL };
	const struct topology sibling = { true, 1, 2, 1, NULL };
	const struct topology neighbour = { true, 1, 3, 0, NULL };
	const struct topology elsewhere = { true, 0, 2, 0, NULL };
	const struct topology unknown = { false, 1, 2, 0, NULL };

	assert_true(topology_same_core(&a, &sibling));
	assert_true(topology_same_package(&a, &sibling));
	assert_false(topology_same_core(&a, &neighbour));
	assert_true(topology_same_package(&a, &neighbour));
	assert_false(topology_same_core(&a, &elsewhere));
	assert_false(topology_same_package(&a, &elsewhere));
	assert_false(topology_same_core(&a, &unknown));
	assert_false(topology_same_package(&a, &unknown));
	assert_false(topology_same_package(&unknown, &a));
}
