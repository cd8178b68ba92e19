import { hiddenFields, layOutTeam, type TeamFrame } from "#shared/accounts/team-pages/layout.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { moment } from "#shared/platform/html/moment.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";

export function providersPage(
  frame: TeamFrame,
  {
    providers,
    metadataUrl,
    toCode,
    toLink,
  }: {
    readonly providers: readonly Pick<IdentityProvider, "id" | "handle" | "issuer" | "createdAt">[];
    /** Where identity providers read about this service. */
    readonly metadataUrl: string;
    readonly toCode: (id: string) => string;
    readonly toLink: (id: string) => string;
  },
): Html {
  const { texts, language } = frame;
  const field = (id: string, label: string, name: string, value: string) =>
    html`<label for="${id}">${label}<span class="unseen"> – ${name}</span></label>
<input id="${id}" value="${value}" readonly>
`;
  return layOutTeam(
    frame,
    "providers",
    html`<p>${texts.providers.intro}</p>
${
  providers.length === 0
    ? html`<p>${texts.providers.none}</p>`
    : html`<ul>
${providers.map(
  ({ id, handle, issuer, createdAt }) =>
    html`<li>${handle}
<span class="detail">${issuer} · ${texts.providers.since(moment(createdAt, language))}</span>
${field(`code-${id}`, texts.providers.code, handle, toCode(id))}${field(`link-${id}`, texts.providers.link, handle, toLink(id))}<form method="post" action="/account/team-login/removal">
${hiddenFields(frame, { provider: id })}<button class="plain">${texts.providers.remove}<span class="unseen"> – ${handle}</span></button>
</form></li>
`,
)}</ul>`
}
<h2>${texts.providers.add}</h2>
<label for="own-metadata">${texts.providers.ourMetadata}</label>
<input id="own-metadata" value="${metadataUrl}" readonly>
<form method="post" action="/account/team-login/providers">
${hiddenFields(frame)}<label for="metadata">${texts.providers.metadata}</label>
<textarea class="code" id="metadata" name="metadata" rows="8" required autocomplete="off" spellcheck="false"></textarea>
<div class="actions"><button class="primary">${texts.providers.submit}</button></div>
</form>`,
  );
}
