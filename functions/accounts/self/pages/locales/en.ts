import type { Texts } from "../texts.ts";

export const en: Texts = {
  ask: {
    title: "Delete your account?",
    intro: (productName) => `This deletes your ${productName} account for good. It can’t be undone.`,
    consequences: [
      "You are logged out on all your devices.",
      "Your profile, your contacts and your settings are removed.",
      "You leave all conversations. What you wrote stays with those who received it.",
      "Your e-mail address, phone number and handle can be used for another account.",
    ],
    submit: "Delete account",
    unrequested:
      "If you didn’t ask for this, close this page: your account stays as it is. " +
      "But somebody else may have access to it, so please change your password.",
  },
  done: {
    title: "Your account is deleted",
    outro: (productName) => `Thank you for having used ${productName}. You can close this page now.`,
  },
  refusedCode: {
    problem: "This link is wrong, has expired, or has been used.",
    advice: "If you still want to delete your account, ask for it in the app again.",
  },
};
