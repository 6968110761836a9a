/* SPDX-License-Identifier: BSD-2-Clause */
/* All formats. */
#include "tool_format.h"

extern const struct tool_format tool_hwlat, tool_osnoise, tool_timerlat, tool_rtla_top,
	tool_rtla_hist, tool_hwlatdetect, tool_oslat, tool_rt_json, tool_sysjitter, tool_detour,
	tool_cyclictest, tool_timerlat_top, tool_timerlat_hist, tool_fwq, tool_ftq, tool_jhiccup,
	tool_rteval, tool_stress_ng, tool_turbostat;

const struct tool_format *const tool_formats[] = {
	&tool_hwlat,         &tool_osnoise,     &tool_timerlat,   &tool_rtla_top,
	&tool_rtla_hist,     &tool_hwlatdetect, &tool_oslat,      &tool_rt_json,
	&tool_sysjitter,     &tool_detour,      &tool_cyclictest, &tool_timerlat_top,
	&tool_timerlat_hist, &tool_fwq,         &tool_ftq,        &tool_jhiccup,
	&tool_rteval,        &tool_stress_ng,   &tool_turbostat,  NULL
};
