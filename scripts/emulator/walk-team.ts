import { lastPrekey, newPrekeys } from "../../test/support/prekeys.ts";
import type { Deployment } from "./deployment.ts";
import type { Owner } from "./walk-sign-in.ts";
import { type Api, eventually, expectStatus, next, step, withSocket } from "./walk-steps.ts";

const password = "correct horse battery";

interface Person {
  readonly id: string;
  readonly headers: { readonly authorization: string };
  readonly token: string;
}

/**
 * Found a team, invite somebody, and exchange messages between their devices.
 * @returns the owner of the team
 * @throws Error at the first answer that is not as expected
 */
export async function walkTeam(deployment: Deployment, api: Api): Promise<Owner> {
  const mailed = (email: string, pattern: RegExp) =>
    eventually(async () => {
      const mails = (await deployment.mails()).filter(({ to }) => to.includes(email));
      return mails.map(({ text }) => pattern.exec(text)?.[1]).find((match) => match !== undefined);
    });
  const logIn = async (email: string): Promise<Person> => {
    const { body } = expectStatus(await api("/login", { json: { email, password } }), 200);
    const token = String(body.access_token);
    return { id: body.user, token, headers: { authorization: `Bearer ${token}` } };
  };
  const addDevice = async ({ headers }: Person): Promise<string> => {
    const json = { type: "permanent", prekeys: newPrekeys(3), lastkey: lastPrekey() };
    return expectStatus(await api("/clients", { json, headers }), 201).body.id;
  };

  const ownerEmail = `grace-${Date.now()}@example.com`;
  const teamId = await step("found a team", async () => {
    const json = {
      name: "Grace",
      email: ownerEmail,
      password,
      team: { name: "Compilers", icon: "default" },
    };
    const { body } = expectStatus(await api("/register", { json }), 201);
    const code = await mailed(ownerEmail, /\b(\d{6})\b/);
    expectStatus(await api("/activate", { json: { email: ownerEmail, code } }), 200);
    return String(body.team);
  });
  const owner = await logIn(ownerEmail);

  const memberEmail = `jean-${Date.now()}@example.com`;
  const member = await step("invite a user, who joins with the code in the mail", async () => {
    const invitation = { json: { email: memberEmail }, headers: owner.headers };
    expectStatus(await api(`/teams/${teamId}/invitations`, invitation), 201);
    const team_code = await mailed(memberEmail, /team-code=([\w-]+)/);
    const json = { name: "Jean", email: memberEmail, password, team_code };
    const { body } = expectStatus(await api("/register", { json }), 201);
    if (body.team !== teamId) throw new Error(`The invited user is in the team ${body.team}`);
    return logIn(memberEmail);
  });

  const [sender, receiver] = await step("add a device for each of them", () =>
    Promise.all([addDevice(owner), addDevice(member)]),
  );
  const conversationId = await step("create a group in the team", async () => {
    const json = {
      name: "COBOL",
      users: [member.id],
      team: { teamid: teamId, managed: false },
    };
    const { body } = expectStatus(await api("/v2/conversations", { json, headers: owner.headers }), 201);
    return String(body.id);
  });
  await step("a message reaches the socket of the other device", async () => {
    const query = new URLSearchParams({ endpoint: "await", access_token: member.token, client: receiver });
    await withSocket(`${deployment.socketUrl}?${query}`, async (socket) => {
      const text = Buffer.from("Amazing Grace").toString("base64");
      const event = next(
        socket,
        (frame) => frame.includes("conversation.otr-message-add") && frame.includes(text),
      );
      const json = { sender, recipients: { [member.id]: { [receiver]: text } } };
      const path = `/conversations/${conversationId}/otr/messages`;
      expectStatus(await api(path, { json, headers: owner.headers }), 201);
      await event;
    });
  });
  await step("the service shows its metadata to identity providers of the team", async () => {
    const { body } = expectStatus(await api(`/sso/metadata/${teamId}`), 200);
    if (!String(body).includes(`/sso/finalize-login/${teamId}`))
      throw new Error(`The metadata has no address for responses: ${body}`);
  });
  return { teamId, headers: owner.headers };
}

/**
 * Let a directory add a user to the team. From then on, nobody else gets an account by logging in through the team's
 * identity provider.
 *
 * @throws Error at the first answer that is not as expected
 */
export async function walkDirectory(api: Api, owner: Owner): Promise<void> {
  await step("a directory creates a user by SCIM, and finds it", async () => {
    const order = { json: { description: "Directory", password }, headers: owner.headers };
    const { body: issued } = expectStatus(await api("/scim/auth-tokens", order), 201);
    const headers = { authorization: `Bearer ${issued.token}` };
    const json = {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: `betty.${Date.now()}`,
      displayName: "Betty",
      externalId: `betty-${Date.now()}@example.com`,
    };
    const { body: user } = expectStatus(await api("/scim/v2/Users", { json, headers }), 201);
    const query = new URLSearchParams({ filter: `userName eq "${json.userName}"` });
    const { body: found } = expectStatus(await api(`/scim/v2/Users?${query}`, { headers }), 200);
    if (found.Resources[0]?.id !== user.id) throw new Error(`Found ${JSON.stringify(found)}`);
  });
}
