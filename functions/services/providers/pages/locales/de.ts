import type { Texts } from "../texts.ts";

export const de: Texts = {
  ask: {
    title: "Bestätigen Sie Ihre E\u2011Mail-Adresse",
    intro: (productName) =>
      `Ihre E-Mail-Adresse wurde für das Konto eines Anbieters von Diensten bei ${productName} angegeben. Bitte bestätigen Sie, dass sie Ihnen gehört.`,
    submit: "E-Mail-Adresse bestätigen",
    unrequested: "Das waren nicht Sie? Dann schließen Sie diese Seite: Die Adresse wird nicht bestätigt.",
  },
  confirmed: {
    now: "Ihre E\u2011Mail-Adresse ist bestätigt",
    before: "Ihre E\u2011Mail-Adresse war schon bestätigt",
    outro: (productName) =>
      `Sie können diese Seite jetzt schließen und sich als Anbieter bei ${productName} anmelden.`,
  },
  reset: {
    title: "Wählen Sie ein neues Passwort",
    intro: (productName) => `Es gilt für Ihr Konto als Anbieter von Diensten bei ${productName}.`,
    email: "E-Mail-Adresse",
    emailHint: "Optional, für Ihren Passwort-Manager",
    password: "Neues Passwort",
    hint: "Mindestens 6 Zeichen",
    submit: "Passwort festlegen",
    unrequested:
      "Sie haben das nicht angefordert? Dann schließen Sie diese Seite: Ihr Passwort bleibt unverändert.",
  },
  resetDone: {
    title: "Ihr Passwort ist geändert",
    outro: "Sie können diese Seite jetzt schließen und sich damit anmelden.",
  },
  logIn: "Als Anbieter anmelden",
  problems: {
    "short-password": "Das Passwort braucht 6 bis 1.024 Zeichen.",
    "same-password": "Das ist Ihr jetziges Passwort. Bitte wählen Sie ein anderes.",
  },
  refusedCode: {
    problem: "Dieser Link ist falsch, abgelaufen oder schon benutzt.",
    advice: "Öffnen Sie den Link in der neuesten Nachricht oder fordern Sie eine weitere an.",
  },
  takenAddress: {
    problem: "Diese E-Mail-Adresse wird von einem anderen Anbieter verwendet.",
    advice: "Melden Sie sich bei diesem Konto an oder geben Sie eine andere E-Mail-Adresse an.",
  },
  closed: {
    problem: "Dienste können hier nicht benutzt werden.",
    advice: "Fragen Sie, wer diesen Server betreibt.",
  },
};
