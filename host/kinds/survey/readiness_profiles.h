/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who asks for which setting. No include guard.
 *
 * PROFILE(id, name, title, source) is a publisher; its rows follow:
 * ASKS(profile, item, value) for a value, and ASKS_SAME(profile, item) for one on all cores.
 *
 * rhel-rt: power management is to be disabled in the BIOS, since both a clock that changes its
 * frequency and a core that sleeps answer later. Its advice on EDAC is none that a register shows,
 * and SMIs it leaves to the vendor.
 *
 * openshift-ran: the table's rows with a register; the reference design adds that Hyper-Threading
 * is required. "CPU power and performance policy: performance" is IA32_ENERGY_PERF_BIAS 0.
 *
 * intel-tcc: what Intel's own firmware sets in its TCC Mode (HyperThreading, Eist, Hwp, Cx = 0).
 *
 * linux: what the kernel reports as a fault of the firmware, or leaves to SMIs.
 */
#ifdef PROFILE
PROFILE(RHEL_RT, "rhel-rt", "Red Hat Enterprise Linux for Real Time",
	"Optimizing RHEL 9 for Real Time for low latency operation, \"Setting BIOS parameters for "
	"system tuning\"")
PROFILE(OPENSHIFT_RAN, "openshift-ran", "OpenShift, Telco RAN DU",
	"openshift-docs, ztp-du-host-firmware-requirements; Telco RAN DU reference design, \"Host "
	"firmware tuning\"")
PROFILE(INTEL_TCC, "intel-tcc", "Intel Time Coordinated Computing, TCC Mode",
	"Slim Bootloader, Elkhart Lake, TccModePreMemConfig() and TccModePostMemConfig()")
PROFILE(LINUX, "linux", "Linux",
	"arch/x86/kernel/tsc_sync.c; drivers/thermal/intel/therm_throt.c; "
	"arch/x86/kernel/cpu/microcode/core.c")
#undef PROFILE
#endif

#ifdef ASKS
ASKS(RHEL_RT, SPEEDSTEP, 0)
ASKS(RHEL_RT, HWP, 0)
ASKS(RHEL_RT, PACKAGE_C, 0)
ASKS(RHEL_RT, CORE_C, 0)
ASKS(RHEL_RT, C1E, 0)

ASKS(OPENSHIFT_RAN, TURBO, 1)
ASKS(OPENSHIFT_RAN, EFFICIENT_TURBO, 0)
ASKS(OPENSHIFT_RAN, SPEEDSTEP, 1)
ASKS(OPENSHIFT_RAN, HWP, 0)
ASKS(OPENSHIFT_RAN, BIAS, 0)
ASKS(OPENSHIFT_RAN, PACKAGE_C, 0)
ASKS(OPENSHIFT_RAN, CORE_C, 0)
ASKS(OPENSHIFT_RAN, C1E, 0)
ASKS(OPENSHIFT_RAN, SMT, 1)

ASKS(INTEL_TCC, SPEEDSTEP, 0)
ASKS(INTEL_TCC, HWP, 0)
ASKS(INTEL_TCC, PACKAGE_C, 0)
ASKS(INTEL_TCC, CORE_C, 0)
ASKS(INTEL_TCC, SMT, 0)

ASKS(LINUX, THERMAL, 0)
ASKS_SAME(LINUX, TSC_ADJUST)
ASKS_SAME(LINUX, MICROCODE)
#undef ASKS
#undef ASKS_SAME
#endif
