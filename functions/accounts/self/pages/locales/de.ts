import type { Texts } from "../texts.ts";

export const de: Texts = {
  ask: {
    title: "Ihr Konto löschen?",
    intro: (productName) =>
      `Ihr Konto bei ${productName} wird endgültig gelöscht. Das lässt sich nicht rückgängig machen.`,
    consequences: [
      "Sie werden auf allen Ihren Geräten abgemeldet.",
      "Ihr Profil, Ihre Kontakte und Ihre Einstellungen werden entfernt.",
      "Sie verlassen alle Unterhaltungen. Was Sie geschrieben haben, bleibt bei denen, die es erhalten haben.",
      "Ihre E-Mail-Adresse, Telefonnummer und Ihr Benutzername können für ein anderes Konto verwendet werden.",
    ],
    submit: "Konto löschen",
    unrequested:
      "Sie haben das nicht angefordert? Dann schließen Sie diese Seite: Ihr Konto bleibt, wie es ist. " +
      "Ändern Sie aber bitte Ihr Passwort, denn vielleicht hat jemand anderes Zugang zu Ihrem Konto.",
  },
  done: {
    title: "Ihr Konto ist gelöscht",
    outro: (productName) =>
      `Danke, dass Sie ${productName} genutzt haben. Sie können diese Seite jetzt schließen.`,
  },
  refusedCode: {
    problem: "Dieser Link ist falsch, abgelaufen oder wurde schon benutzt.",
    advice: "Wenn Sie Ihr Konto weiterhin löschen möchten, fordern Sie es in der App noch einmal an.",
  },
};
