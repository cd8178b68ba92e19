import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { maxLength } from "#shared/platform/html/typed-fields.ts";
import {
  area,
  doneNote,
  field,
  layOutForProvider,
  ownPasswordField,
  passwordField,
  problemNote,
  tokenField,
} from "#shared/services/provider-pages/layout.ts";
import { type ProviderVisit, providerHome } from "#shared/services/provider-pages/provider-visit.ts";
import { isDone, type Outcome } from "./outcomes.ts";
import type { Texts } from "./texts.ts";

const note = ({ outcomes }: Texts, outcome: Outcome | undefined): Html | undefined => {
  if (outcome === undefined) return undefined;
  return isDone(outcome) ? doneNote(outcomes[outcome]) : problemNote(outcomes[outcome]);
};

const emailField = ({ fields }: Texts, value?: string): Html =>
  field({
    name: "email",
    label: fields.email,
    value,
    attributes: html` inputmode="email" autocapitalize="none" spellcheck="false" autocomplete="username"`,
  });

interface OwnPage extends ProviderVisit {
  readonly language: Locale;
  readonly outcome: Outcome | undefined;
}

export const logInPage = (
  texts: Texts,
  outcome: Outcome | undefined,
): Html => html`<h1>${texts.logIn.title}</h1>
<p>${texts.logIn.intro}</p>
${note(texts, outcome)}<form method="post" action="/provider/page/login">
${emailField(texts)}${passwordField("password", texts.fields.password)}<div class="actions"><button class="primary">${texts.logIn.submit}</button></div>
</form>
<p><a href="/provider/page/reset">${texts.logIn.forgotten}</a></p>
<p><a href="/provider/page/register">${texts.logIn.register}</a></p>
`;

interface Typed {
  readonly name: string;
  readonly email: string;
  readonly url: string;
  readonly description: string;
}

const profileFields = ({ fields }: Texts, typed: Partial<Typed>): Html =>
  html`${field({
    name: "name",
    label: fields.name,
    value: typed.name,
    attributes: html`${maxLength(128)} autocomplete="organization"`,
  })}${field({
    name: "url",
    label: fields.url,
    value: typed.url,
    hint: fields.urlHint,
    attributes: html` type="url" maxlength="2000"`,
  })}${area({
    name: "description",
    label: fields.description,
    value: typed.description,
    attributes: html` rows="3"${maxLength(1024)}`,
  })}`;

export const registrationPage = (
  texts: Texts,
  { outcome, typed = {} }: { readonly outcome: Outcome | undefined; readonly typed?: Partial<Typed> },
): Html =>
  outcome === "registered"
    ? html`<h1>${texts.registration.title}</h1>
${note(texts, outcome)}<p><a href="${providerHome}">${texts.logIn.title}</a></p>
`
    : html`<h1>${texts.registration.title}</h1>
<p>${texts.registration.intro}</p>
${note(texts, outcome)}<form method="post" action="/provider/page/register">
${profileFields(texts, typed)}${emailField(texts, typed.email)}${passwordField("password", texts.fields.newPassword, { isNew: true, hint: texts.fields.passwordHint })}<div class="actions"><button class="primary">${texts.registration.submit}</button></div>
</form>
`;

export const resetRequestPage = (
  texts: Texts,
  outcome: Outcome | undefined,
): Html => html`<h1>${texts.reset.title}</h1>
<p>${texts.reset.intro}</p>
${note(texts, outcome)}<form method="post" action="/provider/page/reset">
${emailField(texts)}<div class="actions"><button class="primary">${texts.reset.submit}</button></div>
</form>
<p><a href="${providerHome}">${texts.logIn.title}</a></p>
`;

export const accountPage = (texts: Texts, { provider, formToken, language, outcome }: OwnPage): Html =>
  layOutForProvider(
    { language, current: "account", title: texts.account.title, formToken, note: note(texts, outcome) },
    html`<dl>
<dt>${texts.fields.email}</dt><dd>${toUnicodeAddress(provider.email)}</dd>
</dl>
<form method="post" action="/provider/page/profile">
${tokenField(formToken)}
${profileFields(texts, provider)}<div class="actions"><button class="primary">${texts.account.save}</button></div>
</form>
<h2>${texts.fields.email}</h2>
<form method="post" action="/provider/page/email">
${tokenField(formToken)}
${field({
  name: "email",
  label: texts.fields.newEmail,
  hint: texts.fields.newEmailHint,
  attributes: html` inputmode="email" autocapitalize="none" spellcheck="false" autocomplete="email"`,
})}${ownPasswordField(provider, texts.fields.password, { id: "email-password" })}<div class="actions"><button>${texts.account.changeEmail}</button></div>
</form>
<h2>${texts.account.password}</h2>
<form method="post" action="/provider/page/password">
${tokenField(formToken)}
${ownPasswordField(provider, texts.fields.password)}${passwordField("new_password", texts.fields.newPassword, { isNew: true, hint: texts.fields.passwordHint })}<div class="actions"><button>${texts.account.changePassword}</button></div>
</form>
<h2>${texts.deletion.title}</h2>
<p><a href="/provider/page/deletion">${texts.account.toDeletion}</a></p>`,
  );

export const deletionPage = (texts: Texts, { provider, formToken, language, outcome }: OwnPage): Html =>
  layOutForProvider(
    { language, current: "account", title: texts.deletion.title, formToken, note: note(texts, outcome) },
    html`<p>${texts.deletion.intro(provider.name)}</p>
<ul>
${texts.deletion.consequences.map(
  (sentence) => html`<li>${sentence}</li>
`,
)}</ul>
<form method="post" action="/provider/page/deletion">
${tokenField(formToken)}
${ownPasswordField(provider, texts.fields.password)}<div class="actions"><button class="danger">${texts.deletion.submit}</button></div>
</form>`,
  );
