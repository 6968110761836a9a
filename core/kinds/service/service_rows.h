/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `service`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.", .key = true, ROLE(TAG))
FIELD(STRING, service, "The service, `get_time`.", .key = true, ROLE(TAG))
FIELD(STRING, why, "Why it was not called, or no further; null: it was, as often as asked.")
FIELD(U32, cpu, "The core that called.")
FIELD(U32, others, "Cores that sampled meanwhile.")
FIELD(U64, calls, "Number of calls.", ROLE(COUNT))
FIELD(U64, failed, "Calls that returned an error.", ROLE(COUNT))
FIELD(MAYBE, status,
      "The first error: an EFI status without its highest bit, or what PSCI returns; in stage "
      "`os` an errno.")
FIELD(MAYBE, min_ns, "Length of a call on its core, ns: the shortest.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, p50_ns, "The median.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, p99_ns, "99th percentile.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, max_ns, "The longest.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, smi, "SMIs that the calling core counted in calls.", ROLE(COUNT), .on_smi = true)
FIELD(MAYBE, smi_quiet, "The same in controls.", ROLE(COUNT), .on_smi = true)
FIELD(MAYBE, smi_others, "SMIs in gaps of all other cores that overlap a call.", ROLE(COUNT),
      .on_smi = true)
FIELD(BOOL, stops,
      "Calls stop others: that chance gives this for any service of the stage is "
      "less likely than 1 %.")
FIELD(U32, stopped, "Cores of which that is known one by one.", ROLE(COUNT))
FIELD(U64, overlaps, "Calls that a gap of another core overlaps.", ROLE(COUNT))
FIELD(MAYBE, least_ns, "Of these, the longest such gap, ns: where it is shortest.", ROLE(TIME),
      UNIT(NS))
FIELD(MAYBE, longest_ns, "Where it is longest.", ROLE(TIME), UNIT(NS))
FIELD(STRING, cause, "The cause of that.")
FIELD(U64, controls, "Controls: as long as a call, and nothing is called.", ROLE(COUNT))
FIELD(U64, control_overlaps, "Controls that a gap of another core overlaps.", ROLE(COUNT))
FIELD(MAYBE, control_longest_ns, "The longest of these gaps, ns.", ROLE(TIME), UNIT(NS))
FIELD(I64, chance_milli,
      "log10, in thousandths, of the probability that calls have more beside them than "
      "their controls so often by chance, at most.")
FIELD(U64, unseen, "Calls beside which a core had no room for its gaps: they are not compared.")

#endif
