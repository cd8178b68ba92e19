import { lastPrekey, newPrekeys } from "../../test/support/prekeys.ts";
import type { Deployment } from "./deployment.ts";
import { type Api, answerOf, call, eventually, expectStatus, next, step, withSocket } from "./walk-steps.ts";

const password = "correct horse battery";
const uploaded = "bytes of another version";

interface Person {
  readonly id: string;
  readonly email: string;
  readonly cookie: string;
  readonly clientId: string;
}

/** Data that one version has stored, and another must be able to use. */
export interface StoredData {
  readonly sender: Person;
  readonly receiver: Person;
  readonly conversationId: string;
  readonly asset: { readonly key: string; readonly domain: string };
  /** Address of a registration, and its unused code. */
  readonly pending: { readonly email: string; readonly code: string };
  /** Numbers of the messages that the receiver has received. */
  count: number;
}

const apiOf =
  ({ publicUrl }: Deployment): Api =>
  (path, request) =>
    call(`${publicUrl}${path}`, request);

/**
 * Store something of each kind: accounts, sessions, devices, a group, messages, a file, and a registration that waits
 * for its code.
 * @throws Error at the first answer that is not as expected
 */
export async function createData(deployment: Deployment): Promise<StoredData> {
  const api = apiOf(deployment);
  const data = await step(
    "accounts, devices, a group, a file and an open registration are created",
    async () => {
      const sender = await newPerson(deployment, "ida");
      const receiver = await newPerson(deployment, "joan");
      const headers = await authorise(api, sender);
      const connection = { method: "POST", headers };
      expectStatus(await api(`/connections/${await domainOf(api, headers)}/${receiver.id}`, connection), 201);
      const accepted = {
        method: "PUT",
        json: { status: "accepted" },
        headers: await authorise(api, receiver),
      };
      expectStatus(await api(`/connections/${await domainOf(api, headers)}/${sender.id}`, accepted), 200);
      const group = { name: "Upgrades", users: [receiver.id] };
      const { body: conversation } = expectStatus(
        await api("/v2/conversations", { json: group, headers }),
        201,
      );
      const pending = await openRegistration(deployment, "kay");
      const asset = await upload(deployment, headers);
      return { sender, receiver, conversationId: String(conversation.id), asset, pending, count: 0 };
    },
  );
  await sendMessage(deployment, data);
  return data;
}

/**
 * Continue with the data of another version: renew sessions, log in, read messages, file and group, send and get a
 * message, and finish the registration.
 * @throws Error at the first answer that is not as expected
 */
export async function useData(deployment: Deployment, data: StoredData): Promise<void> {
  const api = apiOf(deployment);
  const { sender, receiver, conversationId, asset, pending } = data;
  const headers = await step("sessions go on, and people can log in", async () => {
    expectStatus(await api("/login", { json: { email: receiver.email, password } }), 200);
    return authorise(api, sender);
  });
  await step("group, devices and file are there", async () => {
    const { body } = expectStatus(
      await api(`/v2/conversations/${asset.domain}/${conversationId}`, { headers }),
      200,
    );
    if (body.members.others.length !== 1)
      throw new Error(`The group has lost members: ${JSON.stringify(body)}`);
    expectStatus(await api(`/clients/${sender.clientId}`, { headers }), 200);
    const answer = await api(`/v8/assets/${asset.domain}/${asset.key}`, { headers });
    if (expectStatus(answer, 200).body !== uploaded) throw new Error(`The file contains ${answer.body}`);
  });
  await step(`all ${data.count} messages are there`, async () => {
    const stored = await api(`/notifications?size=1000&client=${receiver.clientId}`, {
      headers: await authorise(api, receiver),
    });
    const text = JSON.stringify(expectStatus(stored, 200).body);
    for (let number = 1; number <= data.count; number++) {
      if (!text.includes(cipherOf(number))) throw new Error(`Message ${number} is lost`);
    }
  });
  await sendMessage(deployment, data);
  await step("the registration is finished", async () => {
    const { email, code } = pending;
    const answer = await api("/activate", { json: { email, code } });
    // Another version may have finished the registration.
    if (answer.status !== 200) expectStatus(await api("/login", { json: { email, password } }), 200);
  });
}

const cipherOf = (number: number) => Buffer.from(`message ${number} of upgrades`).toString("base64");

async function sendMessage(deployment: Deployment, data: StoredData): Promise<void> {
  const api = apiOf(deployment);
  const { sender, receiver, conversationId } = data;
  const number = data.count + 1;
  await step("a message reaches the socket of the other device", async () => {
    const { authorization } = await authorise(api, receiver);
    const query = new URLSearchParams({
      endpoint: "await",
      access_token: authorization.replace("Bearer ", ""),
      client: receiver.clientId,
    });
    await withSocket(`${deployment.socketUrl}?${query}`, async (socket) => {
      const event = next(socket, (frame) => frame.includes(cipherOf(number)));
      const recipients = { [receiver.id]: { [receiver.clientId]: cipherOf(number) } };
      const path = `/conversations/${conversationId}/otr/messages`;
      const request = {
        json: { sender: sender.clientId, recipients },
        headers: await authorise(api, sender),
      };
      expectStatus(await api(path, request), 201);
      await event;
    });
    data.count = number;
  });
}

async function authorise(api: Api, { cookie }: Person): Promise<{ authorization: string }> {
  const { body } = expectStatus(await api("/access", { method: "POST", headers: { cookie } }), 200);
  return { authorization: `Bearer ${body.access_token}` };
}

async function domainOf(api: Api, headers: { authorization: string }): Promise<string> {
  const { body } = expectStatus(await api("/self", { headers }), 200);
  return body.qualified_id.domain;
}

async function openRegistration(deployment: Deployment, name: string) {
  const email = `${name}-${Date.now()}@example.com`;
  expectStatus(await apiOf(deployment)("/register", { json: { name, email, password } }), 201);
  const code = await eventually(async () => {
    const mail = (await deployment.mails()).find(({ to }) => to.includes(email));
    return mail && /\b\d{6}\b/.exec(mail.text)?.[0];
  });
  return { email, code };
}

async function newPerson(deployment: Deployment, name: string): Promise<Person> {
  const api = apiOf(deployment);
  const { email, code } = await openRegistration(deployment, name);
  expectStatus(await api("/activate", { json: { email, code } }), 200);
  const login = expectStatus(await api("/login?persist=true", { json: { email, password } }), 200);
  const headers = { authorization: `Bearer ${login.body.access_token}` };
  const json = { type: "permanent", prekeys: newPrekeys(3), lastkey: lastPrekey() };
  const { body: device } = expectStatus(await api("/clients", { json, headers }), 201);
  const cookie = login.headers.getSetCookie().join().replace(/;.*/, "");
  return { id: login.body.user, email, cookie, clientId: device.id };
}

async function upload({ publicUrl }: Deployment, headers: { authorization: string }) {
  const boundary = "frontier";
  const part = (type: string, content: string) =>
    `--${boundary}\r\nContent-Type: ${type}\r\nContent-Length: ${content.length}\r\n\r\n${content}\r\n`;
  const response = await fetch(`${publicUrl}/v8/assets`, {
    method: "POST",
    headers: { ...headers, "content-type": `multipart/mixed; boundary=${boundary}` },
    body: `${part("application/json", "{}")}${part("image/png", uploaded)}--${boundary}--\r\n`,
  });
  const { key, domain } = expectStatus(await answerOf(response), 201).body;
  return { key, domain };
}
