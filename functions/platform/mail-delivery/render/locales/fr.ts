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
    "team-activation": (productName) => ({
      subject: `Confirmez votre adresse e-mail pour votre équipe ${productName}`,
      heading: "Confirmez votre adresse e-mail",
      intro: `Cette adresse e-mail a été indiquée pour un compte ${productName} qui crée une équipe. Veuillez confirmer qu’elle est bien la vôtre\u00a0:`,
      link: {
        label: "Confirmer l’adresse e-mail",
        alternative: `Ou saisissez ce code dans ${productName}\u00a0:`,
      },
      unrequested:
        "Vous n’êtes pas à l’origine de cette demande\u202f? Ignorez simplement ce message\u00a0: " +
        "ni le compte ni l’équipe ne sont activés sans le lien ou le code.",
    }),
    "password-reset": (productName) => ({
      subject: `Réinitialisation de votre mot de passe ${productName}`,
      heading: "Réinitialisez votre mot de passe",
      intro: `Choisissez un nouveau mot de passe pour votre compte ${productName}\u00a0:`,
      link: {
        label: "Choisir un nouveau mot de passe",
        alternative: `Ou saisissez ce code dans ${productName}\u00a0:`,
      },
      unrequested:
        "Vous n’êtes pas à l’origine de cette demande\u202f? Ignorez simplement ce message\u00a0: " +
        "votre mot de passe reste inchangé. Ne communiquez ni le lien ni le code à personne.",
    }),
    "second-factor": (productName) => ({
      subject: `Votre code de sécurité ${productName}`,
      heading: "Confirmez qu’il s’agit bien de vous",
      intro: `Saisissez ce code dans ${productName} pour confirmer qu’il s’agit bien de vous\u00a0:`,
      unrequested:
        "Vous n’avez pas demandé de code\u202f? Quelqu’un d’autre essaie peut-être d’utiliser votre compte. " +
        "Il lui faut pour cela ce code\u00a0: ne le communiquez à personne.",
    }),
    deletion: (productName) => ({
      subject: `Suppression de votre compte ${productName}`,
      heading: "Supprimez votre compte",
      intro: `Vous avez demandé la suppression de votre compte ${productName}. Une fois confirmée, elle est définitive\u00a0:`,
      link: {
        label: "Supprimer le compte",
        alternative: `Ou saisissez ce code dans ${productName}\u00a0:`,
      },
      unrequested:
        "Vous n’êtes pas à l’origine de cette demande\u202f? N’utilisez ni le lien ni le code\u00a0: votre compte reste inchangé. " +
        "Changez toutefois de mot de passe, car quelqu’un d’autre a peut-être accès à votre compte.",
    }),
    "new-device": (productName) => ({
      subject: `Nouvel appareil sur votre compte ${productName}`,
      heading: "Un appareil a été ajouté",
      intro: `Votre compte ${productName} est désormais utilisé sur un autre appareil\u00a0:`,
      unrequested: `Ce n’était pas vous\u202f? Retirez l’appareil dans les paramètres de ${productName} et changez de mot de passe.`,
    }),
    welcome: (productName) => ({
      subject: `Bienvenue dans votre équipe ${productName}`,
      heading: "Bienvenue dans votre équipe",
      intro: `Votre compte ${productName} fait désormais partie d’une équipe\u00a0:`,
      link: { label: `Ouvrir ${productName}` },
      unrequested: `Vous n’êtes pas à l’origine de ce changement\u202f? Changez votre mot de passe ${productName}\u00a0: quelqu’un d’autre a peut-être accès à votre compte.`,
    }),
    "identity-provider-changed": (productName) => ({
      subject: `L’authentification unique de votre équipe ${productName} a changé`,
      heading: "L’authentification unique a changé",
      intro: `Un fournisseur d’identité qui donne accès à votre équipe ${productName} a changé\u00a0:`,
      unrequested:
        "Si ce changement n’a pas été convenu dans votre équipe, vérifiez ses fournisseurs d’identité\u00a0: quiconque en possède un peut se connecter avec les comptes correspondants.",
    }),
    "provider-activation": (productName) => ({
      subject: `Confirmez votre adresse e-mail de fournisseur sur ${productName}`,
      heading: "Confirmez votre adresse e-mail",
      intro: `Cette adresse e-mail a été indiquée pour le compte d’un fournisseur de services sur ${productName}. Veuillez confirmer qu’elle est bien la vôtre\u00a0:`,
      link: { label: "Confirmer l’adresse e-mail", alternative: "Ou utilisez ce code\u00a0:" },
      unrequested:
        "Si vous n’êtes pas à l’origine de cette demande, ignorez ce message\u00a0: le compte ne peut pas servir sans le lien ou le code.",
    }),
    "provider-email-change": (productName) => ({
      subject: `Confirmez votre nouvelle adresse e-mail de fournisseur sur ${productName}`,
      heading: "Confirmez votre nouvelle adresse e-mail",
      intro: `Votre compte de fournisseur de services sur ${productName} doit recevoir cette adresse e-mail. Veuillez confirmer qu’elle est bien la vôtre\u00a0:`,
      link: { label: "Confirmer l’adresse e-mail", alternative: "Ou utilisez ce code\u00a0:" },
      unrequested:
        "Si vous n’êtes pas à l’origine de cette demande, ignorez ce message\u00a0: le compte garde son ancienne adresse sans le lien ou le code.",
    }),
    "provider-password-reset": (productName) => ({
      subject: `Réinitialisez votre mot de passe de fournisseur sur ${productName}`,
      heading: "Réinitialisez votre mot de passe",
      intro: `Choisissez un nouveau mot de passe pour votre compte de fournisseur de services sur ${productName}\u00a0:`,
      link: { label: "Choisir un nouveau mot de passe", alternative: "Ou utilisez ce code\u00a0:" },
      unrequested:
        "Si vous n’êtes pas à l’origine de cette demande, ignorez ce message\u00a0: votre mot de passe ne change pas. " +
        "Ne transmettez ni le lien ni le code à personne.",
    }),
    "provider-approved": (productName) => ({
      subject: `Bienvenue parmi les fournisseurs sur ${productName}`,
      heading: "Votre compte est prêt",
      intro: `Vous pouvez maintenant vous connecter en tant que fournisseur et proposer des services sur ${productName}.`,
      unrequested:
        "Si vous n’êtes pas à l’origine de cette demande, une autre personne a accès à votre boîte aux lettres\u00a0: sécurisez-la et réinitialisez le mot de passe du compte.",
    }),
    "webhook-off": (productName) => ({
      subject: `Un webhook de ${productName} a été désactivé`,
      heading: "Un webhook a été désactivé",
      intro:
        "Plus aucun événement n’est envoyé à ce destinataire, car il les a refusés ou n’a pas répondu pendant une semaine, ou n’en veut plus :",
      unrequested:
        "Ce qui se passe entre-temps ne sera pas envoyé plus tard. Dès que le destinataire fonctionne à nouveau, un admin peut faire réactiver le webhook.",
    }),
    "team-invitation": (productName) => ({
      subject: `Invitation à rejoindre une équipe ${productName}`,
      heading: "Rejoignez une équipe",
      intro: `Voici une invitation à rejoindre une équipe ${productName}\u00a0:`,
      link: {
        label: "Rejoindre l’équipe",
        alternative: "Pour la rejoindre, vous créez un compte pour cette adresse e-mail.",
      },
      unrequested:
        "Vous ne savez pas de qui vient cette invitation\u202f? Ignorez simplement ce message\u00a0: rien ne se passe sans le lien. " +
        "Ne le transférez pas\u00a0: toute personne qui a le lien peut rejoindre l’équipe à votre place.",
    }),
    "team-invitation-existing": (productName) => ({
      subject: `Invitation à rejoindre une équipe ${productName}`,
      heading: "Rejoignez une équipe",
      intro: `Voici une invitation à rejoindre une équipe avec votre compte ${productName}\u00a0:`,
      link: { label: "Rejoindre l’équipe", alternative: "Votre compte fera alors partie de l’équipe." },
      unrequested:
        "Vous ne savez pas de qui vient cette invitation\u202f? Ignorez simplement ce message\u00a0: votre compte reste tel quel.",
    }),
  },
  sms: {
    "activation-sms": ({ productName, code, name, lifetime }) =>
      `${code} est votre code d'activation ${productName}${name && ` (compte ${name})`}, valable ${lifetime} au maximum. ` +
      "Si vous ne l'avez pas demandé, ignorez ce SMS.",
    "login-sms": ({ productName, code, lifetime }) =>
      `${code} est votre code de connexion ${productName}, valable ${lifetime} au maximum. ` +
      "Ne le communiquez à personne. Si vous ne l'avez pas demandé, ignorez ce SMS.",
    "deletion-sms": ({ productName, link, lifetime }) =>
      `Supprimer définitivement votre compte ${productName} : ${link} (valable ${lifetime} au plus). ` +
      "Si vous n’avez rien demandé, ignorez ce message.",
    "password-reset-sms": ({ productName, code, lifetime }) =>
      `${code} est votre code pour changer le mot de passe ${productName}, valable ${lifetime} au maximum. ` +
      "Ne le communiquez pas. Pas demandé ? Ignorez ce SMS.",
  },
  validity: (lifetime) => `Le code est valable ${lifetime} au maximum.`,
  account: {
    existing: (name) => `Compte existant : ${name}`,
    registered: (name) => `Nouveau compte : ${name}`,
    requestedAt: (time) => `Demandé : ${time}`,
    contested: "Un autre compte a aussi demandé cette adresse. Ne confirmez que le vôtre.",
  },
  team: {
    founded: (team) => `Nouvelle équipe\u00a0: ${team}`,
    member: (name) => `Nom\u00a0: ${name}`,
    address: (address) => `Adresse e-mail\u00a0: ${address}`,
    team: (team) => `Équipe\u00a0: ${team}`,
    teamId: (teamId) => `Identifiant de l’équipe\u00a0: ${teamId}`,
  },
  invitation: {
    inviter: (address) => `Invitation de\u00a0: ${address}`,
    validity: (lifetime) => `L’invitation est valable ${lifetime} au maximum.`,
  },
  identityProvider: {
    created: (id) => `Nouveau fournisseur d’identité\u00a0: ${id}`,
    updated: (id) => `Fournisseur d’identité modifié\u00a0: ${id}`,
    deleted: (id) => `Fournisseur d’identité supprimé\u00a0: ${id}`,
    admin: (name) => `Par\u00a0: ${name}`,
    issuer: (issuer) => `Émetteur\u00a0: ${issuer}`,
    formerIssuer: (issuer) => `Ancien émetteur\u00a0: ${issuer}`,
    endpoint: (url) => `Adresse\u00a0: ${url}`,
    formerEndpoint: (url) => `Ancienne adresse\u00a0: ${url}`,
    addedCertificate: (fingerprint) => `Certificat ajouté (SHA-256)\u00a0: ${fingerprint}`,
    removedCertificate: (fingerprint) => `Certificat supprimé (SHA-256)\u00a0: ${fingerprint}`,
  },
  webhook: {
    host: (host) => `Destinataire : ${host}`,
    id: (id) => `Webhook : ${id}`,
  },
  device: {
    label: (label) => `Nom\u00a0: ${label}`,
    model: (model) => `Modèle\u00a0: ${model}`,
    addedAt: (time) => `Ajouté\u00a0: ${time}`,
  },
  footer: (productName, address) =>
    `${productName} a envoyé ce message automatiquement à ${address}. Les réponses ne sont pas lues.`,
};
