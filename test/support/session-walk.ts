import { notifications } from "../../examples/session/notifications.ts";
import { ApiError, Session } from "../../examples/session/session.ts";

export interface SessionPlan {
  readonly publicUrl: string;
  readonly email: string;
  readonly password: string;
  /** The type of the event that the walk waits for. */
  readonly until: string;
}

/** The walk of a session in a browser: log in, renew the token, listen, log out. */
export async function walk({ publicUrl, email, password, until }: SessionPlan) {
  const { saved } = await Session.logIn(publicUrl, email, password);
  // As after the page was loaded again.
  const session = new Session(publicUrl, saved);
  const self = await session.call("GET", "/self");
  for await (const { payload } of notifications(session))
    if (payload.some(({ type }) => type === until)) break;
  await session.logOut();
  const over = await session.refresh().catch((error: unknown) => error instanceof ApiError && error.status);
  return { cookie: saved.cookie, self: self.id, over };
}
