import { Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { judge } from "#functions/provisioning/single-sign-on/login/judge.ts";
import {
  openResponse,
  verifyResponse,
} from "#functions/provisioning/single-sign-on/login/response/open-response.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import {
  certificateText,
  encodeXml,
  type LoginRequest,
  newIdentityProvider,
  type ResponseFields,
  type ResponseOptions,
  type TestIdentityProvider,
} from "./saml.ts";
import { mallory } from "./saml-wrapping.ts";

/** A login that the attacker has started. */
export interface Scene {
  readonly provider: TestIdentityProvider;
  readonly request: LoginRequest;
  /** The provider's correct response about the attacker, apart from the changes. */
  signed(fields?: Partial<ResponseFields>, options?: ResponseOptions): string;
}

/** Write a response that must be refused. */
export type Forge = (scene: Scene) => string | Uint8Array | Promise<string>;

/** The correct response with these fields. */
export const fields =
  (changes: Partial<ResponseFields>, options?: ResponseOptions): Forge =>
  ({ signed }) =>
    signed(changes, options);

/** The correct response, signed in another way. */
export const signedBy = (options: ResponseOptions): Forge => fields({}, options);

/** The correct response, changed before it is signed. */
export const edited = (part: string | RegExp, replacement: string, options?: ResponseOptions): Forge =>
  fields({}, { ...options, edit: (xml) => xml.replace(part, replacement) });

/** The correct response, changed after it was signed. */
export const tampered =
  (part: string | RegExp, replacement: string): Forge =>
  ({ signed }) =>
    signed().replace(part, replacement);

/** Let the attacker have the response of an identity provider to a request. */
export async function newScene(
  request: LoginRequest = someRequest,
  known?: TestIdentityProvider,
): Promise<Scene> {
  const provider = known ?? (await newIdentityProvider());
  const signed: Scene["signed"] = (changes, options) =>
    provider.signed(request, { nameId: { text: mallory }, ...changes }, options);
  return { provider, request, signed };
}

const someRequest: LoginRequest = {
  action: "https://idp.example.com/login",
  samlRequest: "",
  xml: "",
  id: "_0190a5b8-0000-4000-8000-000000000000",
  issuer: "https://chat.example.com/sso/finalize-login/0190a5b8-0000-4000-8000-00000000000a",
};

/**
 * Read, verify and judge a response to the request of a scene.
 * @returns why it is refused: the name of an error, or all reasons of a denial; empty when it lets somebody in
 */
export function verdictOn({ provider, request }: Scene, xml: string | Uint8Array): string {
  try {
    const response = openResponse(encodeXml(xml));
    if (!("assertions" in response)) return response.status.words;
    const { assertions } = verifyResponse(response, { certificates: [certificateText(provider.key)] });
    const now = Date.now();
    const idp = { id: "idp", issuer: provider.issuer };
    const reasons = judge(assertions, {
      request: {
        id: request.id,
        idpId: idp.id,
        issuer: idp.issuer,
        expiresAt: now + 1,
        purgeAtSeconds: now / 1000 + 1,
      },
      provider: idp,
      entityId: request.issuer,
      isSuccess: response.status.isSuccess,
      maxLifetimeSeconds: 7200,
      now,
    });
    return reasons.join("; ");
  } catch (error) {
    if (error instanceof ApiError) return error.error;
    throw error;
  }
}

/**
 * Expect that each response is refused for the given reason, without a call to anybody, and that the genuine one is not.
 * @param forgeries by what they have, and why that makes them unusable
 */
export function refuses(forgeries: Readonly<Record<string, Forge>>, reason: string | RegExp): void {
  it.for(Object.keys(forgeries))("refuses %s", async (name) => {
    const scene = await newScene();
    const connect = vi.spyOn(Socket.prototype, "connect");
    onTestFinished(() => connect.mockRestore());
    const pattern = typeof reason === "string" ? new RegExp(`^${reason}$`) : reason;
    expect(verdictOn(scene, (await forgeries[name]?.(scene)) ?? "")).toMatch(pattern);
    expect(verdictOn(scene, scene.signed())).toBe("");
    expect(connect).not.toHaveBeenCalled();
  });
}
