/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ACPI tables, read as hostile input: every length, checksum, revision and pointer is checked
 * before it is believed. Source: ACPI 6.5, chapter 5.2; HPET specification 1.0a; the parsers name
 * theirs.
 */
#pragma once

#include "serial_port.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACPI_CPUS_MAX        4096
#define ACPI_TABLES_MAX      256
#define ACPI_TABLE_BYTES_MAX (1u << 20) /* no valid table is longer */
#define ACPI_COMPLAINTS_MAX  32         /* reported; the last one announces that it is the last */

/*
 * Reading physical memory. map() returns NULL unless all of [address, address + bytes) is memory.
 * It stays mapped until acpi_read() returns; PPTT, SRAT and SMBIOS's structures as long as
 * acpi_info or smbios_info is used.
 */
struct acpi_memory {
	const void *(*map)(void *ctx, uint64_t address, size_t bytes);
	void *ctx;
};

/* memory->map() that returns NULL also for address 0, and for ranges that wrap around. */
const void *acpi_memory_map(const struct acpi_memory *memory, uint64_t address, uint32_t bytes);

/* A mapped table: `length` bytes, at least its header, all of them memory. */
struct acpi_table {
	const char *name;
	const uint8_t *bytes;
	uint32_t length;
	uint8_t length_at; /* offset and size of its entries' lengths: 1, 2; 0: it has no entries */
};

/* Called once per defect with a sentence: the table, what was found, what happens now. */
typedef void acpi_complaint(void *ctx, const char *text);

/* Generic Address Structure, ACPI 6.5 table 5.1; space 0: memory, 1: I/O. address 0: absent. */
struct acpi_gas {
	uint8_t space, bit_width, access;
	uint64_t address;
};

#define ACPI_SPACE_MEMORY 0
#define ACPI_SPACE_IO     1
#define ACPI_ACCESS_BYTE  1
#define ACPI_ACCESS_DWORD 3

/* One way an NMI is wired to a core's LINT pin: MADT types 4 and 0xA. */
struct acpi_nmi {
	bool all_cpus;
	uint32_t uid; /* ACPI processor UID, when not all_cpus */
	uint8_t lint; /* 0 or 1 */
};

#define ACPI_NMIS_MAX ACPI_CPUS_MAX /* some firmware lists each core by itself */

struct acpi_cpu {
	uint32_t apic_id; /* APIC id; of GICC entries MPIDR: Aff3 in 31:24, Aff2 to Aff0 */
	uint32_t uid;
};

/* MCFG: configuration space of some buses of a PCI segment, in memory. */
struct acpi_ecam {
	uint64_t base; /* address of bus 0, whether or not it is listed; 1 MiB per bus */
	uint16_t segment;
	uint8_t first_bus, last_bus;
};

#define ACPI_ECAMS_MAX 32

/* DMAR, IVRS: an IOMMU, Intel's or AMD's, by the page of its registers. */
struct acpi_iommu {
	uint64_t base;
	bool amd;
};

#define ACPI_IOMMUS_MAX 32

#define ACPI_VIRTIOS_MAX 32 /* QEMU's virt has 32 */

struct acpi_info {
	/* MADT: enabled cores, each APIC id once, in table order. */
	uint32_t cpu_count;
	struct acpi_cpu cpu[ACPI_CPUS_MAX];
	uint32_t nmi_count;
	struct acpi_nmi nmi[ACPI_NMIS_MAX];

	/* FADT. Its GAS are in memory or in I/O space, and in I/O space below 0x10000. */
	bool has_fadt;
	uint32_t smi_cmd; /* I/O port; 0: none */
	uint8_t acpi_enable, acpi_disable;
	struct acpi_gas pm1a_evt, pm1b_evt, pm1a_cnt, pm1b_cnt, pm_timer, reset_reg;
	struct acpi_gas gpe[2];
	uint8_t gpe_bytes[2]; /* status registers in the lower half, enables in the upper */
	uint8_t reset_value;
	bool has_s5; /* \_S5 of the DSDT or an SSDT, for both PM1 control registers */
	uint8_t s5_type[2];
	bool pm_timer_32bit; /* flags bit 8, TMR_VAL_EXT */
	bool has_reset_reg;  /* flags bit 10, RESET_REG_SUP, and reset_reg can be used */
	bool has_8042;       /* IAPC_BOOT_ARCH bit 1, 8042; before revision 2 assumed present */
	bool no_rtc;   /* IAPC_BOOT_ARCH bit 5, CMOS RTC Not Present; reserved before revision 5 */
	bool has_psci; /* ARM_BOOT_ARCH bit 0, PSCI_COMPLIANT */
	bool psci_by_hvc;    /* bit 1, PSCI_USE_HVC; else by SMC */
	uint64_t hypervisor; /* its vendor's identity, the first character lowest; 0: none */
	bool hw_reduced;     /* flags bit 20; then no PM register or port above is set */

	uint64_t hpet_address; /* 0: none */

	uint32_t ecam_count;
	struct acpi_ecam ecam[ACPI_ECAMS_MAX]; /* no two with the same bus */

	uint32_t iommu_count;
	struct acpi_iommu iommu[ACPI_IOMMUS_MAX]; /* each once */

	/* TPM2 */
	uint32_t tpm_start;   /* its start method; 0: no such table */
	uint64_t tpm_address; /* control area, or registers; 0 where a method needs none */
	/* For a FIFO without an address there: that of the TPM's device in the DSDT or an SSDT. */
	uint64_t tpm_namespace;

	struct acpi_table pptt, srat; /* up to their last sound entry; length 0: none */

	/* SPCR: a port that can be driven; not known is whether it answers. Kind 0: none. */
	struct serial_port serial;

	/*
	 * Registers in memory of devices LNRO0005, or by the device tree: virtio devices of any
	 * kind, or slots without.
	 */
	uint32_t virtios;
	uint64_t virtio[ACPI_VIRTIOS_MAX];
};

/* A table as it stands in memory, whatever its checksum; its length is plausible. */
typedef void acpi_visit(void *ctx, const uint8_t *table, uint32_t bytes);

/*
 * Visit each table of the list once, and the DSDT that a FADT names. Tables that cannot be mapped
 * are left out.
 */
void acpi_each_table(const struct acpi_memory *memory, uint64_t rsdp, acpi_visit *visit, void *ctx);

/* The core with this id; NULL: the tables do not list it. */
const struct acpi_cpu *acpi_find_cpu(const struct acpi_info *info, uint32_t apic_id);

/*
 * Read all tables from the RSDP at `rsdp`. Defects are reported and skipped, so
 * *info always holds what could be trusted. A table whose checksum is wrong is
 * not used, but for the MADT: see core/firmware/acpi.c. Returns false when not even the
 * table list could be read (info is then all zero).
 */
bool acpi_read(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp,
	       acpi_complaint *complain, void *ctx);

/* ---- Tables that are read only if nothing else has their information ---- */

/*
 * The place of a core by the PPTT's tree of processors and their containers. Source: ACPI 6.5,
 * 5.2.30. Revision 2 or later is needed: earlier ones mark neither threads nor leaves.
 */
struct acpi_place {
	bool known;                     /* false: the three numbers below mean nothing */
	uint32_t package, core, thread; /* in the table's order, of a core in its package */
};

/* The place of the core with this ACPI processor UID. */
struct acpi_place acpi_pptt_place(const struct acpi_info *info, uint32_t uid);

#define ACPI_CACHE_LEVELS 4

/* The sizes of this core's data caches, nearest first; 0: no cache, or no size. */
void acpi_pptt_caches(const struct acpi_info *info, uint32_t uid,
		      uint64_t bytes[ACPI_CACHE_LEVELS]);

/* Memory in [from, end), of a proximity domain of the SRAT, which may have any number. */
struct acpi_range {
	uint64_t from, end;
	uint32_t domain;
};

#define ACPI_RANGES_MAX 128

/*
 * Get memory by domain: ranges below 2^52, not empty, and apart. Entries that make no sense, and
 * memory that overlaps an earlier entry's, are skipped. Returns the number of ranges.
 */
uint32_t acpi_srat_memory(const struct acpi_info *info, struct acpi_range range[ACPI_RANGES_MAX]);

/*
 * Get the domain of a core; false: the table has none. If two entries claim one core, the first
 * counts.
 */
bool acpi_srat_core(const struct acpi_info *info, const struct acpi_cpu *cpu, uint32_t *domain);
