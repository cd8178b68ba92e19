import { randomBytes, randomUUID } from "node:crypto";
import { hashPassword } from "#shared/accounts/credentials/password.ts";
import { emailIdentity } from "#shared/accounts/identity.ts";
import type { ActivationCode, Code } from "#shared/codes/code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { networkBucket, networkOf } from "#shared/platform/rate-limit/network.ts";
import { isActive, type Provider, providerCodeLifetimes } from "#shared/services/provider.ts";
import type { Deps } from "./deps.ts";
import { activationReference, codeKeyOf, issueActivation } from "./provider-codes.ts";

/** How long a provider that was never activated is kept after its code has expired. */
const purgeDelaySeconds = 86_400;

/** Bytes of a generated password: 16 characters in base64. */
const generatedPasswordBytes = 12;

/**
 * Register a provider, which is only a record until its address is confirmed. All limits are checked before the
 * password is hashed.
 *
 * @returns the password if it was generated
 * @throws ApiError `invalid-email`, `provider-email-exists`
 * @throws RateLimitedError
 * @see operation `provider-register`
 */
export async function registerProvider(
  deps: Deps,
  command: { name: string; email: string; url: string; description: string; password?: string | undefined },
  sourceIp: string,
): Promise<{ providerId: string; generatedPassword: string | undefined }> {
  const { clock, codes, providers, rateLimiter, settings } = deps;
  const { name, url, description } = command;
  const { key: emailKey, value: email } = emailIdentity(command.email, settings);
  const network = networkOf(sourceIp);
  const read = async () => {
    const [owner, previous] = await Promise.all([
      providers.findOwner(emailKey),
      codes.get("provider-activation", codeKeyOf(emailKey)),
    ]);
    if (owner !== undefined) throw new ApiError("provider-email-exists");
    return previous;
  };
  const known = await read();
  await rateLimiter.takeAll([
    [networkBucket("provider-registration", sourceIp), settings.setPasswordHashingRateLimit.perIp],
    [networkBucket("codes", sourceIp), settings.setCodeDeliveryRateLimitPerIp],
  ]);
  const providerId = randomUUID();
  issueActivation(deps, { providerId, passwordHash: "" }, { email, emailKey, previous: known, network });

  const generatedPassword =
    command.password === undefined ? randomBytes(generatedPasswordBytes).toString("base64") : undefined;
  const password = command.password ?? generatedPassword ?? "";
  const provider = {
    providerId,
    name,
    url,
    description,
    passwordHash: await hashPassword(password, settings.setPasswordHashingOptions),
    createdAt: clock(),
    purgeAtSeconds: toSeconds(clock()) + providerCodeLifetimes.activation + purgeDelaySeconds,
  };
  await change(deps, async (attempt) => {
    const previous = attempt === 1 ? known : await read();
    const issued = issueActivation(deps, provider, { email, emailKey, previous, network });
    return {
      writes: [providers.create(provider), codes.put(issued.code, previous)],
      messages: [activationMail(deps, provider, issued)],
    };
  });
  return { providerId, generatedPassword };
}

/** The mail that asks the owner of an address to confirm it. */
export function activationMail(
  { outbox }: Pick<Deps, "outbox">,
  provider: Omit<Provider, "revision">,
  { code, activation }: { code: Code; activation: ActivationCode },
): OutboxMessage {
  const isChange = isActive({ ...provider, revision: 0 });
  return outbox.message("mail", {
    template: isChange ? "provider-email-change" : "provider-activation",
    to: activation.email ?? "",
    key: code.key,
    code: activationReference(code.key, activation),
    account: {
      name: provider.name,
      isActivated: isChange,
      requestedAt: new Date(activation.requestedAt).toISOString(),
      isContested: (code.activations ?? []).some(
        ({ userId, usedBy }) => userId !== provider.providerId && usedBy === undefined,
      ),
    },
  } satisfies MailMessage);
}
