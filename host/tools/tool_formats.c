/* SPDX-License-Identifier: BSD-2-Clause */
/* All formats, in the order of trial. */
#include "tool_format.h"

#define FORMATS(ROW)                                                                               \
	ROW(hwlat)                                                                                 \
	ROW(osnoise) ROW(timerlat) ROW(other_tracer) ROW(rtla_top) ROW(rtla_hist) ROW(hwlatdetect) \
		ROW(oslat) ROW(rt_json) ROW(sysjitter) ROW(sysjitter_raw) ROW(detour)              \
			ROW(cyclictest) ROW(timerlat_top) ROW(timerlat_hist) ROW(fwq) ROW(psnap)   \
				ROW(ftq) ROW(jhiccup) ROW(rteval) ROW(stress_ng) ROW(turbostat)

#define ROW(name) extern const struct tool_format tool_##name;
FORMATS(ROW)
#undef ROW

const struct tool_format *const tool_formats[] = {
#define ROW(name) &tool_##name,
	FORMATS(ROW) NULL
};
