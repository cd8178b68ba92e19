import type { EmailMessage } from "#shared/codes/mail/message.ts";
import { type Locale, locales } from "./choose-locale.ts";
import { plainName } from "./describe-account.ts";

type Change = Extract<EmailMessage, { template: "identity-provider-changed" }>;

/** Describe a change of an identity provider: what is new or gone, or else all that it has. */
export function describeIdentityProvider(
  { team, admin, providerId, before, after }: Change,
  language: Locale,
): string[] {
  const { identityProvider: texts, team: teamTexts } = locales[language];
  const happened = { new: texts.created, changed: texts.updated, gone: texts.deleted };
  const current = after ?? before;
  const [old, next] = [before?.certificates ?? [], after?.certificates ?? []];
  return [
    happened[stateOf({ before, after })](providerId),
    teamTexts.team(plainName(team.name)),
    ...(admin === undefined ? [] : [texts.admin(plainName(admin))]),
    ...(current === undefined ? [] : [texts.issuer(current.issuer), texts.endpoint(current.requestUri)]),
    ...(before && after && before.issuer !== after.issuer ? [texts.formerIssuer(before.issuer)] : []),
    ...(before && after && before.requestUri !== after.requestUri
      ? [texts.formerEndpoint(before.requestUri)]
      : []),
    ...next.filter((certificate) => !old.includes(certificate)).map(texts.addedCertificate),
    ...old.filter((certificate) => !next.includes(certificate)).map(texts.removedCertificate),
  ];
}

function stateOf({ before, after }: Pick<Change, "before" | "after">): "new" | "changed" | "gone" {
  if (before === undefined) return "new";
  return after === undefined ? "gone" : "changed";
}
