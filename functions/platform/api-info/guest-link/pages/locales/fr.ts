import type { Texts } from "../texts.ts";

export const fr: Texts = {
  title: "Rejoignez une conversation",
  intro: (productName) => `Ce lien est une invitation à une conversation dans ${productName}.`,
  advice: (productName) =>
    `Pour la rejoindre, copiez l’adresse de cette page et ouvrez-la dans votre application ${productName}.`,
  help: "Si vous n’avez pas encore l’application, demandez à la personne qui vous a envoyé le lien.",
};
