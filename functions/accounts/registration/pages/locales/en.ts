import type { Texts } from "../texts.ts";

export const en: Texts = {
  ask: {
    title: "Confirm your e\u2011mail address",
    intro: (productName) =>
      `Your e-mail address was given for a ${productName} account. Please confirm that the address is yours.`,
    existing: (name) => `Existing account: ${name}`,
    registered: (name) => `New account: ${name}`,
    submit: "Confirm e-mail address",
    unrequested: "If that wasn’t you, close this page: the address will not be confirmed.",
  },
  done: {
    confirmed: "Your e\u2011mail address is confirmed",
    wasConfirmed: "Your e\u2011mail address was already confirmed",
    account: (name) => `Account: ${name}`,
    outro: (productName) => `You can close this page now and continue in ${productName}.`,
  },
  refusedCode: {
    problem: "This link is wrong, has expired, or was replaced by a newer one.",
    advice: "Open the link in the newest message, or ask for another message in the app.",
  },
  takenAddress: {
    problem: "Another account uses this e-mail address.",
    advice: "Log in to that account, or give another e-mail address in the app.",
  },
  closedDomain: {
    problem: "The organisation behind this e-mail address does not allow it to be used here.",
    advice: "Ask your organisation how to log in, or give another e-mail address in the app.",
  },
};
