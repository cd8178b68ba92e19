import type { Translations } from "#shared/platform/html/choose-locale.ts";

/** Problems, distinguished only where that helps the user. */
export type Problem =
  | "unknown"
  | "denied"
  | "no-account"
  | "suspended"
  | "unusable"
  | "wrong-start"
  | "too-often"
  | "too-late"
  | "our-side";

/** Texts of the login pages in one language. */
export interface Texts {
  readonly leaving: { readonly heading: string; readonly text: string; readonly submit: string };
  readonly success: { readonly heading: string; readonly text: string };
  readonly failure: {
    readonly heading: string;
    readonly problems: Readonly<Record<Problem, string>>;
    readonly advice: string;
    readonly reference: string;
  };
}

export const translations: Translations<Texts> = {
  en: {
    leaving: {
      heading: "Log in with your company",
      text: "You are being taken to your company’s login.",
      submit: "Continue",
    },
    success: { heading: "You are logged in", text: "You can close this window." },
    failure: {
      heading: "The login didn’t work",
      problems: {
        unknown: "This login does not exist.",
        denied: "Your company’s login did not let you in.",
        "no-account": "There is no account for you, and this login does not create one.",
        suspended: "Your account cannot be used at the moment.",
        unusable: "The answer of your company’s login cannot be used.",
        "wrong-start": "The app or the link that began this login has made a mistake.",
        "too-often": "There have been too many logins from your network. Wait a few minutes.",
        "too-late": "The login took too long.",
        "our-side": "Something went wrong on our side.",
      },
      advice: "Start the login again. If it fails again, give this reference to your administrator:",
      reference: "Reference",
    },
  },
  de: {
    leaving: {
      heading: "Mit Ihrer Firma anmelden",
      text: "Sie werden zur Anmeldung Ihrer Firma weitergeleitet.",
      submit: "Weiter",
    },
    success: { heading: "Sie sind angemeldet", text: "Sie können dieses Fenster schließen." },
    failure: {
      heading: "Die Anmeldung hat nicht geklappt",
      problems: {
        unknown: "Diese Anmeldung gibt es nicht.",
        denied: "Die Anmeldung Ihrer Firma hat Sie nicht hereingelassen.",
        "no-account": "Es gibt kein Konto für Sie, und diese Anmeldung legt keines an.",
        suspended: "Ihr Konto kann zurzeit nicht benutzt werden.",
        unusable: "Mit der Antwort der Anmeldung Ihrer Firma lässt sich nichts anfangen.",
        "wrong-start": "Die App oder der Link, womit diese Anmeldung begann, hat einen Fehler.",
        "too-often": "Aus Ihrem Netz kamen zu viele Anmeldungen. Warten Sie ein paar Minuten.",
        "too-late": "Die Anmeldung hat zu lange gedauert.",
        "our-side": "Bei uns ist etwas schiefgegangen.",
      },
      advice:
        "Beginnen Sie die Anmeldung noch einmal. Wenn sie wieder scheitert, nennen Sie Ihrer Administration diese Kennung:",
      reference: "Kennung",
    },
  },
  es: {
    leaving: {
      heading: "Iniciar sesión con su empresa",
      text: "Le llevamos al inicio de sesión de su empresa.",
      submit: "Continuar",
    },
    success: { heading: "Ha iniciado sesión", text: "Puede cerrar esta ventana." },
    failure: {
      heading: "No se ha podido iniciar sesión",
      problems: {
        unknown: "Este inicio de sesión no existe.",
        denied: "El inicio de sesión de su empresa no le ha dejado entrar.",
        "no-account": "No hay ninguna cuenta para usted, y este inicio de sesión no crea ninguna.",
        suspended: "Su cuenta no se puede usar en este momento.",
        unusable: "La respuesta del inicio de sesión de su empresa no se puede usar.",
        "wrong-start": "La aplicación o el enlace que empezó este inicio de sesión tiene un error.",
        "too-often": "Ha habido demasiados inicios de sesión desde su red. Espere unos minutos.",
        "too-late": "El inicio de sesión ha tardado demasiado.",
        "our-side": "Algo ha fallado por nuestra parte.",
      },
      advice: "Vuelva a iniciar sesión. Si falla otra vez, dé esta referencia a su administrador:",
      reference: "Referencia",
    },
  },
  fr: {
    leaving: {
      heading: "Se connecter avec votre entreprise",
      text: "Vous allez être dirigé vers la connexion de votre entreprise.",
      submit: "Continuer",
    },
    success: { heading: "Vous êtes connecté", text: "Vous pouvez fermer cette fenêtre." },
    failure: {
      heading: "La connexion a échoué",
      problems: {
        unknown: "Cette connexion n’existe pas.",
        denied: "La connexion de votre entreprise ne vous a pas laissé entrer.",
        "no-account": "Vous n’avez pas de compte, et cette connexion n’en crée pas.",
        suspended: "Votre compte ne peut pas être utilisé pour le moment.",
        unusable: "La réponse de la connexion de votre entreprise est inutilisable.",
        "wrong-start": "L’application ou le lien qui a commencé cette connexion contient une erreur.",
        "too-often": "Il y a eu trop de connexions depuis votre réseau. Attendez quelques minutes.",
        "too-late": "La connexion a pris trop de temps.",
        "our-side": "Un problème est survenu de notre côté.",
      },
      advice:
        "Recommencez la connexion. Si elle échoue encore, donnez cette référence à votre administrateur :",
      reference: "Référence",
    },
  },
};

/** The problem that a page names for the label of a denial. */
export const problemOfDenial = (label: string): Problem =>
  Object.hasOwn(denials, label) ? (denials[label] ?? "denied") : "denied";

/**
 * The problem that a page names for the label of an error.
 * @param isStart whether the login was only to begin, so that the identity provider has not answered yet
 */
export const problemOfError = (label: string, isStart: boolean): Problem =>
  (Object.hasOwn(errors, label) ? errors[label] : undefined) ?? (isStart ? "wrong-start" : "unusable");

const denials: Readonly<Record<string, Problem>> = {
  "not-found": "no-account",
  "cannont-provision-on-replaced-idp": "no-account",
  "too-many-team-members": "no-account",
  suspended: "suspended",
  "pending-activation": "suspended",
};

const errors: Readonly<Record<string, Problem>> = {
  "need-both-redirect-urls": "wrong-start",
  "invalid-schema": "wrong-start",
  "url-too-long": "wrong-start",
  "access-denied": "wrong-start",
  "too-many-requests": "too-often",
  "not-found": "unknown",
  "ttl-error": "too-late",
  "server-error": "our-side",
  "service-unavailable": "our-side",
};
