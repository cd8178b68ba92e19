import type { Account } from "#shared/accounts/account.ts";
import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { locales } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { maxLength } from "#shared/platform/html/typed-fields.ts";
import { type Frame, layOut, tokenField } from "./layout.ts";

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
