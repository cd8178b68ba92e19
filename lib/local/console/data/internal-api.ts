import type { Cell } from "../wire.ts";

const timeoutMilliseconds = 10_000;

/** Header that distinguishes requests of the console from others. */
export const consoleAgent = "parley-console";

/** Address of the internal API. */
export interface InternalApi {
  readonly internalUrl: string;
}

/** Read from the internal API. */
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

/** A cell with a link to the page of a user, team or conversation. */
export const linkTo = (kind: "users" | "teams" | "conversations", id: string, text = id): Cell => ({
  text: text || id,
  href: `#/${kind}/${encodeURIComponent(id)}`,
});
