"""Get, use, refresh and revoke tokens with requests-oauthlib, and fail in every way of `failures.ts`.

Needs: python3 -m pip install -r requirements.txt
"""

import os

from oauthlib.oauth2 import BackendApplicationClient, OAuth2Error, WebApplicationClient
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from flow import (
    AUTHORIZE,
    CLIENT_ID,
    CLIENT_SECRET,
    DENIED_RESPONSE,
    EXPIRED_CODE,
    EXPIRED_CODE_VERIFIER,
    ISSUER,
    REDIRECT_URL,
    REVOKE,
    TOKEN,
    UNKNOWN_APP,
    code_in,
    consent,
    new_verifier,
    report,
)

# The local server speaks plain HTTP.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

BASIC = HTTPBasicAuth(CLIENT_ID, CLIENT_SECRET)


def new_session(client_id=CLIENT_ID, redirect_url=REDIRECT_URL, scope="read:self", pkce=None):
    return OAuth2Session(client_id, redirect_uri=redirect_url, scope=scope, pkce=pkce)


def new_code():
    """Let the user consent. Return the code, and the verifier that belongs to it."""
    verifier = new_verifier()
    challenge = WebApplicationClient(CLIENT_ID).create_code_challenge(verifier, "S256")
    url, _ = new_session().authorization_url(
        AUTHORIZE, code_challenge=challenge, code_challenge_method="S256"
    )
    return {"code": code_in(consent(url)), "code_verifier": verifier}


def redeem(session=None, auth=BASIC, **changes):
    return (session or new_session()).fetch_token(TOKEN, auth=auth, **{**new_code(), **changes})


def refresh(token):
    return new_session().refresh_token(TOKEN, refresh_token=token, auth=BASIC)


def revoke(token):
    """The library prepares the request, and leaves it to the app to send it."""
    request = WebApplicationClient(CLIENT_ID).prepare_token_revocation_request(REVOKE, token, "refresh_token")
    url, headers, body = request
    return new_session().post(url, headers=headers, data=body, auth=BASIC, withhold_token=True).status_code


def used_code():
    code = new_code()
    redeem(**code)
    return redeem(**code)


def used_refresh_token():
    token = redeem()["refresh_token"]
    refresh(token)
    return refresh(token)


def revoked_refresh_token():
    token = redeem()["refresh_token"]
    revoke(token)
    return refresh(token)


def malformed_basic(request):
    request.headers["Authorization"] = "Basic !"
    return request


def told_to_the_app(session):
    """Let the session read the response to its own authorization request."""
    url, _ = session.authorization_url(AUTHORIZE)
    return session.fetch_token(TOKEN, authorization_response=consent(url))


def success():
    session = new_session(pkce="S256")
    url, _ = session.authorization_url(AUTHORIZE)
    session.fetch_token(TOKEN, authorization_response=consent(url), include_client_id=True)
    user = session.get(f"{ISSUER}/self").json()["id"]
    session.refresh_token(TOKEN, client_id=CLIENT_ID)
    refreshed = session.get(f"{ISSUER}/self").json()["id"]
    return {"user": user, "refreshed": refreshed, "revocation": revoke(session.token["refresh_token"])}


expired = {"code": EXPIRED_CODE, "code_verifier": EXPIRED_CODE_VERIFIER}
client_credentials = OAuth2Session(client=BackendApplicationClient(CLIENT_ID))
report(
    success(),
    {
        "unknown-code": lambda: redeem(code="unknown"),
        "used-code": used_code,
        "expired-code": lambda: redeem(**expired),
        "other-redirect-url": lambda: redeem(new_session(redirect_url="https://other.example.com/")),
        "wrong-verifier": lambda: redeem(code_verifier=new_verifier()),
        "missing-verifier": lambda: redeem(code_verifier=None),
        "unknown-app": lambda: redeem(new_session(UNKNOWN_APP), auth=None, include_client_id=True),
        "wrong-secret": lambda: redeem(auth=None, include_client_id=True, client_secret="wrong"),
        "wrong-secret-by-basic": lambda: redeem(auth=HTTPBasicAuth(CLIENT_ID, "wrong")),
        "malformed-basic": lambda: redeem(auth=malformed_basic),
        "unsupported-grant-type": lambda: client_credentials.fetch_token(TOKEN, auth=BASIC),
        "used-refresh-token": used_refresh_token,
        "revoked-refresh-token": revoked_refresh_token,
        "unknown-scope": lambda: told_to_the_app(new_session(scope="everything", pkce="S256")),
        "plain-challenge": lambda: told_to_the_app(new_session(pkce="plain")),
        "denied-consent": lambda: new_session().fetch_token(TOKEN, authorization_response=DENIED_RESPONSE),
    },
    OAuth2Error,
)
