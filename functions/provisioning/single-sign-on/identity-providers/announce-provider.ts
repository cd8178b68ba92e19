import { X509Certificate } from "node:crypto";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { orderProvisioningJob } from "#shared/provisioning/provisioning-job.ts";
import type { Deps } from "../deps.ts";

export type Announced = Pick<IdentityProvider, "id" | "teamId" | "issuer" | "requestUri" | "certificates">;

/** A change of an identity provider. */
export interface ProviderChange {
  /** The admin who did it, if known. */
  readonly userId?: string | undefined;
  /** Absent for a new one. */
  readonly before?: Announced;
  /** Absent for one that was deleted. */
  readonly after?: Announced;
}

/** Creates the message that tells the admins of the team, if the service answers on several hosts. */
export const announceProvider = (deps: Deps, happened: ProviderChange): OutboxMessage[] =>
  deps.settings.saml.serviceProvidersByHost === undefined ? [] : orderAnnouncement(deps, happened);

/** Creates the message that tells the admins of the team. */
export function orderAnnouncement(
  { outbox }: Deps,
  { userId, before, after }: ProviderChange,
): OutboxMessage[] {
  const provider = after ?? before;
  if (provider === undefined) return [];
  return [
    orderProvisioningJob(outbox, {
      job: "announce-provider",
      teamId: provider.teamId,
      userId,
      providerId: provider.id,
      before: before && describe(before),
      after: after && describe(after),
    }),
  ];
}

const describe = ({ issuer, requestUri, certificates }: Announced) => ({
  issuer,
  requestUri,
  certificates: certificates.map(
    (certificate) => new X509Certificate(Buffer.from(certificate, "base64")).fingerprint256,
  ),
});
