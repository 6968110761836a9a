/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs for CI servers: JUnit's XML and the Test Anything Protocol, version 13. One
 * test per stage and core, skipped where no limit was set; one for the run itself;
 * one for its length, skipped where that is short of what its preset asks.
 */
#pragma once

#include "show_form.h"

void show_junit_start(void);
bool show_junit_capture(const struct show_options *o, const struct capture *c);
void show_junit_finish(void);

void show_tap_start(void);
bool show_tap_capture(const struct show_options *o, const struct capture *c);
void show_tap_finish(void);
