import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { connectUsers, localDomain, requestConnection, updateConnection } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { newDevice } from "../../support/devices.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { addDevices } from "../../support/otr-messages.ts";
import { newTeam } from "../../support/teams.ts";
import { activationCode, newEmail, newUser, register, somePassword } from "../../support/users.ts";

/** What docs/clients/errors.md says of calls that a client repeats because it has not seen their answer. */
describe.concurrent("a repeated call", () => {
  /** Statuses of a call, and of the same call again. */
  const twice = async (call: () => Promise<{ status: number }>) => [
    (await call()).status,
    (await call()).status,
  ];

  it("of /register sends another code, and is refused when the account is active", async () => {
    const email = newEmail();
    expect(await twice(() => register({ email, password: somePassword }))).toEqual([201, 201]);
    const { code } = await activationCode({ email });
    const json = { email, code };
    expect(await twice(() => api("POST", "/v8/activate", { json }))).toEqual([200, 204]);
    expect(await register({ email, password: somePassword })).toMatchObject({
      status: 409,
      body: { label: "key-exists" },
    });
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

  it("in a group changes nothing, but creating creates another one", async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    await connectUsers(ann, bob);
    const group = { with: [], access: ["invite", "code"] };
    const [{ body: one }, { body: other }] = [
      await createConversation(ann, group),
      await createConversation(ann, group),
    ];
    expect(one.id).not.toBe(other.id);
    const path = `/v8/conversations/${localDomain}/${one.qualified_id.id}`;
    const json = { qualified_users: [{ domain: localDomain, id: bob.id }] };
    expect(await twice(() => api("POST", `${path}/members`, { token: ann.token, json }))).toEqual([200, 204]);
    const role = { conversation_role: "svc_member" };
    const member = `${path}/members/${localDomain}/${bob.id}`;
    expect(await twice(() => api("PUT", member, { token: ann.token, json: role }))).toEqual([200, 200]);
    expect(await twice(() => api("DELETE", member, { token: ann.token }))).toEqual([200, 204]);
    const code = `/v8/conversations/${one.qualified_id.id}/code`;
    expect(await twice(() => api("POST", code, { token: ann.token, json: {} }))).toEqual([201, 200]);
  });

  it("of a message sends it again", async () => {
    const [ann, bob] = [await newUser(), await newUser()];
    await connectUsers(ann, bob);
    const [sender] = await addDevices(ann);
    const [device = ""] = await addDevices(bob);
    const { body } = await createConversation(ann, { with: [bob] });
    const path = `/v8/conversations/${body.qualified_id.id}/otr/messages`;
    const json = { sender, recipients: { [bob.id]: { [device]: "aGVsbG8=" } } };
    expect(await twice(() => api("POST", path, { token: ann.token, json }))).toEqual([201, 201]);
    await eventually(async () =>
      expect(await storedEvents(bob.token, "conversation.otr-message-add")).toHaveLength(2),
    );
  });

  it("of an invitation sends another one", async () => {
    const team = await newTeam();
    const json = { email: newEmail() };
    const path = `/v8/teams/${team.id}/invitations`;
    expect(await twice(() => api("POST", path, { token: team.owner.token, json }))).toEqual([201, 201]);
    const { body } = await api("GET", path, { token: team.owner.token });
    expect(body.invitations).toHaveLength(2);
  });

  it("that deletes a property succeeds", async () => {
    const { token } = await newUser();
    await api("PUT", "/v8/properties/colour", { token, json: "blue" });
    expect(await twice(() => api("DELETE", "/v8/properties/colour", { token }))).toEqual([200, 200]);
  });
});
