import type { Texts } from "../texts.ts";

export const en: Texts = {
  direction: "ltr",
  emails: {
    verification: (productName) => ({
      subject: `Your ${productName} verification code`,
      heading: "Confirm your e-mail address",
      intro: `Enter this code in ${productName} to confirm that this e-mail address is yours:`,
      unrequested:
        "If you didn’t ask for a code, just ignore this message: nothing happens without the code.",
    }),
    activation: (productName) => ({
      subject: `Confirm your e-mail address for ${productName}`,
      heading: "Confirm your e-mail address",
      intro: `This e-mail address was given for a ${productName} account. Please confirm that it is yours:`,
      link: { label: "Confirm e-mail address", alternative: `Or enter this code in ${productName}:` },
      unrequested:
        "If this wasn’t you, just ignore this message: the address can’t be confirmed without the link or the code.",
    }),
    "team-activation": (productName) => ({
      subject: `Confirm your e-mail address for your ${productName} team`,
      heading: "Confirm your e-mail address",
      intro: `This e-mail address was given for a ${productName} account that founds a team. Please confirm that it is yours:`,
      link: { label: "Confirm e-mail address", alternative: `Or enter this code in ${productName}:` },
      unrequested:
        "If this wasn’t you, just ignore this message: neither account nor team is activated without the link or the code.",
    }),
    "password-reset": (productName) => ({
      subject: `Reset your ${productName} password`,
      heading: "Reset your password",
      intro: `Choose a new password for your ${productName} account:`,
      link: { label: "Choose a new password", alternative: `Or enter this code in ${productName}:` },
      unrequested:
        "If you didn’t ask for this, just ignore this message: your password stays as it is. " +
        "Please don’t share the link or the code with anyone.",
    }),
    "second-factor": (productName) => ({
      subject: `Your ${productName} security code`,
      heading: "Confirm that it is you",
      intro: `Enter this code in ${productName} to confirm that it is you:`,
      unrequested:
        "If you didn’t ask for a code, somebody else may be trying to use your account. They need the code " +
        "for that, so please don’t share it with anyone.",
    }),
    deletion: (productName) => ({
      subject: `Delete your ${productName} account`,
      heading: "Delete your account",
      intro: `You asked to delete your ${productName} account. Once confirmed, this can’t be undone:`,
      link: { label: "Delete account", alternative: `Or enter this code in ${productName}:` },
      unrequested:
        "If you didn’t ask for this, use neither the link nor the code: your account stays as it is. " +
        "But somebody else may have access to it, so please change your password.",
    }),
    "new-device": (productName) => ({
      subject: `New device on your ${productName} account`,
      heading: "A device was added",
      intro: `Your ${productName} account is now in use on another device:`,
      unrequested: `If this wasn’t you, remove the device in the settings of ${productName} and change your password.`,
    }),
    welcome: (productName) => ({
      subject: `Welcome to your team on ${productName}`,
      heading: "Welcome to your team",
      intro: `Your ${productName} account now belongs to a team:`,
      link: { label: `Open ${productName}` },
      unrequested: `If this wasn’t you, change your ${productName} password: somebody else may have access to your account.`,
    }),
    "identity-provider-changed": (productName) => ({
      subject: `Single sign-on of your ${productName} team has changed`,
      heading: "Single sign-on has changed",
      intro: `An identity provider through which people log in to your ${productName} team has changed:`,
      unrequested:
        "If this wasn’t agreed in your team, check its identity providers: whoever controls one can log in " +
        "as its users.",
    }),
    "provider-activation": (productName) => ({
      subject: `Confirm your e-mail address as a provider on ${productName}`,
      heading: "Confirm your e-mail address",
      intro: `This e-mail address was given for an account of a provider of services on ${productName}. Please confirm that it is yours:`,
      link: { label: "Confirm e-mail address", alternative: "Or use this code:" },
      unrequested:
        "If this wasn’t you, just ignore this message: the account can’t be used without the link or the code.",
    }),
    "provider-email-change": (productName) => ({
      subject: `Confirm your new e-mail address as a provider on ${productName}`,
      heading: "Confirm your new e-mail address",
      intro: `Your account as a provider of services on ${productName} is to get this e-mail address. Please confirm that it is yours:`,
      link: { label: "Confirm e-mail address", alternative: "Or use this code:" },
      unrequested:
        "If this wasn’t you, just ignore this message: the account keeps its old address without the link or the code.",
    }),
    "provider-password-reset": (productName) => ({
      subject: `Reset your password as a provider on ${productName}`,
      heading: "Reset your password",
      intro: `Choose a new password for your account as a provider of services on ${productName}:`,
      link: { label: "Choose a new password", alternative: "Or use this code:" },
      unrequested:
        "If you didn’t ask for this, just ignore this message: your password stays as it is. " +
        "Please don’t share the link or the code with anyone.",
    }),
    "provider-approved": (productName) => ({
      subject: `Welcome as a provider on ${productName}`,
      heading: "Your account is ready",
      intro: `You can now log in as a provider and offer services on ${productName}.`,
      unrequested:
        "If this wasn’t you, somebody else has access to your mailbox: please secure it, and reset the password of the account.",
    }),
    "webhook-off": (productName) => ({
      subject: `A webhook of ${productName} was switched off`,
      heading: "A webhook was switched off",
      intro:
        "Events are no longer sent to this receiver, because it has refused them or not answered for a week, or wants no more:",
      unrequested:
        "What happened meanwhile is not sent later. Once the receiver works again, an admin can have the webhook switched on.",
    }),
    "team-invitation": (productName) => ({
      subject: `You are invited to a team on ${productName}`,
      heading: "Join a team",
      intro: `You are invited to a team on ${productName}:`,
      link: {
        label: "Join the team",
        alternative: "To join, you create an account for this e-mail address.",
      },
      unrequested:
        "If you don’t know who invited you, just ignore this message: nothing happens without the link. " +
        "Please don’t forward it: whoever has the link can join in your place.",
    }),
    "team-invitation-existing": (productName) => ({
      subject: `You are invited to a team on ${productName}`,
      heading: "Join a team",
      intro: `You are invited to join a team with your ${productName} account:`,
      link: {
        label: "Join the team",
        alternative: "Once you have joined, your account belongs to the team.",
      },
      unrequested:
        "If you don’t know who invited you, just ignore this message: your account stays as it is.",
    }),
  },
  sms: {
    "activation-sms": ({ productName, code, name, lifetime }) =>
      `${code} is your ${productName} activation code${name && ` (account ${name})`}, valid for up to ${lifetime}. ` +
      "If you did not ask for it, ignore this message.",
    "login-sms": ({ productName, code, lifetime }) =>
      `${code} is your ${productName} login code, valid for up to ${lifetime}. Do not share it. ` +
      "If you did not ask for it, ignore this message.",
    "deletion-sms": ({ productName, link, lifetime }) =>
      `Delete your ${productName} account for good: ${link} (valid for up to ${lifetime}). ` +
      "If you did not ask for it, ignore this message.",
    "password-reset-sms": ({ productName, code, lifetime }) =>
      `${code} is your ${productName} password reset code, valid for up to ${lifetime}. Do not share it. ` +
      "If you did not ask for it, ignore this message.",
  },
  validity: (lifetime) => `The code is valid for up to ${lifetime}.`,
  account: {
    existing: (name) => `Existing account: ${name}`,
    registered: (name) => `New account: ${name}`,
    requestedAt: (time) => `Requested: ${time}`,
    contested: "Another account has asked for this address, too. Confirm only your own.",
  },
  team: {
    founded: (team) => `New team: ${team}`,
    member: (name) => `Name: ${name}`,
    address: (address) => `E-mail address: ${address}`,
    team: (team) => `Team: ${team}`,
    teamId: (teamId) => `Team id: ${teamId}`,
  },
  invitation: {
    inviter: (address) => `Invited by: ${address}`,
    validity: (lifetime) => `The invitation is valid for up to ${lifetime}.`,
  },
  identityProvider: {
    created: (id) => `New identity provider: ${id}`,
    updated: (id) => `Changed identity provider: ${id}`,
    deleted: (id) => `Deleted identity provider: ${id}`,
    admin: (name) => `By: ${name}`,
    issuer: (issuer) => `Issuer: ${issuer}`,
    formerIssuer: (issuer) => `Former issuer: ${issuer}`,
    endpoint: (url) => `Address: ${url}`,
    formerEndpoint: (url) => `Former address: ${url}`,
    addedCertificate: (fingerprint) => `Added certificate (SHA-256): ${fingerprint}`,
    removedCertificate: (fingerprint) => `Removed certificate (SHA-256): ${fingerprint}`,
  },
  webhook: {
    host: (host) => `Receiver: ${host}`,
    id: (id) => `Webhook: ${id}`,
  },
  device: {
    label: (label) => `Name: ${label}`,
    model: (model) => `Model: ${model}`,
    addedAt: (time) => `Added: ${time}`,
  },
  footer: (productName, address) =>
    `${productName} sent this message automatically to ${address}. Replies are not read.`,
};
