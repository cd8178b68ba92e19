import { expect } from "vitest";
import { type ApiAnswer, outcome } from "./api.ts";
import { messagesTo } from "./messages.ts";
import type { Apis, User } from "./users.ts";

/** Outcomes of a request without the code that it needs, and with a wrong one. */
export const codeRequired = "403 code-authentication-required";
export const codeRefused = "403 code-authentication-failed";

interface Wish {
  readonly apis?: Apis;
  readonly action?: string;
}

/** Requests for second-factor codes and logins with them, at a stack unless another is named. */
export function secondFactor(own: Apis) {
  const request = (email: string, { apis = own, action = "login" }: Wish = {}) =>
    apis.publicApi("POST", "/verification-code/send", { json: { action, email } });

  const pendingCode = async ({ id }: Pick<User, "id">, { apis = own, action = "login" }: Wish = {}) =>
    (await apis.internalApi("GET", `/i/users/${id}/verification-code/${action}`)).body;

  return {
    request,
    pendingCode,
    /** Requests a code and returns it. */
    async newCode(user: User, { apis = own, action = "login" }: Wish = {}): Promise<string> {
      expect(outcome(await request(user.email, { apis, action }))).toBe("200");
      return pendingCode(user, { apis, action });
    },
    logIn: (
      {
        email,
        phone,
        handle,
        password,
      }: Partial<Pick<User, "email">> & {
        phone?: string;
        handle?: string;
        password: string;
      },
      code?: string,
      { publicApi }: Apis = own,
    ): Promise<ApiAnswer> =>
      publicApi("POST", "/login", { json: { email, phone, handle, password, verification_code: code } }),
  };
}

/** The purposes of all messages to an address, sorted. */
export const purposesTo = async (email: string): Promise<(string | undefined)[]> =>
  (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Purpose"]).sort();
