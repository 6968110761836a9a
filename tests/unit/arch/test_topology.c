/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places of cores from CPUID leaves, which are laid out by hand: as the manuals describe them, and
 * with the errors that processors and hypervisors were seen to have.
 */
#include "arch/x86_64/identify.h"

#include "mocked_leaves.h"

#define ANY MOCKED_ANY

#define INTEL_EBX 0x756e6547u /* "Genu" */
#define AMD_EBX   0x68747541u /* "Auth" */
#define HYGON_EBX 0x6f677948u /* "Hygo" */

/* Leaves 0Bh and 1Fh, ECX[15:8]. */
#define THREAD 1u
#define CORE   2u
#define MODULE 3u
#define DIE    5u

/* CPUID of one core. A leaf past the highest must not be asked for. */
static struct {
	uint32_t highest, highest_extended;
	bool strayed;
} processor;

static struct cpuid answer(uint32_t leaf, uint32_t subleaf)
{
	if (leaf != 0 && leaf != 0x80000000 &&
	    leaf > (leaf >= 0x80000000 ? processor.highest_extended : processor.highest))
		processor.strayed = true;
	return mocked_cpuid(leaf, subleaf);
}

static struct topology decode(uint32_t vendor_ebx, uint32_t highest, uint32_t highest_extended,
			      const struct mocked_leaf *row, unsigned rows)
{
	static const struct regs regs = { .cpuid = answer };
	struct topology t;

	processor.highest = highest;
	processor.highest_extended = highest_extended;
	processor.strayed = false;
	mocked_leaves = 0;
	mocked_set(0, ANY, highest, vendor_ebx, 0, 0);
	mocked_set(0x80000000, ANY, highest_extended, 0, 0, 0);
	memcpy(mocked_leaf + mocked_leaves, row, rows * sizeof(*row));
	mocked_leaves += rows;
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
#define NOWHERE { false, 0, 0, 0, NULL }
/* clang-format on */

/* Two packages of eight cores of two threads: ids 0-15 and 16-31. */
TEST(test_two_packages)
{
	for (uint32_t id = 0; id < 32; id++) {
		const struct mocked_leaf rows[] = {
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
		const struct mocked_leaf rows[] = {
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
		const struct mocked_leaf rows[] = {
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
	struct mocked_leaf row[6];
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
	{ "an id of 32 bits", INTEL_EBX, 0x0b, 0,
	  { LEVEL(0x0b, 0, 1, 2, THREAD, 0xfffffffe), LEVEL(0x0b, 1, 31, 512, CORE, 0xfffffffe) },
	  { true, 1, 0x3fffffff, 0, NULL } },
	{ "seen in the wild: shift 0 for two threads", INTEL_EBX, 0x0b, 0,
	  { LEVEL(0x0b, 0, 0, 2, THREAD, 5), LEVEL(0x0b, 1, 3, 8, CORE, 5) },
	  { true, 0, 2, 1, NULL } },
	{ "leaf 0Bh there, but empty", INTEL_EBX, 0x0d, 0x80000008, { { 0 } }, NOWHERE },
	/* Leaves that contradict themselves. */
	{ "shifts that shrink", INTEL_EBX, 0x0b, 0,
	  { LEVEL(0x0b, 0, 4, 2, THREAD, 77), LEVEL(0x0b, 1, 2, 8, CORE, 77) }, NOWHERE },
	{ "two ids", INTEL_EBX, 0x0b, 0,
	  { LEVEL(0x0b, 0, 1, 2, THREAD, 77), LEVEL(0x0b, 1, 5, 8, CORE, 78) }, NOWHERE },
	{ "levels without end", INTEL_EBX, 0x0b, 0,
	  { { 0x0b, ANY, { 1, 2, THREAD << 8, 77 } } }, NOWHERE },
	{ "no processors", INTEL_EBX, 0x0b, 0, { LEVEL(0x0b, 0, 1, 0, THREAD, 77) }, NOWHERE },
	{ "no type of level", INTEL_EBX, 0x0b, 0, { { 0x0b, ANY, { 1, 2, 0, 77 } } }, NOWHERE },
	{ "AMD: ApicIdSize 0, three bits for 12 threads", AMD_EBX, 0x0d, 0x8000001e,
	  { TOPOLOGY_EXTENSIONS, { 0x80000008, ANY, { 0, 0, 11, 0 } },
	    { 0x8000001e, ANY, { 27, 1u << 8, 0, 0 } } },
	  { true, 1, 5, 1, NULL } },
	{ "AMD: leaf 0Bh goes before", AMD_EBX, 0x10, 0x80000026,
	  { LEVEL(0x0b, 0, 1, 2, THREAD, 0x123), LEVEL(0x0b, 1, 8, 192, CORE, 0x123),
	    TOPOLOGY_EXTENSIONS, { 0x80000008, ANY, { 0, 0, 7u << 12 | 191, 0 } },
	    { 0x8000001e, ANY, { 0x123, 1u << 8, 0, 0 } } },
	  { true, 1, 0x11, 1, NULL } },
	{ "AMD: the leaf switched off by firmware", AMD_EBX, 5, 0x8000001e,
	  { { 0x80000008, ANY, { 0, 0, 3u << 12 | 5, 0 } },
	    { 0x8000001e, ANY, { 77, 1u << 8, 0, 0 } } }, NOWHERE },
	{ "AMD: more threads in a core than in the package", AMD_EBX, 0x0d, 0x8000001e,
	  { TOPOLOGY_EXTENSIONS, { 0x80000008, ANY, { 0, 0, 3, 0 } },
	    { 0x8000001e, ANY, { 77, 7u << 8, 0, 0 } } }, NOWHERE },
	{ "AMD's leaf is not asked of others", INTEL_EBX, 0x0a, 0x8000001e,
	  { TOPOLOGY_EXTENSIONS, { 0x80000008, ANY, { 0, 0, 7u << 12 | 63, 0 } },
	    { 0x8000001e, ANY, { 77, 1u << 8, 0, 0 } } }, NOWHERE },
	{ "AMD family 10h, which has no such leaf", AMD_EBX, 5, 0x8000001b,
	  { { 0x80000008, ANY, { 0, 0, 3u << 12 | 5, 0 } } }, NOWHERE },
	{ "no extended leaves, of which a question is answered with something else", AMD_EBX, 1,
	  0x07280202, { { 0 } }, NOWHERE },
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

/*
 * Family 17h without leaf 0Bh: two packages of 32 cores of two threads. A package has seven bits of
 * the id, and needs six.
 */
TEST(test_amd)
{
	for (uint32_t id = 0; id < 256; id += 5) {
		const struct mocked_leaf rows[] = {
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
		const struct mocked_leaf rows[] = {
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
