/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/fake_pci.h"

struct fake fake;

void fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
	memset(fake.port, 0xff, sizeof(fake.port));
}

void fake_put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

uint32_t fake_get(const uint8_t *at, unsigned bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)at[i] << 8 * i;
	return value;
}

struct fake_function *fake_add(uint8_t bus, uint8_t device, uint8_t function, uint32_t id,
			       uint32_t class)
{
	struct fake_function *f = &fake.function[fake.functions++];

	assert_true(fake.functions <= FAKE_FUNCTIONS);
	f->at = (struct pci_address){ 0, bus, device, function };
	fake_put(f->reg + PCI_ID, id, 4);
	fake_put(f->reg + PCI_CLASS + 1, class, 3);
	return f;
}

uint8_t *fake_memory(uint64_t base, void *at, uint64_t bytes)
{
	fake.region[fake.regions++] = (struct fake_region){ base, bytes, at, false };
	assert_true(fake.regions <= FAKE_REGIONS);
	return at;
}

static struct fake_function *fake_find(uint16_t segment, uint8_t bus, uint8_t devfn)
{
	for (unsigned i = 0; i < fake.functions; i++) {
		struct fake_function *f = &fake.function[i];

		if (f->at.segment == segment && f->at.bus == bus &&
		    (f->at.device << 3 | f->at.function) == devfn)
			return f;
	}
	return NULL;
}

static struct fake_function *fake_aimed(void)
{
	if (!(fake.address & 1u << 31))
		return NULL;
	return fake_find(0, (uint8_t)(fake.address >> 16), (uint8_t)(fake.address >> 8));
}

static uint32_t fake_in(uint16_t port, unsigned bytes)
{
	struct fake_function *f;

	if (fake.on_read)
		fake.on_read();
	if (port == 0xcf8 && bytes == 4)
		return fake.no_ports ? UINT32_MAX : fake.address;
	if (port < 0xcfc || port > 0xcff)
		return fake_get(fake.port + port, bytes);
	f = fake_aimed();
	return f ? fake_get(f->reg + (fake.address & 0xfc) + (port & 3), bytes)
		 : UINT32_MAX >> (32 - 8 * bytes);
}

static void fake_out(uint16_t port, uint32_t value, unsigned bytes)
{
	unsigned offset = (fake.address & 0xfc) + (port & 3);
	struct fake_function *f;

	if (port == 0xcf8 && bytes == 4) {
		fake.address = value;
		return;
	}
	if (port < 0xcfc || port > 0xcff) {
		fake.port_writes++;
		fake_put(fake.port + port, value, bytes);
		if (fake.on_port_write)
			fake.on_port_write(port, value);
		return;
	}
	f = fake_aimed();
	assert_non_null(f);
	fake.config_writes++;
	fake_put(f->reg + offset, value, bytes);
	if (fake.on_config_write)
		fake.on_config_write(f, offset);
}

static bool fake_in_ecam(uint64_t address)
{
	return fake.ecam && address >= fake.ecam && address - fake.ecam < UINT64_C(256) << 20;
}

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	assert_true(address && bytes && address <= UINT64_MAX - bytes);
	if (fake_in_ecam(address))
		return true;
	for (unsigned i = 0; i < fake.regions; i++) {
		struct fake_region *r = &fake.region[i];

		/* A page is mapped whole: more than the region may be asked for. */
		if (address >= r->base && address - r->base < r->bytes) {
			r->mapped = true;
			return true;
		}
	}
	return false;
}

/* The bytes behind an address; the test ends where there are none. */
static uint8_t *fake_at(uint64_t address, unsigned bytes)
{
	assert_int_equal(address % bytes, 0);
	for (unsigned i = 0; i < fake.regions; i++) {
		struct fake_region *r = &fake.region[i];

		if (address >= r->base && address - r->base + bytes <= r->bytes) {
			assert_true(r->mapped);
			return r->at + (address - r->base);
		}
	}
	fail_msg("an access to 0x%llx, where nothing is", (unsigned long long)address);
	return NULL;
}

static struct fake_function *fake_in_config(uint64_t address)
{
	return fake_find(fake.ecam_segment, (uint8_t)((address - fake.ecam) >> 20),
			 (uint8_t)((address - fake.ecam) >> 12));
}

static uint32_t fake_load(uint64_t address, unsigned bytes)
{
	struct fake_function *f;

	if (fake.on_read)
		fake.on_read();
	if (fake_in_ecam(address)) {
		f = fake_in_config(address);
		assert_true(address % 4096 < 256 && bytes == 4);
		return f ? fake_get(f->reg + address % 4096, 4) : UINT32_MAX;
	}
	fake.memory_reads++;
	if (fake.on_memory_read)
		fake.on_memory_read(address, bytes);
	return fake_get(fake_at(address, bytes), bytes);
}

static void fake_store(uint64_t address, uint32_t value, unsigned bytes)
{
	struct fake_function *f;

	if (!fake_in_ecam(address)) {
		fake.memory_writes++;
		fake_put(fake_at(address, bytes), value, bytes);
		if (fake.on_memory_write)
			fake.on_memory_write(address, bytes, value);
		return;
	}
	f = fake_in_config(address);
	assert_non_null(f);
	fake.config_writes++;
	fake_put(f->reg + address % 4096, value, bytes);
	if (fake.on_config_write)
		fake.on_config_write(f, address % 4096);
}

REGISTERS(fake_in, fake_out, fake_load, fake_store)

void fake_open(struct pci *pci)
{
	static const struct acpi_info none;

	pci_open(pci, &none, NULL, NULL);
}
