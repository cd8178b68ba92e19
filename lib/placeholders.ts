import type { Stage } from "./stage.ts";

/** Account id that AWS assigns to nobody. */
const noAccount = "000000000000";

/**
 * Values of a stage file that are still placeholders: names below `.example`, which nobody can own (RFC 2606), and the
 * account of zeros. Each with its key.
 */
export function placeholdersOf(
  stage: Pick<Stage, "account" | "alarmEmail" | "customDomain" | "distribution" | "settings" | "sockets">,
): string[] {
  const { account, alarmEmail, customDomain, distribution, settings, sockets } = stage;
  const values: Readonly<Record<string, string | undefined>> = {
    account,
    alarmEmail,
    "customDomain.name": customDomain?.name,
    "customDomain.certificateArn": customDomain?.certificateArn,
    "distribution.domainName": distribution?.domainName,
    "distribution.certificateArn": distribution?.certificateArn,
    "distribution.webAclArn": distribution?.webAclArn,
    "sockets.relay.domainName": sockets.relay?.domainName,
    "sockets.relay.certificateArn": sockets.relay?.certificateArn,
    "settings.domain": settings.domain,
    "settings.emailSender": settings.emailSender,
    "settings.publicUrl": settings.publicUrl,
  };
  return Object.entries(values).flatMap(([key, value]) =>
    value !== undefined && isPlaceholder(value) ? [`${key}: ${value}`] : [],
  );
}

const isPlaceholder = (value: string) =>
  value === noAccount || value.includes(`:${noAccount}:`) || /\.example(\/|:|$)/.test(value);

/**
 * A protected stage with placeholders must not be deployed: its domain can never change.
 * @throws Error naming them
 */
export function refusePlaceholders(stage: Stage): void {
  const found = stage.isProtected ? placeholdersOf(stage) : [];
  if (found.length === 0) return;
  throw new Error(
    `stages/${stage.name}.json has placeholders; set them first:\n${found.map((one) => `  ${one}`).join("\n")}`,
  );
}
