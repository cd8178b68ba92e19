import type { ProtobufBody } from "#shared/platform/http/route.ts";
import {
  bool,
  bytes,
  decodeMessage,
  enumeration,
  message,
  optional,
  ProtobufError,
  repeated,
  required,
  string,
  uint64,
} from "#shared/platform/protobuf.ts";

/** The messages of the interface (proto2, spec heading Protobuf messages), decoded to the fields of their JSON forms. */

const userId = message({ uuid: required(1, bytes) });
const qualifiedUserId = message({ id: required(1, string), domain: required(2, string) });
const clientId = message({ client: required(1, uint64) });
const clientEntry = message({ client: required(1, clientId), text: required(2, bytes) });
const userEntry = message({ user: required(1, userId), clients: repeated(2, clientEntry) });
const qualifiedUserEntry = message({ domain: required(1, string), entries: repeated(2, userEntry) });
const empty = message({});
const userList = message({ user_ids: repeated(1, qualifiedUserId) });

const newOtrMessage = message({
  sender: required(1, clientId),
  recipients: repeated(2, userEntry),
  native_push: optional(3, bool),
  blob: optional(4, bytes),
  native_priority: optional(5, enumeration),
  transient: optional(6, bool),
  report_missing: repeated(7, userId),
});

const qualifiedNewOtrMessage = message(
  {
    sender: required(1, clientId),
    recipients: repeated(2, qualifiedUserEntry),
    native_push: optional(3, bool),
    blob: optional(4, bytes),
    native_priority: optional(5, enumeration),
    transient: optional(6, bool),
    report_all: optional(7, empty),
    ignore_all: optional(8, empty),
    report_only: optional(9, userList),
    ignore_only: optional(10, userList),
  },
  { oneof: ["report_all", "ignore_all", "report_only", "ignore_only"] },
);

/**
 * Body of `post-otr-message-unqualified` and `post-otr-broadcast-unqualified`. An empty `report_missing` counts as
 * absent.
 */
export const newOtrMessageBody: ProtobufBody = {
  name: "NewOtrMessage",
  decode: (encoded) => {
    const { recipients, report_missing, ...decoded } = decodeMessage(newOtrMessage, encoded);
    return {
      ...toCommonFields(decoded),
      recipients: toRecipients(recipients),
      ...(report_missing.length > 0 && { report_missing: report_missing.map(toUserId) }),
    };
  },
};

/** Body of `post-proteus-message` and `post-proteus-broadcast`. */
export const qualifiedNewOtrMessageBody: ProtobufBody = {
  name: "QualifiedNewOtrMessage",
  decode: (encoded) => {
    const { recipients, ...decoded } = decodeMessage(qualifiedNewOtrMessage, encoded);
    const byDomain = Map.groupBy(recipients, ({ domain }) => domain);
    const entriesOf = (domain: string) => byDomain.get(domain)?.flatMap(({ entries }) => entries) ?? [];
    return {
      ...toCommonFields(decoded),
      recipients: [...byDomain.keys()].map((domain) => ({ domain, users: toRecipients(entriesOf(domain)) })),
    };
  },
};

type ValueOf<Decoded> = Decoded extends { read: (...parameters: never[]) => infer Value } ? Value : never;

function toCommonFields<
  Fields extends Pick<ValueOf<typeof newOtrMessage>, "sender" | "blob" | "native_priority">,
>({ sender, blob, native_priority, ...fields }: Fields) {
  const priority = native_priority === undefined ? undefined : priorities.get(native_priority);
  return {
    ...fields,
    sender: toClientId(sender),
    ...(blob !== undefined && { data: toBase64(blob) }),
    ...(priority !== undefined && { native_priority: priority }),
  };
}

/** Unknown values of an enum count as absent. */
const priorities: ReadonlyMap<number, string> = new Map([
  [1, "low"],
  [2, "high"],
]);

/** The last entry of a user or a device wins. */
const toRecipients = (
  entries: readonly ValueOf<typeof userEntry>[],
): Record<string, Record<string, string>> =>
  Object.fromEntries(
    entries.map(({ user, clients }) => [
      toUserId(user),
      Object.fromEntries(clients.map(({ client, text }) => [toClientId(client), toBase64(text)])),
    ]),
  );

function toUserId({ uuid }: ValueOf<typeof userId>): string {
  if (uuid.length !== 16) throw new ProtobufError("A user id has 16 bytes");
  const hex = Buffer.from(uuid).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const toClientId = ({ client }: ValueOf<typeof clientId>) => client.toString(16);

const toBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");
