import type { Translations } from "#shared/platform/html/choose-locale.ts";
import type { Reason } from "#shared/platform/html/describe-link-refusal.ts";
import type { ResetProblem } from "../routes.ts";

/** Texts of the pages for providers in one language. Headings never break after the “e-” of “e-mail”. */
export interface Texts {
  /** Asks whether to confirm an address. */
  readonly ask: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    readonly submit: string;
    readonly unrequested: string;
  };
  readonly confirmed: {
    readonly now: string;
    /** For an address that was confirmed before. */
    readonly before: string;
    readonly outro: (productName: string) => string;
  };
  /** Asks for a new password. */
  readonly reset: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    readonly email: string;
    readonly emailHint: string;
    readonly password: string;
    readonly hint: string;
    readonly submit: string;
    readonly unrequested: string;
  };
  readonly resetDone: { readonly title: string; readonly outro: string };
  /** Text of the link to the page for logging in. */
  readonly logIn: string;
  readonly problems: Readonly<Record<ResetProblem, string>>;
  /** For a code that is wrong, expired or used. */
  readonly refusedCode: Reason;
  /** For an address that another provider confirmed first. */
  readonly takenAddress: Reason;
  /** Where services cannot be used. */
  readonly closed: Reason;
}

const en: Texts = {
  ask: {
    title: "Confirm your e\u2011mail address",
    intro: (productName) =>
      `Your e-mail address was given for the account of a provider of services on ${productName}. Please confirm that the address is yours.`,
    submit: "Confirm e-mail address",
    unrequested: "If that wasn’t you, close this page: the address will not be confirmed.",
  },
  confirmed: {
    now: "Your e\u2011mail address is confirmed",
    before: "Your e\u2011mail address was already confirmed",
    outro: (productName) => `You can close this page now, and log in as a provider on ${productName}.`,
  },
  reset: {
    title: "Choose a new password",
    intro: (productName) => `It is for your account as a provider of services on ${productName}.`,
    email: "E-mail address",
    emailHint: "Optional, for your password manager",
    password: "New password",
    hint: "At least 6 characters",
    submit: "Set password",
    unrequested: "If you didn’t ask for this, close this page: your password stays as it is.",
  },
  resetDone: { title: "Your password is changed", outro: "You can close this page now, and log in with it." },
  logIn: "Log in as a provider",
  problems: {
    "short-password": "The password needs 6 to 1,024 characters.",
    "same-password": "This is your current password. Please choose another one.",
  },
  refusedCode: {
    problem: "This link is wrong, has expired, or has been used.",
    advice: "Open the link in the newest message, or ask for another one.",
  },
  takenAddress: {
    problem: "Another provider uses this e-mail address.",
    advice: "Log in to that account, or give another e-mail address.",
  },
  closed: {
    problem: "Services cannot be used here.",
    advice: "Ask whoever operates this server.",
  },
};

const de: Texts = {
  ask: {
    title: "Bestätigen Sie Ihre E\u2011Mail-Adresse",
    intro: (productName) =>
      `Ihre E-Mail-Adresse wurde für das Konto eines Anbieters von Diensten bei ${productName} angegeben. Bitte bestätigen Sie, dass sie Ihnen gehört.`,
    submit: "E-Mail-Adresse bestätigen",
    unrequested: "Das waren nicht Sie? Dann schließen Sie diese Seite: Die Adresse wird nicht bestätigt.",
  },
  confirmed: {
    now: "Ihre E\u2011Mail-Adresse ist bestätigt",
    before: "Ihre E\u2011Mail-Adresse war schon bestätigt",
    outro: (productName) =>
      `Sie können diese Seite jetzt schließen und sich als Anbieter bei ${productName} anmelden.`,
  },
  reset: {
    title: "Wählen Sie ein neues Passwort",
    intro: (productName) => `Es gilt für Ihr Konto als Anbieter von Diensten bei ${productName}.`,
    email: "E-Mail-Adresse",
    emailHint: "Optional, für Ihren Passwort-Manager",
    password: "Neues Passwort",
    hint: "Mindestens 6 Zeichen",
    submit: "Passwort festlegen",
    unrequested:
      "Sie haben das nicht angefordert? Dann schließen Sie diese Seite: Ihr Passwort bleibt unverändert.",
  },
  resetDone: {
    title: "Ihr Passwort ist geändert",
    outro: "Sie können diese Seite jetzt schließen und sich damit anmelden.",
  },
  logIn: "Als Anbieter anmelden",
  problems: {
    "short-password": "Das Passwort braucht 6 bis 1.024 Zeichen.",
    "same-password": "Das ist Ihr jetziges Passwort. Bitte wählen Sie ein anderes.",
  },
  refusedCode: {
    problem: "Dieser Link ist falsch, abgelaufen oder schon benutzt.",
    advice: "Öffnen Sie den Link in der neuesten Nachricht oder fordern Sie eine weitere an.",
  },
  takenAddress: {
    problem: "Diese E-Mail-Adresse wird von einem anderen Anbieter verwendet.",
    advice: "Melden Sie sich bei diesem Konto an oder geben Sie eine andere E-Mail-Adresse an.",
  },
  closed: {
    problem: "Dienste können hier nicht benutzt werden.",
    advice: "Fragen Sie, wer diesen Server betreibt.",
  },
};

const es: Texts = {
  ask: {
    title: "Confirme su dirección de correo",
    intro: (productName) =>
      `Su dirección de correo electrónico se ha indicado para la cuenta de un proveedor de servicios en ${productName}. Confirme que es suya.`,
    submit: "Confirmar la dirección",
    unrequested: "Si no ha sido usted, cierre esta página: la dirección no se confirmará.",
  },
  confirmed: {
    now: "Su dirección de correo está confirmada",
    before: "Su dirección de correo ya estaba confirmada",
    outro: (productName) => `Ya puede cerrar esta página e iniciar sesión como proveedor en ${productName}.`,
  },
  reset: {
    title: "Elija una contraseña nueva",
    intro: (productName) => `Es para su cuenta de proveedor de servicios en ${productName}.`,
    email: "Correo electrónico",
    emailHint: "Opcional, para su gestor de contraseñas",
    password: "Contraseña nueva",
    hint: "6 caracteres como mínimo",
    submit: "Guardar la contraseña",
    unrequested: "Si no lo ha solicitado, cierre esta página: su contraseña no cambiará.",
  },
  resetDone: {
    title: "Su contraseña ha cambiado",
    outro: "Ya puede cerrar esta página e iniciar sesión con ella.",
  },
  logIn: "Iniciar sesión como proveedor",
  problems: {
    "short-password": "La contraseña debe tener entre 6 y 1024 caracteres.",
    "same-password": "Esta es su contraseña actual. Elija otra.",
  },
  refusedCode: {
    problem: "Este enlace no es correcto, ha caducado o ya se ha usado.",
    advice: "Abra el enlace del mensaje más reciente o solicite otro.",
  },
  takenAddress: {
    problem: "Otro proveedor ya usa esta dirección de correo.",
    advice: "Inicie sesión en esa cuenta o indique otra dirección de correo.",
  },
  closed: {
    problem: "Aquí no se pueden usar servicios.",
    advice: "Pregunte a quien administra este servidor.",
  },
};

const fr: Texts = {
  ask: {
    title: "Confirmez votre adresse e\u2011mail",
    intro: (productName) =>
      `Votre adresse e-mail a été indiquée pour le compte d’un fournisseur de services sur ${productName}. Veuillez confirmer qu’elle est bien la vôtre.`,
    submit: "Confirmer l’adresse e-mail",
    unrequested:
      "Vous n’êtes pas à l’origine de cette demande\u202f? Fermez cette page\u00a0: l’adresse ne sera pas confirmée.",
  },
  confirmed: {
    now: "Votre adresse e\u2011mail est confirmée",
    before: "Votre adresse e\u2011mail était déjà confirmée",
    outro: (productName) =>
      `Vous pouvez maintenant fermer cette page et vous connecter en tant que fournisseur sur ${productName}.`,
  },
  reset: {
    title: "Choisissez un nouveau mot de passe",
    intro: (productName) => `Il sert à votre compte de fournisseur de services sur ${productName}.`,
    email: "Adresse e-mail",
    emailHint: "Facultatif, pour votre gestionnaire de mots de passe",
    password: "Nouveau mot de passe",
    hint: "6 caractères au minimum",
    submit: "Enregistrer le mot de passe",
    unrequested:
      "Vous n’êtes pas à l’origine de cette demande\u202f? Fermez cette page\u00a0: votre mot de passe ne change pas.",
  },
  resetDone: {
    title: "Votre mot de passe est modifié",
    outro: "Vous pouvez maintenant fermer cette page et vous connecter avec lui.",
  },
  logIn: "Se connecter en tant que fournisseur",
  problems: {
    "short-password": "Le mot de passe doit avoir de 6 à 1024 caractères.",
    "same-password": "C’est votre mot de passe actuel. Choisissez-en un autre.",
  },
  refusedCode: {
    problem: "Ce lien est incorrect, a expiré ou a déjà servi.",
    advice: "Ouvrez le lien du message le plus récent, ou demandez-en un autre.",
  },
  takenAddress: {
    problem: "Cette adresse e-mail est utilisée par un autre fournisseur.",
    advice: "Connectez-vous à ce compte, ou indiquez une autre adresse e-mail.",
  },
  closed: {
    problem: "Les services ne sont pas utilisables ici.",
    advice: "Adressez-vous à l’exploitant de ce serveur.",
  },
};

export const translations: Translations<Texts> = { en, de, es, fr };
