import type { Texts } from "../texts.ts";

export const fr: Texts = {
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
    outro: (productName) => `Merci d’avoir utilisé ${productName}. Vous pouvez maintenant fermer cette page.`,
  },
  refusedCode: {
    problem: "Ce lien est incorrect, a expiré ou a déjà servi.",
    advice:
      "Si vous voulez toujours supprimer votre compte, faites-en de nouveau la demande dans l’application.",
  },
};
