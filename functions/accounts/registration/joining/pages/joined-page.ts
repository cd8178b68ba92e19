import { type Html, html } from "#shared/platform/html/html.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Invitee } from "../find-invitee.ts";
import type { Texts } from "./texts.ts";

export const joinedPage = (
  { done }: Texts,
  { team }: Invitee,
  { productName, webAppUrl }: Settings,
): Html => html`<h1>${done.title}</h1>
<p role="status">${done.intro(team.name)}</p>
<p>${done.outro(productName)}</p>
${
  webAppUrl &&
  html`<p><a href="${webAppUrl}">${done.open(productName)}</a></p>
`
}`;
