import type { Texts } from "../texts.ts";

export const fr: Texts = {
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
