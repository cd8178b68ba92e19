import type { Translations } from "#shared/platform/html/choose-locale.ts";
import type { Reason } from "#shared/platform/html/describe-link-refusal.ts";
import type { ResetProblem } from "../routes.ts";

/** Texts of the password reset pages in one language. None says whether an account exists. */
export interface Texts {
  readonly address: string;
  readonly ask: {
    readonly title: string;
    readonly intro: string;
    readonly submit: string;
    readonly haveCode: string;
  };
  readonly complete: {
    readonly title: string;
    readonly intro: string;
    readonly code: string;
    readonly password: string;
    readonly hint: string;
    readonly submit: string;
    readonly again: string;
  };
  /** Replaces the intro after the link in a mail was opened. */
  readonly linked: {
    readonly intro: (productName: string) => string;
    readonly addressHint: string;
    readonly unrequested: string;
  };
  readonly done: { readonly title: string; readonly outro: string; readonly logIn: string };
  readonly problems: Readonly<Record<ResetProblem, string>>;
  /** For a form that is incomplete, or was sent by another site. */
  readonly badForm: Reason;
}

export const translations: Translations<Texts> = {
  en: {
    address: "E-mail address or phone number",
    ask: {
      title: "Reset your password",
      intro: "We’ll send a code to this address, if an account has it.",
      submit: "Send code",
      haveCode: "I already have a code",
    },
    complete: {
      title: "Choose a new password",
      intro:
        "If an account has this address, a code is on its way. It is valid for a few minutes. If none arrives, look in your spam folder.",
      code: "Code",
      password: "New password",
      hint: "At least 8 characters",
      submit: "Set password",
      again: "Send another code",
    },
    linked: {
      intro: (productName) => `It is for your ${productName} account. You will be logged out everywhere.`,
      addressHint: "Optional, for your password manager",
      unrequested: "If you didn’t ask for this, close this page: your password stays as it is.",
    },
    done: {
      title: "Your password is changed",
      outro: "You were logged out everywhere. Log in with the new password in your app, or here.",
      logIn: "Log in to your account",
    },
    problems: {
      "invalid-address": "This is neither an e-mail address nor a phone number with country code.",
      "too-many-attempts": "Too many attempts. Wait a few minutes, then try again.",
      "wrong-code": "This code is wrong or has expired.",
      "short-password": "The new password needs 8 to 1,024 characters.",
      "dead-link": "This link is wrong, has expired, or has been used. Ask for another code here.",
      "same-password": "This is your current password. Please choose another one.",
    },
    badForm: {
      problem: "The form is incomplete, or comes from another site.",
      advice: "Go back, reload the page and try again.",
    },
  },
  de: {
    address: "E-Mail-Adresse oder Telefonnummer",
    ask: {
      title: "Passwort zurücksetzen",
      intro: "Wir schicken einen Code an diese Adresse, wenn sie zu einem Konto gehört.",
      submit: "Code senden",
      haveCode: "Ich habe schon einen Code",
    },
    complete: {
      title: "Neues Passwort wählen",
      intro:
        "Wenn die Adresse zu einem Konto gehört, ist ein Code unterwegs. Er gilt einige Minuten. Kommt keiner an, sehen Sie im Spam-Ordner nach.",
      code: "Code",
      password: "Neues Passwort",
      hint: "Mindestens 8 Zeichen",
      submit: "Passwort setzen",
      again: "Noch einen Code senden",
    },
    linked: {
      intro: (productName) => `Es ist für Ihr Konto bei ${productName}. Sie werden überall abgemeldet.`,
      addressHint: "Optional, für Ihren Passwort-Manager",
      unrequested:
        "Sie haben das nicht angefordert? Dann schließen Sie diese Seite – Ihr Passwort bleibt unverändert.",
    },
    done: {
      title: "Ihr Passwort ist geändert",
      outro:
        "Sie wurden überall abgemeldet. Melden Sie sich mit dem neuen Passwort in Ihrer App oder hier an.",
      logIn: "Beim Konto anmelden",
    },
    problems: {
      "invalid-address": "Das ist weder eine E-Mail-Adresse noch eine Telefonnummer mit Landesvorwahl.",
      "too-many-attempts": "Zu viele Versuche. Warten Sie ein paar Minuten, bevor Sie es wieder versuchen.",
      "wrong-code": "Der Code ist falsch oder abgelaufen.",
      "short-password": "Das neue Passwort braucht 8 bis 1.024 Zeichen.",
      "dead-link":
        "Dieser Link ist falsch, abgelaufen oder schon benutzt. Hier bekommen Sie einen neuen Code.",
      "same-password": "Das ist Ihr jetziges Passwort. Bitte wählen Sie ein anderes.",
    },
    badForm: {
      problem: "Das Formular ist unvollständig oder kommt von einer anderen Website.",
      advice: "Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.",
    },
  },
  es: {
    address: "Correo electrónico o número de teléfono",
    ask: {
      title: "Restablecer la contraseña",
      intro: "Enviaremos un código a esta dirección si pertenece a una cuenta.",
      submit: "Enviar el código",
      haveCode: "Ya tengo un código",
    },
    complete: {
      title: "Elija una contraseña nueva",
      intro:
        "Si la dirección pertenece a una cuenta, le llegará un código. Es válido durante unos minutos. Si no llega, mire en la carpeta de correo no deseado.",
      code: "Código",
      password: "Contraseña nueva",
      hint: "8 caracteres como mínimo",
      submit: "Guardar la contraseña",
      again: "Enviar otro código",
    },
    linked: {
      intro: (productName) => `Es para su cuenta de ${productName}. Se cerrarán todas sus sesiones.`,
      addressHint: "Opcional, para su gestor de contraseñas",
      unrequested: "Si no lo ha solicitado, cierre esta página: su contraseña no cambiará.",
    },
    done: {
      title: "Su contraseña ha cambiado",
      outro:
        "Se han cerrado todas sus sesiones. Inicie sesión con la contraseña nueva en la aplicación o aquí.",
      logIn: "Iniciar sesión en la cuenta",
    },
    problems: {
      "invalid-address": "No es un correo electrónico ni un número de teléfono con prefijo de país.",
      "too-many-attempts": "Demasiados intentos. Espere unos minutos y vuelva a intentarlo.",
      "wrong-code": "El código no es correcto o ha caducado.",
      "short-password": "La contraseña nueva debe tener entre 8 y 1024 caracteres.",
      "dead-link": "Este enlace no es correcto, ha caducado o ya se ha usado. Pida aquí otro código.",
      "same-password": "Es su contraseña actual. Elija otra.",
    },
    badForm: {
      problem: "El formulario está incompleto o viene de otro sitio.",
      advice: "Vuelva atrás, recargue la página e inténtelo de nuevo.",
    },
  },
  fr: {
    address: "Adresse e-mail ou numéro de téléphone",
    ask: {
      title: "Réinitialiser votre mot de passe",
      intro: "Nous enverrons un code à cette adresse si elle correspond à un compte.",
      submit: "Envoyer le code",
      haveCode: "J’ai déjà un code",
    },
    complete: {
      title: "Choisissez un nouveau mot de passe",
      intro:
        "Si l’adresse correspond à un compte, un code est en route. Il est valable quelques minutes. S’il n’arrive pas, regardez dans vos courriers indésirables.",
      code: "Code",
      password: "Nouveau mot de passe",
      hint: "8 caractères au minimum",
      submit: "Définir le mot de passe",
      again: "Envoyer un autre code",
    },
    linked: {
      intro: (productName) => `Il est pour votre compte ${productName}. Vous serez déconnecté partout.`,
      addressHint: "Facultatif, pour votre gestionnaire de mots de passe",
      unrequested:
        "Si vous n’êtes pas à l’origine de cette demande, fermez cette page\u00a0: votre mot de passe ne change pas.",
    },
    done: {
      title: "Votre mot de passe est modifié",
      outro:
        "Vous avez été déconnecté partout. Connectez-vous avec le nouveau mot de passe dans votre application, ou ici.",
      logIn: "Se connecter au compte",
    },
    problems: {
      "invalid-address": "Ce n’est ni une adresse e-mail ni un numéro de téléphone avec indicatif du pays.",
      "too-many-attempts": "Trop de tentatives. Attendez quelques minutes, puis réessayez.",
      "wrong-code": "Ce code est faux ou a expiré.",
      "short-password": "Le nouveau mot de passe doit avoir de 8 à 1024 caractères.",
      "dead-link": "Ce lien est faux, a expiré ou a déjà servi. Demandez ici un autre code.",
      "same-password": "C’est votre mot de passe actuel. Choisissez-en un autre.",
    },
    badForm: {
      problem: "Le formulaire est incomplet, ou vient d’un autre site.",
      advice: "Revenez en arrière, rechargez la page et réessayez.",
    },
  },
};
