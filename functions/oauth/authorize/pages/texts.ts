import type { Translations } from "#shared/platform/html/choose-locale.ts";
import type { OAuthScope, OpenIdScope } from "#shared/registry/oauth-scopes.ts";

/** Texts of the authorization pages in one language. */
export interface Texts {
  readonly logInIntro: (appName: string) => string;
  readonly consent: {
    readonly title: (appName: string) => string;
    readonly account: string;
    readonly redirect: string;
    readonly asks: string;
    readonly asksNothing: string;
    readonly scopes: Readonly<Record<OAuthScope | OpenIdScope, string>>;
    readonly note: string;
    readonly allow: string;
    readonly deny: string;
    readonly otherAccount: string;
  };
  readonly endSession: {
    readonly title: string;
    readonly asks: (name: string) => string;
    readonly logOut: string;
    readonly note: string;
    readonly doneTitle: string;
    readonly done: string;
  };
  readonly refusal: {
    readonly title: string;
    readonly advice: string;
  };
  readonly problems: Readonly<Record<RefusalProblem, string>>;
}

/** Why the request is refused without a form to fill in. */
export type RefusalProblem =
  | "unknown-app"
  | "wrong-redirect"
  | "bad-request"
  | "switched-off"
  | "server-error";

const en: Texts = {
  logInIntro: (appName) => `Log in to decide whether “${appName}” may access your account.`,
  consent: {
    title: (appName) => `Let “${appName}” access your account?`,
    account: "Your account",
    redirect: "You will continue to",
    asks: "The app wants to:",
    asksNothing: "The app asks for no permissions. It only learns that you agreed.",
    scopes: {
      openid: "recognise you when you come back",
      profile: "see your name, handle and language",
      email: "see your e-mail address",
      "read:self": "see your profile, with your e-mail address",
      "write:conversations": "start conversations in your name",
      "write:conversations_code": "create guest links to your conversations",
      "read:feature_configs": "see which features you can use",
    },
    note: "You can withdraw this at any time.",
    allow: "Allow",
    deny: "Don’t allow",
    otherAccount: "Use another account",
  },
  endSession: {
    title: "Log out?",
    asks: (name) => `You are logged in as ${name}.`,
    logOut: "Log out",
    note: "Close this page to stay logged in. Apps keep the access that you gave them.",
    doneTitle: "You are logged out",
    done: "You can close this page.",
  },
  refusal: {
    title: "You can’t continue here",
    advice: "Go back to the app and try again. If it happens again, tell the people who make the app.",
  },
  problems: {
    "unknown-app": "The app that sent you here is not registered.",
    "wrong-redirect": "The app wants you to return to an address that isn’t registered for it.",
    "bad-request": "The request is incomplete or malformed.",
    "switched-off": "Access for apps is switched off here.",
    "server-error": "Something went wrong on our side.",
  },
};

const de: Texts = {
  logInIntro: (appName) =>
    `Melden Sie sich an und entscheiden Sie, ob „${appName}“ auf Ihr Konto zugreifen darf.`,
  consent: {
    title: (appName) => `Darf „${appName}“ auf Ihr Konto zugreifen?`,
    account: "Ihr Konto",
    redirect: "Danach geht es zu",
    asks: "Die App möchte:",
    asksNothing: "Die App möchte keine Berechtigungen. Sie erfährt nur, dass Sie zugestimmt haben.",
    scopes: {
      openid: "Sie wiedererkennen, wenn Sie zurückkommen",
      profile: "Ihren Namen, Benutzernamen und Ihre Sprache sehen",
      email: "Ihre E-Mail-Adresse sehen",
      "read:self": "Ihr Profil mit Ihrer E-Mail-Adresse sehen",
      "write:conversations": "in Ihrem Namen Unterhaltungen beginnen",
      "write:conversations_code": "Gästelinks zu Ihren Unterhaltungen erstellen",
      "read:feature_configs": "sehen, welche Funktionen Sie nutzen können",
    },
    note: "Sie können das jederzeit zurücknehmen.",
    allow: "Erlauben",
    deny: "Ablehnen",
    otherAccount: "Anderes Konto verwenden",
  },
  endSession: {
    title: "Abmelden?",
    asks: (name) => `Sie sind als ${name} angemeldet.`,
    logOut: "Abmelden",
    note: "Schließen Sie diese Seite, um angemeldet zu bleiben. Apps behalten den Zugriff, den Sie ihnen gegeben haben.",
    doneTitle: "Sie sind abgemeldet",
    done: "Sie können diese Seite schließen.",
  },
  refusal: {
    title: "So geht es nicht weiter",
    advice:
      "Gehen Sie zurück zur App und versuchen Sie es noch einmal. Wenn es wieder passiert, sagen Sie es den Machern der App.",
  },
  problems: {
    "unknown-app": "Die App, die Sie hierher geschickt hat, ist nicht registriert.",
    "wrong-redirect": "Die App möchte Sie zu einer Adresse schicken, die für sie nicht registriert ist.",
    "bad-request": "Die Anfrage ist unvollständig oder fehlerhaft.",
    "switched-off": "Der Zugriff durch Apps ist hier abgeschaltet.",
    "server-error": "Bei uns ist etwas schiefgegangen.",
  },
};

const es: Texts = {
  logInIntro: (appName) => `Inicie sesión para decidir si «${appName}» puede acceder a su cuenta.`,
  consent: {
    title: (appName) => `¿Permitir que «${appName}» acceda a su cuenta?`,
    account: "Su cuenta",
    redirect: "Volverá a",
    asks: "La aplicación pide permiso para:",
    asksNothing: "La aplicación no pide ningún permiso. Solo sabrá que usted ha aceptado.",
    scopes: {
      openid: "reconocerle cuando vuelva",
      profile: "ver su nombre, su nombre de usuario y su idioma",
      email: "ver su correo electrónico",
      "read:self": "ver su perfil, con su correo electrónico",
      "write:conversations": "empezar conversaciones en su nombre",
      "write:conversations_code": "crear enlaces de invitado a sus conversaciones",
      "read:feature_configs": "ver qué funciones puede usar",
    },
    note: "Puede retirarlo en cualquier momento.",
    allow: "Permitir",
    deny: "No permitir",
    otherAccount: "Usar otra cuenta",
  },
  endSession: {
    title: "¿Cerrar sesión?",
    asks: (name) => `Ha iniciado sesión como ${name}.`,
    logOut: "Cerrar sesión",
    note: "Cierre esta página para seguir conectado. Las aplicaciones conservan el acceso que les dio.",
    doneTitle: "Ha cerrado la sesión",
    done: "Puede cerrar esta página.",
  },
  refusal: {
    title: "No se puede continuar",
    advice: "Vuelva a la aplicación e inténtelo de nuevo. Si vuelve a pasar, avise a sus responsables.",
  },
  problems: {
    "unknown-app": "La aplicación que le ha enviado aquí no está registrada.",
    "wrong-redirect": "La aplicación quiere enviarle a una dirección que no tiene registrada.",
    "bad-request": "La petición está incompleta o mal formada.",
    "switched-off": "El acceso de aplicaciones está desactivado aquí.",
    "server-error": "Algo ha fallado por nuestra parte.",
  },
};

const fr: Texts = {
  logInIntro: (appName) =>
    `Connectez-vous pour décider si «\u202f${appName}\u202f» peut accéder à votre compte.`,
  consent: {
    title: (appName) => `Autoriser «\u202f${appName}\u202f» à accéder à votre compte\u202f?`,
    account: "Votre compte",
    redirect: "Vous serez dirigé vers",
    asks: "L’application demande à pouvoir\u00a0:",
    asksNothing:
      "L’application ne demande aucune autorisation. Elle apprend seulement que vous avez accepté.",
    scopes: {
      openid: "vous reconnaître à votre retour",
      profile: "voir votre nom, votre identifiant et votre langue",
      email: "voir votre adresse e-mail",
      "read:self": "voir votre profil, avec votre adresse e-mail",
      "write:conversations": "commencer des conversations en votre nom",
      "write:conversations_code": "créer des liens d’invité vers vos conversations",
      "read:feature_configs": "voir les fonctions dont vous disposez",
    },
    note: "Vous pouvez revenir sur ce choix à tout moment.",
    allow: "Autoriser",
    deny: "Refuser",
    otherAccount: "Utiliser un autre compte",
  },
  endSession: {
    title: "Se déconnecter\u202f?",
    asks: (name) => `Vous êtes connecté en tant que ${name}.`,
    logOut: "Se déconnecter",
    note: "Fermez cette page pour rester connecté. Les applications gardent l’accès que vous leur avez donné.",
    doneTitle: "Vous êtes déconnecté",
    done: "Vous pouvez fermer cette page.",
  },
  refusal: {
    title: "Impossible de continuer",
    advice:
      "Retournez dans l’application et réessayez. Si cela se reproduit, prévenez les auteurs de l’application.",
  },
  problems: {
    "unknown-app": "L’application qui vous envoie ici n’est pas enregistrée.",
    "wrong-redirect": "L’application veut vous renvoyer à une adresse qui n’est pas enregistrée pour elle.",
    "bad-request": "La demande est incomplète ou mal formée.",
    "switched-off": "L’accès des applications est désactivé ici.",
    "server-error": "Un problème est survenu de notre côté.",
  },
};

export const translations: Translations<Texts> = { en, de, es, fr };
