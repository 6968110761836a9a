#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Sign an image with a key of the moment and see that the signature is good:
# signature.sh IMAGE FOLDER. A warning of the signer's or the checker's is a failure: each is
# about a part of the file that not all agree to be signed. Leaves FOLDER/signed.efi.
set -eu

image=$1
folder=$2
key=$folder/key.pem
cert=$folder/cert.pem
signed=$folder/signed.efi

fail() {
	echo "signature: $image: $1" >&2
	cat "$folder/log" >&2
	exit 1
}

mkdir -p "$folder"
openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=lint \
	-keyout "$key" -out "$cert" >"$folder/log" 2>&1 || fail "no key"
sbsign --key "$key" --cert "$cert" --output "$signed" "$image" >"$folder/log" 2>&1 ||
	fail "cannot be signed"
sbverify --cert "$cert" "$signed" >>"$folder/log" 2>&1 || fail "the signature is not good"
! grep -qi warning "$folder/log" || fail "a warning"
echo "signature: $image, good"
