"""What the Python programs here have in common: their surroundings, and the form of their report."""

import json
import os
import secrets
from typing import Callable
from urllib.parse import parse_qs, urlparse

import requests

ISSUER = os.environ["ISSUER"]
CLIENT_ID = os.environ["CLIENT_ID"]
CLIENT_SECRET = os.environ["CLIENT_SECRET"]
REDIRECT_URL = os.environ["REDIRECT_URL"]
EXPIRED_CODE = os.environ["EXPIRED_CODE"]
EXPIRED_CODE_VERIFIER = os.environ["EXPIRED_CODE_VERIFIER"]
DENIED_RESPONSE = os.environ["DENIED_RESPONSE"]

UNKNOWN_APP = "00000000-0000-4000-8000-000000000000"

SERVER = requests.get(f"{ISSUER}/.well-known/oauth-authorization-server", timeout=30).json()
AUTHORIZE, TOKEN, REVOKE = (SERVER[f"{name}_endpoint"] for name in ("authorization", "token", "revocation"))


def new_verifier() -> str:
    return secrets.token_urlsafe(48)


def consent(authorization_url: str) -> str:
    """Open an authorization URL as the user, whose access token counts as consent. Return the response to the app."""
    headers = {"Authorization": f"Bearer {os.environ['USER_TOKEN']}"}
    response = requests.get(authorization_url, headers=headers, allow_redirects=False, timeout=30)
    return response.headers["Location"]


def code_in(response_url: str) -> str:
    return parse_qs(urlparse(response_url).query)["code"][0]


def report(success: dict, failures: dict[str, Callable[[], object]], error_type: type[Exception]) -> None:
    """Print the success, and for each failure how the library tells it, by an error of its type."""
    told = {name: told_by(fail, error_type) for name, fail in failures.items()}
    print(json.dumps({"success": success, "failures": told}))


def told_by(fail: Callable[[], object], error_type: type[Exception]) -> dict:
    try:
        return {"type": "no error", "returned": repr(fail())}
    except error_type as error:
        return {"type": error_type.__name__, "error": error.error}
    except Exception as error:  # What is no error of the library is part of the report, too.
        return {"type": repr(error)}
