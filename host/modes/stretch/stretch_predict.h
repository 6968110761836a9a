/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict` of runs in mode=stretch. */
#pragma once

#include "host/capture/capture.h"
#include "host/predict/predict.h"

/* host_mode.predict. What is missing or does not fit together is on standard error. */
int stretch_predict(const struct predict_options *o, const struct capture_select *selected,
		    size_t count);
