/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs as one JSON document:
 *
 *   {"runs":[{"file":...,"sid":...,"verdict":...,"whole":true,"lost":0,"lost_seq":[],
 *             "unusable":0,"duplicates":0,"unknown":0,"ladder":[{"stage":...,"cores":...,
 *             "exposure_ns":...,"gaps":...,"noise_ns":...,"max_ns":...,"smi":...,"against":
 *             {"stage":...,"gaps":"less","gaps_log10_p":-4.2,"smi":null,...}}, ...],
 *             "records":[{...}, ...],
 *             "search":[{"stage":...,"gaps":...,"why_not":null,"sources":[{...}]}]}, ...],
 *    "captures":[{"file":...,"bytes":...,"damaged":0,"refused":0}, ...]}
 *
 * Records are unchanged, but without "crc"; parts are joined, and the "seq" is the first part's.
 * The ladder has a rung per stage and, but for the first, how its rates compare with the rung
 * before (core/table/ladder.h). Records wait in an unnamed temporary file, not in memory. "search"
 * is what this program found: sources of any period, with the fields of `source` records, or why
 * there was no search.
 */
#pragma once

#include "show_form.h"

void show_json_start(void);

/* The reader's record hook. */
void show_json_record(struct run *run, const struct reader_record *record);

/* Write the runs of a capture that has ended. False when the temporary file failed. */
bool show_json_capture(const struct show_options *o, const struct capture *c);

void show_json_finish(void);
