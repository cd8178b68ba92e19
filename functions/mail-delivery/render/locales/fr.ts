import type { Texts } from "../texts.ts";

/** French sets a no-break space before a colon and a narrow one before a question mark. */
export const fr: Texts = {
  direction: "ltr",
  emails: {
    verification: (productName) => ({
      subject: `Votre code de vérification ${productName}`,
      heading: "Confirmez votre adresse e-mail",
      intro: `Saisissez ce code dans ${productName} pour confirmer que cette adresse e-mail est bien la vôtre\u00a0:`,
      unrequested:
        "Vous n’avez pas demandé de code\u202f? Ignorez simplement ce message\u00a0: sans le code, rien ne se passera.",
    }),
    activation: (productName) => ({
      subject: `Confirmez votre adresse e-mail pour ${productName}`,
      heading: "Confirmez votre adresse e-mail",
      intro: `Cette adresse e-mail a été indiquée pour un compte ${productName}. Veuillez confirmer qu’elle est bien la vôtre\u00a0:`,
      link: {
        label: "Confirmer l’adresse e-mail",
        alternative: `Ou saisissez ce code dans ${productName}\u00a0:`,
      },
      unrequested:
        "Vous n’êtes pas à l’origine de cette demande\u202f? Ignorez simplement ce message\u00a0: " +
        "l’adresse ne peut pas être confirmée sans le lien ou le code.",
    }),
    "password-reset": (productName) => ({
      subject: `Réinitialisation de votre mot de passe ${productName}`,
      heading: "Réinitialisez votre mot de passe",
      intro: `Saisissez ce code dans ${productName} pour choisir un nouveau mot de passe\u00a0:`,
      unrequested:
        "Vous n’êtes pas à l’origine de cette demande\u202f? Ignorez simplement ce message\u00a0: " +
        "votre mot de passe reste inchangé. Ne communiquez ce code à personne.",
    }),
  },
  sms: {
    "activation-sms": ({ productName, code, lifetime }) =>
      `${code} est votre code d'activation ${productName}, valable ${lifetime} au maximum. ` +
      "Si vous ne l'avez pas demandé, ignorez ce SMS.",
    "login-sms": ({ productName, code, lifetime }) =>
      `${code} est votre code de connexion ${productName}, valable ${lifetime} au maximum. ` +
      "Ne le communiquez à personne. Si vous ne l'avez pas demandé, ignorez ce SMS.",
    "password-reset-sms": ({ productName, code, lifetime }) =>
      `${code} est votre code pour changer le mot de passe ${productName}, valable ${lifetime} au maximum. ` +
      "Ne le communiquez pas. Pas demandé ? Ignorez ce SMS.",
  },
  validity: (lifetime) => `Le code est valable ${lifetime} au maximum.`,
  footer: (productName, address) =>
    `${productName} a envoyé ce message automatiquement à ${address}. Les réponses ne sont pas lues.`,
};
