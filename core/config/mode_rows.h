/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modes, a row each: MODE(id, name) is MODE_<id>, and with struct mode and struct screen_mode
 * it is core/modes/<name>/; the host tool names it in the kind of its records, host/kinds/. No
 * include guard. The first is the default.
 */
#ifdef MODE
MODE(GAPS, gaps)
MODE(STRETCH, stretch)
MODE(SURVEY, survey)
MODE(SERVICES, services)
#undef MODE
#endif
