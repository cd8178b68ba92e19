import type { ActivationCode, Code } from "#shared/codes/code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Provider } from "#shared/services/provider.ts";
import { isActive } from "#shared/services/provider.ts";
import type { Deps } from "./deps.ts";
import { activationReference } from "./provider-codes.ts";

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
