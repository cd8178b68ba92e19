import * as z from "zod";
import {
  clientsByUser,
  commonFields,
  fewDevices,
  recipients,
  time,
  userId,
} from "#shared/conversations/messages/otr-message.ts";

/** A domain with the users whom a message names there. */
const domain = z.hostname();
const userList = z.object({ user_ids: z.array(z.object({ id: userId, domain })) });
const flag = z.object({});

/** The decoded form of `QualifiedNewOtrMessage`, which has no JSON form. */
export const qualifiedNewOtrMessage = z
  .object({
    ...commonFields,
    recipients: z.preprocess(
      fewDevices((domains) => (Array.isArray(domains) ? domains.map(({ users }) => users) : [])),
      z.array(z.object({ domain, users: recipients })),
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

const clientsByDomain = z.record(z.string(), clientsByUser).meta({ id: "ClientIdsByDomain" });
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
