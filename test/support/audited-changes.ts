import { randomUUID } from "node:crypto";
import { type FeatureName, lockableFeatures, operatorFeatures } from "#shared/teams/features/catalogue.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import type { Api, ApiAnswer } from "./api.ts";
import { localDomain } from "./connections.ts";
import { newDevice } from "./devices.ts";
import type { OwnStack } from "./own-stack.ts";
import type { Team } from "./teams.ts";
import { newEmail, somePassword, type User } from "./users.ts";

/**
 * A change by name, which the audit trail records if it succeeds, and the status that says that nothing has changed.
 * Nothing is sent, and the answer is undefined, when what it would change could not be made.
 */
export type AuditedChange = readonly [
  name: string,
  send: () => Promise<ApiAnswer | undefined>,
  unchanged?: number,
];

/** Features whose change needs another one, or a setting. */
const unchangeable: readonly FeatureName[] = ["mlsMigration", "exposeInvitationURLsToTeamAdmin"];

/** Statuses of features that other changes need. */
const neededStatuses: Partial<Record<FeatureName, "enabled" | "disabled">> = {
  sndFactorPasswordChallenge: "disabled",
  searchVisibility: "enabled",
  conversationGuestLinks: "enabled",
  conferenceCalling: "enabled",
  legalhold: "disabled",
  mlsE2EId: "disabled",
};

/** Two changes, of which the second is sent only if the first has succeeded, because it would change nothing otherwise. */
function inTurn([first, send]: AuditedChange, [second, sendNext]: AuditedChange): AuditedChange[] {
  let isDone = false;
  const sendFirst = async () => {
    const answer = await send();
    isDone = answer !== undefined && answer.status < 300;
    return answer;
  };
  return [
    [first, sendFirst],
    [second, async () => (isDone ? sendNext() : undefined)],
  ];
}

/** Changes of each kind that a team, its owner, a member and a stranger see, in an order in which each is possible. */
export function auditedChanges(
  { publicApi, internalApi }: Pick<OwnStack, "publicApi" | "internalApi">,
  { team, member, stranger }: { team: Team; member: User; stranger: User },
): AuditedChange[] {
  const { id: ownerId } = team.owner;
  const password = somePassword;
  const ids: Record<string, string> = {};
  const unique = () => randomUUID().slice(0, 8);
  const domain = `${unique()}.example.com`;
  const address = newEmail();

  /** Send something, and keep an id from the answer for later changes. */
  const keep = async (
    name: string,
    sent: Promise<ApiAnswer | undefined>,
    idIn: (body: ApiAnswer["body"]) => string,
  ) => {
    const answer = await sent;
    if (answer !== undefined && answer.status < 300) ids[name] = idIn(answer.body);
    return answer;
  };
  const sendBy =
    (api: Api, method: string, path: string, json?: () => object | undefined, token?: string) => async () => {
      const parts = path.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : ids[part]));
      return parts.includes(undefined) ? undefined : api(method, parts.join(""), { token, json: json?.() });
    };
  const own = (method: string, path: string, json?: () => object | undefined, by: User = team.owner) =>
    sendBy(publicApi, method, path, json, by.token);
  const operator = (method: string, path: string, json?: () => object) =>
    sendBy(internalApi, method, path, json);

  const ofTeam = `/teams/${team.id}`;
  const ofMember = `/i/users/${member.id}`;
  const group = `/conversations/${localDomain}/{group}`;
  const features = `/i${ofTeam}/features`;
  const statuses = ["enabled", "disabled"] as const;
  const either = () => ({ status: statuses[Math.floor(Math.random() * 2)] });
  const locks = lockableFeatures.flatMap((name): AuditedChange[] => [
    [`${name} locked`, operator("PUT", `${features}/${name}/locked`)],
    [`${name} unlocked`, operator("PUT", `${features}/${name}/unlocked`)],
  ]);
  const patches = operatorFeatures
    .filter((name) => !unchangeable.includes(name))
    .flatMap((name) => {
      const last = neededStatuses[name];
      const patch = (status: () => object): AuditedChange => [
        `${name} changed`,
        operator("PATCH", `${features}/${name}`, status),
      ];
      return last === undefined
        ? [patch(either)]
        : [...statuses.filter((one) => one !== last), last].map((status) => patch(() => ({ status })));
    });

  return [
    ...locks,
    ...patches,
    ["name", own("PUT", "/self", () => ({ name: `Ada ${unique()}` }))],
    ["handle", own("PUT", "/self/handle", () => ({ handle: `h${unique()}` }))],
    ["language", own("PUT", "/self/locale", () => ({ locale: "de" }))],
    ["language again", own("PUT", "/self/locale", () => ({ locale: "fr" }))],
    [
      "password",
      own("PUT", "/self/password", () => ({ old_password: password, new_password: `${password}!` })),
    ],
    [
      "password again",
      own("PUT", "/self/password", () => ({ old_password: `${password}!`, new_password: password })),
    ],
    ["login", () => publicApi("POST", "/login", { json: { email: stranger.email, password } })],
    ["cookies revoked", own("POST", "/cookies/remove", () => ({ password, labels: ["none"] }), stranger)],
    ["connection asked for", own("POST", `/connections/${localDomain}/${stranger.id}`)],
    [
      "connection accepted",
      own("PUT", `/connections/${localDomain}/${ownerId}`, () => ({ status: "accepted" }), stranger),
    ],
    [
      "device",
      () => keep("device", own("POST", "/clients", () => ({ ...newDevice(), password }))(), ({ id }) => id),
    ],
    ["device renamed", own("PUT", "/clients/{device}", () => ({ label: unique() }))],
    ["device removed", own("DELETE", "/clients/{device}", () => ({ password }))],
    ["team's name", own("PUT", ofTeam, () => ({ name: `Engines ${unique()}` }))],
    [
      "member promoted",
      own("PUT", `${ofTeam}/members`, () => ({
        member: { user: member.id, permissions: permissionsOf("admin") },
      })),
    ],
    [
      "member's rights by an operator",
      operator("PUT", `/i${ofTeam}/members`, () => ({
        member: { user: member.id, permissions: permissionsOf("member") },
      })),
    ],
    [
      "search visibility",
      own("PUT", `${ofTeam}/search-visibility`, () => ({ search_visibility: "standard" })),
    ],
    [
      "search visibility by an operator",
      operator("PUT", `/i${ofTeam}/search-visibility`, () => ({ search_visibility: "standard" })),
    ],
    [
      "invitation",
      () =>
        keep(
          "invitation",
          own("POST", `${ofTeam}/invitations`, () => ({ email: newEmail() }))(),
          ({ id }) => id,
        ),
    ],
    ["invitation revoked", own("DELETE", `${ofTeam}/invitations/{invitation}`)],
    ["team's status", operator("PUT", `/i${ofTeam}/status`, () => ({ status: "active" }))],
    ...inTurn(
      ["legal hold allowed", operator("PUT", `/i/legalhold/whitelisted-teams/${team.id}`)],
      ["legal hold forbidden", operator("DELETE", `/i/legalhold/whitelisted-teams/${team.id}`)],
    ),
    ["legal hold consented", own("POST", `${ofTeam}/legalhold/consent`)],
    ["member's name", operator("PUT", `${ofMember}/name`, () => ({ name: `Bob ${unique()}` }))],
    ["member's handle", operator("PUT", `${ofMember}/handle`, () => ({ handle: `h${unique()}` }))],
    ...inTurn(
      ["member's language", operator("PUT", `${ofMember}/locale`, () => ({ locale: "de" }))],
      ["member's language taken back", operator("DELETE", `${ofMember}/locale`)],
    ),
    [
      "member's rich profile",
      operator("PUT", `${ofMember}/rich-info`, () => ({ rich_info: { version: 0, fields: [] } })),
    ],
    ...inTurn(
      ["member suspended", operator("PUT", `${ofMember}/status`, () => ({ status: "suspended" }))],
      ["member resumed", operator("PUT", `${ofMember}/status`, () => ({ status: "active" }))],
    ),
    ["member logged out", operator("POST", `${ofMember}/logout`)],
    ...inTurn(
      ["member managed elsewhere", operator("PUT", `${ofMember}/managed-by`, () => ({ managed_by: "scim" }))],
      ["member managed here", operator("PUT", `${ofMember}/managed-by`, () => ({ managed_by: "svc" }))],
    ),
    ...inTurn(
      ["member's calls", operator("PUT", `${ofMember}/features/conferenceCalling`, either)],
      ["member's calls as the team's", operator("DELETE", `${ofMember}/features/conferenceCalling`)],
    ),
    ["member's codes withdrawn", operator("DELETE", `${ofMember}/verification-code`)],
    ["address blocked", operator("POST", `/i/users/blacklist?email=${address}`)],
    ["address unblocked", operator("DELETE", `/i/users/blacklist?email=${address}`)],
    [
      "other backend",
      operator("PUT", `/i/custom-backend/by-domain/${domain}`, () => ({
        config_json_url: "https://a.example.com/c.json",
        webapp_welcome_url: "https://a.example.com",
      })),
    ],
    ["other backend removed", operator("DELETE", `/i/custom-backend/by-domain/${domain}`)],
    [
      "app",
      () =>
        keep(
          "app",
          operator("POST", "/i/oauth/clients", () => ({
            application_name: "Calendar",
            redirect_url: "https://app.example.com",
          }))(),
          ({ client_id }) => client_id,
        ),
    ],
    [
      "app changed",
      operator("PUT", "/i/oauth/clients/{app}", () => ({
        application_name: `Calendar ${unique()}`,
        redirect_url: "https://app.example.com",
      })),
    ],
    ["app's secret", operator("POST", "/i/oauth/clients/{app}/secret")],
    ["app removed", operator("DELETE", "/i/oauth/clients/{app}")],
    [
      "directory's token",
      () =>
        keep(
          "scim",
          own("POST", "/scim/auth-tokens", () => ({ description: unique(), password }))(),
          ({ info }) => info.id,
        ),
    ],
    ["directory's token renamed", own("PUT", "/scim/auth-tokens/{scim}", () => ({ name: unique() }))],
    ["directory's token revoked", own("DELETE", "/scim/auth-tokens?id={scim}")],
    [
      "group",
      () =>
        keep(
          "group",
          own("POST", "/v9/conversations", () => ({
            name: unique(),
            protocol: "proteus",
            team: { teamid: team.id, managed: false },
          }))(),
          ({ qualified_id }) => qualified_id.id,
        ),
    ],
    ["group's name", own("PUT", `${group}/name`, () => ({ name: unique() }))],
    [
      "group's timer",
      own("PUT", `${group}/message-timer`, () => ({
        message_timer: 10_000 + Math.floor(Math.random() * 10_000),
      })),
    ],
    ["group's receipts", own("PUT", `${group}/receipt-mode`, () => ({ receipt_mode: 1 }))],
    [
      "group's access",
      own("PUT", `/v9${group}/access`, () => ({
        access: ["invite", "code"],
        access_role: ["team_member", "non_team_member", "guest"],
      })),
    ],
    [
      "member added",
      own("POST", `/v9${group}/members`, () => ({
        qualified_users: [{ id: member.id, domain: localDomain }],
        conversation_role: "svc_member",
      })),
    ],
    [
      "member's role",
      own("PUT", `${group}/members/${localDomain}/${member.id}`, () => ({ conversation_role: "svc_admin" })),
    ],
    ["member removed", own("DELETE", `${group}/members/${localDomain}/${member.id}`), 204],
    ["guest link", own("POST", "/conversations/{group}/code", () => ({}))],
    ["guest link revoked", own("DELETE", "/conversations/{group}/code")],
    ["group removed", own("DELETE", `${ofTeam}/conversations/{group}`)],
  ];
}
