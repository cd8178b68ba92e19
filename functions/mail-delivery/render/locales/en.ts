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
    "password-reset": (productName) => ({
      subject: `Reset your ${productName} password`,
      heading: "Reset your password",
      intro: `Enter this code in ${productName} to choose a new password:`,
      unrequested:
        "If you didn’t ask for this, just ignore this message: your password stays as it is. " +
        "Please don’t share the code with anyone.",
    }),
  },
  sms: {
    "activation-sms": ({ productName, code, lifetime }) =>
      `${code} is your ${productName} activation code, valid for up to ${lifetime}. ` +
      "If you did not ask for it, ignore this message.",
    "login-sms": ({ productName, code, lifetime }) =>
      `${code} is your ${productName} login code, valid for up to ${lifetime}. Do not share it. ` +
      "If you did not ask for it, ignore this message.",
    "password-reset-sms": ({ productName, code, lifetime }) =>
      `${code} is your ${productName} password reset code, valid for up to ${lifetime}. Do not share it. ` +
      "If you did not ask for it, ignore this message.",
  },
  validity: (lifetime) => `The code is valid for up to ${lifetime}.`,
  footer: (productName, address) =>
    `${productName} sent this message automatically to ${address}. Replies are not read.`,
};
