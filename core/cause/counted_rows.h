/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that are evidence of a gap, one row each, in the order of their fields in records. There
 * is no include guard: each file that includes this one defines COUNTED, which is undefined at the
 * end.
 *
 * COUNTED(id, name, from, kind, weight, plural, help, evidence, sentence)
 *  *	EVIDENCE_<id> is the kind of evidence, CAUSE_<id> the cause that it proves; <id> is the
 *	fact of decision tables that it was counted, and the label of a table's column.
 *  *	name is the field of records, the member of structs, and the cause's name.
 *  *	from is how a core reads it: REGISTER, which may not exist, so that it is believed once it
 *	is not 0; HANDLER, a count that one of our handlers keeps.
 *  *	kind is INTERRUPT, which only processors with SMM have, or ERROR, which all have: the cause
 *	is then the `error` of struct attribution_rules.
 *  *	weight: the cause of a gap in which several were counted is that of the heaviest.
 *  *	plural and help name them in tables and records, evidence where it is missing.
 *  *	sentence is that of a gap in which nothing else was counted.
 */
#ifdef COUNTED

COUNTED(SMI, smi, REGISTER, INTERRUPT, 3, "SMIs", "System management interrupts", "SMI counter",
	"SMI: counter +{smi}")
COUNTED(NMI, nmi, HANDLER, INTERRUPT, 1, "NMIs", "Non-maskable interrupts", "NMI count",
	"NMI: count +{nmi}")
COUNTED(MCE, mce, HANDLER, ERROR, 2, "machine checks", "Machine checks, on AArch64 SErrors",
	"machine-check count", "machine check: exceptions +{mce}")

#undef COUNTED
#endif
