import type { Texts } from "../texts.ts";

export const fr: Texts = {
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
};
