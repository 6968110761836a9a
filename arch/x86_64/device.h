/* SPDX-License-Identifier: BSD-2-Clause */
/* Where page tables for devices come from. arch.h has the rest. */
#pragma once

#define DEVICE_TABLES       24 /* eight devices, each far from the others */
#define DEVICE_TABLES_BYTES (DEVICE_TABLES * 4096u)

/* The page tables are ours from now on; DEVICE_TABLES_BYTES, page-aligned, may extend them. */
void device_tables(void *pages);
