"""Prints the numbers of the events that a session in Python gets, until the last one. Waits for a line before each call.

Usage: session_walk.py ADDRESS EMAIL PASSWORD LAST
"""

import sys

from session import ApiError, Session, notifications

address, email, password, last = sys.argv[1:]

try:
    Session.log_in(address, email, "wrong password")
except ApiError as error:
    print(error.label, flush=True)

session = Session.log_in(address, email, password)
call = session.call


def wait_and_call(method, path, body=None):
    print(method, path.partition("?")[0], flush=True)
    sys.stdin.readline()
    return call(method, path, body)


session.call = wait_and_call
numbers = (
    event["number"] for notification in notifications(session) for event in notification["payload"] if "number" in event
)
for number in numbers:
    print(number, flush=True)
    if str(number) == last:
        break

user = session.call("GET", "/self")["id"]
session.log_out()
try:
    next(notifications(session))
except ApiError as error:
    print(user, "over", error.status, flush=True)
