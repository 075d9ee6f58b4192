"""Which names stand for a credential: mapping keys, header names, query and form fields, cookies.

Names are compared without case, `_`, `-` and camel-case humps, so `AWS_SECRET_ACCESS_KEY`,
`secretAccessKey` and `secret-access-key` are one name. What a name says is one of a few words (`KeyKind`),
and the engine decides from it which part of the value is the secret.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from dryfire_action.late_pattern import late

KeyKind = Literal[
    "credential", "weak", "query", "in-query", "fields",
    "authorization", "cookie", "set-cookie", "cookies", "cookie-value", "account",
]  # fmt: skip
"""What a name says about its value.

- `credential`: it is a secret, whatever it looks like. `weak`: only where it also looks like one.
- `query`: a secret in a URL or form (then `in-query`), an ordinary word elsewhere. `fields`: the fields of one.
- `authorization`: a scheme, then the secret.
- `cookie` and `set-cookie`: header values with cookies in them. `cookies`: a mapping or list of cookies.
  `cookie-value`: the value of one.
- `account`: no secret, but the name of whose account was used.
"""

_SEPARATORS = late(r"[^A-Za-z0-9]+")
_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EXACT: dict[str, KeyKind] = {
    "authorization": "authorization",
    "proxyauthorization": "authorization",
    "xauthorization": "authorization",
    "xforwardedauthorization": "authorization",
    "httpauthorization": "authorization",
    "xgoogiamauthorizationtoken": "credential",
    "cookie": "cookie",
    "cookie2": "cookie",
    "httpcookie": "cookie",
    "setcookie": "set-cookie",
    "setcookie2": "set-cookie",
    "cookies": "cookies",
    "requestcookies": "cookies",
    "responsecookies": "cookies",
    "cookiejar": "cookies",
    "token": "weak",
    "auth": "weak",
    "xauth": "weak",
    "pass": "weak",
    "pin": "query",
    "bearer": "weak",
    "credential": "weak",
    "credentials": "weak",
    "jwt": "weak",
    "sid": "query",
    "session": "query",
    "sessionid": "query",
    "key": "query",
    "sig": "query",
    "signature": "query",
    "xamzsignature": "query",
    "xgoogsignature": "query",
    "hmac": "query",
    "assertion": "query",
    "codeverifier": "credential",
    "clientassertion": "credential",
    "samlresponse": "credential",
    "pwd": "credential",
    "psk": "credential",
    "otp": "query",
    "cvv": "credential",
    "cvc": "credential",
    "phpsessid": "cookie-value",
    "jsessionid": "cookie-value",
    "connectsid": "cookie-value",
    "aspnetsessionid": "cookie-value",
    "laravelsession": "cookie-value",
    "cfbm": "cookie-value",
    "cfclearance": "cookie-value",
    "cfuvid": "cookie-value",
    "openaiorganization": "account",
    "openaiproject": "account",
    "anthropicorganizationid": "account",
    "chatgptaccountid": "account",
    "xgooguserproject": "account",
}

_ENDINGS = (
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "apikey",
    "apikeys",
    "secretkey",
    "secretaccesskey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "accountkey",
    "subscriptionkey",
    "functionskey",
    "sharedaccesskey",
    "sharedkey",
    "applicationkey",
    "authkey",
    "servicekey",
    "adminkey",
    "authtoken",
    "accesstoken",
    "accesstokens",
    "refreshtoken",
    "refreshtokens",
    "idtoken",
    "apitoken",
    "authtokens",
    "apitokens",
    "sessiontoken",
    "securitytoken",
    "bearertoken",
    "csrftoken",
    "xsrftoken",
    "secretvalue",
    "secretstring",
    "clientcredentials",
    "privatekeydata",
    "privatekeypem",
    "storagekey",
    "licensekey",
    "dbpass",
    "userpass",
    "connectionstring",
)

NAME_ENDS = frozenset(name[-2:] for name in (*_EXACT, *_ENDINGS, "token", "key"))
"""The last two letters of every name that says something, in lower case."""

# A key that is public by design; the word before `key` says so.
_PUBLIC_WORDS = frozenset({"public", "publishable", "pub", "anon"})

# What stands before `token` where it is a piece of text, a count or a place in a list.
_TEXT_TOKEN_WORDS = _words(
    """
    page paging pagination next prev previous continuation cursor scroll sync resume offset watch list
    change max min num total prompt completion input output cached cache reasoning thinking budget stop
    start end begin eos bos pad unk mask sep cls special image audio video text delta first last extra
    added new per by of lexer syntax design cancellation delimiter separator sub word fim top logprob
    draft accepted rejected
    """
)
_TEXT_TOKENS = _words(
    """
    nextpagetoken pagetoken nexttoken continuationtoken synctoken maxtoken stoptoken eostoken bostoken
    padtoken unktoken masktoken septoken clstoken starttoken endtoken prevpagetoken nextsynctoken
    cursortoken resumetoken inputtoken outputtoken prompttoken completiontoken changetoken watchtoken
    """
)

# Long opaque text that a provider signs or encrypts and wants back byte for byte.
_OPAQUE = _words(
    """
    signature thoughtsignature encryptedcontent redactedthinking embedding embeddings b64json imagedata
    audiodata inlinedata
    """
)

_ID_WORDS = frozenset(
    {
        "id",
        "ids",
        "uuid",
        "timestamp",
        "ts",
        "time",
        "at",
        "nonce",
        "seed",
        "hash",
        "digest",
        "etag",
        "cursor",
        "trace",
    }
)

# Cookies that hold a taste, not a person.
_TASTE_COOKIES = _words(
    """
    theme lang language locale tz timezone consent cookieconsent darkmode currency
    """
)


def plain_name(name: str) -> str:
    """A name without case and without anything but ASCII letters and digits: `X-Api-Key` is `xapikey`."""
    return _SEPARATORS.sub("", name).lower()


@lru_cache(maxsize=8192)
def key_kind(name: str) -> KeyKind | None:
    """What a name says about the value under it; None where it says nothing.

    Of a dotted or bracketed name (`user[password]`, `http.headers.authorization`) the last part counts too.
    """
    if len(name) > 256:
        return None
    kind = _kind(name)
    if kind is None:
        last = re.split(r"[.\[\]/:\s]+", name.rstrip("]. /:"))[-1]
        if last != name:
            kind = _kind(last)
    return kind


def _kind(name: str) -> KeyKind | None:
    plain = plain_name(name)
    exact = _EXACT.get(plain)
    if exact is not None:
        return exact
    if plain.endswith(_ENDINGS):
        words = [word.lower() for word in _WORDS.findall(name)]
        return None if _PUBLIC_WORDS.intersection(words) else "credential"
    if plain.endswith("token") and plain not in _TEXT_TOKENS:
        words = [word.lower() for word in _WORDS.findall(name)]
        if words[-1] == "token" and len(words) > 1 and words[-2] in _TEXT_TOKEN_WORDS:
            return None
        return None if _PUBLIC_WORDS.intersection(words) else "credential"
    return None


@lru_cache(maxsize=1024)
def is_opaque_key(name: str) -> bool:
    """Whether the value under a name is a provider's sealed text: a thinking signature, encrypted
    reasoning, an embedding, an image. Nothing is decoded in it and nothing is changed in it."""
    return plain_name(name) in _OPAQUE


def is_id_key(name: str) -> bool:
    """Whether a name says that its value is an id, a time or a digest: digits under it are no card's."""
    words = _WORDS.findall(name)
    return bool(words) and words[-1].lower() in _ID_WORDS


def is_taste_cookie(name: str) -> bool:
    """Whether a cookie only holds a preference such as a language."""
    return plain_name(name) in _TASTE_COOKIES
