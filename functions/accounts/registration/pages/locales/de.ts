import type { Texts } from "../texts.ts";

export const de: Texts = {
  ask: {
    title: "Bestätigen Sie Ihre E\u2011Mail-Adresse",
    intro: (productName) =>
      `Ihre E-Mail-Adresse wurde für ein Konto bei ${productName} angegeben. Bitte bestätigen Sie, dass sie Ihnen gehört.`,
    existing: (name) => `Bestehendes Konto: ${name}`,
    registered: (name) => `Neues Konto: ${name}`,
    submit: "E-Mail-Adresse bestätigen",
    unrequested: "Das waren nicht Sie? Dann schließen Sie diese Seite: Die Adresse wird nicht bestätigt.",
  },
  done: {
    confirmed: "Ihre E\u2011Mail-Adresse ist bestätigt",
    wasConfirmed: "Ihre E\u2011Mail-Adresse war schon bestätigt",
    account: (name) => `Konto: ${name}`,
    outro: (productName) => `Sie können diese Seite jetzt schließen und in ${productName} weitermachen.`,
  },
  refusedCode: {
    problem: "Dieser Link ist falsch, abgelaufen oder wurde durch einen neueren ersetzt.",
    advice: "Öffnen Sie den Link in der neuesten Nachricht oder fordern Sie in der App eine weitere an.",
  },
  takenAddress: {
    problem: "Diese E-Mail-Adresse wird von einem anderen Konto verwendet.",
    advice: "Melden Sie sich bei diesem Konto an oder geben Sie in der App eine andere E-Mail-Adresse an.",
  },
  closedDomain: {
    problem: "Die Organisation hinter dieser E-Mail-Adresse lässt nicht zu, dass sie hier verwendet wird.",
    advice:
      "Fragen Sie Ihre Organisation, wie Sie sich anmelden, oder geben Sie in der App eine andere E-Mail-Adresse an.",
  },
};
