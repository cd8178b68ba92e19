import type { Account } from "#shared/accounts/account.ts";
import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { locales } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { moment } from "#shared/platform/html/moment.ts";
import { maxLength } from "#shared/platform/html/typed-fields.ts";
import type { Cookie } from "#shared/sessions/session.ts";
import { type Frame, layOut, passwordField, tokenField } from "./layout.ts";

/** Which fields the user may change. */
interface Fixed {
  readonly name: boolean;
  readonly handle: boolean;
  readonly locale: boolean;
}

export function profilePage(frame: Frame, { account, fixed }: { account: Account; fixed: Fixed }): Html {
  const { texts, formToken } = frame;
  const { profile } = texts;

  const field = (
    { path, name, label, isFixed }: { path: string; name: string; label: string; isFixed: boolean },
    input: Html,
    hint?: string,
  ): Html =>
    isFixed
      ? html`<label for="${name}">${label}</label>
${input}<p class="muted" id="${name}-hint">${texts.managed}</p>
`
      : html`<form method="post" action="${path}">
${tokenField(formToken)}
<label for="${name}">${label}</label>
${input}${hint && html`<p class="muted" id="${name}-hint">${hint}</p>`}
<div class="actions"><button>${texts.save}<span class="unseen"> – ${label}</span></button></div>
</form>
`;

  const readonly = (isFixed: boolean) => (isFixed ? html` readonly` : undefined);
  const described = (name: string) => html` aria-describedby="${name}-hint"`;
  const languages = [...new Set([...locales, account.locale])];
  return layOut(
    frame,
    "profile",
    html`<dl>
<dt>${profile.email}</dt><dd>${account.email === undefined ? profile.none : toUnicodeAddress(account.email)}</dd>
${account.phone && html`<dt>${profile.phone}</dt><dd>${account.phone}</dd>`}
</dl>
${field(
  { path: "/account/name", name: "name", label: profile.name, isFixed: fixed.name },
  html`<input id="name" name="name" value="${account.name}" required${maxLength(128)} autocomplete="name"${readonly(fixed.name)}${fixed.name ? described("name") : undefined}>
`,
)}${field(
  { path: "/account/handle", name: "handle", label: profile.handle, isFixed: fixed.handle },
  html`<input id="handle" name="handle" value="${account.handle}" required minlength="2" maxlength="256" autocomplete="username" autocapitalize="none" spellcheck="false"${readonly(fixed.handle)}${described("handle")}>
`,
  profile.handleHint,
)}${field(
  { path: "/account/language", name: "locale", label: profile.language, isFixed: fixed.locale },
  fixed.locale
    ? html`<input id="locale" value="${languageName(account.locale)}" readonly${described("locale")}>
`
    : html`<select id="locale" name="locale">
${languages.map(
  (locale) =>
    html`<option value="${locale}"${locale === account.locale ? html` selected` : undefined}>${languageName(locale)}</option>
`,
)}</select>
`,
)}`,
  );

  function languageName(locale: string): string {
    const known = locales.find((one) => one === locale);
    return known === undefined ? locale : texts.languages[known];
  }
}

/** An app with access. */
interface ListedApp {
  readonly id: string;
  readonly name: string;
  /** Unix milliseconds. */
  readonly since: number;
}

export function appsPage(
  frame: Frame,
  { apps, language }: { readonly apps: readonly ListedApp[]; readonly language: string },
): Html {
  const { texts, formToken } = frame;
  if (apps.length === 0) return layOut(frame, "apps", html`<p>${texts.apps.none}</p>`);
  const choices = apps.map(({ id, name, since }) => ({
    value: id,
    label: name,
    note: texts.apps.since(moment(since, language)),
  }));
  return layOut(
    frame,
    "apps",
    html`<p>${texts.apps.intro}</p>
<form method="post" action="/account/apps">
${tokenField(formToken)}
${choiceOf({ name: "app", legend: texts.apps.legend }, choices)}${passwordField(frame)}
<div class="actions"><button class="danger">${texts.apps.submit}</button></div>
</form>
<p class="muted">${texts.apps.note}</p>`,
  );
}

export function deletionPage(frame: Frame, productName: string): Html {
  const { texts, formToken } = frame;
  const { deletion } = texts;
  return layOut(
    frame,
    "deletion",
    html`<p>${deletion.intro(productName)}</p>
<ul>
${deletion.consequences.map((sentence) => html`<li>${sentence}</li>`)}
</ul>
<form method="post" action="/account/deletion">
${tokenField(formToken)}
${passwordField(frame)}
<div class="actions"><button class="danger">${deletion.submit}</button></div>
</form>`,
  );
}

/** For an account that its user cannot delete. */
export const keptPage = (frame: Frame): Html =>
  layOut(frame, "deletion", html`<p>${frame.texts.deletion.managed}</p>`);

interface SecurityContent {
  /** Where codes of the second factor go; undefined where none is needed. */
  readonly codesTo: string | undefined;
  readonly logsInByCompany: boolean;
}

export function securityPage(frame: Frame, { codesTo, logsInByCompany }: SecurityContent): Html {
  const { texts, formToken, hasPassword } = frame;
  const { security } = texts;
  const change = html`<p>${security.passwordIntro}</p>
<form method="post" action="/account/password">
${tokenField(formToken)}
${passwordField(frame)}
<label for="new-password">${security.newPassword}</label>
<input id="new-password" name="new_password" type="password" autocomplete="new-password" aria-describedby="hint">
<p class="muted" id="hint">${security.hint}</p>
<div class="actions"><button class="primary">${security.submit}</button></div>
</form>`;
  const secondFactor = logsInByCompany ? security.byCompany : security.notRequired;
  return layOut(
    frame,
    "security",
    html`<h2>${security.password}</h2>
${hasPassword ? change : html`<p>${security.noPassword}</p>`}
<h2>${security.secondFactor}</h2>
<p>${codesTo === undefined ? secondFactor : security.required(toUnicodeAddress(codesTo))}</p>`,
  );
}

interface SessionsContent {
  readonly cookies: readonly Cookie[];
  /** Id of the session in which this page is shown. */
  readonly ownId: number | undefined;
  /** Label of the sessions that these pages have created. */
  readonly pageLabel: string;
  readonly language: string;
  readonly mayEnd: boolean;
}

export function sessionsPage(
  frame: Frame,
  { cookies, ownId, pageLabel, language, mayEnd }: SessionsContent,
): Html {
  const { texts, formToken } = frame;
  const { sessions } = texts;
  const nameOf = ({ label }: Cookie) => {
    if (label === pageLabel) return sessions.accountPage;
    return label === undefined || label === "" ? sessions.unnamed : label;
  };
  const choices = cookies.map((cookie) => ({
    value: String(cookie.id),
    label: cookie.id === ownId ? `${nameOf(cookie)} (${sessions.here})` : nameOf(cookie),
    note: sessions.since(moment(cookie.createdAt, language), moment(cookie.expiresAt, language)),
  }));
  const list = choiceOf({ name: "session", legend: sessions.legend }, choices);
  return layOut(
    frame,
    "sessions",
    html`<p>${sessions.intro}</p>
<form method="post" action="/account/sessions">
${tokenField(formToken)}
${list}${
  mayEnd
    ? html`${passwordField(frame)}
<div class="actions">
<button name="which" value="one">${sessions.endOne}</button>
<button class="danger" name="which" value="all">${sessions.endAll}</button>
</div>`
    : html`<p class="muted">${sessions.needsEmail}</p>`
}
</form>`,
  );
}

/** One of several things to choose from. */
interface Choice {
  readonly value: string;
  readonly label: string;
  readonly note: string;
}

/** A group of radio buttons. */
const choiceOf = (
  { name, legend }: { readonly name: string; readonly legend: string },
  choices: readonly Choice[],
): Html => html`<fieldset>
<legend>${legend}</legend>
${choices.map(
  (
    { value, label, note },
    index,
  ) => html`<label class="choice"><input type="radio" name="${name}" value="${value}"${index === 0 && choices.length === 1 ? html` checked` : undefined}><span>${label}<span class="muted">${note}</span></span></label>
`,
)}</fieldset>
`;
