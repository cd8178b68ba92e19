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

/** The protobuf messages of the interface (proto2), decoded to the fields of their JSON forms. */

const userId = message("UserId", { uuid: required(1, bytes) });
const qualifiedUserId = message("QualifiedUserId", { id: required(1, string), domain: required(2, string) });
const clientId = message("ClientId", { client: required(1, uint64) });
const clientEntry = message("ClientEntry", { client: required(1, clientId), text: required(2, bytes) });
const userEntry = message("UserEntry", { user: required(1, userId), clients: repeated(2, clientEntry) });
const qualifiedUserEntry = message("QualifiedUserEntry", {
  domain: required(1, string),
  entries: repeated(2, userEntry),
});
const reportAll = message("ClientMismatchStrategyReportAll", {});
const ignoreAll = message("ClientMismatchStrategyIgnoreAll", {});
const reportOnly = message("ClientMismatchStrategyReportOnly", { user_ids: repeated(1, qualifiedUserId) });
const ignoreOnly = message("ClientMismatchStrategyIgnoreOnly", { user_ids: repeated(1, qualifiedUserId) });
const priority = enumeration("Priority", { LOW_PRIORITY: 1, HIGH_PRIORITY: 2 });

const newOtrMessage = message("NewOtrMessage", {
  sender: required(1, clientId),
  recipients: repeated(2, userEntry),
  native_push: optional(3, bool),
  blob: optional(4, bytes),
  native_priority: optional(5, priority),
  transient: optional(6, bool),
  report_missing: repeated(7, userId),
});

const qualifiedNewOtrMessage = message(
  "QualifiedNewOtrMessage",
  {
    sender: required(1, clientId),
    recipients: repeated(2, qualifiedUserEntry),
    native_push: optional(3, bool),
    blob: optional(4, bytes),
    native_priority: optional(5, priority),
    transient: optional(6, bool),
    report_all: optional(7, reportAll),
    ignore_all: optional(8, ignoreAll),
    report_only: optional(9, reportOnly),
    ignore_only: optional(10, ignoreOnly),
  },
  { client_mismatch_strategy: ["report_all", "ignore_all", "report_only", "ignore_only"] },
);

/**
 * Body of `post-otr-message-unqualified` and `post-otr-broadcast-unqualified`. An empty `report_missing` counts as
 * absent.
 */
export const newOtrMessageBody: ProtobufBody = {
  message: newOtrMessage,
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
  message: qualifiedNewOtrMessage,
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
  const named = native_priority === undefined ? undefined : priorities.get(native_priority);
  return {
    ...fields,
    sender: toClientId(sender),
    ...(blob !== undefined && { data: toBase64(blob) }),
    ...(named !== undefined && { native_priority: named }),
  };
}

/** Unknown values of an enum count as absent. */
const priorities: ReadonlyMap<number, string> = new Map<number, string>([
  [priority.names.LOW_PRIORITY, "low"],
  [priority.names.HIGH_PRIORITY, "high"],
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
