import { describe, expect, it } from "vitest";
import { type ApiAnswer, api } from "../../support/api.ts";
import { connectUsers, localDomain, requestConnection, updateConnection } from "../../support/connections.ts";
import { createConversation, qualified } from "../../support/conversations.ts";
import { newDevice } from "../../support/devices.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { addDevices } from "../../support/otr-messages.ts";
import { newTeam } from "../../support/teams.ts";
import { activationCode, newEmail, newUser, register, somePassword } from "../../support/users.ts";

/** Statuses of a call, and of the same call again. */
const twice = async (call: () => Promise<ApiAnswer>) => [(await call()).status, (await call()).status];

async function newFriends() {
  const [ann, bob] = [await newUser(), await newUser()];
  await connectUsers(ann, bob);
  return { ann, bob, token: ann.token };
}

/** The rules of docs/clients/errors.md for calls that a client repeats because it has not seen their answer. */
describe.concurrent("a repeated call", () => {
  it("of /register sends another code, and is refused when the account is active", async () => {
    const email = newEmail();
    const registerOnce = () => register({ email, password: somePassword });
    expect(await twice(registerOnce)).toEqual([201, 201]);
    const json = { email, code: (await activationCode({ email })).code };
    expect(await twice(() => api("POST", "/v8/activate", { json }))).toEqual([200, 204]);
    expect(await registerOnce()).toMatchObject({ status: 409, body: { label: "key-exists" } });
  });

  it("of POST /clients registers the same device", async () => {
    const { token } = await newUser();
    const json = { ...newDevice(), password: somePassword };
    expect(await twice(() => api("POST", "/v8/clients", { token, json }))).toEqual([201, 201]);
    expect((await api("GET", "/v8/clients", { token })).body).toHaveLength(1);
  });

  it("that connects two users changes nothing", async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    expect(await twice(() => requestConnection(ann, bob))).toEqual([201, 200]);
    expect(await twice(() => updateConnection(bob, ann, "accepted"))).toEqual([200, 204]);
  });

  it("that changes a group changes nothing, but one that creates a group creates another", async () => {
    const { ann, bob, token } = await newFriends();
    const create = () => createConversation(ann, { access: ["invite", "code"] });
    const [{ body: one }, { body: other }] = [await create(), await create()];
    expect(one.id).not.toBe(other.id);
    const path = `/v8/conversations/${localDomain}/${one.id}/members`;
    const member = `${path}/${localDomain}/${bob.id}`;
    const calls: [method: string, path: string, json: object | undefined, statuses: number[]][] = [
      ["POST", path, { qualified_users: qualified(bob) }, [200, 204]],
      ["PUT", member, { conversation_role: "svc_member" }, [200, 200]],
      ["DELETE", member, undefined, [200, 204]],
      ["POST", `/v8/conversations/${one.id}/code`, {}, [201, 200]],
    ];
    for (const [method, at, json, statuses] of calls)
      expect(await twice(() => api(method, at, { token, json }))).toEqual(statuses);
  });

  it("of a message sends it again", async () => {
    const { ann, bob, token } = await newFriends();
    const [[sender], [device = ""]] = [await addDevices(ann), await addDevices(bob)];
    const { body } = await createConversation(ann, { with: [bob] });
    const path = `/v8/conversations/${body.id}/otr/messages`;
    const json = { sender, recipients: { [bob.id]: { [device]: "aGVsbG8=" } } };
    expect(await twice(() => api("POST", path, { token, json }))).toEqual([201, 201]);
    await eventually(async () =>
      expect(await storedEvents(bob.token, "conversation.otr-message-add")).toHaveLength(2),
    );
  });

  it("of an invitation sends another one", async () => {
    const { id, owner } = await newTeam();
    const path = `/v8/teams/${id}/invitations`;
    const request = { token: owner.token, json: { email: newEmail() } };
    expect(await twice(() => api("POST", path, request))).toEqual([201, 201]);
    expect((await api("GET", path, owner)).body.invitations).toHaveLength(2);
  });

  it("that deletes a property succeeds", async () => {
    const { token } = await newUser();
    await api("PUT", "/v8/properties/colour", { token, json: "blue" });
    expect(await twice(() => api("DELETE", "/v8/properties/colour", { token }))).toEqual([200, 200]);
  });
});
