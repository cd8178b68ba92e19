import type { Texts } from "../texts.ts";

export const fr: Texts = {
  ask: {
    title: "Rejoignez une équipe",
    intro: (productName) => `Voici une invitation à rejoindre une équipe ${productName}.`,
    team: "Équipe",
    inviter: "Invitation de",
    address: "Votre adresse e-mail",
    newAccount: "Créez un compte pour votre adresse e-mail. Il fera partie de l’équipe.",
    existingAccount:
      "Vous avez déjà un compte. En rejoignant l’équipe, il en fera partie\u00a0: les administrateurs pourront alors " +
      "vous retirer, ce qui supprime le compte.",
    name: "Votre nom",
    newPassword: "Choisissez un mot de passe",
    password: "Votre mot de passe",
    passwordHint: "Au moins 8 caractères",
    register: "Créer le compte et rejoindre",
    accept: "Rejoindre l’équipe",
    unrequested:
      "Vous ne savez pas de qui vient cette invitation\u202f? Fermez cette page\u00a0: rien ne se passera.",
  },
  problems: {
    "wrong-password": "Ce n’est pas le mot de passe de votre compte.",
    "short-password": "Le mot de passe doit avoir de 8 à 1024 caractères.",
    "no-name": "Veuillez saisir votre nom.",
    "too-many-attempts": "Trop de tentatives. Veuillez patienter quelques minutes.",
  },
  done: {
    title: "Vous avez rejoint l’équipe",
    intro: (team) => `Vous êtes maintenant membre de l’équipe ${team}.`,
    outro: (productName) =>
      `Connectez-vous à ${productName} avec votre adresse e-mail et votre mot de passe.`,
    open: (productName) => `Ouvrir ${productName}`,
  },
  refusedCode: {
    problem: "Cette invitation est incorrecte, a expiré, ou a été utilisée ou retirée.",
    advice: "Si vous avez déjà rejoint l’équipe, connectez-vous. Sinon, demandez une autre invitation.",
  },
  closedTeam: {
    problem: "Cette équipe n’accepte pas de membres pour le moment.",
    advice: "Demandez à la personne dont vient l’invitation.",
  },
  fullTeam: {
    problem: "Cette équipe est complète.",
    advice: "Demandez à la personne dont vient l’invitation.",
  },
  otherTeam: {
    problem: "Votre adresse e-mail appartient à un compte qui fait déjà partie d’une équipe.",
    advice: "Demandez une invitation pour une autre adresse e-mail.",
  },
  suspended: {
    problem: "Votre compte est suspendu.",
    advice: "Demandez aux responsables du service.",
  },
  refusedAddress: {
    problem: "Votre adresse e-mail ne peut pas être utilisée pour cette équipe.",
    advice: "Demandez une invitation pour une autre adresse e-mail.",
  },
};
