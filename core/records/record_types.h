/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record types, a row each: RECORD_TYPE(id, name) is RECORD_<id>, struct record_<name> in
 * record.h, and core/kinds/<name>/. No include guard. The compact form numbers them: new ones come
 * last.
 */
#ifdef RECORD_TYPE
RECORD_TYPE(BEGIN, begin)
RECORD_TYPE(STAGE, stage)
RECORD_TYPE(WINDOW, window)
RECORD_TYPE(GAP, gap)
RECORD_TYPE(EVENT, event)
RECORD_TYPE(CPU, cpu)
RECORD_TYPE(SOURCE, source)
RECORD_TYPE(PAUSE, pause)
RECORD_TYPE(LOG, log)
RECORD_TYPE(END, end)
RECORD_TYPE(STRETCH, stretch)
RECORD_TYPE(INTERFERE, interfere)
RECORD_TYPE(SUMMARY, summary)
RECORD_TYPE(SURVEY, survey)
RECORD_TYPE(FAULT, fault)
RECORD_TYPE(SERVICE, service)
RECORD_TYPE(ATTEST, attest)
#undef RECORD_TYPE
#endif
