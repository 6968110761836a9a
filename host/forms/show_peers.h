/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs in the output formats of other tools, for programs that read those.
 *
 * hwlatdetect of rt-tests 2.6 to 2.9: a block per stage, its lines in that order. Lengths are whole
 * us, rounded down as hwlat's are; a gap has no inner and outer half, so all of it is `inner`.
 * Times are s since the begin of the run, or wall times with --began. SMIs are printed only where
 * they were counted.
 *
 * sysjitter 1.4: a block per stage, a column per core. Quantiles are lower edges of buckets, 1.6 %
 * wide at most; int_max and the sums are exact.
 */
#pragma once

#include "show_form.h"

bool show_hwlatdetect_capture(const struct show_options *o, const struct capture *c);
bool show_sysjitter_capture(const struct show_options *o, const struct capture *c);
