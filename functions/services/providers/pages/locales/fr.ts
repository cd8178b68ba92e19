import type { Texts } from "../texts.ts";

export const fr: Texts = {
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
