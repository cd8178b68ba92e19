import * as z from "zod";
import { hostName } from "#shared/platform/address-types.ts";
import { seconds } from "./types.ts";

/** Settings of logins and cookies. */
export const sessionSettings = {
  zauth: z
    .strictObject({
      authSettings: z
        .strictObject({
          accessTokenTimeout: seconds.default(900),
          /** Lifetime of persistent cookies. */
          userTokenTimeout: seconds.default(56 * 86_400),
          /** Lifetime of session cookies. */
          sessionCookieTimeout: seconds.default(7 * 86_400),
          /** Longest lifetime of an anonymous account. */
          sessionTokenTimeout: seconds.default(86_400),
        })
        .prefault({}),
    })
    .prefault({}),
  setUserCookieLimit: z.int().min(1).max(100).default(32),
  /** Age at which `/access` replaces a persistent cookie. */
  setUserCookieRenewAge: seconds.default(14 * 86_400),
  setUserCookieThrottle: z
    .strictObject({ stdDev: seconds.default(3000), retryAfter: seconds.default(86_400) })
    .prefault({}),
  /** Lifetime of a login on account pages. */
  setAccountPageSessionSecs: seconds.min(60).default(1800),
  /** Domain attribute of cookies. */
  setCookieDomain: hostName.optional(),
};
