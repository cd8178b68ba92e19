import { randomBytes } from "node:crypto";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect } from "vitest";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Api, type ApiAnswer, api } from "./api.ts";
import { localDomain } from "./connections.ts";
import { newConversation } from "./conversations.ts";
import { eventually } from "./eventually.ts";
import { stackConfig } from "./stack-config.ts";
import { newUser, type User } from "./users.ts";

/** Ciphertexts in base64, by user and device. */
export type Recipients = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** An unqualified message, as it is sent in JSON. */
export interface OtrMessage {
  readonly sender: string;
  readonly recipients: Recipients;
  /** base64 */
  readonly data?: string;
  readonly native_push?: boolean;
  readonly native_priority?: "low" | "high";
  readonly transient?: boolean;
  readonly report_missing?: readonly string[];
}

/** How a qualified message treats missing devices: those of everybody, or of the users with these ids. */
type QualifiedStrategy =
  | "report_all"
  | "ignore_all"
  | { readonly report_only: readonly string[] }
  | { readonly ignore_only: readonly string[] };

/** A message in its qualified form. */
export interface QualifiedMessage extends Omit<OtrMessage, "recipients" | "report_missing"> {
  /** By domain. */
  readonly recipients: Readonly<Record<string, Recipients>>;
  readonly strategy?: QualifiedStrategy;
}

type Writer = InstanceType<typeof BinaryWriter>;

/** Encode a part of a message. */
const part = (writer: Writer, field: number, write: (writer: Writer) => void) => {
  writer.tag(field, WireType.LengthDelimited).fork();
  write(writer);
  writer.join();
};
const text = (writer: Writer, field: number, value: string) =>
  writer.tag(field, WireType.LengthDelimited).string(value);
const base64 = (writer: Writer, field: number, value: string) =>
  writer.tag(field, WireType.LengthDelimited).bytes(Buffer.from(value, "base64"));
const flag = (writer: Writer, field: number, value: boolean | undefined) => {
  if (value !== undefined) writer.tag(field, WireType.Varint).bool(value);
};
const userId = (writer: Writer, field: number, id: string) =>
  part(writer, field, (inner) =>
    inner.tag(1, WireType.LengthDelimited).bytes(Buffer.from(id.replaceAll("-", ""), "hex")),
  );
const clientId = (writer: Writer, field: number, id: string) =>
  part(writer, field, (inner) => inner.tag(1, WireType.Varint).uint64(BigInt(`0x${id}`)));

const userEntries = (writer: Writer, field: number, recipients: Recipients) => {
  for (const [user, texts] of Object.entries(recipients)) {
    part(writer, field, (entry) => {
      userId(entry, 1, user);
      for (const [client, ciphertext] of Object.entries(texts)) {
        part(entry, 2, (inner) => {
          clientId(inner, 1, client);
          base64(inner, 2, ciphertext);
        });
      }
    });
  }
};

const flags = (writer: Writer, message: Omit<OtrMessage, "recipients">) => {
  flag(writer, 3, message.native_push);
  if (message.data !== undefined) base64(writer, 4, message.data);
  if (message.native_priority !== undefined)
    writer.tag(5, WireType.Varint).int32(message.native_priority === "low" ? 1 : 2);
  flag(writer, 6, message.transient);
};

/** The message `NewOtrMessage` in protobuf. */
export function encodeMessage(message: OtrMessage): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  clientId(writer, 1, message.sender);
  userEntries(writer, 2, message.recipients);
  flags(writer, message);
  for (const id of message.report_missing ?? []) userId(writer, 7, id);
  return writer.finish();
}

const strategyFields = { report_all: 7, ignore_all: 8, report_only: 9, ignore_only: 10 };

/** The message `QualifiedNewOtrMessage` in protobuf; without a strategy, which every such message should have. */
export function encodeQualifiedMessage({
  strategy,
  recipients,
  ...message
}: QualifiedMessage): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  clientId(writer, 1, message.sender);
  for (const [domain, users] of Object.entries(recipients)) {
    part(writer, 2, (entry) => {
      text(entry, 1, domain);
      userEntries(entry, 2, users);
    });
  }
  flags(writer, message);
  const [[name, users] = []] =
    typeof strategy === "object" ? Object.entries(strategy) : strategy ? [[strategy, []]] : [];
  if (name !== undefined) {
    part(writer, strategyFields[name as keyof typeof strategyFields], (list) => {
      for (const id of users as readonly string[]) {
        part(list, 1, (user) => {
          text(user, 1, id);
          text(user, 2, localDomain);
        });
      }
    });
  }
  return writer.finish();
}

/** The smallest valid message of each kind, by name. */
export const sampleProtobuf: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  NewOtrMessage: encodeMessage({ sender: "1", recipients: {} }),
  QualifiedNewOtrMessage: encodeQualifiedMessage({ sender: "1", recipients: {}, strategy: "report_all" }),
};

export const protobuf = { "content-type": "application/x-protobuf" };

/** The body and headers of a request in protobuf. */
export const protobufRequest = (body: Uint8Array<ArrayBuffer> = new Uint8Array()) => ({
  body,
  headers: protobuf,
});

interface Conversation {
  readonly id: string;
}
type Caller = Pick<User, "token">;

interface SendOptions {
  /** With a leading question mark. */
  readonly query?: string;
  readonly publicApi?: Api;
}

/** Send an unqualified message in JSON. */
export const sendJson = (
  { id }: Conversation,
  { token }: Caller,
  json: OtrMessage,
  { query = "", publicApi = api }: SendOptions = {},
): Promise<ApiAnswer> => publicApi("POST", `/conversations/${id}/otr/messages${query}`, { token, json });

/** Send an unqualified message in protobuf. */
export const sendProtobuf = (
  { id }: Conversation,
  { token }: Caller,
  message: OtrMessage,
  { query = "", publicApi = api }: SendOptions = {},
): Promise<ApiAnswer> =>
  publicApi("POST", `/conversations/${id}/otr/messages${query}`, {
    token,
    ...protobufRequest(encodeMessage(message)),
  });

/** Send a qualified message. */
export const sendQualified = (
  { id }: Conversation,
  { token }: Caller,
  message: QualifiedMessage,
  { publicApi = api }: SendOptions = {},
): Promise<ApiAnswer> =>
  publicApi("POST", `/conversations/${localDomain}/${id}/proteus/messages`, {
    token,
    ...protobufRequest(encodeQualifiedMessage(message)),
  });

/** Give a user devices, directly in the tables. @returns their ids */
export async function addDevices(
  { id: userId }: Pick<User, "id">,
  count = 1,
  { prefix = "test" }: { prefix?: string } = {},
): Promise<string[]> {
  const dynamo = createDynamo();
  const store = new DeviceStore({ dynamo, config: stackConfig(prefix), clock: systemClock });
  const clientIds = Array.from({ length: count }, () => `f${randomBytes(7).toString("hex")}`);
  const devices = clientIds.map((clientId) => ({
    clientId,
    type: "permanent" as const,
    capabilities: [],
    mlsPublicKeys: {},
    registeredAt: Date.now(),
  }));
  const current = await store.get(userId);
  const added = Object.fromEntries(devices.map((device) => [device.clientId, device]));
  await transact(dynamo, [store.put(current, { ...current.devices, ...added })]);
  return clientIds;
}

/** A different ciphertext for each device. */
export const textFor = (clientId: string): string => Buffer.from(`for ${clientId}`).toString("base64");

/** Recipients by user, with a ciphertext for each of these devices. */
export const recipientsOf = (
  ...devices: readonly (readonly [Pick<User, "id">, readonly string[]])[]
): Recipients =>
  Object.fromEntries(
    devices.map(([{ id }, clientIds]) => [
      id,
      Object.fromEntries(clientIds.map((one) => [one, textFor(one)])),
    ]),
  );

/** A group of two, each with two devices. */
export async function newGroupWithDevices() {
  const [ann, ben] = await Promise.all([newUser(), newUser()]);
  const [[a1 = "", a2 = ""], [b1 = "", b2 = ""]] = await Promise.all([
    addDevices(ann, 2),
    addDevices(ben, 2),
  ]);
  const group = await newConversation([ann, ben]);
  return { ann, ben, a1, a2, b1, b2, group };
}

/** Messages that a device has in its list. */
export async function messagesInList({ token }: Pick<User, "token">, clientId: string) {
  const { body } = await api("GET", `/notifications?client=${clientId}`, { token });
  const payloads: { type: string; data: { text: string; data: string } }[][] = body.notifications.map(
    ({ payload }: { payload: unknown }) => payload,
  );
  return payloads.flat().filter(({ type }) => type === "conversation.otr-message-add");
}

/** Wait until the last message in a device's list has a text. @returns the texts of all */
export const textsUntil = (user: Pick<User, "token">, clientId: string, last: string) =>
  eventually(async () => {
    const texts = (await messagesInList(user, clientId)).map(({ data }) => data.text);
    expect(texts.at(-1)).toBe(last);
    return texts;
  });
