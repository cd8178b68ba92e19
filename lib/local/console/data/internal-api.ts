import type { Cell } from "../wire.ts";

const timeoutMilliseconds = 10_000;

/** By which requests of the console are told from those of others. */
export const consoleAgent = "parley-console";

/** Where the internal API answers. */
export interface InternalApi {
  readonly internalUrl: string;
}

/** Get something of the internal API. */
export async function operate(
  { internalUrl }: InternalApi,
  path: string,
  // biome-ignore lint/suspicious/noExplicitAny: the answers of many operations
): Promise<{ status: number; body: any }> {
  const response = await fetch(internalUrl + path, {
    headers: { "user-agent": consoleAgent },
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  return { status: response.status, body: await response.json() };
}

/** A cell that leads to the page of a user, team or conversation. */
export const linkTo = (kind: "users" | "teams" | "conversations", id: string, text = id): Cell => ({
  text: text || id,
  href: `#/${kind}/${encodeURIComponent(id)}`,
});
