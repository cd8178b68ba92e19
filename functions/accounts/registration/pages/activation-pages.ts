import { type Account, isActivated } from "#shared/accounts/account.ts";
import type { Translations } from "#shared/platform/html/choose-locale.ts";
import type { Reason } from "#shared/platform/html/describe-link-refusal.ts";
import { type Html, html } from "#shared/platform/html/html.ts";

/** Page that asks for confirmation, because mail scanners open links but do not submit forms. */
export const activationPage = (
  { ask }: Texts,
  {
    productName,
    account,
    key,
    code,
  }: { productName: string; account: Account | undefined; key: string; code: string },
): Html => html`<h1>${ask.title}</h1>
<p>${ask.intro(productName)}</p>
${
  account &&
  html`<p><strong>${isActivated(account) ? ask.existing(account.name) : ask.registered(account.name)}</strong></p>
`
}<form method="post" action="/activate/confirm">
<input type="hidden" name="key" value="${key}">
<input type="hidden" name="code" value="${code}">
<div class="actions"><button class="primary">${ask.submit}</button></div>
</form>
<p class="muted">${ask.unrequested}</p>
`;

export const activatedPage = (
  { done }: Texts,
  { title, productName, name }: { title: string; productName: string; name: string | undefined },
): Html => html`<h1>${title}</h1>
${
  name &&
  html`<p><strong>${done.account(name)}</strong></p>
`
}<p role="status">${done.outro(productName)}</p>
`;

/** Texts of the activation pages in one language. Headings never break after the “e-” of “e-mail”. */
export interface Texts {
  readonly ask: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    /** The account that would get the address: an existing one, or one just registered. */
    readonly existing: (name: string) => string;
    readonly registered: (name: string) => string;
    readonly submit: string;
    readonly unrequested: string;
  };
  readonly done: {
    readonly confirmed: string;
    /** For a used code. */
    readonly wasConfirmed: string;
    readonly account: (name: string) => string;
    readonly outro: (productName: string) => string;
  };
  /** For a code that is wrong, expired or outdated. */
  readonly refusedCode: Reason;
  /** For an address that another account activated first. */
  readonly takenAddress: Reason;
  /** For an address whose organisation does not let its people use it here. */
  readonly closedDomain: Reason;
}

export const translations: Translations<Texts> = {
  en: {
    ask: {
      title: "Confirm your e\u2011mail address",
      intro: (productName) =>
        `Your e-mail address was given for a ${productName} account. Please confirm that the address is yours.`,
      existing: (name) => `Existing account: ${name}`,
      registered: (name) => `New account: ${name}`,
      submit: "Confirm e-mail address",
      unrequested: "If that wasn’t you, close this page: the address will not be confirmed.",
    },
    done: {
      confirmed: "Your e\u2011mail address is confirmed",
      wasConfirmed: "Your e\u2011mail address was already confirmed",
      account: (name) => `Account: ${name}`,
      outro: (productName) => `You can close this page now and continue in ${productName}.`,
    },
    refusedCode: {
      problem: "This link is wrong, has expired, or was replaced by a newer one.",
      advice: "Open the link in the newest message, or ask for another message in the app.",
    },
    takenAddress: {
      problem: "Another account uses this e-mail address.",
      advice: "Log in to that account, or give another e-mail address in the app.",
    },
    closedDomain: {
      problem: "The organisation behind this e-mail address does not allow it to be used here.",
      advice: "Ask your organisation how to log in, or give another e-mail address in the app.",
    },
  },
  de: {
    ask: {
      title: "Bestätigen Sie Ihre E\u2011Mail-Adresse",
      intro: (productName) =>
        `Ihre E-Mail-Adresse wurde für ein Konto bei ${productName} angegeben. Bitte bestätigen Sie, dass sie Ihnen gehört.`,
      existing: (name) => `Bestehendes Konto: ${name}`,
      registered: (name) => `Neues Konto: ${name}`,
      submit: "E-Mail-Adresse bestätigen",
      unrequested: "Das waren nicht Sie? Dann schließen Sie diese Seite: Die Adresse wird nicht bestätigt.",
    },
    done: {
      confirmed: "Ihre E\u2011Mail-Adresse ist bestätigt",
      wasConfirmed: "Ihre E\u2011Mail-Adresse war schon bestätigt",
      account: (name) => `Konto: ${name}`,
      outro: (productName) => `Sie können diese Seite jetzt schließen und in ${productName} weitermachen.`,
    },
    refusedCode: {
      problem: "Dieser Link ist falsch, abgelaufen oder wurde durch einen neueren ersetzt.",
      advice: "Öffnen Sie den Link in der neuesten Nachricht oder fordern Sie in der App eine weitere an.",
    },
    takenAddress: {
      problem: "Diese E-Mail-Adresse wird von einem anderen Konto verwendet.",
      advice: "Melden Sie sich bei diesem Konto an oder geben Sie in der App eine andere E-Mail-Adresse an.",
    },
    closedDomain: {
      problem: "Die Organisation hinter dieser E-Mail-Adresse lässt nicht zu, dass sie hier verwendet wird.",
      advice:
        "Fragen Sie Ihre Organisation, wie Sie sich anmelden, oder geben Sie in der App eine andere E-Mail-Adresse an.",
    },
  },
  es: {
    ask: {
      title: "Confirme su dirección de correo",
      intro: (productName) =>
        `Su dirección de correo electrónico se ha indicado para una cuenta de ${productName}. Confirme que es suya.`,
      existing: (name) => `Cuenta existente: ${name}`,
      registered: (name) => `Cuenta nueva: ${name}`,
      submit: "Confirmar la dirección",
      unrequested: "Si no ha sido usted, cierre esta página: la dirección no se confirmará.",
    },
    done: {
      confirmed: "Su dirección de correo está confirmada",
      wasConfirmed: "Su dirección de correo ya estaba confirmada",
      account: (name) => `Cuenta: ${name}`,
      outro: (productName) => `Ya puede cerrar esta página y continuar en ${productName}.`,
    },
    refusedCode: {
      problem: "Este enlace no es correcto, ha caducado o se ha sustituido por uno más reciente.",
      advice: "Abra el enlace del mensaje más reciente o solicite otro mensaje en la aplicación.",
    },
    takenAddress: {
      problem: "Otra cuenta ya usa esta dirección de correo.",
      advice: "Inicie sesión en esa cuenta o indique otra dirección de correo en la aplicación.",
    },
    closedDomain: {
      problem: "La organización a la que pertenece esta dirección de correo no permite usarla aquí.",
      advice:
        "Pregunte a su organización cómo iniciar sesión, o indique otra dirección de correo en la aplicación.",
    },
  },
  fr: {
    ask: {
      title: "Confirmez votre adresse e\u2011mail",
      intro: (productName) =>
        `Votre adresse e-mail a été indiquée pour un compte ${productName}. Veuillez confirmer qu’elle est bien la vôtre.`,
      existing: (name) => `Compte existant : ${name}`,
      registered: (name) => `Nouveau compte : ${name}`,
      submit: "Confirmer l’adresse e-mail",
      unrequested:
        "Vous n’êtes pas à l’origine de cette demande\u202f? Fermez cette page\u00a0: l’adresse ne sera pas confirmée.",
    },
    done: {
      confirmed: "Votre adresse e\u2011mail est confirmée",
      wasConfirmed: "Votre adresse e\u2011mail était déjà confirmée",
      account: (name) => `Compte : ${name}`,
      outro: (productName) => `Vous pouvez maintenant fermer cette page et continuer dans ${productName}.`,
    },
    refusedCode: {
      problem: "Ce lien est incorrect, a expiré ou a été remplacé par un plus récent.",
      advice: "Ouvrez le lien du message le plus récent, ou demandez un autre message dans l’application.",
    },
    takenAddress: {
      problem: "Cette adresse e-mail est utilisée par un autre compte.",
      advice: "Connectez-vous à ce compte, ou indiquez une autre adresse e-mail dans l’application.",
    },
    closedDomain: {
      problem: "L’organisation à laquelle appartient cette adresse e-mail ne permet pas de l’utiliser ici.",
      advice:
        "Demandez à votre organisation comment vous connecter, ou indiquez une autre adresse e-mail dans l’application.",
    },
  },
};
