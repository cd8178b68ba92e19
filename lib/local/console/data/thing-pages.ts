import type { Cell, DataPage } from "../wire.ts";
import { type InternalApi, linkTo, operate } from "./internal-api.ts";

const shownMembers = 500;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

interface Account {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** Show an account. @param wanted an id, an email address or a handle */
export async function userPage(api: InternalApi, wanted: string): Promise<DataPage | undefined> {
  const parameter = uuid.test(wanted) ? "ids" : wanted.includes("@") ? "email" : "handles";
  const { status, body } = await operate(api, `/i/users?${new URLSearchParams({ [parameter]: wanted })}`);
  const [account] = status === 200 ? (body as Account[]) : [];
  if (account === undefined) return undefined;
  const { body: activity } = await operate(api, `/i/users/${account.id}/activity`);
  const text = (name: string) => String(account[name] ?? "—");
  const { team } = account;
  return {
    title: account.name,
    facts: [
      ["Id", account.id],
      ["E-mail", text("email")],
      ["Handle", text("handle")],
      ["Status", text("status")],
      ["Team", team === undefined ? "—" : linkTo("teams", String(team))],
      ["Managed by", account.managed_by === "scim" ? "a directory (SCIM)" : "the user"],
      ["Last login", activity.last_login ?? "—"],
      ["Requests", { text: "those with this id in their path", href: `#/requests?filter=${account.id}` }],
      ["Events", { text: "those of this user", href: `#/events?filter=${account.id}` }],
    ],
    tables: [],
  };
}

/** Show a team with its members. */
export async function teamPage(api: InternalApi, id: string): Promise<DataPage | undefined> {
  if (!uuid.test(id)) return undefined;
  const { status, body: found } = await operate(api, `/i/teams/${id}`);
  if (status !== 200) return undefined;
  const { body: page } = await operate(api, `/i/teams/${id}/members?maxResults=${shownMembers}`);
  const members: { user: string; permissions?: { self?: number } }[] = page.members ?? [];
  const names = await namesOf(
    api,
    members.map(({ user }) => user),
  );
  const { team } = found;
  return {
    title: team.name ?? "A deleted team",
    facts: [
      ["Id", id],
      ["Status", found.status],
      ["Founder", linkTo("users", team.creator, names.get(team.creator))],
    ],
    tables: [
      {
        columns: ["Member", "Id"],
        rows: members.map(({ user }) => [linkTo("users", user, names.get(user)), user]),
        empty: "It has no members.",
      },
    ],
  };
}

/** Show a conversation with its members. */
export async function conversationPage(api: InternalApi, id: string): Promise<DataPage | undefined> {
  if (!uuid.test(id)) return undefined;
  const { status, body } = await operate(api, `/i/conversations/${id}`);
  if (status !== 200) return undefined;
  const members: { id: string; conversation_role: string }[] = body.members.others;
  const names = await namesOf(
    api,
    members.map((member) => member.id),
  );
  const kinds = ["group", "with oneself", "one to one", "connection request"];
  return {
    title: body.name ?? `A conversation (${kinds[body.type]})`,
    facts: [
      ["Id", id],
      ["Kind", body.group_conv_type === "channel" ? "channel" : (kinds[body.type] ?? String(body.type))],
      ["Team", body.team === null ? "—" : linkTo("teams", body.team)],
      ["Protocol", body.protocol === "mls" ? `MLS, epoch ${body.epoch}` : "Proteus"],
      ["Requests", { text: "those with this id in their path", href: `#/requests?filter=${id}` }],
    ],
    tables: [
      {
        columns: ["Member", "Role", "Id"],
        rows: members.map((member): Cell[] => [
          linkTo("users", member.id, names.get(member.id)),
          member.conversation_role.replace(/^.*_/, ""),
          member.id,
        ]),
        empty: "It has no members.",
      },
    ],
  };
}

/** Names by id; accounts that are gone have none. */
async function namesOf(api: InternalApi, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const query = new URLSearchParams({ ids: ids.join(",") });
  const { status, body } = await operate(api, `/i/users?${query}`);
  return new Map(status === 200 ? (body as Account[]).map(({ id, name }) => [id, name]) : []);
}
