import type { Texts } from "../texts.ts";

export const de: Texts = {
  title: "An einer Unterhaltung teilnehmen",
  intro: (productName) => `Dieser Link ist eine Einladung zu einer Unterhaltung in ${productName}.`,
  advice: (productName) =>
    `Um teilzunehmen, kopieren Sie die Adresse dieser Seite und öffnen Sie sie in Ihrer App von ${productName}.`,
  help: "Sie haben noch keine App? Dann fragen Sie die Person, die Ihnen den Link geschickt hat.",
};
