"""A session on one device, and its events, each once and in order."""

import json
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPException
from typing import Any, Literal, TypedDict
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

VERSION = "/v8"
TIMEOUT_SECONDS = 60
PING_SECONDS = 30
SHORTEST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30
# More than can arrive on a socket while missed notifications are read.
REMEMBERED_IDS = 10_000


class QualifiedId(TypedDict):
    domain: str
    id: str


class ConversationEvent(TypedDict):
    """Fields of all events of conversations; `time` ascends within one."""

    qualified_conversation: QualifiedId
    qualified_from: QualifiedId
    time: str


class Connection(TypedDict):
    """The person's side of a connection."""

    qualified_to: QualifiedId
    status: str
    qualified_conversation: QualifiedId


class ConnectionChanged(TypedDict):
    type: Literal["user.connection"]
    connection: Connection


class ConversationCreated(ConversationEvent):
    type: Literal["conversation.create"]
    data: dict[str, Any]


class OtrMessage(TypedDict):
    """`text` is the ciphertext for the device `recipient`, in base64."""

    sender: str
    recipient: str
    text: str
    data: str


class OtrMessageAdded(ConversationEvent):
    type: Literal["conversation.otr-message-add"]
    data: OtrMessage


class MlsMessageAdded(ConversationEvent):
    """`data` is an MLSMessage or a Welcome, in base64."""

    type: Literal["conversation.mls-message-add", "conversation.mls-welcome"]
    data: str


# The events that most clients handle; docs/events.md has all. Ignore types that you do not know.
Event = ConnectionChanged | ConversationCreated | OtrMessageAdded | MlsMessageAdded


class KeptNotification(TypedDict):
    """What has happened. Ids are unique for a person, and compared as text."""

    id: str
    payload: list[Event]


class Notification(KeptNotification, total=False):
    """With `transient` if it is sent to sockets only, and not kept."""

    transient: bool


class ApiError(Exception):
    """An answer that is not a success. Clients tell errors of one status apart by `label`, which may be empty."""

    def __init__(self, what: str, status: int, label: str, message: str) -> None:
        super().__init__(f"{what} was answered {status} {label}: {message}")
        self.status = status
        self.label = label

    @property
    def is_final(self) -> bool:
        """Whether another attempt would fail the same way."""
        return self.status < 500 and self.status not in (408, 409, 429)


def call(base: str, method: str, path: str, body: object = None) -> Any:
    """Make a request without a session, such as for registration. Return the JSON of the answer."""
    return _request(base + VERSION + path, method, body, {})[0]


class Session:
    """A person who is logged in on one device. Access tokens are renewed when the service rejects them.

    `user` is the person's id. Keep `user`, `cookie` and `device` for the next start, whenever `on_change` is called.
    The cookie is as secret as a password.
    """

    def __init__(self, base: str, user: str, cookie: str, device: str | None = None) -> None:
        self.user = user
        self.cookie = cookie
        self.device = device
        self.on_change: Callable[[], None] = lambda: None
        self._base = base
        self._token: str | None = None
        self._refreshing = threading.Lock()

    @classmethod
    def log_in(cls, base: str, email: str, password: str) -> "Session":
        body = {"email": email, "password": password}
        answer, cookie = _request(f"{base}{VERSION}/login?persist=true", "POST", body, {})
        session = cls(base, answer["user"], cookie or "")
        session._token = answer["access_token"]
        return session

    def use_device(self, device: str) -> None:
        """Tie the session, and with it the messages that it gets, to a device of the person."""
        # A refresh that has begun names no device.
        with self._refreshing:
            self.device = device
        self.on_change()
        self.refresh()

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Return the JSON of the answer. Raise ApiError for any other answer than a success."""
        if self._token is None:
            self.refresh()
        used = self._token
        try:
            return self._call_once(method, path, body)
        except ApiError as error:
            if error.status != 401:
                raise
        self._refresh_unless_newer(used)
        return self._call_once(method, path, body)

    def refresh(self) -> None:
        """Get a new access token. Raise ApiError 403 when the session is over, and the person has to log in again."""
        self._refresh_unless_newer(self._token)

    def log_out(self) -> None:
        """End the session."""
        self.refresh()
        _request(f"{self._base}/access/logout", "POST", None, self._bearer() | {"Cookie": self.cookie})

    def socket_address(self) -> str:
        query = {"access_token": self._token or ""} | ({"client": self.device} if self.device else {})
        return f"{self._base.replace('http', 'ws', 1)}/await?{urlencode(query)}"

    def _call_once(self, method: str, path: str, body: object) -> Any:
        return _request(self._base + VERSION + path, method, body, self._bearer())[0]

    def _refresh_unless_newer(self, used: str | None) -> None:
        with self._refreshing:
            # Meanwhile, another thread may have got a new token.
            if self._token != used:
                return
            query = f"?client_id={self.device}" if self.device else ""
            # Without a version, because cookie jars send the cookie to this path only. An expired token still tells
            # which connection the next one continues.
            headers = self._bearer() | {"Cookie": self.cookie}
            answer, cookie = _request(f"{self._base}/access{query}", "POST", None, headers)
            self._token = answer["access_token"]
            if cookie is not None:
                self.cookie = cookie
                self.on_change()

    def _bearer(self) -> dict[str, str]:
        return {} if self._token is None else {"Authorization": f"Bearer {self._token}"}


def notifications(
    session: Session, since: str | None = None, on_gap: Callable[[], None] = lambda: None
) -> Iterator[Notification]:
    """Yield the notifications missed since the last one, then those to come, for as long as the session lasts.

    Each comes once, in the order of the service. Sockets that close are opened again, with growing pauses. Raise
    ApiError when the session is over, and the person has to log in again.

    After a crash, the service would send a notification again that was handled, but not noted. Therefore store its id,
    unless it is transient, in the same transaction as what its events change, and begin with this id next time.
    `since` is absent on a new device. `on_gap` is called when some are lost, because they are no longer kept: read
    conversations, connections and the profile anew.
    """
    progress = _Progress(since)
    failures = 0
    while True:
        started_at = time.monotonic()
        try:
            # Tells whether the session is over, and why.
            session.refresh()
            with connect(session.socket_address(), max_queue=None, ping_interval=None) as socket:
                # Those that arrive meanwhile wait. Reading first, and opening then, would lose what happens between.
                yield from progress.unseen(_missed(session, progress, on_gap))
                yield from progress.unseen(_arriving(socket))
        except ApiError as error:
            if error.is_final:
                raise
        except (OSError, HTTPException, WebSocketException):
            pass
        if time.monotonic() - started_at > LONGEST_PAUSE_SECONDS:
            failures = 0
        # A random part keeps clients from coming back all at the same time.
        longest = min(SHORTEST_PAUSE_SECONDS * 2**failures, LONGEST_PAUSE_SECONDS)
        time.sleep(longest * random.uniform(0.5, 1))
        failures += 1


class _Progress:
    """What has been handled. `since` is the last notification that the service keeps."""

    def __init__(self, since: str | None) -> None:
        self.since = since
        self._seen: OrderedDict[str, None] = OrderedDict()

    def unseen(self, arriving: Iterable[Notification]) -> Iterator[Notification]:
        """Leave out repeats: notifications come both on the socket and by request, and one may be sent twice."""
        for notification in arriving:
            if notification["id"] in self._seen:
                continue
            self._seen[notification["id"]] = None
            if not notification.get("transient"):
                self.since = notification["id"]
            if len(self._seen) > REMEMBERED_IDS:
                self._seen.popitem(last=False)
            yield notification


def _missed(session: Session, progress: _Progress, on_gap: Callable[[], None]) -> Iterator[Notification]:
    has_more = True
    while has_more:
        known = {"client": session.device, "since": progress.since}
        query = urlencode({"size": 500} | {name: value for name, value in known.items() if value})
        try:
            page = session.call("GET", f"/notifications?{query}")
        except ApiError as error:
            if progress.since is None or error.label != "not-found":
                raise
            on_gap()
            progress.since = None
            continue
        yield from page["notifications"]
        has_more = page["has_more"]


def _arriving(socket: ClientConnection) -> Iterator[Notification]:
    """Yield until the connection closes, or has silently broken, as when a computer changes networks."""
    is_asked = False
    while True:
        try:
            frame = socket.recv(timeout=PING_SECONDS)
        except TimeoutError:
            if is_asked:
                return
            socket.send("ping")
            is_asked = True
            continue
        is_asked = False
        # Frames are binary, and text behind API Gateway.
        if frame not in ("pong", b"pong"):
            yield json.loads(frame)


def _request(url: str, method: str, body: object, headers: dict[str, str]) -> tuple[Any, str | None]:
    """Return the JSON of the answer, and the cookie that it sets or None."""
    data = None if body is None else json.dumps(body).encode()
    all_headers = headers | {"Content-Type": "application/json"}
    try:
        with urlopen(Request(url, data, all_headers, method=method), timeout=TIMEOUT_SECONDS) as response:
            text, cookie = response.read(), response.headers.get("Set-Cookie")
    except HTTPError as error:
        answer = _json_or_empty(error.read())
        message = answer.get("message", "")
        raise ApiError(f"{method} {url.split('?')[0]}", error.code, answer.get("label", ""), message) from None
    return json.loads(text) if text else None, cookie and cookie.split(";")[0]


def _json_or_empty(text: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
