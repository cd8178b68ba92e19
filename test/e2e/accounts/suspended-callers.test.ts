import { beforeAll, describe, expect, it } from "vitest";
import type * as z from "zod";
import { changesForUser } from "#shared/platform/http/route.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { upload } from "../../support/assets.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { operations } from "../../support/contract.ts";
import { newConversation, qualified } from "../../support/conversations.ts";
import { newDevice, registerDevice } from "../../support/devices.ts";
import { newMlsDevice } from "../../support/key-packages.ts";
import { type App, newApp, newCode, redeem, requestOf } from "../../support/oauth.ts";
import { sampleOf, samplePath, sampleQuery } from "../../support/sample.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newPhone, newUser, type User } from "../../support/users.ts";

/** An access token is valid for some minutes after its user was suspended. */

const suspend = ({ id }: Pick<User, "id">) =>
  internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } });

/** Operations that succeed for a suspended user with the smallest possible request: it reads, or changes nothing. */
const harmless: readonly string[] = [
  "check-user-handles",
  "check-user-handles-v6",
  "clear-properties",
  "delete-property",
  "get-multi-user-prekey-bundle-qualified",
  "get-multi-user-prekey-bundle-qualified-v0",
  "list-clients-bulk@v2",
  "list-connections",
  "list-conversation-ids",
  "list-conversations",
  "list-conversations-v2",
  "list-conversations-v3",
  "onboarding-v0",
  "put-self",
];

const changing = Object.entries(operations)
  .filter(([, route]) => changesForUser(route) && route.auth === "user" && (route.until ?? 9) >= 2)
  .map(([operationId, route]) => ({ operationId, route }));

describe("the smallest request of a suspended user", () => {
  let token: string;
  beforeAll(async () => {
    const user = await newUser();
    token = user.token;
    await suspend(user);
  });

  it("succeeds only where it changes nothing", async () => {
    const succeeding = await Promise.all(
      changing.map(async ({ operationId, route }) => {
        const prefix = `/v${Math.max(route.since ?? 0, Math.min(route.until ?? 8, 8))}`;
        const isJson =
          route.body !== undefined && [undefined, "json", "json-text"].includes(route.bodyFormat);
        const answer = await api(route.method, prefix + samplePath(route) + sampleQuery(route), {
          token,
          ...(isJson && { json: sampleOf(route.body as z.ZodType) }),
        });
        return answer.status < 300 ? [operationId] : [];
      }),
    );
    expect(succeeding.flat().sort()).toEqual(harmless);
  });
});

interface Stage {
  readonly user: User;
  readonly friend: User;
  readonly stranger: User;
  readonly team: Team;
  readonly group: string;
  readonly clientId: string;
  /** The device of the stranger. */
  readonly peerId: string;
  readonly assetKey: string;
  readonly packagesPath: string;
  /** It has access to the account of the user. */
  readonly app: App & { readonly sessionId: string };
}
type Call = [method: string, path: (stage: Stage) => string, json?: (stage: Stage) => unknown];

const inGroup = ({ group }: Stage, rest = "") => `/v9/conversations/${localDomain}/${group}${rest}`;
const withPassword = ({ user }: Stage) => ({ password: user.password });

const calls: Record<string, Call> = {
  "creating a conversation": [
    "POST",
    () => "/v9/conversations",
    ({ friend }) => ({ qualified_users: qualified(friend), name: "x" }),
  ],
  "renaming a conversation": ["PUT", (stage) => inGroup(stage, "/name"), () => ({ name: "x" })],
  "adding members": [
    "POST",
    (stage) => inGroup(stage, "/members"),
    ({ friend }) => ({ qualified_users: qualified(friend) }),
  ],
  "removing a member": ["DELETE", (stage) => inGroup(stage, `/members/${localDomain}/${stage.stranger.id}`)],
  "leaving a conversation": ["DELETE", (stage) => inGroup(stage, `/members/${localDomain}/${stage.user.id}`)],
  "changing the access": [
    "PUT",
    (stage) => inGroup(stage, "/access"),
    () => ({ access: ["invite", "code"], access_role: ["team_member"] }),
  ],
  "changing own settings": ["PUT", (stage) => inGroup(stage, "/self"), () => ({ hidden: true })],
  typing: ["POST", (stage) => inGroup(stage, "/typing"), () => ({ status: "started" })],
  "creating a guest link": ["POST", ({ group }) => `/v9/conversations/${group}/code`, () => ({})],
  "deleting a conversation": ["DELETE", ({ team, group }) => `/v9/teams/${team.id}/conversations/${group}`],
  "sending a message": [
    "POST",
    ({ group }) => `/v9/conversations/${group}/otr/messages?ignore_missing=true`,
    ({ clientId, stranger, peerId }) => ({
      sender: clientId,
      recipients: { [stranger.id]: { [peerId]: Buffer.from("text").toString("base64") } },
    }),
  ],
  "requesting a connection": ["POST", ({ stranger }) => `/v9/connections/${localDomain}/${stranger.id}`],
  "blocking a contact": [
    "PUT",
    ({ friend }) => `/v9/connections/${localDomain}/${friend.id}`,
    () => ({ status: "blocked" }),
  ],
  "changing the profile": ["PUT", () => "/v9/self", () => ({ name: "x" })],
  "changing the handle": [
    "PUT",
    () => "/v9/self/handle",
    ({ user }) => ({ handle: `h${user.id.slice(0, 8)}` }),
  ],
  "setting a property": ["PUT", () => "/v9/properties/key", () => "value"],
  "clearing properties": ["DELETE", () => "/v9/properties"],
  "adding a device": ["POST", () => "/v9/clients", (stage) => newDevice(withPassword(stage))],
  "removing a device": ["DELETE", ({ clientId }) => `/v9/clients/${clientId}`, withPassword],
  "deleting an asset": ["DELETE", ({ assetKey }) => `/v9/assets/${localDomain}/${assetKey}`],
  "deleting key packages": [
    "DELETE",
    ({ packagesPath }) => packagesPath,
    () => ({ key_packages: [Buffer.alloc(32).toString("base64")] }),
  ],
  "replacing the token of an asset": ["POST", ({ assetKey }) => `/v9/assets/${assetKey}/token`],
  "making an asset public": ["DELETE", ({ assetKey }) => `/v9/assets/${assetKey}/token`],
  "letting an app into the account": [
    "POST",
    () => "/v9/oauth/authorization/codes",
    ({ app }) => requestOf(app),
  ],
  "ending an app's access": [
    "DELETE",
    ({ app }) => `/v9/oauth/applications/${app.client_id}/sessions`,
    withPassword,
  ],
  "ending an app's access by its older form": [
    "DELETE",
    ({ app }) => `/v4/oauth/applications/${app.client_id}`,
  ],
  "ending a session of an app": [
    "DELETE",
    ({ app }) => `/v9/oauth/applications/${app.client_id}/sessions/${app.sessionId}`,
    withPassword,
  ],
  "removing cookies": [
    "POST",
    () => "/v9/cookies/remove",
    ({ user }) => ({ email: user.email, password: user.password, ids: [], labels: [] }),
  ],
  "changing the password": [
    "PUT",
    () => "/v9/self/password",
    ({ user }) => ({ old_password: user.password, new_password: "another password" }),
  ],
  "adding a number": ["PUT", () => "/v5/self/phone", () => ({ phone: newPhone() })],
  "registering a push token": [
    "POST",
    () => "/v9/push/tokens",
    ({ clientId }) => ({ transport: "GCM", app: "app", token: "token", client: clientId }),
  ],
  "changing a device": ["PUT", ({ clientId }) => `/v9/clients/${clientId}`, () => ({ label: "x" })],
  "renaming the team": ["PUT", ({ team }) => `/v9/teams/${team.id}`, () => ({ name: "x" })],
};

/** An app to which the user has given access to the account. */
async function appOf(user: User): Promise<Stage["app"]> {
  const app = await newApp();
  expect((await redeem(app, await newCode(app, user))).status).toBe(200);
  const { body } = await api("GET", "/v9/oauth/applications", { token: user.token });
  return { ...app, sessionId: body[0].sessions[0].refresh_token_id };
}

async function prepare(): Promise<Stage> {
  const [team, friend, stranger] = await Promise.all([newTeam(), newUser(), newUser()]);
  const user = team.owner;
  const [{ id }, device, mls, asset, peer, app] = await Promise.all([
    newConversation([user, stranger], { team, access: ["invite", "code"] }),
    registerDevice(user, { password: user.password }),
    newMlsDevice(user),
    upload(user),
    registerDevice(stranger),
    appOf(user),
    connectUsers(friend, user),
    api("PUT", "/properties/key", { token: user.token, json: "value" }),
  ]);
  return {
    user,
    friend,
    stranger,
    team,
    group: id,
    clientId: device.body.id,
    peerId: peer.body.id,
    assetKey: asset.key,
    app,
    packagesPath: `/v9/mls/key-packages/self/${mls.clientId}?ciphersuite=0x0001`,
  };
}

describe("after the suspension of a user", () => {
  let stage: Stage;
  const send = ([method, path, json]: Call): Promise<ApiAnswer> =>
    api(method as "POST", path(stage), { token: stage.user.token, ...(json && { json: json(stage) }) });

  beforeAll(async () => {
    stage = await prepare();
    await suspend(stage.user);
  });

  it.each(Object.keys(calls))("%s is refused", async (name) => {
    expect(outcome(await send(calls[name] as Call))).toBe("403 suspended");
  });

  it("deleting the account or the team, and inviting to the team, are refused, too", async () => {
    const [member] = await Promise.all([stage.team.add(), suspend(stage.user)]);
    await suspend(member);
    const withoutRights: [User, string, string, object][] = [
      [stage.user, "DELETE", `/v9/teams/${stage.team.id}`, withPassword(stage)],
      [stage.user, "POST", `/v9/teams/${stage.team.id}/invitations`, { email: "ada@example.com" }],
      [member, "DELETE", "/v9/self", { password: member.password }],
    ];
    for (const [{ token }, method, path, json] of withoutRights) {
      expect((await api(method as "POST", path, { token, json })).status).toBe(403);
    }
  });

  it("reading is still allowed", async () => {
    expect(outcome(await send(["GET", () => "/v9/self"]))).toBe("200");
  });
});
