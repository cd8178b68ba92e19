import type { Texts } from "../texts.ts";

export const en: Texts = {
  title: "Join a conversation",
  intro: (productName) => `This link is an invitation to a conversation in ${productName}.`,
  advice: (productName) => `To join, copy the address of this page and open it in your ${productName} app.`,
  help: "If you have no app yet, ask the person who sent you the link.",
};
