import * as z from "zod";
import { tokenBucket } from "./types.ts";

/** Names of push providers in SNS. Those of APNs differ by the environment of the app. */
export const pushTransport = z.enum(["GCM", "APNS", "APNS_SANDBOX"]);

const platformApplication = /^arn:[a-z-]+:sns:[a-z0-9-]+:\d{12}:app\/(GCM|APNS|APNS_SANDBOX)\/[\w.-]{1,256}$/;

/** Prefix of the ARNs of all endpoints of a platform application. */
export const endpointPrefixOf = (applicationArn: string) =>
  `${applicationArn.replace(":app/", ":endpoint/")}/`;

const pushApplication = z
  .strictObject({
    transport: pushTransport,
    /** Name of the app in its clients' requests. */
    app: z.string().min(1).max(256),
    /** Platform application of SNS with the credentials of the app. */
    arn: z.string().regex(platformApplication, "the ARN of a platform application of SNS"),
  })
  .refine(({ transport, arn }) => arn.includes(`:app/${transport}/`), {
    path: ["arn"],
    error: "a platform application for another transport",
  });

/** Settings of native push. */
export const pushSettings = {
  /** Apps whose devices are woken. Without any, push tokens are kept but no device is woken. */
  pushApplications: z
    .array(pushApplication)
    .refine((all) => new Set(all.map(({ transport, app }) => `${transport} ${app}`)).size === all.length, {
      error: "one application for each app and transport",
    })
    .default([]),
  /** Push tokens of a user. At the limit, a new one replaces the oldest. */
  setUserMaxPushTokens: z.int().min(1).max(100).default(20),
  /** Registrations of push tokens by one user. Each is two calls of SNS, which all users of the installation share. */
  setPushTokenRateLimit: tokenBucket.prefault({ burst: 100, refillSeconds: 30 }),
};
