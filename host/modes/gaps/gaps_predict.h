/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict` of a run in mode=gaps. */
#pragma once

#include "host/capture/capture.h"
#include "host/predict/predict.h"

/* host_mode.predict; several runs are refused. */
int gaps_predict(const struct predict_options *o, const struct capture_select *selected,
		 size_t count);
