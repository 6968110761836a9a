/* SPDX-License-Identifier: BSD-2-Clause */
/* Public keys by libcrypto, from version 3 on. */
#include "attest.h"

#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GROUP "prime256v1"

const char *attest_key_why_not(void)
{
	return NULL;
}

/* Returns NULL if this is not a point of the curve. */
static EVP_PKEY *key_of(const uint8_t point[ATTEST_KEY_POINT])
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)GROUP, 0),
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point,
						  ATTEST_KEY_POINT),
		OSSL_PARAM_construct_end(),
	};
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
	EVP_PKEY *key = NULL;

	if (!context || EVP_PKEY_fromdata_init(context) != 1 ||
	    EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
		key = NULL;
	EVP_PKEY_CTX_free(context);
	return key;
}

/* Returns the DER form, to be freed; NULL: there is none. */
static uint8_t *encode(const struct attest_key_signature *signature, int *bytes)
{
	ECDSA_SIG *both = ECDSA_SIG_new();
	BIGNUM *r = BN_bin2bn(signature->r, ATTEST_KEY_NUMBER, NULL);
	BIGNUM *s = BN_bin2bn(signature->s, ATTEST_KEY_NUMBER, NULL);
	uint8_t *der = NULL;

	if (!both || !r || !s || ECDSA_SIG_set0(both, r, s) != 1) {
		BN_free(r);
		BN_free(s);
	} else {
		*bytes = i2d_ECDSA_SIG(both, &der);
	}
	ECDSA_SIG_free(both);
	return der;
}

bool attest_key_signed(const uint8_t point[ATTEST_KEY_POINT], const uint8_t *text, size_t bytes,
		       const struct attest_key_signature *signature)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	EVP_PKEY *key = key_of(point);
	int length = 0;
	uint8_t *der = encode(signature, &length);
	bool is_good = context && key && der && length > 0 &&
		       EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
		       EVP_DigestVerify(context, der, (size_t)length, text, bytes) == 1;

	OPENSSL_free(der);
	EVP_PKEY_free(key);
	EVP_MD_CTX_free(context);
	return is_good;
}

/* The key's point. A key on another curve than P-256 is refused. */
static bool point_of(EVP_PKEY *key, uint8_t point[ATTEST_KEY_POINT])
{
	char group[40] = "";
	unsigned char *encoded = NULL;
	size_t bytes = 0;

	if (EVP_PKEY_is_a(key, "EC") == 1 &&
	    EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof(group),
					   NULL) == 1 &&
	    !strcmp(group, GROUP))
		bytes = EVP_PKEY_get1_encoded_public_key(key, &encoded);
	if (bytes == ATTEST_KEY_POINT)
		memcpy(point, encoded, bytes);
	OPENSSL_free(encoded);
	return bytes == ATTEST_KEY_POINT;
}

const char *attest_key_read(const char *path, uint8_t point[ATTEST_KEY_POINT])
{
	FILE *f = fopen(path, "re");
	EVP_PKEY *key;
	bool is_ours;

	if (!f)
		return strerror(errno);
	key = PEM_read_PUBKEY(f, NULL, NULL, NULL);
	fclose(f);
	is_ours = key && point_of(key, point);
	EVP_PKEY_free(key);
	return is_ours ? NULL : "not a public key; accepted: PEM, of P-256, as --enroll writes it";
}

const char *attest_key_write(const char *path, const uint8_t point[ATTEST_KEY_POINT])
{
	EVP_PKEY *key = key_of(point);
	FILE *f = key ? fopen(path, "wxe") : NULL;
	const char *why = !key ? "it is no point of P-256" : f ? NULL : strerror(errno);
	bool written;

	if (f) {
		written = PEM_write_PUBKEY(f, key) == 1;
		if (fclose(f) != 0 || !written) {
			why = "it cannot be written";
			unlink(path);
		}
	}
	EVP_PKEY_free(key);
	return why;
}
