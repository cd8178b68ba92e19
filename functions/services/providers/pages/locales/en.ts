import type { Texts } from "../texts.ts";

export const en: Texts = {
  ask: {
    title: "Confirm your e\u2011mail address",
    intro: (productName) =>
      `Your e-mail address was given for the account of a provider of services on ${productName}. Please confirm that the address is yours.`,
    submit: "Confirm e-mail address",
    unrequested: "If that wasn’t you, close this page: the address will not be confirmed.",
  },
  confirmed: {
    now: "Your e\u2011mail address is confirmed",
    before: "Your e\u2011mail address was already confirmed",
    outro: (productName) => `You can close this page now, and log in as a provider on ${productName}.`,
  },
  reset: {
    title: "Choose a new password",
    intro: (productName) => `It is for your account as a provider of services on ${productName}.`,
    email: "E-mail address",
    emailHint: "Optional, for your password manager",
    password: "New password",
    hint: "At least 6 characters",
    submit: "Set password",
    unrequested: "If you didn’t ask for this, close this page: your password stays as it is.",
  },
  resetDone: { title: "Your password is changed", outro: "You can close this page now, and log in with it." },
  logIn: "Log in as a provider",
  problems: {
    "short-password": "The password needs 6 to 1,024 characters.",
    "same-password": "This is your current password. Please choose another one.",
  },
  refusedCode: {
    problem: "This link is wrong, has expired, or has been used.",
    advice: "Open the link in the newest message, or ask for another one.",
  },
  takenAddress: {
    problem: "Another provider uses this e-mail address.",
    advice: "Log in to that account, or give another e-mail address.",
  },
  closed: {
    problem: "Services cannot be used here.",
    advice: "Ask whoever operates this server.",
  },
};
