/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modes, a row each: MODE(id, name) is MODE_<id>, and with struct mode, struct screen_mode and,
 * in the host tool, struct host_mode it is core/modes/<name>/ and host/modes/<name>/. No include
 * guard. The first is the default.
 */
#ifdef MODE
MODE(GAPS, gaps)
MODE(STRETCH, stretch)
MODE(SURVEY, survey)
MODE(SERVICES, services)
#undef MODE
#endif
