import type * as z from "zod";
import type { Cookie } from "#shared/sessions/session.ts";
import type { Deps } from "./deps.ts";
import type { cookie } from "./routes.ts";

type CookieView = z.input<typeof cookie>;

/** List the cookies of a user, oldest first; with `labels`, only those that have one of them. */
export async function listCookies(
  { sessions }: Deps,
  userId: string,
  labels: readonly string[] | undefined,
): Promise<CookieView[]> {
  const { cookies } = await sessions.get(userId);
  return Object.values(cookies)
    .filter(({ label }) => labels === undefined || (label !== undefined && labels.includes(label)))
    .toSorted((one, other) => one.createdAt - other.createdAt)
    .map(toView);
}

function toView({ id, type, createdAt, expiresAt, label, successor }: Cookie): CookieView {
  const created = new Date(createdAt).toISOString();
  return {
    id,
    type,
    created,
    time: created,
    expires: new Date(expiresAt).toISOString(),
    label: label ?? null,
    successor: successor ?? null,
  };
}
