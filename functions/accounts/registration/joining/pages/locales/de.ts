import type { Texts } from "../texts.ts";

export const de: Texts = {
  ask: {
    title: "Einem Team beitreten",
    intro: (productName) => `Sie sind in ein Team bei ${productName} eingeladen.`,
    team: "Team",
    inviter: "Eingeladen von",
    address: "Ihre E-Mail-Adresse",
    newAccount: "Erstellen Sie ein Konto für Ihre E-Mail-Adresse. Es wird zum Team gehören.",
    existingAccount:
      "Sie haben schon ein Konto. Wenn Sie beitreten, gehört es zum Team: Dessen Admins können Sie dann entfernen, " +
      "und dabei wird das Konto gelöscht.",
    name: "Ihr Name",
    newPassword: "Wählen Sie ein Passwort",
    password: "Ihr Passwort",
    passwordHint: "Mindestens 8 Zeichen",
    register: "Konto erstellen und beitreten",
    accept: "Dem Team beitreten",
    unrequested:
      "Sie wissen nicht, wer Sie eingeladen hat? Dann schließen Sie diese Seite: Es geschieht nichts.",
  },
  problems: {
    "wrong-password": "Das war nicht das Passwort Ihres Kontos.",
    "short-password": "Das Passwort muss 8 bis 1.024 Zeichen haben.",
    "no-name": "Bitte geben Sie Ihren Namen ein.",
    "too-many-attempts": "Zu viele Versuche. Bitte warten Sie ein paar Minuten.",
  },
  done: {
    title: "Sie sind beigetreten",
    intro: (team) => `Sie sind jetzt Mitglied des Teams ${team}.`,
    outro: (productName) =>
      `Melden Sie sich bei ${productName} mit Ihrer E-Mail-Adresse und Ihrem Passwort an.`,
    open: (productName) => `${productName} öffnen`,
  },
  refusedCode: {
    problem: "Diese Einladung ist falsch, abgelaufen, schon benutzt oder zurückgezogen.",
    advice: "Wenn Sie schon beigetreten sind, melden Sie sich an. Sonst bitten Sie um eine neue Einladung.",
  },
  closedTeam: {
    problem: "Dieses Team nimmt zurzeit keine Mitglieder auf.",
    advice: "Bitte fragen Sie die Person, die Sie eingeladen hat.",
  },
  fullTeam: {
    problem: "Dieses Team ist voll.",
    advice: "Bitte fragen Sie die Person, die Sie eingeladen hat.",
  },
  otherTeam: {
    problem: "Ihre E-Mail-Adresse gehört zu einem Konto, das schon in einem Team ist.",
    advice: "Bitten Sie um eine Einladung an eine andere E-Mail-Adresse.",
  },
  suspended: {
    problem: "Ihr Konto ist gesperrt.",
    advice: "Bitte fragen Sie die Betreiber des Dienstes.",
  },
  refusedAddress: {
    problem: "Ihre E-Mail-Adresse kann für dieses Team nicht verwendet werden.",
    advice: "Bitten Sie um eine Einladung an eine andere E-Mail-Adresse.",
  },
};
