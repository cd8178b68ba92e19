import type { Texts } from "../texts.ts";

export const es: Texts = {
  title: "Únase a una conversación",
  intro: (productName) => `Este enlace es una invitación a una conversación en ${productName}.`,
  advice: (productName) =>
    `Para unirse, copie la dirección de esta página y ábrala en su aplicación de ${productName}.`,
  help: "Si aún no tiene la aplicación, pregunte a la persona que le envió el enlace.",
};
