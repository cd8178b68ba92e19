import type { Translations } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";

/** Where the forms of a flow lead: to `<path>/login`, `/company`, `/code` and `/logout`. */
export interface LogInForms {
  readonly path: string;
  /** Query that all forms pass on, if any. */
  readonly query: string;
  /** Ties the form to the browser's session. */
  readonly formToken: string;
}

/** Asks for an address or handle and the password, or for the company through which to log in. */
export const logInPage = (
  texts: LogInTexts,
  {
    intro,
    identity,
    company,
    problem,
    ...forms
  }: LogInForms & {
    readonly intro: Html;
    /** The text that was typed before. */
    readonly identity?: string | undefined;
    /** Login code that a link has named. */
    readonly company?: string | undefined;
    readonly problem?: LogInProblem;
  },
): Html => {
  const focus = problem === "unknown-company" ? "company" : identity === undefined ? "identity" : "password";
  return html`<h1>${texts.logIn.title}</h1>
${intro}
${problemNote(texts, problem)}<form method="post" action="${actionOf(forms, "login")}">
<input type="hidden" name="form_token" value="${forms.formToken}">
<label for="identity">${texts.logIn.identity}</label>
<input id="identity" name="identity" value="${identity}" required autocomplete="username" autocapitalize="none" spellcheck="false"${focus === "identity" ? focused(problem) : undefined}>
<label for="password">${texts.logIn.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password"${focus === "password" ? focused(problem) : undefined}>
<div class="actions"><button class="primary">${texts.logIn.submit}</button></div>
</form>
<p><a href="/password-reset/page/request">${texts.logIn.forgotten}</a></p>
<h2>${texts.company.title}</h2>
<form method="post" action="${actionOf(forms, "company")}">
<input type="hidden" name="form_token" value="${forms.formToken}">
<label for="company">${texts.company.field}</label>
<input id="company" name="company" value="${company}" maxlength="320" autocapitalize="none" spellcheck="false" ${focus === "company" ? html`autofocus aria-describedby="problem company-hint"` : html`aria-describedby="company-hint"`}>
<p class="muted" id="company-hint">${texts.company.hint}</p>
<div class="actions"><button>${texts.company.submit}</button></div>
</form>
`;
};

/** Asks for the code of the second factor. */
export const secondFactorPage = (
  texts: LogInTexts,
  { problem, ...forms }: LogInForms & { readonly problem?: LogInProblem },
): Html => html`<h1>${texts.secondFactor.title}</h1>
<p>${texts.secondFactor.intro}</p>
${problemNote(texts, problem)}<form method="post" action="${actionOf(forms, "code")}">
<input type="hidden" name="form_token" value="${forms.formToken}">
<label for="code">${texts.secondFactor.code}</label>
<input class="code" id="code" name="code" required inputmode="numeric" autocomplete="one-time-code"${focused(problem)}>
<div class="actions"><button class="primary">${texts.secondFactor.submit}</button></div>
</form>
<form method="post" action="${actionOf(forms, "logout")}">
<input type="hidden" name="form_token" value="${forms.formToken}">
<button class="plain">${texts.secondFactor.again}</button>
</form>
`;

const actionOf = ({ path, query }: LogInForms, step: string) =>
  `${path}/${step}${query === "" ? "" : `?${query}`}`;

/** The problem with the form; screen readers read it out as soon as it appears. */
const problemNote = (texts: LogInTexts, problem: LogInProblem | undefined): Html | undefined =>
  problem &&
  html`<p class="problem" id="problem" role="alert">${texts.problems[problem]}</p>
`;

/** Attributes of the field that gets the focus; screen readers read out the problem with it. */
const focused = (problem: LogInProblem | undefined): Html =>
  html` autofocus${problem && html` aria-describedby="problem"`}`;

/** Texts of the pages for logging in, in one language. */
interface LogInTexts {
  readonly logIn: {
    readonly title: string;
    readonly identity: string;
    readonly password: string;
    readonly submit: string;
    readonly forgotten: string;
  };
  /** Logging in through an identity provider. */
  readonly company: {
    readonly title: string;
    readonly field: string;
    readonly hint: string;
    readonly submit: string;
  };
  readonly secondFactor: {
    readonly title: string;
    readonly intro: string;
    readonly code: string;
    readonly submit: string;
    readonly again: string;
  };
  readonly problems: Readonly<Record<LogInProblem, string>>;
}

/** Problems with the last form; more detail would help attackers to guess. */
export const logInProblems = [
  "wrong-credentials",
  "wrong-code",
  "no-address",
  "pending-activation",
  "suspended",
  "too-many-attempts",
  "session-ended",
  "unknown-company",
] as const;
export type LogInProblem = (typeof logInProblems)[number];

export const logInTranslations: Translations<LogInTexts> = {
  en: {
    logIn: {
      title: "Log in",
      identity: "E-mail address or handle",
      password: "Password",
      submit: "Log in",
      forgotten: "Forgotten your password?",
    },
    company: {
      title: "Log in with your company",
      field: "Login code, or e-mail address at work",
      hint: "Your company’s administrators know the code.",
      submit: "Continue to your company",
    },
    secondFactor: {
      title: "Enter your code",
      intro: "We’ve sent you a code by e-mail.",
      code: "Verification code",
      submit: "Continue",
      again: "Start again",
    },
    problems: {
      "wrong-credentials": "This address or handle and password don’t match.",
      "wrong-code": "This code is wrong or has expired.",
      "no-address": "Logging in takes a code by e-mail, and your account has no e-mail address.",
      "pending-activation": "Your account isn’t activated yet. Confirm your e-mail address first.",
      suspended: "Your account is suspended.",
      "too-many-attempts": "Too many attempts. Wait a few minutes, then try again.",
      "session-ended":
        "Your session has ended. Please log in again. If you keep seeing this, allow cookies for this page.",
      "unknown-company": "No company with this code or address lets people log in here.",
    },
  },
  de: {
    logIn: {
      title: "Anmelden",
      identity: "E-Mail-Adresse oder Benutzername",
      password: "Passwort",
      submit: "Anmelden",
      forgotten: "Passwort vergessen?",
    },
    company: {
      title: "Mit Ihrer Firma anmelden",
      field: "Anmeldecode oder E-Mail-Adresse bei der Arbeit",
      hint: "Die Administratoren Ihrer Firma kennen den Code.",
      submit: "Weiter zu Ihrer Firma",
    },
    secondFactor: {
      title: "Code eingeben",
      intro: "Wir haben Ihnen per E-Mail einen Code geschickt.",
      code: "Bestätigungscode",
      submit: "Weiter",
      again: "Neu beginnen",
    },
    problems: {
      "wrong-credentials": "Adresse oder Benutzername und Passwort passen nicht zusammen.",
      "wrong-code": "Der Code ist falsch oder abgelaufen.",
      "no-address": "Zum Anmelden gehört ein Code per E-Mail, und Ihr Konto hat keine E-Mail-Adresse.",
      "pending-activation": "Ihr Konto ist noch nicht aktiviert. Bestätigen Sie zuerst Ihre E-Mail-Adresse.",
      suspended: "Ihr Konto ist gesperrt.",
      "too-many-attempts": "Zu viele Versuche. Warten Sie ein paar Minuten, bevor Sie es wieder versuchen.",
      "session-ended":
        "Ihre Sitzung ist beendet. Bitte melden Sie sich noch einmal an. Wenn Sie das immer wieder lesen, erlauben Sie Cookies für diese Seite.",
      "unknown-company": "Keine Firma mit diesem Code oder dieser Adresse meldet hier jemanden an.",
    },
  },
  es: {
    logIn: {
      title: "Iniciar sesión",
      identity: "Correo electrónico o alias",
      password: "Contraseña",
      submit: "Iniciar sesión",
      forgotten: "¿Ha olvidado la contraseña?",
    },
    company: {
      title: "Inicie sesión con su empresa",
      field: "Código de acceso o correo del trabajo",
      hint: "Los administradores de su empresa conocen el código.",
      submit: "Continuar a su empresa",
    },
    secondFactor: {
      title: "Introduzca su código",
      intro: "Le hemos enviado un código por correo electrónico.",
      code: "Código de verificación",
      submit: "Continuar",
      again: "Volver a empezar",
    },
    problems: {
      "wrong-credentials": "El correo o alias y la contraseña no coinciden.",
      "wrong-code": "El código no es correcto o ha caducado.",
      "no-address":
        "Para iniciar sesión hace falta un código por correo, y su cuenta no tiene correo electrónico.",
      "pending-activation": "Su cuenta aún no está activada. Confirme primero su correo electrónico.",
      suspended: "Su cuenta está suspendida.",
      "too-many-attempts": "Demasiados intentos. Espere unos minutos antes de volver a intentarlo.",
      "session-ended":
        "Su sesión ha terminado. Inicie sesión de nuevo. Si este aviso se repite, permita las cookies en esta página.",
      "unknown-company": "Ninguna empresa con este código o esta dirección permite iniciar sesión aquí.",
    },
  },
  fr: {
    logIn: {
      title: "Connexion",
      identity: "Adresse e-mail ou identifiant",
      password: "Mot de passe",
      submit: "Se connecter",
      forgotten: "Mot de passe oublié\u202f?",
    },
    company: {
      title: "Connexion par votre entreprise",
      field: "Code de connexion ou adresse e-mail professionnelle",
      hint: "Les administrateurs de votre entreprise connaissent le code.",
      submit: "Continuer vers votre entreprise",
    },
    secondFactor: {
      title: "Saisissez votre code",
      intro: "Nous vous avons envoyé un code par e-mail.",
      code: "Code de vérification",
      submit: "Continuer",
      again: "Recommencer",
    },
    problems: {
      "wrong-credentials": "L’adresse ou l’identifiant et le mot de passe ne correspondent pas.",
      "wrong-code": "Ce code est faux ou a expiré.",
      "no-address": "La connexion demande un code par e-mail, et votre compte n’a pas d’adresse e-mail.",
      "pending-activation": "Votre compte n’est pas encore activé. Confirmez d’abord votre adresse e-mail.",
      suspended: "Votre compte est suspendu.",
      "too-many-attempts": "Trop de tentatives. Attendez quelques minutes avant de réessayer.",
      "session-ended":
        "Votre session est terminée. Reconnectez-vous. Si ce message revient, autorisez les cookies pour cette page.",
      "unknown-company": "Aucune entreprise avec ce code ou cette adresse ne permet de se connecter ici.",
    },
  },
};
