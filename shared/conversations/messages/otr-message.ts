import * as z from "zod";
import { deviceId } from "#shared/platform/http/device-id.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { type Ciphertexts, type Message, strategyOf } from "./message.ts";
import type { Sending } from "./send.ts";

/**
 * The largest body that always fits into the event of a Lambda function, at most 6 MiB (ADR 38). Protobuf arrives in
 * base64, so API Gateway refuses more than about 4.6 MB of it before we do.
 */
export const messageBodyLimit = 6_000_000;

const exampleUser = "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60";
const exampleDevice = "b420f65ee6e567f8";

/** More than the devices of the largest broadcast's 2,000 recipients; bounds the answer. */
const maxAddressedDevices = 20_000;

const clientId = deviceId
  .regex(/^[0-9a-f]{1,16}$/, "is not the id of a device, which has at most 16 significant hex digits")
  .meta({
    description: "Id of a device: a 64-bit number in hex, which in protobuf is a `uint64`",
    examples: [exampleDevice],
  });

const base64 = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/, "is not base64")
  .meta({ description: "In base64" });

/** The id of a user, who need not exist. */
export const userId = z.guid().toLowerCase().meta({ description: "Id of a user" });

/** A user without devices counts as one device, because reading it costs as much. */
const countDevices = (byUser: unknown): number =>
  valuesOf(byUser).reduce<number>((count, texts) => count + Math.max(1, valuesOf(texts).length), 0);

const valuesOf = (value: unknown): unknown[] =>
  typeof value === "object" && value !== null ? Object.values(value) : [];

/**
 * Refuses a message to too many devices before it looks at any of them.
 * @param lists lists of users with their devices
 */
export const fewDevices =
  (lists: (value: unknown) => unknown[]) =>
  (value: unknown, context: z.core.$RefinementCtx): unknown => {
    const count = lists(value).reduce<number>((sum, byUser) => sum + countDevices(byUser), 0);
    if (count > maxAddressedDevices)
      context.addIssue({ code: "custom", message: `names more than ${maxAddressedDevices} devices` });
    return value;
  };

export const recipients = z
  .preprocess(
    fewDevices((byUser) => [byUser]),
    z.record(userId, z.record(clientId, base64)),
  )
  .meta({ id: "UserClientMap", description: "Ciphertexts by user id and device id" });

/** Fields of both forms of a message. */
export const commonFields = {
  sender: clientId.meta({
    description: "Id of the sending device, in hex; in protobuf, it is a `uint64`",
    examples: [exampleDevice],
  }),
  data: base64
    .optional()
    .meta({ description: "What all recipients get besides their ciphertexts, in base64" }),
  native_push: z.boolean().optional().meta({
    description: "Whether devices that are not connected get a push notification; true by default",
  }),
  native_priority: z.enum(["low", "high"]).optional().meta({
    id: "Priority",
    description: "`low` lets that push notification wait until the device is in use; `high` by default",
  }),
  transient: z.boolean().optional().meta({ description: "Whether only connected devices get it" }),
};

/** A message in JSON, as bots send it, too. */
export const newOtrMessage = z
  .object({
    ...commonFields,
    recipients,
    report_missing: z
      .array(userId)
      .optional()
      .meta({ description: "Only the devices of these users are required; takes precedence over the query" }),
  })
  .meta({
    id: "new-otr-message",
    examples: [
      {
        sender: exampleDevice,
        recipients: { [exampleUser]: { "7a0c9b3e5d1f2846": "b3duIGNpcGhlcnRleHQ=" } },
      },
    ],
  });

/** Users whose devices are, or are not, required: everybody, nobody, or ids separated by commas. */
const missingRule = z
  .string()
  .transform((text) => (text === "true" || text === "false" ? text === "true" : text.split(",")))
  .pipe(z.union([z.boolean(), z.array(userId)]))
  .optional();

export const missingQuery = z.object({
  ignore_missing: missingRule.meta({
    description: "`true`: devices may be missing. User ids: only the devices of these users may be missing.",
  }),
  report_missing: missingRule.meta({
    description: "`false`: devices may be missing. User ids: only the devices of these users are required.",
  }),
});

export const clientsByUser = z.record(z.string(), z.array(z.string())).meta({ id: "ClientIdsByUser" });
export const time = wire.utcTime.meta({ description: "Time of the message, and of its event" });

export const clientMismatch = z
  .object({
    time,
    missing: clientsByUser.meta({ description: "Devices that the message should have addressed" }),
    redundant: clientsByUser.meta({ description: "Addressed devices that should not get the message" }),
    deleted: clientsByUser.meta({ description: "Addressed devices that no longer exist" }),
  })
  .meta({ id: "ClientMismatch", description: "How the addressed devices differ, by user id" });

type OtrMessage = z.output<typeof newOtrMessage>;

/** Read a message and the strategy that it names. */
export const fromOtrMessage = (body: OtrMessage, query: z.output<typeof missingQuery>): Message => ({
  ...commonOf(body),
  recipients: toCiphertexts(body.recipients),
  remoteRecipients: {},
  strategy: strategyOf({
    reportMissing: body.report_missing,
    query: { ignoreMissing: query.ignore_missing, reportMissing: query.report_missing },
  }),
});

/** Fields that both forms of a message have in common. */
export const commonOf = ({
  sender,
  data = "",
  transient = false,
  native_push = true,
  native_priority = "high",
}: Pick<OtrMessage, keyof typeof commonFields>): Pick<
  Message,
  "sender" | "blob" | "isTransient" | "push"
> => ({
  sender,
  blob: data,
  isTransient: transient,
  push: native_push ? native_priority : "none",
});

/** Ciphertexts in the form of the request. */
export type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const toCiphertexts = (texts: Texts): Ciphertexts =>
  new Map(Object.entries(texts).map(([userId, byClient]) => [userId, new Map(Object.entries(byClient))]));

/** The answer to a message: whether it was sent, and how the addressed devices differ. */
export function toMismatchReply({ isSent, time, missing, redundant, deleted }: Sending) {
  const body = { time: new Date(time).toISOString(), missing, redundant, deleted };
  return isSent ? { status: 201 as const, body } : { status: 412 as const, body };
}
