import type { Translations } from "#shared/platform/html/choose-locale.ts";
import type { Outcome } from "./outcomes.ts";

/** Texts of the pages for the account of a provider, in one language. */
export interface Texts {
  readonly fields: Readonly<
    Record<
      | "name"
      | "email"
      | "newEmail"
      | "newEmailHint"
      | "url"
      | "urlHint"
      | "description"
      | "password"
      | "newPassword"
      | "passwordHint",
      string
    >
  >;
  readonly logIn: Readonly<Record<"title" | "intro" | "submit" | "forgotten" | "register", string>>;
  readonly registration: Readonly<Record<"title" | "intro" | "submit", string>>;
  readonly reset: Readonly<Record<"title" | "intro" | "submit", string>>;
  readonly account: Readonly<
    Record<"title" | "save" | "changeEmail" | "password" | "changePassword" | "toDeletion", string>
  >;
  readonly deletion: {
    readonly title: string;
    readonly intro: (providerName: string) => string;
    readonly consequences: readonly string[];
    readonly submit: string;
  };
  readonly outcomes: Readonly<Record<Outcome, string>>;
}

export const translations: Translations<Texts> = {
  en: {
    fields: {
      name: "Name of your company or project",
      email: "E-mail address",
      newEmail: "New e-mail address",
      newEmailHint:
        "Your present address stays until you open the link in the message that we send to the new one.",
      url: "Web site",
      urlHint: "Begins with https://",
      description: "What you offer",
      password: "Your password",
      newPassword: "New password",
      passwordHint: "At least 6 characters",
    },
    logIn: {
      title: "Log in as a provider",
      intro: "Providers offer services, which take part in conversations as bots.",
      submit: "Log in",
      forgotten: "Forgotten your password?",
      register: "Become a provider",
    },
    registration: {
      title: "Become a provider",
      intro: "You get a message with a link that confirms your address.",
      submit: "Register",
    },
    reset: {
      title: "Reset your password as a provider",
      intro: "You get a message with a link to choose a new one.",
      submit: "Send the link",
    },
    account: {
      title: "Your account as a provider",
      save: "Save",
      changeEmail: "Change e-mail address",
      password: "Password",
      changePassword: "Change password",
      toDeletion: "Delete the account and all its services",
    },
    deletion: {
      title: "Delete your account",
      intro: (name) => `This deletes the account of ${name}. It can’t be undone.`,
      consequences: [
        "All your services are deleted; their bots leave all conversations.",
        "You are logged out and can’t log in any more.",
        "Your e-mail address is free for another account when all bots have left.",
      ],
      submit: "Delete account",
    },
    outcomes: {
      saved: "Your changes are saved.",
      "email-sent":
        "Open the link in the message that we have sent to the new address. Your present address stays until then.",
      "password-changed": "Your password is changed.",
      "logged-out": "You are logged out.",
      deleted: "Your account is deleted.",
      registered: "You are registered. Open the link in the message that we have sent you, then log in.",
      "reset-sent": "The message is on its way.",
      "wrong-login": "This address and password don’t match, or the address isn’t confirmed yet.",
      "unknown-email": "No provider has this address.",
      "invalid-fields": "Something isn’t filled in as it should be. The web site must begin with https://.",
      "short-password": "The new password needs 6 to 1,024 characters.",
      "session-ended": "Your session has ended. Please log in again.",
      "invalid-email": "This is not an e-mail address.",
      "email-exists": "A provider has this e-mail address already.",
      "wrong-password": "The password is wrong.",
      "same-password": "This is your current password. Please choose another one.",
      "too-many-attempts": "Too many attempts. Wait a few minutes, then try again.",
      "code-pending": "A message was sent a short while ago. Use its link, or wait an hour.",
    },
  },
  de: {
    fields: {
      name: "Name Ihrer Firma oder Ihres Projekts",
      email: "E-Mail-Adresse",
      newEmail: "Neue E-Mail-Adresse",
      newEmailHint: "Ihre jetzige Adresse bleibt, bis Sie den Link in der Nachricht an die neue öffnen.",
      url: "Website",
      urlHint: "Beginnt mit https://",
      description: "Was Sie anbieten",
      password: "Ihr Passwort",
      newPassword: "Neues Passwort",
      passwordHint: "Mindestens 6 Zeichen",
    },
    logIn: {
      title: "Als Anbieter anmelden",
      intro: "Anbieter stellen Dienste bereit, die als Bots an Unterhaltungen teilnehmen.",
      submit: "Anmelden",
      forgotten: "Passwort vergessen?",
      register: "Anbieter werden",
    },
    registration: {
      title: "Anbieter werden",
      intro: "Sie bekommen eine Nachricht mit einem Link, der Ihre Adresse bestätigt.",
      submit: "Registrieren",
    },
    reset: {
      title: "Passwort als Anbieter zurücksetzen",
      intro: "Sie bekommen eine Nachricht mit einem Link, um ein neues zu wählen.",
      submit: "Link senden",
    },
    account: {
      title: "Ihr Konto als Anbieter",
      save: "Speichern",
      changeEmail: "E-Mail-Adresse ändern",
      password: "Passwort",
      changePassword: "Passwort ändern",
      toDeletion: "Konto und alle seine Dienste löschen",
    },
    deletion: {
      title: "Ihr Konto löschen",
      intro: (name) => `Damit löschen Sie das Konto von ${name}. Das lässt sich nicht rückgängig machen.`,
      consequences: [
        "Alle Ihre Dienste werden gelöscht; ihre Bots verlassen alle Unterhaltungen.",
        "Sie werden abgemeldet und können sich nicht mehr anmelden.",
        "Ihre E-Mail-Adresse wird für ein anderes Konto frei, sobald alle Bots gegangen sind.",
      ],
      submit: "Konto löschen",
    },
    outcomes: {
      saved: "Ihre Änderungen sind gespeichert.",
      "email-sent":
        "Öffnen Sie den Link in der Nachricht, die wir an die neue Adresse geschickt haben. Bis dahin bleibt Ihre jetzige.",
      "password-changed": "Ihr Passwort ist geändert.",
      "logged-out": "Sie sind abgemeldet.",
      deleted: "Ihr Konto ist gelöscht.",
      registered:
        "Sie sind registriert. Öffnen Sie den Link in der Nachricht, die wir Ihnen geschickt haben, und melden Sie sich dann an.",
      "reset-sent": "Die Nachricht ist unterwegs.",
      "wrong-login": "Adresse und Passwort passen nicht zusammen, oder die Adresse ist noch nicht bestätigt.",
      "unknown-email": "Kein Anbieter hat diese Adresse.",
      "invalid-fields": "Etwas ist nicht richtig ausgefüllt. Die Website muss mit https:// beginnen.",
      "short-password": "Das neue Passwort braucht 6 bis 1.024 Zeichen.",
      "session-ended": "Ihre Sitzung ist beendet. Bitte melden Sie sich noch einmal an.",
      "invalid-email": "Das ist keine E-Mail-Adresse.",
      "email-exists": "Ein Anbieter hat diese E-Mail-Adresse schon.",
      "wrong-password": "Das Passwort ist falsch.",
      "same-password": "Das ist Ihr jetziges Passwort. Bitte wählen Sie ein anderes.",
      "too-many-attempts": "Zu viele Versuche. Warten Sie ein paar Minuten, bevor Sie es wieder versuchen.",
      "code-pending":
        "Vor Kurzem wurde eine Nachricht gesendet. Verwenden Sie deren Link oder warten Sie eine Stunde.",
    },
  },
  es: {
    fields: {
      name: "Nombre de su empresa o proyecto",
      email: "Correo electrónico",
      newEmail: "Correo electrónico nuevo",
      newEmailHint:
        "Su dirección actual se mantiene hasta que abra el enlace del mensaje que enviamos a la nueva.",
      url: "Sitio web",
      urlHint: "Empieza por https://",
      description: "Qué ofrece",
      password: "Su contraseña",
      newPassword: "Contraseña nueva",
      passwordHint: "6 caracteres como mínimo",
    },
    logIn: {
      title: "Inicie sesión como proveedor",
      intro: "Los proveedores ofrecen servicios que participan en las conversaciones como bots.",
      submit: "Iniciar sesión",
      forgotten: "¿Ha olvidado su contraseña?",
      register: "Hágase proveedor",
    },
    registration: {
      title: "Hágase proveedor",
      intro: "Recibirá un mensaje con un enlace que confirma su dirección.",
      submit: "Registrarse",
    },
    reset: {
      title: "Restablezca su contraseña de proveedor",
      intro: "Recibirá un mensaje con un enlace para elegir otra.",
      submit: "Enviar el enlace",
    },
    account: {
      title: "Su cuenta de proveedor",
      save: "Guardar",
      changeEmail: "Cambiar el correo electrónico",
      password: "Contraseña",
      changePassword: "Cambiar la contraseña",
      toDeletion: "Eliminar la cuenta y todos sus servicios",
    },
    deletion: {
      title: "Elimine su cuenta",
      intro: (name) => `Así se elimina la cuenta de ${name}. No se puede deshacer.`,
      consequences: [
        "Se eliminan todos sus servicios; sus bots abandonan todas las conversaciones.",
        "Se cierra la sesión y ya no podrá volver a iniciarla.",
        "Su correo electrónico quedará libre para otra cuenta cuando todos los bots se hayan ido.",
      ],
      submit: "Eliminar la cuenta",
    },
    outcomes: {
      saved: "Los cambios se han guardado.",
      "email-sent":
        "Abra el enlace del mensaje que hemos enviado a la dirección nueva. Hasta entonces se mantiene la actual.",
      "password-changed": "Su contraseña ha cambiado.",
      "logged-out": "Ha cerrado la sesión.",
      deleted: "Su cuenta se ha eliminado.",
      registered:
        "Se ha registrado. Abra el enlace del mensaje que le hemos enviado y después inicie sesión.",
      "reset-sent": "El mensaje está en camino.",
      "wrong-login": "La dirección y la contraseña no coinciden, o la dirección aún no está confirmada.",
      "unknown-email": "Ningún proveedor tiene esta dirección.",
      "invalid-fields": "Algo no está bien rellenado. El sitio web debe empezar por https://.",
      "short-password": "La contraseña nueva debe tener entre 6 y 1024 caracteres.",
      "session-ended": "Su sesión ha terminado. Inicie sesión de nuevo.",
      "invalid-email": "No es un correo electrónico.",
      "email-exists": "Un proveedor ya tiene este correo electrónico.",
      "wrong-password": "La contraseña no es correcta.",
      "same-password": "Es su contraseña actual. Elija otra.",
      "too-many-attempts": "Demasiados intentos. Espere unos minutos y vuelva a intentarlo.",
      "code-pending": "Hace poco se envió un mensaje. Use su enlace o espere una hora.",
    },
  },
  fr: {
    fields: {
      name: "Nom de votre entreprise ou projet",
      email: "Adresse e-mail",
      newEmail: "Nouvelle adresse e-mail",
      newEmailHint:
        "Votre adresse actuelle reste valable jusqu’à ce que vous ouvriez le lien du message envoyé à la nouvelle.",
      url: "Site web",
      urlHint: "Commence par https://",
      description: "Ce que vous proposez",
      password: "Votre mot de passe",
      newPassword: "Nouveau mot de passe",
      passwordHint: "6 caractères au minimum",
    },
    logIn: {
      title: "Connexion en tant que fournisseur",
      intro: "Les fournisseurs proposent des services qui participent aux conversations comme bots.",
      submit: "Se connecter",
      forgotten: "Mot de passe oublié\u202f?",
      register: "Devenir fournisseur",
    },
    registration: {
      title: "Devenir fournisseur",
      intro: "Vous recevrez un message avec un lien qui confirme votre adresse.",
      submit: "S’inscrire",
    },
    reset: {
      title: "Réinitialiser votre mot de passe de fournisseur",
      intro: "Vous recevrez un message avec un lien pour en choisir un nouveau.",
      submit: "Envoyer le lien",
    },
    account: {
      title: "Votre compte de fournisseur",
      save: "Enregistrer",
      changeEmail: "Modifier l’adresse e-mail",
      password: "Mot de passe",
      changePassword: "Modifier le mot de passe",
      toDeletion: "Supprimer le compte et tous ses services",
    },
    deletion: {
      title: "Supprimer votre compte",
      intro: (name) => `Cela supprime le compte de ${name}. C’est irréversible.`,
      consequences: [
        "Tous vos services sont supprimés\u202f; leurs bots quittent toutes les conversations.",
        "Vous êtes déconnecté et ne pouvez plus vous connecter.",
        "Votre adresse e-mail sera libre pour un autre compte quand tous les bots seront partis.",
      ],
      submit: "Supprimer le compte",
    },
    outcomes: {
      saved: "Vos modifications sont enregistrées.",
      "email-sent":
        "Ouvrez le lien du message que nous avons envoyé à la nouvelle adresse. Votre adresse actuelle reste valable d’ici là.",
      "password-changed": "Votre mot de passe est modifié.",
      "logged-out": "Vous êtes déconnecté.",
      deleted: "Votre compte est supprimé.",
      registered:
        "Vous êtes inscrit. Ouvrez le lien du message que nous vous avons envoyé, puis connectez-vous.",
      "reset-sent": "Le message est en route.",
      "wrong-login":
        "L’adresse et le mot de passe ne correspondent pas, ou l’adresse n’est pas encore confirmée.",
      "unknown-email": "Aucun fournisseur n’a cette adresse.",
      "invalid-fields": "Un champ n’est pas rempli comme il faut. Le site web doit commencer par https://.",
      "short-password": "Le nouveau mot de passe doit avoir de 6 à 1024 caractères.",
      "session-ended": "Votre session est terminée. Reconnectez-vous.",
      "invalid-email": "Ce n’est pas une adresse e-mail.",
      "email-exists": "Un fournisseur a déjà cette adresse e-mail.",
      "wrong-password": "Le mot de passe est faux.",
      "same-password": "C’est votre mot de passe actuel. Choisissez-en un autre.",
      "too-many-attempts": "Trop de tentatives. Attendez quelques minutes, puis réessayez.",
      "code-pending": "Un message a été envoyé il y a peu. Utilisez son lien, ou attendez une heure.",
    },
  },
};
