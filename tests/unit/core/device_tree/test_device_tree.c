/* SPDX-License-Identifier: BSD-2-Clause */
/* Device trees built token by token from the specification, and QEMU's: sound, cut and lying. */
#include "core/device_tree/device_tree.h"
#include "tests/unit/described.h"
#include "tests/unit/made_tree.h"

#include <stdio.h>
#include <string.h>

#define BOOT 0x0u

/*
 * From QEMU 7.2: -M virt,virtualization=on,gic-version=3,dumpdtb=FILE -smp 4. A 0 byte precedes it,
 * for the fuzzer.
 */
#define QEMU_TREE "tests/fuzz/seeds/fuzz_device_tree/virt-el2"

static struct acpi_info info;

static void cpu(uint32_t id, const char *method)
{
	char name[24];

	snprintf(name, sizeof(name), "cpu@%x", id);
	begin(name);
	text("device_type", "cpu");
	CELLS("reg", id);
	if (method)
		text("enable-method", method);
	leave();
}

static void psci(const char *compatible, size_t bytes, const char *method)
{
	begin("psci");
	prop("compatible", compatible, bytes);
	if (method)
		text("method", method);
	leave();
}

#define NEW_PSCI "arm,psci-1.0\0arm,psci-0.2\0arm,psci"

static void begin_cpus(void)
{
	begin("cpus");
	CELLS("#address-cells", 1);
	CELLS("#size-cells", 0);
}

/* The boot core alone. */
static void one_cpu(void)
{
	begin_cpus();
	cpu(BOOT, NULL);
	leave();
}

static void setup(void)
{
	empty_memory();
	memset(&info, 0, sizeof(info));
	begin_tree();
}

/* Copy `bytes` from `from` into the mocked memory, and read the device tree there. */
static void read_bytes(const uint8_t *from, uint32_t bytes)
{
	uint64_t at = physical_alloc(&memory, bytes);
	struct acpi_memory m = physical_memory(&memory);

	memcpy(physical_at(&memory, at), from, bytes);
	device_tree_read(&info, &m, at, BOOT, complain, &reported);
}

static void read_tree(void)
{
	close_tree();
	read_bytes(tree, TOTAL);
}

static void read_silently(void)
{
	read_tree();
	reported_assert_none(&reported);
}

static void whole_machine(void)
{
	CELLS("#address-cells", 2);
	CELLS("#size-cells", 2);
	psci(NEW_PSCI, sizeof(NEW_PSCI), "smc");
	begin_cpus();
	begin("cpu-map"); /* no core */
	leave();
	cpu(BOOT, NULL);
	cpu(0x100, "psci");
	cpu(0x1, "psci");
	leave();
	begin("aliases");
	text("serial0", "/soc/serial@10");
	leave();
	begin("soc");
	CELLS("#address-cells", 1);
	CELLS("#size-cells", 1);
	CELLS("ranges", 0x0, 0x0, 0x80000000, 0x8, 0x100, 0x2, 0x40000000, 0x1000);
	begin("serial@10");
	prop("compatible", "arm,pl011\0arm,primecell", sizeof("arm,pl011\0arm,primecell"));
	CELLS("reg", 0x110, 0x1000);
	leave();
	leave();
	begin("chosen");
	text("stdout-path", "serial0:115200n8");
	leave();
}

static void assert_serial(enum serial_port_kind kind, uint64_t base, unsigned stride)
{
	const struct serial_port *p = &info.serial;

	assert_int_equal(p->kind, kind);
	assert_int_equal(p->base, base);
	assert_int_equal(p->stride, stride);
	assert_int_equal(p->access, stride);
	assert_true(p->mmio && p->is_set_up);
	assert_string_equal(p->from, "the device tree");
}

TEST_F(setup, empty_memory, test_what_is_read)
{
	whole_machine();
	read_silently();
	assert_true(info.has_psci);
	assert_false(info.psci_by_hvc);
	assert_int_equal(info.cpu_count, 3);
	assert_int_equal(info.cpu[0].apic_id, BOOT);
	assert_int_equal(info.cpu[1].apic_id, 0x100);
	assert_int_equal(info.cpu[2].apic_id, 1);
	assert_serial(SERIAL_PORT_PL011, 0x240000010, 4);
	assert_false(info.has_fadt);
}

static void assert_ecam(uint32_t i, uint64_t base, unsigned segment, unsigned first, unsigned last)
{
	const struct acpi_ecam *e = &info.ecam[i];

	assert_true(i < info.ecam_count);
	assert_int_equal(e->base, base);
	assert_int_equal(e->segment, segment);
	assert_int_equal(e->first_bus, first);
	assert_int_equal(e->last_bus, last);
}

TEST_F(setup, empty_memory, test_qemu)
{
	static uint8_t file[16384];
	FILE *f = fopen(QEMU_TREE, "rb");
	size_t bytes;

	assert_non_null(f);
	bytes = fread(file, 1, sizeof(file), f);
	fclose(f);
	assert_in_range(bytes, 4096, sizeof(file) - 1);
	read_bytes(file + 1, (uint32_t)bytes - 1);
	reported_assert_none(&reported);
	assert_true(info.has_psci);
	assert_false(info.psci_by_hvc);
	assert_int_equal(info.cpu_count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(info.cpu[i].apic_id, i);
	assert_serial(SERIAL_PORT_PL011, 0x09000000, 4);
	assert_ecam(0, 0x4010000000, 0, 0, 255);
	assert_int_equal(info.ecam_count, 1);
}

/* Four levels of MPIDR, in two cells. */
TEST_F(setup, empty_memory, test_wide_mpidr)
{
	psci("arm,psci-0.2", sizeof("arm,psci-0.2"), "hvc");
	begin("cpus");
	begin("cpu");
	CELLS("reg", 0x12, 0x345678);
	text("enable-method", "psci");
	text("status", "disabled"); /* waits for its enable-method */
	leave();
	begin("cpu");
	CELLS("reg", 0x1, 0x80000000); /* bit 31 is not part of the affinity */
	text("enable-method", "psci");
	leave();
	leave();
	read_tree();
	assert_true(info.psci_by_hvc);
	assert_int_equal(info.cpu_count, 1);
	assert_int_equal(info.cpu[0].apic_id, 0x12345678);
	reported_assert_one(&reported, "cores left out since their reg is no MPIDR: 1");
}

TEST_F(setup, empty_memory, test_cores_left_out)
{
	psci(NEW_PSCI, sizeof(NEW_PSCI), "smc");
	begin_cpus();
	cpu(BOOT, "spin-table"); /* the boot core runs already */
	cpu(1, "spin-table");
	cpu(2, "spin-table");
	cpu(3, "acme,own");
	cpu(4, NULL);
	cpu(5, "psci");
	cpu(5, "psci");
	begin("cpu@6");
	CELLS("reg", 6);
	text("enable-method", "psci");
	text("status", "fail-hw");
	leave();
	begin("cpu@7");
	text("enable-method", "psci");
	leave();
	leave();
	read_tree();
	assert_int_equal(info.cpu_count, 2);
	assert_int_equal(info.cpu[1].apic_id, 5);
	assert_int_equal(reported.count, 5);
	assert_true(reported_has(&reported, "their enable-method is spin-table, not psci: 2"));
	assert_true(reported_has(&reported, "their enable-method is not psci: 2"));
	assert_true(reported_has(&reported, "they repeat an MPIDR: 1"));
	assert_true(reported_has(&reported, "their status is fail: 1"));
	assert_true(reported_has(&reported, "their reg is no MPIDR: 1"));
}

TEST_F(setup, empty_memory, test_no_cores)
{
	read_tree();
	assert_int_equal(info.cpu_count, 0);
	reported_assert_one(&reported, "device tree: no cores; only the boot core is used");
}

TEST_F(setup, empty_memory, test_odd_cells)
{
	begin("cpus");
	CELLS("#address-cells", 3);
	leave();
	read_tree();
	reported_assert_one(&reported, "cores with addresses of 3 cells, valid are 1 and 2");
}

/* The cores need PSCI, but no usable PSCI is described: only the boot core is found. */
TEST_F(setup, empty_memory, test_no_psci)
{
	static const char why[] = "PSCI's method is neither smc nor hvc; not used";
	static const struct {
		const char *compatible; /* NULL: there is none at all */
		size_t bytes;
		const char *method, *why;
	} rows[] = {
		{ NULL, 0, NULL, NULL },
		/* Version 0.1, whose functions have numbers of their own. */
		{ "arm,psci", sizeof("arm,psci"), "smc", NULL },
		{ NEW_PSCI, sizeof(NEW_PSCI), "call", why },
		{ NEW_PSCI, sizeof(NEW_PSCI), NULL, why },
		/* A list of strings without the final 0. */
		{ "arm,psci-1.0", strlen("arm,psci-1.0"), "smc", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setup();
		if (rows[i].compatible)
			psci(rows[i].compatible, rows[i].bytes, rows[i].method);
		begin_cpus();
		cpu(BOOT, "psci");
		cpu(1, "psci");
		leave();
		read_tree();
		assert_false(info.has_psci);
		assert_int_equal(info.cpu_count, 1);
		assert_true(reported_has(&reported, "no PSCI that can be used is described: 1"));
		assert_true(!rows[i].why || reported_has(&reported, rows[i].why));
	}
}

TEST_F(setup, empty_memory, test_psci_in_firmware)
{
	begin("firmware");
	psci(NEW_PSCI, sizeof(NEW_PSCI), "smc");
	leave();
	begin_cpus();
	cpu(BOOT, "psci");
	leave();
	read_silently();
	assert_true(info.has_psci);
}

static uint64_t hypervisor_of(const char *name, const char *compatible, size_t bytes)
{
	setup();
	begin(name);
	if (bytes)
		prop("compatible", compatible, bytes);
	leave();
	one_cpu();
	read_silently();
	return info.hypervisor;
}

#define HYPERVISOR(name, compatible) hypervisor_of(name, compatible, sizeof(compatible))

/* Hypervisors get the identity that a FADT would have; its lowest byte is the first character. */
TEST_F(setup, empty_memory, test_hypervisor)
{
	assert_true(HYPERVISOR("hypervisor", "linux,kvm") == 0x4d564b);
	assert_true(HYPERVISOR("hypervisor@8", "xen,xen-4.17\0xen,xen") == 0x4d4d566e6558);
	assert_true(HYPERVISOR("hypervisor", "acme,hv") == 0x6e776f6e6b6e75);
	assert_true(hypervisor_of("hypervisor", "", 0) == 0x6e776f6e6b6e75);
	assert_true(HYPERVISOR("hypervisors", "linux,kvm") == 0);
}

/* Read a tree with a timer. `erratum`: how its complaint begins; NULL: there is none. */
static void timer_has(const char *compatible, const char *property, const char *erratum)
{
	setup();
	begin("timer");
	text("compatible", compatible);
	prop(property, "", 0);
	leave();
	one_cpu();
	read_tree();
	if (erratum)
		reported_assert_one(&reported, erratum);
	else
		reported_assert_none(&reported);
}

TEST_F(setup, empty_memory, test_errata_of_the_counter)
{
	timer_has("arm,armv8-timer", "fsl,erratum-a008585", "tree: erratum A-008585 of Freescale");
	timer_has("arm,armv8-timer", "hisilicon,erratum-161010101", "161010101 of HiSilicon");
	timer_has("arm,armv8-timer", "allwinner,erratum-unknown1", "UNKNOWN1 of Allwinner");
	timer_has("arm,armv8-timer", "always-on", NULL);
	/* Errata of other timers are ignored. */
	timer_has("acme,timer", "fsl,erratum-a008585", NULL);
}

/* Add a 16550 below a bus; `path` is the value of stdout-path. */
static void serial(const char *compatible, uint32_t shift, bool ranges, const char *path)
{
	one_cpu();
	begin("chosen");
	text("stdout-path", path);
	leave();
	begin("bus@f0000000");
	CELLS("#address-cells", 1);
	CELLS("#size-cells", 1);
	if (ranges)
		prop("ranges", "", 0); /* one to one */
	begin("uart@f0001000");
	text("compatible", compatible);
	CELLS("reg", 0xf0001000, 0x100);
	CELLS("reg-shift", shift);
	CELLS("reg-offset", 0x40);
	leave();
	leave();
	read_tree();
}

TEST_F(setup, empty_memory, test_serial_16550)
{
	serial("ns16550a", 2, true, "/bus/uart");
	reported_assert_none(&reported);
	assert_serial(SERIAL_PORT_16550, 0xf0001040, 4);
	setup();
	serial("ns16550", 0, true, "/bus@f0000000/uart@f0001000:9600");
	reported_assert_none(&reported);
	assert_serial(SERIAL_PORT_16550, 0xf0001040, 1);
}

static const struct bad_serial {
	const char *compatible;
	uint32_t shift;
	bool ranges;
	const char *path, *why;
} bad_serials[] = {
	{ "acme,uart", 0, true, "/bus/uart", "is no 16550 or PL011" },
	{ "ns16550a", 1, true, "/bus/uart", "has registers neither 1 nor 4 bytes apart" },
	{ "ns16550a", 0, false, "/bus/uart", "has no address that can be reached" },
	{ "ns16550a", 0, true, "/bus/uart@1", "is no node" },
	{ "ns16550a", 0, true, "/bus/uar", "is no node" },
	{ "ns16550a", 0, true, "/", "is no node" },
	{ "ns16550a", 0, true, "serial0", "is no node" },
	{ "ns16550a", 0, true, "", "is no node" },
};

TEST_F(setup, empty_memory, test_bad_serial)
{
	for (size_t i = 0; i < sizeof(bad_serials) / sizeof(bad_serials[0]); i++) {
		const struct bad_serial *b = &bad_serials[i];

		setup();
		serial(b->compatible, b->shift, b->ranges, b->path);
		assert_int_equal(info.serial.kind, SERIAL_PORT_UNDRIVEN);
		reported_assert_one(&reported, b->why);
	}
}

/* The UART's bus address is outside `ranges`. */
TEST_F(setup, empty_memory, test_serial_out_of_range)
{
	CELLS("#address-cells", 1);
	one_cpu();
	begin("chosen");
	text("stdout-path", "/soc/uart");
	leave();
	begin("soc");
	CELLS("#address-cells", 1);
	CELLS("ranges", 0x1000, 0xf0000000, 0x1000, 0x1);
	begin("uart");
	text("compatible", "arm,pl011");
	CELLS("reg", 0x2000, 0x1000);
	leave();
	leave();
	read_tree();
	reported_assert_one(&reported, "has no address that can be reached");
}

/* A PCI host bridge, and the members that a test changes. Addresses have 2 cells, sizes 1. */
struct host {
	const char *compatible, *status;
	uint32_t address, bytes, first, last;
	uint32_t space, from, to; /* cells of `ranges` */
	const char *why;
};

static void host(const struct host *h)
{
	begin("pcie@40000000");
	text("compatible", h->compatible);
	if (h->status)
		text("status", h->status);
	CELLS("reg", 0, h->address, h->bytes);
	CELLS("bus-range", h->first, h->last);
	CELLS("#address-cells", 3);
	CELLS("#size-cells", 2);
	CELLS("ranges", 0x1000000, 0, 0, 0, 0x3eff0000, 0, 0x10000, h->space, 0, h->from, 0, h->to,
	      0, 0x1000);
	leave();
}

#define ECAM "pci-host-ecam-generic"

static const struct host sound_host = {
	ECAM, NULL, 0x40000000, 0x1000000, 0, 15, 0x2000000, 0x50000000, 0x50000000, NULL,
};

/* ECAM base is the address of bus 0, not of the first bus. The last bus is limited by the size. */
TEST_F(setup, empty_memory, test_pci)
{
	struct host h = sound_host;

	one_cpu();
	host(&h);
	h.address = 0x60000000;
	h.bytes = 0x400000;
	h.first = 0x20;
	h.last = 0xff;
	h.status = "okay";
	begin("soc");
	CELLS("#address-cells", 2);
	CELLS("ranges", 0, 0x60000000, 0x1, 0x60000000, 0x8000000);
	host(&h);
	leave();
	read_silently();
	assert_int_equal(info.ecam_count, 2);
	assert_ecam(0, 0x40000000, 0, 0, 15);
	assert_ecam(1, 0x160000000 - 0x2000000, 1, 0x20, 0x23);
}

/* ACPI's descriptions have priority. */
TEST_F(setup, empty_memory, test_acpi_first)
{
	info.has_fadt = true;
	info.serial.kind = SERIAL_PORT_16550;
	info.serial.base = 0x3f8;
	info.cpu_count = 1;
	info.cpu[0].apic_id = 7;
	info.ecam_count = 1;
	info.ecam[0].base = 0xb0000000;
	whole_machine();
	host(&sound_host);
	read_silently();
	assert_false(info.has_psci);
	assert_int_equal(info.cpu_count, 1);
	assert_int_equal(info.serial.kind, SERIAL_PORT_16550);
	assert_int_equal(info.serial.base, 0x3f8);
	assert_int_equal(info.ecam_count, 1);
	assert_int_equal(info.ecam[0].base, 0xb0000000);
}

static const struct host bad_hosts[] = {
	{ "acme,pcie", NULL, 0x40000000, 0x1000000, 0, 15, 0x2000000, 0, 0, NULL },
	{ ECAM, "disabled", 0x40000000, 0x1000000, 0, 15, 0x2000000, 0, 0, NULL },
	{ ECAM, NULL, 0, 0x1000000, 0, 15, 0x2000000, 0, 0, "that can be reached" },
	{ ECAM, NULL, 0x40000000, 0xfffff, 0, 15, 0x2000000, 0, 0, "that can be reached" },
	{ ECAM, NULL, 0x40000000, 0x1000000, 2, 1, 0x2000000, 0, 0, "that can be reached" },
	{ ECAM, NULL, 0x40000000, 0x1000000, 0, 256, 0x2000000, 0, 0, "that can be reached" },
	{ ECAM, NULL, 0x40000000, 0x1000000, 0, 15, 0x2000000, 0, 0x50000000,
	  "has devices at other addresses than the processor" },
	{ ECAM, NULL, 0x40000000, 0x1000000, 0, 15, 0x43000000, 0x1000, 0x50000000,
	  "has devices at other addresses than the processor" },
	{ ECAM, NULL, 0x40000800, 0x1000000, 0, 15, 0x2000000, 0, 0, "0x40000800 cannot be" },
};

TEST_F(setup, empty_memory, test_bad_pci)
{
	for (size_t i = 0; i < sizeof(bad_hosts) / sizeof(bad_hosts[0]); i++) {
		setup();
		one_cpu();
		host(&bad_hosts[i]);
		read_tree();
		assert_int_equal(info.ecam_count, 0);
		if (bad_hosts[i].why)
			reported_assert_one(&reported, bad_hosts[i].why);
		else
			reported_assert_none(&reported);
	}
}

static const struct bad_header {
	uint32_t field, value;
	const char *why;
} bad_headers[] = {
	{ 0, 0xedfe0dd0, "has an invalid header; not used" },
	{ 4, 39, "has an invalid header; not used" },
	{ 4, 0x80000000, "has an invalid header; not used" },
	{ 4, 0x7fffffff, "has an impossible size; not used" },
	{ 4, TOTAL + 1, "extends beyond memory; not used" },
	{ 8, TOTAL, "has an invalid header; not used" },
	{ 8, UINT32_MAX, "has an invalid header; not used" },
	{ 12, TOTAL + 1, "has an invalid header; not used" },
	{ 16, 41, "has an invalid header; not used" },
	{ 20, 16, "is not of version 17; not used" },
	{ 24, 18, "is not of version 17; not used" },
	{ 32, 0, "is malformed; not used" },
	{ 36, 0, "is malformed; not used" },
};

TEST_F(setup, empty_memory, test_bad_header)
{
	static const struct acpi_info zero;

	for (size_t i = 0; i < sizeof(bad_headers) / sizeof(bad_headers[0]); i++) {
		setup();
		whole_machine();
		close_tree();
		put32(bad_headers[i].field, bad_headers[i].value);
		read_bytes(tree, TOTAL);
		reported_assert_one(&reported, bad_headers[i].why);
		assert_memory_equal(&info, &zero, sizeof(zero));
	}
}

TEST_F(setup, empty_memory, test_not_in_memory)
{
	struct acpi_memory m = physical_memory(&memory);

	device_tree_read(&info, &m, UINT64_MAX - 8, BOOT, complain, &reported);
	reported_assert_one(&reported, "is not in memory; not used");
}

static void assert_malformed(void)
{
	static const struct acpi_info zero;

	reported_assert_one(&reported, "is malformed; not used");
	assert_memory_equal(&info, &zero, sizeof(zero));
}

/* A tree that is cut at any token is refused. */
TEST_F(setup, empty_memory, test_cut)
{
	uint32_t whole;

	whole_machine();
	whole = structs;
	for (uint32_t bytes = 8; bytes < whole; bytes += 4) {
		setup();
		whole_machine();
		close_tree();
		put32(36, bytes);
		read_bytes(tree, TOTAL);
		assert_malformed();
	}
}

static void put_deep(unsigned levels)
{
	setup();
	one_cpu();
	for (unsigned i = 0; i < levels; i++)
		begin("n");
	for (unsigned i = 0; i < levels; i++)
		leave();
}

/* Libfdt bounds no depth, but its time is quadratic in it. */
TEST_F(setup, empty_memory, test_deep)
{
	put_deep(31);
	read_silently();
	assert_int_equal(info.cpu_count, 1);
	put_deep(32);
	read_tree();
	reported_assert_one(&reported, "is too deep; not used");
	assert_int_equal(info.cpu_count, 0);
}

/* A property that claims more bytes than there are. */
TEST_F(setup, empty_memory, test_long_property)
{
	one_cpu();
	token(3);
	token(UINT32_MAX);
	token(0);
	read_tree();
	assert_malformed();
}

/* An alias of itself, or of another alias, leads nowhere. */
TEST_F(setup, empty_memory, test_alias_of_an_alias)
{
	one_cpu();
	begin("aliases");
	text("serial0", "serial0");
	leave();
	begin("chosen");
	text("stdout-path", "serial0");
	leave();
	read_tree();
	reported_assert_one(&reported, "stdout-path is no node; not used");
}

TEST_F(setup, empty_memory, test_nops)
{
	token(4);
	begin_cpus();
	token(4);
	cpu(BOOT, NULL);
	token(4);
	token(4);
	leave();
	token(4);
	read_silently();
	assert_int_equal(info.cpu_count, 1);
}
