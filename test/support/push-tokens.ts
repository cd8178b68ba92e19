import { randomBytes, randomUUID } from "node:crypto";
import { GetEndpointAttributesCommand, NotFoundException, SNSClient } from "@aws-sdk/client-sns";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { type Api, type ApiAnswer, api } from "./api.ts";
import { withEffects } from "./effects.ts";
import { sharedStack } from "./shared-stack.ts";
import type { User } from "./users.ts";

/** A push token as clients send and receive it. */
export interface PushToken {
  readonly transport: string;
  readonly app: string;
  readonly token: string;
  readonly client: string;
}

type Caller = Pick<User, "token">;
interface Target {
  readonly publicApi?: Api;
}

/** Settings with an app for each transport. */
export const pushApplications = (["GCM", "APNS", "APNS_SANDBOX"] as const).map((transport) => ({
  transport,
  app: "messenger",
  arn: `arn:aws:sns:eu-central-1:123456789012:app/${transport}/messenger`,
})) satisfies SettingsInput["pushApplications"];

export const newClientId = () => `a${randomBytes(7).toString("hex")}`;

/** An FCM token that no other test uses. */
export const newPushToken = (fields: Partial<PushToken> = {}): PushToken => ({
  transport: "GCM",
  app: "messenger",
  token: `fcm:${randomUUID()}`,
  client: newClientId(),
  ...fields,
});

/** An APNs token that no other test uses. */
export const newAppleToken = (fields: Partial<PushToken> = {}): PushToken =>
  newPushToken({ transport: "APNS", token: randomBytes(32).toString("hex"), ...fields });

export const registerPushToken = (
  { token }: Caller,
  json: object,
  { publicApi = api }: Target = {},
): Promise<ApiAnswer> => publicApi("POST", "/push/tokens", { token, json });

export const removePushToken = (
  { token }: Caller,
  pushToken: string,
  { publicApi = api }: Target = {},
): Promise<ApiAnswer> => publicApi("DELETE", `/push/tokens/${encodeURIComponent(pushToken)}`, { token });

export const pushTokensOf = async (
  { token }: Caller,
  { publicApi = api }: Target = {},
): Promise<PushToken[]> => (await publicApi("GET", "/push/tokens", { token })).body.tokens;

/** A push as the emulator stores it. */
export interface SentPush {
  readonly kind: "push";
  /** The push token. */
  readonly to: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Pushes to a device so far, newest first. */
export const pushesTo = ({ token }: Pick<PushToken, "token">): Promise<SentPush[]> =>
  withEffects(() => sharedStack().messages.list({ to: token }) as unknown as SentPush[]);

/** Attributes of an SNS endpoint; undefined if it no longer exists. */
export async function endpointAttributes(arn: string): Promise<Record<string, string> | undefined> {
  const get = new GetEndpointAttributesCommand({ EndpointArn: arn });
  try {
    return (await new SNSClient().send(get)).Attributes;
  } catch (error) {
    if (error instanceof NotFoundException) return undefined;
    throw error;
  }
}
