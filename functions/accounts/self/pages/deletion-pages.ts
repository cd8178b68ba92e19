import type { Translations } from "#shared/platform/html/choose-locale.ts";
import type { Reason } from "#shared/platform/html/describe-link-refusal.ts";
import { type Html, html } from "#shared/platform/html/html.ts";

/** Page that asks for confirmation, because mail scanners open links but do not submit forms. */
export const deletionPage = (
  { ask }: Texts,
  { productName, key, code }: { productName: string; key: string; code: string },
): Html => html`<h1>${ask.title}</h1>
<p>${ask.intro(productName)}</p>
<ul>
${ask.consequences.map((sentence) => html`<li>${sentence}</li>`)}
</ul>
<form method="post" action="/delete/confirm">
<input type="hidden" name="key" value="${key}">
<input type="hidden" name="code" value="${code}">
<div class="actions"><button class="danger">${ask.submit}</button></div>
</form>
<p class="muted">${ask.unrequested}</p>
`;

export const deletedPage = ({ done }: Texts, productName: string): Html => html`<h1>${done.title}</h1>
<p role="status">${done.outro(productName)}</p>
`;

/** Texts of the account deletion pages in one language. */
export interface Texts {
  readonly ask: {
    readonly title: string;
    readonly intro: (productName: string) => string;
    /** The consequences, a sentence each. */
    readonly consequences: readonly string[];
    readonly submit: string;
    readonly unrequested: string;
  };
  readonly done: {
    readonly title: string;
    readonly outro: (productName: string) => string;
  };
  /** For a code that is wrong, expired or used. */
  readonly refusedCode: Reason;
}

export const translations: Translations<Texts> = {
  en: {
    ask: {
      title: "Delete your account?",
      intro: (productName) => `This deletes your ${productName} account for good. It can’t be undone.`,
      consequences: [
        "You are logged out on all your devices.",
        "Your profile, your contacts and your settings are removed.",
        "You leave all conversations. What you wrote stays with those who received it.",
        "Your e-mail address, phone number and handle can be used for another account.",
      ],
      submit: "Delete account",
      unrequested:
        "If you didn’t ask for this, close this page: your account stays as it is. " +
        "But somebody else may have access to it, so please change your password.",
    },
    done: {
      title: "Your account is deleted",
      outro: (productName) => `Thank you for having used ${productName}. You can close this page now.`,
    },
    refusedCode: {
      problem: "This link is wrong, has expired, or has been used.",
      advice: "If you still want to delete your account, ask for it in the app again.",
    },
  },
  de: {
    ask: {
      title: "Ihr Konto löschen?",
      intro: (productName) =>
        `Ihr Konto bei ${productName} wird endgültig gelöscht. Das lässt sich nicht rückgängig machen.`,
      consequences: [
        "Sie werden auf allen Ihren Geräten abgemeldet.",
        "Ihr Profil, Ihre Kontakte und Ihre Einstellungen werden entfernt.",
        "Sie verlassen alle Unterhaltungen. Was Sie geschrieben haben, bleibt bei denen, die es erhalten haben.",
        "Ihre E-Mail-Adresse, Telefonnummer und Ihr Benutzername können für ein anderes Konto verwendet werden.",
      ],
      submit: "Konto löschen",
      unrequested:
        "Sie haben das nicht angefordert? Dann schließen Sie diese Seite: Ihr Konto bleibt, wie es ist. " +
        "Ändern Sie aber bitte Ihr Passwort, denn vielleicht hat jemand anderes Zugang zu Ihrem Konto.",
    },
    done: {
      title: "Ihr Konto ist gelöscht",
      outro: (productName) =>
        `Danke, dass Sie ${productName} genutzt haben. Sie können diese Seite jetzt schließen.`,
    },
    refusedCode: {
      problem: "Dieser Link ist falsch, abgelaufen oder wurde schon benutzt.",
      advice: "Wenn Sie Ihr Konto weiterhin löschen möchten, fordern Sie es in der App noch einmal an.",
    },
  },
  es: {
    ask: {
      title: "¿Eliminar su cuenta?",
      intro: (productName) =>
        `Su cuenta de ${productName} se eliminará para siempre. Esto no se puede deshacer.`,
      consequences: [
        "Se cerrará la sesión en todos sus dispositivos.",
        "Se borrarán su perfil, sus contactos y sus ajustes.",
        "Saldrá de todas las conversaciones. Lo que haya escrito seguirá en manos de quienes lo recibieron.",
        "Su correo electrónico, su teléfono y su alias podrán usarse para otra cuenta.",
      ],
      submit: "Eliminar la cuenta",
      unrequested:
        "Si no lo ha solicitado, cierre esta página: su cuenta no cambiará. " +
        "Cambie su contraseña, porque es posible que otra persona tenga acceso a su cuenta.",
    },
    done: {
      title: "Su cuenta se ha eliminado",
      outro: (productName) => `Gracias por haber usado ${productName}. Ya puede cerrar esta página.`,
    },
    refusedCode: {
      problem: "Este enlace no es correcto, ha caducado o ya se ha usado.",
      advice: "Si todavía quiere eliminar su cuenta, solicítelo de nuevo en la aplicación.",
    },
  },
  fr: {
    ask: {
      title: "Supprimer votre compte\u202f?",
      intro: (productName) =>
        `Votre compte ${productName} sera supprimé définitivement. Cette action est irréversible.`,
      consequences: [
        "Vous serez déconnecté de tous vos appareils.",
        "Votre profil, vos contacts et vos réglages seront supprimés.",
        "Vous quitterez toutes les conversations. Ce que vous avez écrit reste chez ceux qui l’ont reçu.",
        "Votre adresse e-mail, votre numéro de téléphone et votre identifiant pourront servir à un autre compte.",
      ],
      submit: "Supprimer le compte",
      unrequested:
        "Vous n’êtes pas à l’origine de cette demande\u202f? Fermez cette page\u00a0: votre compte reste inchangé. " +
        "Changez toutefois de mot de passe, car quelqu’un d’autre a peut-être accès à votre compte.",
    },
    done: {
      title: "Votre compte est supprimé",
      outro: (productName) =>
        `Merci d’avoir utilisé ${productName}. Vous pouvez maintenant fermer cette page.`,
    },
    refusedCode: {
      problem: "Ce lien est incorrect, a expiré ou a déjà servi.",
      advice:
        "Si vous voulez toujours supprimer votre compte, faites-en de nouveau la demande dans l’application.",
    },
  },
};
