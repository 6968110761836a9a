/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table. Equally sure rows are printed in its order. Attributes are as dumps of such machines
 * have them. Vendors hardly publish periods of their SMIs, so few rows are sure.
 */
#include "advise.h"

#define CALLS(...)               \
	.call = { __VA_ARGS__ }, \
	.calls = sizeof((const int[][2]){ __VA_ARGS__ }) / (2 * sizeof(int))

/* Texts that several rows share. */
#define NO_ERROR_SMIS "no SMI of some ms for each corrected error"
#define NO_ERROR_LOG                                                                            \
	"the BMC no longer logs corrected errors: memory that is about to fail is not noticed " \
	"unless the OS watches it (rasdaemon)"
#define STEADY_CLOCK  "the core's clock no longer stops while its rate is changed"
#define MORE_POWER    "more power and heat when idle"
#define MEMORY_ERRORS .topic = "memory-errors", CALLS({ ADVISE_ERROR, ADVISE_MAYBE })
#define WATCHDOG                                                                        \
	.topic = "watchdog",                                                            \
	CALLS({ ADVISE_TCO_TIMER, ADVISE_MAYBE }, { ADVISE_WATCHDOG, ADVISE_MAYBE }),   \
	.effect = "no reset during a run, and no SMIs of the timer, if the setting is " \
		  "that of the chipset's (TCO): in many BIOSes it is the BMC's, which " \
		  "raises none",                                                        \
	.cost = "an OS that hangs is not reset"

static const struct advise_setting rows[] = {
	/* USB */
	{
		.topic = "usb-legacy",
		.menu = "Legacy USB Support",
		.attribute = "LegacyUSBSupport",
		.to = "Disabled",
		CALLS({ ADVISE_USB_STEP, ADVISE_SURE }, { ADVISE_USB_KEPT, ADVISE_LIKELY },
		      { ADVISE_USB_ENABLED, ADVISE_MAYBE }),
		.effect = "no SMIs for USB keyboards and mice, some 300 us each; an OS whose "
			  "driver takes USB over ends them as well",
		.cost = "no USB keyboard where there is no USB driver: old boot loaders, DOS",
		.source = "Linux, Documentation/arch/x86/usb-legacy-support.rst; Xenomai, SMI "
			  "troubleshooting",
	},
	{
		.topic = "usb-emulation",
		.menu = "Port 60/64 Emulation",
		.attribute = "Port6064Emulation",
		.to = "Disabled",
		CALLS({ ADVISE_KEYBOARD, ADVISE_LIKELY }, { ADVISE_EMULATION, ADVISE_MAYBE }),
		.effect = "no SMI for each access to the keyboard controller's ports",
		.cost = "no USB keyboard in software that knows only PS/2 ones",
		.source = "AMI Aptio, menu USB Configuration",
	},
	/* Timers */
	{
		.topic = "usb-timer",
		.menu = "USB Periodic SMI",
		.attribute = "USBPeriodicSMI",
		.to = "Disabled",
		CALLS({ ADVISE_TIMER, ADVISE_LIKELY }, { ADVISE_PERIODIC, ADVISE_MAYBE }),
		.effect = "the BIOS no longer polls USB by a timer that raises SMIs",
		.cost = "as Legacy USB Support: no USB keyboard without a USB driver",
		.source = "Intel, Edge Controls for Industrial, recommended BIOS settings",
	},
	{
		.topic = "monitoring",
		.vendor = "HPE",
		.menu = "Processor Power and Utilization Monitoring",
		.attribute = "PowerMonitoring",
		.to = "Disabled",
		CALLS({ ADVISE_BUSY, ADVISE_LIKELY }, { ADVISE_TIMER, ADVISE_MAYBE },
		      { ADVISE_PERIODIC, ADVISE_MAYBE }),
		.effect = "no periodic SMIs that read performance counters, which are free then",
		.cost = "iLO has no processor utilization, and its power figures are less exact",
		.source = "HP advisory c03265132; service options of RBSU, Ctrl-A",
	},
	{
		.topic = "monitoring",
		.menu = "Power and utilization monitoring",
		.to = "Disabled",
		CALLS({ ADVISE_BUSY, ADVISE_MAYBE }),
		.effect = "the BIOS no longer uses performance counters, which it reads in SMM",
		.cost = "the BMC has no processor utilization",
		.source =
			"Linux, \"the BIOS has corrupted hw-PMU resources\"; HP advisory c03265132",
	},
	/* Errors */
	{
		MEMORY_ERRORS,
		.vendor = "Dell",
		.menu = "Correctable Memory ECC SMI",
		.attribute = "CorrEccSmi",
		.to = "Disabled",
		.effect = NO_ERROR_SMIS,
		.cost = NO_ERROR_LOG,
		.source = "racadm, BIOS.MemSettings.CorrEccSmi; notes on a PowerEdge R7525",
	},
	{
		MEMORY_ERRORS,
		.vendor = "HPE",
		.menu = "Memory Pre-Failure Notification",
		.attribute = "MemPreFailureNotification",
		.to = "Disabled",
		.effect = "no SMIs for corrected errors above a threshold",
		.cost = NO_ERROR_LOG,
		.source = "VMware, Photon OS, real-time documentation",
	},
	{
		MEMORY_ERRORS,
		.vendor = "Intel",
		.menu = "Correctable Error Threshold",
		.attribute = "CorrectableErrorThreshold",
		.to = "None",
		.effect = NO_ERROR_SMIS,
		.cost = NO_ERROR_LOG,
		.source = "Intel, service guides of the S2600 family: 20, 10, 5, All, None",
	},
	{
		MEMORY_ERRORS,
		.vendor = "RadiSys",
		.menu = "Corr. Error Threshold",
		.to = "a higher number",
		.effect = "fewer SMIs: one for as many corrected errors of a DIMM",
		.cost = "a failing DIMM is logged later",
		.source = "RadiSys, ATCA manual, Correctable memory error logging",
	},
	{
		MEMORY_ERRORS,
		.menu = "EMCA CMCI-SMI Morphing",
		.attribute = "EmcaCsmiEn",
		.to = "Disabled",
		.effect = "corrected errors interrupt the OS (CMCI), and raise no SMI",
		.cost = NO_ERROR_LOG,
		.source = "Intel's reference BIOS, menu System Event Log, eMCA Settings",
	},
	{
		.topic = "error-policy",
		.vendor = "HPE",
		.menu = "Platform RAS Policy",
		.attribute = "PlatformRASPolicy",
		.to = "OS First",
		CALLS({ ADVISE_ERROR, ADVISE_MAYBE }),
		.effect = "errors go to the OS, and raise no SMI",
		.cost = "iLO does not log them, nor does it predict failures",
		.source = "dumps of HPE Gen10 servers: FirmwareFirst",
	},
	/* Clocks */
	{
		.topic = "power-profile",
		.vendor = "Dell",
		.menu = "CPU Power Management",
		.attribute = "ProcPwrPerf",
		.to = "MaxPerf",
		CALLS({ ADVISE_STOPPED, ADVISE_MAYBE }, { ADVISE_PERIODIC, ADVISE_MAYBE }),
		.effect = "the BIOS no longer sets the processor's rate by demand (System DBPM)",
		.cost = MORE_POWER,
		.source = "Dell, System Profile Settings: System DBPM, Maximum Performance",
	},
	{
		.topic = "power-profile",
		.vendor = "HPE",
		.menu = "Power Regulator",
		.attribute = "PowerRegulator",
		.to = "StaticHighPerf",
		CALLS({ ADVISE_STOPPED, ADVISE_MAYBE }, { ADVISE_PERIODIC, ADVISE_MAYBE }),
		.effect = "the ROM no longer polls the processors' load (Dynamic Power Savings)",
		.cost = MORE_POWER,
		.source = "HP, Power Regulator for ProLiant servers, technology brief",
	},
	{
		.topic = "jitter-control",
		.vendor = "HPE",
		.menu = "Processor Jitter Control",
		.attribute = "ProcessorJitterControl",
		.to = "AutoTuned",
		CALLS({ ADVISE_STOPPED, ADVISE_MAYBE }),
		.effect = STEADY_CLOCK,
		.cost = "a lower rate than Turbo Boost would reach",
		.source = "HPE, iLO 5 documentation, BIOS attributes",
	},
	{
		.topic = "power-profile",
		.vendor = "Lenovo",
		.menu = "Choose Operating Mode",
		.attribute = "OperatingModes_ChooseOperatingMode",
		.to = "MaximumPerformance",
		CALLS({ ADVISE_STOPPED, ADVISE_MAYBE }, { ADVISE_LIMITED, ADVISE_MAYBE }),
		.effect = STEADY_CLOCK,
		.cost = MORE_POWER,
		.source = "Lenovo Press LP1477, Tuning UEFI settings of ThinkSystem V2",
	},
	{
		.topic = "power-profile",
		.menu = "Power profile: maximum performance",
		.to = "Enabled",
		CALLS({ ADVISE_STOPPED, ADVISE_MAYBE }),
		.effect = STEADY_CLOCK,
		.cost = MORE_POWER,
		.source = "Red Hat, RHEL for Real Time, hardware platform settings",
	},
	{
		.topic = "power-limit",
		.vendor = "Dell",
		.menu = "System Profile",
		.attribute = "SysProfile",
		.to = "PerfOptimized",
		CALLS({ ADVISE_LIMITED, ADVISE_MAYBE }),
		.effect = "the processors are not slowed down to save power",
		.cost = MORE_POWER,
		.source = "Dell, System Profile Settings",
	},
	{
		.topic = "power-limit",
		.menu = "Power capping",
		.to = "Disabled",
		CALLS({ ADVISE_LIMITED, ADVISE_MAYBE }),
		.effect = "the processors are not slowed down to keep a limit",
		.cost = "the rack's supply must bear the full power",
		.source = "Intel SDM vol. 4, IA32_THERM_STATUS, power limitation log",
	},
	{
		.topic = "cooling",
		.vendor = "HPE",
		.menu = "Thermal Configuration",
		.attribute = "ThermalConfig",
		.to = "MaxCooling",
		CALLS({ ADVISE_HOT, ADVISE_LIKELY }),
		.effect = "the processors are not slowed down for their temperature",
		.cost = "louder fans, which take more power",
		.source = "OpenStack Ironic, iLO driver: OptimalCooling, IncreasedCooling, "
			  "MaxCooling",
	},
	{
		.topic = "cooling",
		.menu = "Fan profile: full speed",
		.to = "Enabled",
		CALLS({ ADVISE_HOT, ADVISE_MAYBE }),
		.effect = "the processors are not slowed down for their temperature",
		.cost = "louder fans, which take more power; check heat sinks and air flow first",
		.source = "Intel SDM vol. 4, IA32_THERM_STATUS, thermal and PROCHOT logs",
	},
	/* Causes that end a run, or delay its results */
	{
		WATCHDOG,
		.vendor = "Dell",
		.menu = "OS Watchdog Timer",
		.attribute = "OsWatchdogTimer",
		.to = "Disabled",
		.source = "dumps of Dell PowerEdge servers",
	},
	{
		WATCHDOG,
		.vendor = "HPE",
		.menu = "IPMI Watchdog Timer",
		.attribute = "IpmiWatchdogTimerStatus",
		.to = "IpmiWatchdogTimerOff",
		.source = "HPE, iLO 6 documentation, BIOS attributes",
	},
	{
		WATCHDOG,
		.vendor = "Supermicro",
		.menu = "Watch Dog Function",
		.attribute = "WatchDogFunction",
		.to = "Disabled",
		.source = "Supermicro, Redfish Reference Guide, attribute registry",
	},
	{
		WATCHDOG,
		.menu = "OS Watchdog Timer",
		.attribute = "OSWatchdogTimer",
		.to = "Disabled",
		.source = "AMI Aptio, menu Server Mgmt",
	},
	{
		.topic = "dma-protection",
		.vendor = "Lenovo",
		.menu = "DMA Control Opt-In Flag",
		.attribute = "DevicesandIOPorts_DMAControlOptInFlag",
		.to = "Disabled",
		CALLS({ ADVISE_IOMMU, ADVISE_MAYBE }),
		.effect = "none on gaps: the firmware leaves no IOMMU on, which blocks the "
			  "probe's network card",
		.cost = "no protection against DMA before the OS",
		.source = "dumps of Lenovo ThinkSystem V2 servers",
	},
	{
		.topic = "dma-protection",
		.menu = "Pre-boot DMA Protection",
		.to = "Disabled",
		CALLS({ ADVISE_IOMMU, ADVISE_MAYBE }),
		.effect = "none on gaps: the firmware leaves no IOMMU on, which blocks the "
			  "probe's network card",
		.cost = "no protection against DMA before the OS",
		.source = "Intel, Directed I/O 4.1, 11.4.4; Using IOMMU for DMA Protection in UEFI",
	},
	/* Firmware services that Linux calls */
	{
		.topic = "efi-runtime",
		.menu = "Linux, boot parameter efi",
		.to = "noruntime",
		.is_linux = true,
		CALLS({ ADVISE_EFI_STOPS, ADVISE_LIKELY }),
		.effect = "Linux calls no runtime service, on whatever core: no access to a "
			  "variable, and no df of efivarfs, stops the others",
		/* 42bf9d266e52 was queued for 7.4 in September 2026. */
		.kernels = "before 7.4",
		.cost = "no efivarfs, no change of boot entries or of MOK's keys, no efi_pstore; a "
			"kernel with PREEMPT_RT does so by itself unless efi=runtime is given",
		.source = "Linux, drivers/firmware/efi/Kconfig, EFI_DISABLE_RUNTIME; ni/linux#152",
	},
	{
		.topic = "efi-switch",
		.menu = "Linux, dynamic control of EFI runtime services",
		.to = "switched off",
		.is_linux = true,
		.kernels = "7.4 or newer",
		CALLS({ ADVISE_EFI_STOPS, ADVISE_LIKELY }),
		.effect = "once the machine is set up: until it is switched on again, without a "
			  "reboot, Linux calls no runtime service, on whatever core",
		.cost = "no efivarfs and no efi_pstore for as long; efi=noruntime is for the whole "
			"time since boot",
		.source = "Linux, 42bf9d266e52, efi: add dynamic control interface for EFI runtime "
			  "services",
	},
	{
		.topic = "efi-preempt",
		.menu = "Linux on arm64",
		.to = "6.19 or newer",
		.is_linux = true,
		.arch = "aarch64",
		.kernels = "before 6.19", /* a5baf582f4c0 */
		CALLS({ ADVISE_EFI_LONG, ADVISE_LIKELY }),
		.effect = "calls of runtime services can be preempted, unless firmware masks "
			  "interrupts itself or works at EL3",
		.cost = "another kernel; 7.3 or newer, or with e98a9d014637, which mends it",
		.source = "Linux, a5baf582f4c0, arm64/efi: Call EFI runtime services without "
			  "disabling preemption",
	},
	{
		.topic = "efi-confine",
		.menu = "Linux, boot parameter workqueue.unbound_cpus",
		.to = "the housekeeping cores",
		.is_linux = true,
		CALLS({ ADVISE_EFI_LONG, ADVISE_LIKELY }),
		.effect = "efi_rts_wq, which calls runtime services, runs on these cores only; "
			  "Linux of mid-2026 and newer waits 120 s for a call at most",
		.cost = "so does all other unbound work of the kernel; "
			"/sys/devices/virtual/workqueue/cpumask does the same without a reboot",
		.source = "Linux, drivers/firmware/efi/efi.c, efi_rts_wq; "
			  "Documentation/core-api/workqueue.rst; LKML, 2026-02, efi: Expose the "
			  "runtime-services workqueue via sysfs",
	},
	{
		.topic = "efi-clock",
		.menu = "Linux, RTC driver rtc-efi",
		.to = "rtc_cmos, rtc-pl031",
		.is_linux = true,
		CALLS({ ADVISE_EFI_CLOCK, ADVISE_LIKELY }),
		.effect = "with the driver of the board's own RTC, neither hwclock nor the kernel, "
			  "which "
			  "sets the RTC every 11 minutes, calls GetTime and SetTime",
		.cost = "no RTC where the board has none that Linux has a driver for",
		.source = "Linux, drivers/rtc/Kconfig, RTC_DRV_EFI; drivers/rtc/rtc-efi.c",
	},
	{
		.topic = "keyboard",
		.menu = "Linux, boot parameters i8042",
		.to = "i8042.nokbd i8042.noaux",
		.is_linux = true,
		CALLS({ ADVISE_KEYBOARD, ADVISE_LIKELY }),
		.effect = "Linux has no PS/2 keyboard or mouse to ask at ports 60h and 64h, which "
			  "the firmware emulates",
		.cost = "none where the keyboard is on USB",
		.source = "Linux, Documentation/admin-guide/kernel-parameters.txt, i8042",
	},
};

const struct advise_setting *advise_setting_at(size_t n)
{
	return n < sizeof(rows) / sizeof(rows[0]) ? &rows[n] : NULL;
}

const char *advise_sure_name(enum advise_sure sure)
{
	static const char *const names[] = { "maybe", "likely", "sure" };

	return names[sure];
}
