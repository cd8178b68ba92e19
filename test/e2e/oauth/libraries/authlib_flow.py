"""Get, use, refresh and revoke tokens with authlib, and fail in every way of `failures.ts`.

Needs: python3 -m pip install -r requirements.txt
"""

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from flask import Flask

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
    consent,
    new_verifier,
    report,
)


def new_session(secret=CLIENT_SECRET, method="client_secret_basic", client_id=CLIENT_ID):
    return OAuth2Session(
        client_id,
        secret,
        scope="read:self",
        redirect_uri=REDIRECT_URL,
        code_challenge_method="S256",
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
    )


def authorize(session, **changes):
    """Return the response of the server to the authorization request, and the verifier that belongs to it."""
    verifier = new_verifier()
    url, _ = session.create_authorization_url(AUTHORIZE, code_verifier=verifier, **changes)
    return consent(url), verifier


def redeem(session=None, response=None, verifier=None, **changes):
    session = session or new_session()
    new_response, new_code_verifier = authorize(new_session())
    fields = {
        "authorization_response": response or new_response,
        "code_verifier": verifier or new_code_verifier,
        "redirect_uri": REDIRECT_URL,
        **changes,
    }
    return session.fetch_token(TOKEN, **{name: value for name, value in fields.items() if value is not None})


def used_code():
    response, verifier = authorize(new_session())
    redeem(response=response, verifier=verifier)
    return redeem(response=response, verifier=verifier)


def used_refresh_token():
    session = new_session()
    token = redeem(session)["refresh_token"]
    session.refresh_token(TOKEN, refresh_token=token)
    return session.refresh_token(TOKEN, refresh_token=token)


def revoked_refresh_token():
    session = new_session()
    token = redeem(session)["refresh_token"]
    session.revoke_token(REVOKE, token=token).raise_for_status()
    return session.refresh_token(TOKEN, refresh_token=token)


def missing_verifier():
    response, _ = authorize(new_session())
    return new_session().fetch_token(TOKEN, authorization_response=response, redirect_uri=REDIRECT_URL)


def malformed_basic():
    def authenticate(request):
        request.headers["Authorization"] = "Basic !"
        return request

    return redeem(auth=authenticate)


def plain_challenge():
    plain = {"code_challenge": new_verifier(), "code_challenge_method": "plain"}
    url, _ = new_session().create_authorization_url(AUTHORIZE, **plain)
    return consent(url)


def told_to_the_app(response):
    """Let the integration into a web framework read a response that came to the redirect URL."""
    flask = Flask(__name__)
    flask.secret_key = "secret"
    app = OAuth(flask).register("parley", client_id=CLIENT_ID, access_token_url=TOKEN, authorize_url=AUTHORIZE)
    with flask.test_request_context(response):
        return app.authorize_access_token()


def success():
    session = new_session(None, "none")
    redeem(session)
    user = session.get(f"{ISSUER}/self").json()["id"]
    session.refresh_token(TOKEN)
    refreshed = session.get(f"{ISSUER}/self").json()["id"]
    return {"user": user, "refreshed": refreshed, "revocation": session.revoke_token(REVOKE).status_code}


report(
    success(),
    {
        "unknown-code": lambda: redeem(response=f"{REDIRECT_URL}?code=unknown"),
        "used-code": used_code,
        "expired-code": lambda: redeem(
            response=f"{REDIRECT_URL}?code={EXPIRED_CODE}", verifier=EXPIRED_CODE_VERIFIER
        ),
        "other-redirect-url": lambda: redeem(redirect_uri="https://other.example.com/"),
        "wrong-verifier": lambda: redeem(verifier=new_verifier()),
        "missing-verifier": missing_verifier,
        "unknown-app": lambda: redeem(new_session(None, "none", UNKNOWN_APP)),
        "wrong-secret": lambda: redeem(new_session("wrong", "client_secret_post")),
        "wrong-secret-by-basic": lambda: redeem(new_session("wrong")),
        "malformed-basic": malformed_basic,
        "unsupported-grant-type": lambda: new_session().fetch_token(TOKEN, grant_type="client_credentials"),
        "used-refresh-token": used_refresh_token,
        "revoked-refresh-token": revoked_refresh_token,
        "unknown-scope": lambda: told_to_the_app(authorize(new_session(), scope="everything")[0]),
        "plain-challenge": lambda: told_to_the_app(plain_challenge()),
        "denied-consent": lambda: told_to_the_app(DENIED_RESPONSE),
    },
    OAuthError,
)
