/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model-specific registers that a survey reads. No include guard.
 *
 * MSRS(first, count, step, makers, flags): `count` of them, each `step` after the one before. Names
 * are those of Intel's SDM, vol. 4, and of AMD's APM, vol. 2, and PPRs. None is read that
 * identifies the processor (PPIN), clears or starts anything by being read.
 */
#ifdef MSRS
/* What evidence is made of. */
MSRS(0x34, 1, 1, INTEL | GUEST, SURVEY_MOVES) /* MSR_SMI_COUNT */
MSRS(0x3b, 1, 1, ANY, 0)                      /* IA32_TSC_ADJUST */
MSRS(0xe7, 2, 1, ANY, SURVEY_MOVES)           /* IA32_MPERF, IA32_APERF */
MSRS(0x186, 8, 1, INTEL, 0)                   /* IA32_PERFEVTSEL0 and on */
MSRS(0x19c, 1, 1, INTEL, SURVEY_MOVES)        /* IA32_THERM_STATUS: a temperature is in it */
MSRS(0x1b1, 1, 1, INTEL, SURVEY_MOVES)        /* IA32_PACKAGE_THERM_STATUS */
MSRS(0x1d9, 1, 1, ANY, 0)                     /* IA32_DEBUGCTL */
MSRS(0x309, 3, 1, INTEL, SURVEY_MOVES)        /* IA32_FIXED_CTR0 to 2 */
MSRS(0x345, 1, 1, INTEL, 0)                   /* IA32_PERF_CAPABILITIES */
MSRS(0x38d, 1, 1, INTEL, 0)                   /* IA32_FIXED_CTR_CTRL */
MSRS(0x38f, 1, 1, INTEL, 0)                   /* IA32_PERF_GLOBAL_CTRL */
MSRS(0xc0000301, 1, 1, AMD, 0)                /* PerfCntrGlobalCtl */
MSRS(0xc0010000, 4, 1, AMD, 0)                /* PerfEvtSel0 to 3 */
MSRS(0xc0010200, 6, 2, AMD, 0)                /* PERF_CTL0 to 5 */
MSRS(0xc0010201, 6, 2, AMD, SURVEY_MOVES)     /* PERF_CTR0 to 5 */
MSRS(0x40000022, 1, 1, GUEST, 0)              /* HV_X64_MSR_TSC_FREQUENCY */
MSRS(0x4b564d01, 1, 1, GUEST, 0)              /* MSR_KVM_SYSTEM_TIME_NEW */
MSRS(0x4b564d03, 1, 1, GUEST, 0)              /* MSR_KVM_STEAL_TIME */
MSRS(0xc0010131, 1, 1, GUEST, 0)              /* SEV_STATUS */

/* Memory types, and who owns the machine. */
MSRS(0x1b, 1, 1, ANY, 0)       /* IA32_APIC_BASE */
MSRS(0x8b, 1, 1, ANY, 0)       /* IA32_BIOS_SIGN_ID, Patch Level */
MSRS(0xfe, 1, 1, ANY, 0)       /* IA32_MTRRCAP */
MSRS(0x200, 20, 1, ANY, 0)     /* IA32_MTRR_PHYSBASE0, IA32_MTRR_PHYSMASK0, and on */
MSRS(0x250, 1, 1, ANY, 0)      /* IA32_MTRR_FIX64K_00000 */
MSRS(0x258, 2, 1, ANY, 0)      /* IA32_MTRR_FIX16K_80000 and A0000 */
MSRS(0x268, 8, 1, ANY, 0)      /* IA32_MTRR_FIX4K_C0000 to F8000 */
MSRS(0x277, 1, 1, ANY, 0)      /* IA32_PAT */
MSRS(0x2ff, 1, 1, ANY, 0)      /* IA32_MTRR_DEF_TYPE */
MSRS(0xc0000080, 1, 1, ANY, 0) /* IA32_EFER */
MSRS(0xc0010010, 1, 1, AMD, 0) /* SYSCFG */
MSRS(0xc001001a, 1, 1, AMD, 0) /* TOP_MEM */
MSRS(0xc001001d, 1, 1, AMD, 0) /* TOP_MEM2 */

/* How the machine is set. */
MSRS(0x3a, 1, 1, INTEL, 0)      /* IA32_FEATURE_CONTROL */
MSRS(0xce, 1, 1, INTEL, 0)      /* MSR_PLATFORM_INFO */
MSRS(0xe2, 1, 1, INTEL, 0)      /* MSR_PKG_CST_CONFIG_CONTROL */
MSRS(0xe4, 1, 1, INTEL, 0)      /* MSR_PMG_IO_CAPTURE_BASE */
MSRS(0x194, 1, 1, INTEL, 0)     /* MSR_FLEX_RATIO */
MSRS(0x199, 1, 1, INTEL, 0)     /* IA32_PERF_CTL */
MSRS(0x19b, 1, 1, INTEL, 0)     /* IA32_THERM_INTERRUPT */
MSRS(0x1a0, 1, 1, INTEL, 0)     /* IA32_MISC_ENABLE */
MSRS(0x1a2, 1, 1, INTEL, 0)     /* MSR_TEMPERATURE_TARGET */
MSRS(0x1a4, 1, 1, INTEL, 0)     /* MSR_PREFETCH_CONTROL */
MSRS(0x1aa, 1, 1, INTEL, 0)     /* MSR_MISC_PWR_MGMT */
MSRS(0x1ad, 1, 1, INTEL, 0)     /* MSR_TURBO_RATIO_LIMIT */
MSRS(0x1b0, 1, 1, INTEL, 0)     /* IA32_ENERGY_PERF_BIAS */
MSRS(0x1b2, 1, 1, INTEL, 0)     /* IA32_PACKAGE_THERM_INTERRUPT */
MSRS(0x1fc, 1, 1, INTEL, 0)     /* MSR_POWER_CTL */
MSRS(0x610, 1, 1, INTEL, 0)     /* MSR_PKG_POWER_LIMIT */
MSRS(0x64b, 1, 1, INTEL, 0)     /* MSR_CONFIG_TDP_CONTROL */
MSRS(0x770, 2, 1, INTEL, 0)     /* IA32_PM_ENABLE, IA32_HWP_CAPABILITIES */
MSRS(0x774, 1, 1, INTEL, 0)     /* IA32_HWP_REQUEST */
MSRS(0xc0010015, 1, 1, AMD, 0)  /* HWCR */
MSRS(0xc0010055, 1, 1, AMD, 0)  /* Interrupt Pending: C1E */
MSRS(0xc0010061, 11, 1, AMD, 0) /* P-states: limit, control, status, definitions */
MSRS(0xc0010073, 1, 1, AMD, 0)  /* C-state Base Address */
MSRS(0xc00102b0, 2, 1, AMD, 0)  /* CPPC_CAPABILITY_1, CPPC_ENABLE */
MSRS(0xc00102b3, 1, 1, AMD, 0)  /* CPPC_REQUEST */
#undef MSRS
#endif
