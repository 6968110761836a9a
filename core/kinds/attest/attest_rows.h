/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `attest`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, tpm, "How the TPM is reached: `crb`, its command buffer, or `fifo`.")
FIELD(STRING, config,
      "SHA-256 of the text `config` of `begin`: PCR 15 was extended by it before the run.")
FIELD(STRINGS, lines,
      "SHA-256 of all lines before this record, with their newlines, on each output.")
FIELD(STRINGS, started,
      "By what the firmware's log has PCR 4 extended, in order: SHA-256 digests of 64 digits, "
      "several to a string.")
FIELD(STRING, pcrs, "The PCRs that are quoted, of the bank of SHA-256.")
FIELD(STRINGS, values, "Their values.")
FIELD(STRING, key, "The key: TPMT_PUBLIC.")
FIELD(STRING, quote,
      "The quote: TPMS_ATTEST. Its extraData is the SHA-256 of the text `sid`, then of each of "
      "`lines` a blank and the digest.")
FIELD(STRING, signature, "Its signature: TPMT_SIGNATURE.")

#endif
