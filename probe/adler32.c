/* SPDX-License-Identifier: BSD-2-Clause */
/* zlib's checksum, of which raw deflate asks only the initial value. */
unsigned long adler32(unsigned long sum, const unsigned char *bytes, unsigned count);

unsigned long adler32(unsigned long sum, const unsigned char *bytes, unsigned count)
{
	(void)sum, (void)bytes, (void)count;
	return 1;
}
