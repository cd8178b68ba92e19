import * as z from "zod";
import { emailAddress, hostName } from "#shared/platform/address-types.ts";
import { locale } from "./types.ts";

const webAddress = z.url({ protocol: /^https?$/ });

/** Settings of the installation as a whole. */
export const installationSettings = {
  /** Domain part of ids; must never change once users exist. */
  domain: hostName.default("parley.localhost"),
  /** Word in header names, `managed_by`, code prefixes and titles. */
  vendor: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, "lower-case letters and digits")
    .default("svc"),
  productName: z
    .string()
    .regex(/^[^\p{Cc}]{1,64}$/u, "1 to 64 characters on one line")
    .default("Parley"),
  /** Address of the public API, by default as deployed. */
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Web app to which welcome mails and guest links lead. */
  webAppUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** What `/deeplink.json` and `/deeplink.html` tell apps; absent: 404. */
  deepLink: z
    .strictObject({
      /** Scheme of the app, by default the vendor word. */
      scheme: z
        .string()
        .regex(/^[a-z][a-z0-9+.-]*$/, "a scheme in lower case")
        .refine((scheme) => !/^(javascript|data|vbscript|blob|file)$/.test(scheme), "a scheme of an app")
        .optional(),
      /** Address of sockets, by default that of the API. */
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
  /** Origins of web clients. */
  corsAllowedOrigins: z
    .array(z.string().regex(/^https?:\/\/[a-z0-9.-]+(:\d+)?$/, "an origin such as https://app.example.com"))
    .default([]),
  /** Further headers of web clients, without a distribution. */
  corsAllowedHeaders: z.array(z.string().regex(/^[a-z0-9-]+$/, "a header in lower case")).default([]),
  setDefaultTemplateLocale: locale.default("EN"),
  setEnableDevelopmentVersions: z.boolean().default(false),
  /** Such as `3`, `v3` or `development`. */
  setDisabledAPIVersions: z
    .array(
      z.union([
        z.int().min(0),
        z.string().regex(/^(v\d+|development)$/, "a version such as v3, or development"),
      ]),
    )
    .default([]),
  /** How long an address gets no mail after a bounce or complaint. */
  mailSuppressionSecs: z.int().min(60).default(2_592_000),
  /** How long files of the audit trail are kept and cannot be deleted. A smaller number does not free existing files. */
  auditRetentionDays: z.int().min(1).max(3650).default(365),
  /**
   * Addresses in the audit trail, as hashes or as `a***@example.com`. Those who know an address find its hash. Auditors can
   * read the other form, and the erasure of an account does not remove it.
   */
  auditAddresses: z.enum(["hashed", "masked"]).default("hashed"),
  /** Age at which the sweeper repeats a message. */
  outboxResendSeconds: z.int().min(1).default(60),
  /** One of so many requests is measured, and counts beyond so many a minute are samples. Null measures none. */
  statistics: z
    .strictObject({
      sampleOneIn: z.int().min(1).max(1000).nullable().default(16),
      exactPerMinute: z.int().min(0).default(10),
    })
    .prefault({}),
  /** Time limit of a frame, after which its socket is closed. */
  socketPostMilliseconds: z.int().min(100).max(10_000).default(1500),
  /**
   * Groups of recipients served concurrently; deploying a change may reorder events. Twice the deliveries of the busiest
   * second, divided by 250, is enough.
   */
  deliveryShards: z.int().min(1).max(10_000).default(128),
};
