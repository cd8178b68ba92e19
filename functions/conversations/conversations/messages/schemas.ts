import * as z from "zod";
import { deviceId } from "#shared/platform/http/device-id.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

const exampleUser = "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60";
const exampleDevice = "b420f65ee6e567f8";

/** Far more than fit into a body with ciphertexts; bounds the lists of an answer. */
const maxAddressedDevices = 50_000;
const tooManyDevices = "names more than 50,000 devices";

const clientId = deviceId
  .regex(/^[0-9a-f]{1,16}$/, "is not the id of a device, which has at most 16 significant hex digits")
  .meta({ description: "Id of a device", examples: [exampleDevice] });

const base64 = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/, "is not base64")
  .meta({ description: "In base64" });

/** The id of a user, who need not exist. */
const userId = z.guid().toLowerCase().meta({ description: "Id of a user" });

const countDevices = (recipients: Readonly<Record<string, object>>) =>
  Object.values(recipients).reduce((count, texts) => count + Object.keys(texts).length, 0);

const recipients = z
  .record(userId, z.record(clientId, base64))
  .refine((all) => countDevices(all) <= maxAddressedDevices, tooManyDevices)
  .meta({ id: "UserClientMap", description: "Ciphertexts by user id and device id" });

const commonFields = {
  sender: clientId.meta({ description: "Id of the sending device", examples: [exampleDevice] }),
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

/** A domain with the users whom a message names there. */
const domain = z.hostname();
const userList = z.object({ user_ids: z.array(z.object({ id: userId, domain })) });
const flag = z.object({});

/** The decoded form of `QualifiedNewOtrMessage`, which has no JSON form. */
export const qualifiedNewOtrMessage = z
  .object({
    ...commonFields,
    recipients: z
      .array(z.object({ domain, users: recipients }))
      .refine(
        (all) => all.reduce((count, { users }) => count + countDevices(users), 0) <= maxAddressedDevices,
        tooManyDevices,
      ),
    report_all: flag.optional(),
    ignore_all: flag.optional(),
    report_only: userList.optional(),
    ignore_only: userList.optional(),
  })
  .refine(
    ({ report_all, ignore_all, report_only, ignore_only }) =>
      [report_all, ignore_all, report_only, ignore_only].some((strategy) => strategy !== undefined),
    "lacks the strategy for missing devices: report_all, ignore_all, report_only or ignore_only",
  );

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

const clientsByUser = z.record(z.string(), z.array(z.string()));
const clientsByDomain = z.record(z.string(), clientsByUser);
const time = wire.utcTime.meta({ description: "Time of the message, and of its event" });

export const clientMismatch = z
  .object({
    time,
    missing: clientsByUser.meta({ description: "Devices that the message should have addressed" }),
    redundant: clientsByUser.meta({ description: "Addressed devices that should not get the message" }),
    deleted: clientsByUser.meta({ description: "Addressed devices that no longer exist" }),
  })
  .meta({ id: "ClientMismatch", description: "How the addressed devices differ, by user id" });

export const messageSendingStatus = z
  .object({
    time,
    missing: clientsByDomain.meta({ description: "Devices that the message should have addressed" }),
    redundant: clientsByDomain.meta({ description: "Addressed devices that should not get the message" }),
    deleted: clientsByDomain.meta({ description: "Addressed devices that no longer exist" }),
    failed_to_send: clientsByDomain.meta({ description: "Always empty" }),
    failed_to_confirm_clients: clientsByDomain.meta({ description: "Always empty" }),
  })
  .meta({
    id: "MessageSendingStatus",
    description: "How the addressed devices differ, by domain and user id",
  });
