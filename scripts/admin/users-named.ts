import type { Profile } from "./find-user.ts";
import type { InternalApi } from "./internal-api.ts";

/** All users who were created in a period, the newest first. */
export async function* listedUsers(
  api: InternalApi,
  period: Readonly<Record<string, string>> = {},
): AsyncGenerator<Profile> {
  let start: string | undefined;
  do {
    const page = await api.read("/i/users/list", {
      query: { ...period, size: "100", ...(start !== undefined && { start }) },
    });
    yield* page.users;
    start = page.next;
  } while (start !== undefined);
}

const folded = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Users whose names or handles contain a text, ignoring accents. Reads the list of all users, some 100 per request. */
export async function usersNamed(api: InternalApi, text: string, limit: number): Promise<Profile[]> {
  const sought = folded(text);
  const found: Profile[] = [];
  for await (const user of listedUsers(api)) {
    if ([user.name, user.handle ?? ""].some((name) => folded(name).includes(sought))) found.push(user);
    if (found.length === limit) break;
  }
  return found;
}
