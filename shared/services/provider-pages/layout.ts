import type { Locale, Translations } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { usernameField } from "#shared/platform/html/typed-fields.ts";
import type { ActiveProvider } from "#shared/services/provider.ts";
import { providerHome } from "./provider-visit.ts";

const pages = { account: providerHome, services: "/provider/services/page/list" } as const;

/** Lays out a page of a logged-in provider: links to the other pages, the outcome of the last form, and the content. */
export function layOutForProvider(
  {
    language,
    current,
    title,
    formToken,
    note,
  }: {
    readonly language: Locale;
    readonly current: keyof typeof pages;
    readonly title: string;
    readonly formToken: string;
    readonly note?: Html | undefined;
  },
  content: Html,
): Html {
  const texts = layoutTranslations[language];
  const links = Object.entries(pages).map(
    ([name, path]) =>
      html`<a href="${path}"${name === current ? html` aria-current="page"` : undefined}>${texts[name as keyof typeof pages]}</a>
`,
  );
  return html`<nav aria-label="${texts.nav}">
${links}</nav>
<h1>${title}</h1>
${note}${content}
<form method="post" action="/provider/page/logout">
${tokenField(formToken)}
<button class="plain">${texts.logOut}</button>
</form>
`;
}

export const tokenField = (formToken: string): Html =>
  html`<input type="hidden" name="form_token" value="${formToken}">`;

export const problemNote = (text: string | undefined): Html | undefined =>
  text === undefined
    ? undefined
    : html`<p class="problem" role="alert">${text}</p>
`;
export const doneNote = (text: string): Html => html`<p class="done" role="status">${text}</p>
`;

interface Field {
  readonly name: string;
  /** By default the name; needed if the name occurs several times on the page. */
  readonly id?: string | undefined;
  readonly label: string;
  readonly value?: string | undefined;
  readonly hint?: string | undefined;
  /** Attributes of the input. */
  readonly attributes?: Html;
  /** Whether the server also checks an empty value, like any other wrong one. */
  readonly mayBeEmpty?: boolean;
}

/** A line to fill in. */
export const field = ({
  name,
  id = name,
  label,
  value,
  hint,
  attributes,
  mayBeEmpty = false,
}: Field): Html => html`<label for="${id}">${label}</label>
<input id="${id}" name="${name}" value="${value}"${mayBeEmpty ? undefined : html` required`}${attributes}${describedBy(id, hint)}>
${hintOf(id, hint)}`;

/** Several lines to fill in. */
export const area = ({
  name,
  label,
  value,
  hint,
  attributes,
}: Field): Html => html`<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" required${attributes}${describedBy(name, hint)}>
${value}</textarea>
${hintOf(name, hint)}`;

const describedBy = (name: string, hint: string | undefined) =>
  hint === undefined ? undefined : html` aria-describedby="${name}-hint"`;
const hintOf = (name: string, hint: string | undefined) =>
  hint === undefined
    ? undefined
    : html`<p class="muted" id="${name}-hint">${hint}</p>
`;

/** A password, by default the current one. */
export const passwordField = (
  name: string,
  label: string,
  { isNew = false, id, hint }: { readonly isNew?: boolean } & Pick<Field, "id" | "hint"> = {},
): Html =>
  field({
    name,
    id,
    label,
    hint,
    mayBeEmpty: true,
    attributes: isNew
      ? html` type="password" autocomplete="new-password"`
      : html` type="password" autocomplete="current-password"`,
  });

/** Asks a provider who has logged in for the password again. */
export const ownPasswordField = (
  { email }: Pick<ActiveProvider, "email">,
  label: string,
  options: Pick<Field, "id"> = {},
): Html => html`${usernameField(email)}${passwordField("password", label, options)}`;

/** Texts that all pages of a provider share, in one language. */
interface LayoutTexts {
  readonly nav: string;
  readonly account: string;
  readonly services: string;
  readonly logOut: string;
}

const layoutTranslations: Translations<LayoutTexts> = {
  en: { nav: "Provider", account: "Account", services: "Your services", logOut: "Log out" },
  de: { nav: "Anbieter", account: "Konto", services: "Ihre Dienste", logOut: "Abmelden" },
  es: { nav: "Proveedor", account: "Cuenta", services: "Sus servicios", logOut: "Cerrar sesión" },
  fr: { nav: "Fournisseur", account: "Compte", services: "Vos services", logOut: "Se déconnecter" },
};
