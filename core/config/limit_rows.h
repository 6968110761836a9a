/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One row for each limit, in the order in which they are judged. There is no include guard: each
 * file that includes this one defines LIMIT, and the macros in the columns that it uses.
 *
 * LIMIT(id, name, platforms, accepted, help, what, unit, of, record, core, values...)
 *  *	LIMIT_<id> is the index of the limit in struct config, and of the value in struct
 *	verdict_core.
 *  *	name, platforms, accepted, help and values are columns of KEY in config_rows.h.
 *  *	what names the value in a reason: "longest gap".
 *  *	unit is NS, COUNT, PPM or FACTOR.
 *  *	of is what is limited, and whether that depends on the clock: the bits of enum limit_of,
 *	without LIMIT_.
 *  *	record and core are expressions of the value, a struct maybe. In `record`, `cpu` is a
 *	struct record_cpu; NOT_THERE: another record has the value. In `core`, `cpu` is a struct
 *	cpu whose ticks have the rate `hz`.
 */
#ifdef LIMIT

LIMIT(MAX, "max", BOTH, "none, or " TIME "max=20us", "A longer gap fails the run.", "longest gap",
      NS, OF_GAPS | ON_CLOCK, KNOWN(cpu->max_ns), KNOWN(ticks_to_ns(cpu->stage.max, hz)),
      .modes = 1u << MODE_GAPS | 1u << MODE_SERVICES)
LIMIT(MAX_SMI, "max_smi", BOTH, "none, or a count", "More SMIs than this on one core fail the run.",
      "SMIs", COUNT, OF_GAPS, cpu->smi, IF(cpu->smi.moved, cpu->stage.smi),
      .modes = 1u << MODE_GAPS, .on_smi = true)
LIMIT(MAX_NOISE, "max_noise", BOTH, "none, or ppm of exposure, 0 to 1000000",
      "More noise than this on one core fails the run.", "noise in ppm", PPM, OF_GAPS | ON_CLOCK,
      noise_of_record(cpu),
      verdict_noise_ppm(cpu->stage.noise, cpu->stage.length - cpu->stage.slow),
      .modes = 1u << MODE_GAPS)
LIMIT(MAX_STRETCH, "max_stretch", PROBE(NO_WORK),
      "none, or a factor of at least 1, as in max_stretch=1.05",
      "With `mode=stretch`: one quantum of a thousand that takes longer than so many times the "
      "core's best fails the run.",
      "p99.9 of stretch", FACTOR, OF_WORK, NOT_THERE, cpu->tail, .modes = 1u << MODE_STRETCH)
LIMIT(SERVICE_MAX, "service_max", BOTH, "none, or " TIME "service_max=1ms",
      "With `mode=services`: a call that takes longer, on the core that calls, fails the run.",
      "longest call", NS, OF_CALLS, NOT_THERE, cpu->call, .modes = 1u << MODE_SERVICES)

#undef LIMIT
#endif
