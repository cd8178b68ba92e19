import * as z from "zod";
import { emailAddress, hostName } from "#shared/platform/address-types.ts";
import { locale } from "./types.ts";

const webAddress = z.url({ protocol: /^https?$/ });

/** Settings of the installation as a whole. */
export const installationSettings = {
  /** Domain part of qualified ids; must never change once users exist. */
  domain: hostName.default("parley.localhost"),
  /** Neutral vendor word: header names, `managed_by`, code prefixes, page titles. */
  vendor: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, "lower-case letters and digits")
    .default("svc"),
  productName: z
    .string()
    .regex(/^[^\p{Cc}]{1,64}$/u, "1 to 64 characters on one line")
    .default("Parley"),
  /** Address at which clients reach the public API; absent: the address that the API Gateway assigns. */
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Address of the web app, to which welcome mails and guest links lead; absent: to none, and to a page of ours. */
  webAppUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** What `/deeplink.json` and `/deeplink.html` tell apps besides the name and the address of the API; absent: both are 404. */
  deepLink: z
    .strictObject({
      /** Scheme of the app that the page opens; absent: the vendor word. */
      scheme: z
        .string()
        .regex(/^[a-z][a-z0-9+.-]*$/, "a scheme in lower case")
        .refine((scheme) => !/^(javascript|data|vbscript|blob|file)$/.test(scheme), "a scheme of an app")
        .optional(),
      /** Address of sockets; absent: that of the API, which is right with a distribution. */
      backendWSURL: webAddress.optional(),
      blackListURL: webAddress,
      teamsURL: webAddress,
      accountsURL: webAddress,
      websiteURL: webAddress,
    })
    .optional(),
  emailSender: emailAddress.default("no-reply@parley.localhost"),
  smsSender: z
    .string()
    .regex(/^[A-Za-z0-9]{1,11}$/)
    .default("Parley"),
  /** Origins of browser clients that may call the API with credentials. */
  corsAllowedOrigins: z
    .array(z.string().regex(/^https?:\/\/[a-z0-9.-]+(:\d+)?$/, "an origin such as https://app.example.com"))
    .default([]),
  /**
   * Headers that their pages may send besides those of our operations and of the usual clients. An HTTP API without a
   * distribution needs them listed.
   */
  corsAllowedHeaders: z.array(z.string().regex(/^[a-z0-9-]+$/, "a header in lower case")).default([]),
  setDefaultTemplateLocale: locale.default("EN"),
  setEnableDevelopmentVersions: z.boolean().default(false),
  /** Numbers, strings such as `v3`, or the word `development`. */
  setDisabledAPIVersions: z
    .array(
      z.union([
        z.int().min(0),
        z.string().regex(/^(v\d+|development)$/, "a version such as v3, or development"),
      ]),
    )
    .default([]),
  /** How long an address gets no email after a permanent bounce or a complaint of its owner. */
  mailSuppressionSecs: z.int().min(60).default(2_592_000),
  /**
   * How long nobody can delete the files of the audit trail, after which they delete themselves. A deployment with a smaller
   * number does not free files that are there.
   */
  auditRetentionDays: z.int().min(1).max(3650).default(365),
  /**
   * What stands for an address in the audit trail: a hash, by which those who know it find it, or `a***@example.com`, which
   * auditors can read and the erasure of an account does not remove.
   */
  auditAddresses: z.enum(["hashed", "masked"]).default("hashed"),
  /** Age at which the sweeper sends an outbox item again. */
  outboxResendSeconds: z.int().min(1).default(60),
  /**
   * One of so many requests is measured for the price of its team; null: none. A function counts messages and the like
   * exactly up to so many times a minute, and beyond that one of `sampleOneIn` times.
   */
  statistics: z
    .strictObject({
      sampleOneIn: z.int().min(1).max(1000).nullable().default(16),
      exactPerMinute: z.int().min(0).default(10),
    })
    .prefault({}),
  /** Time limit for posting a frame to a socket, after which the socket is closed. */
  socketPostMilliseconds: z.int().min(100).max(10_000).default(1500),
  /**
   * Groups of recipients, each served by one worker at a time. Twice the deliveries of the busiest second, divided by
   * 250, is enough. While a change is being deployed, events of one group may get out of order.
   */
  deliveryShards: z.int().min(1).max(10_000).default(128),
};
