import type { Texts } from "../texts.ts";

export const de: Texts = {
  logInIntro: (appName) =>
    `Melden Sie sich an und entscheiden Sie, ob „${appName}“ auf Ihr Konto zugreifen darf.`,
  consent: {
    title: (appName) => `Darf „${appName}“ auf Ihr Konto zugreifen?`,
    account: "Ihr Konto",
    redirect: "Danach geht es zu",
    asks: "Die App möchte:",
    asksNothing: "Die App möchte keine Berechtigungen. Sie erfährt nur, dass Sie zugestimmt haben.",
    scopes: {
      openid: "Sie wiedererkennen, wenn Sie zurückkommen",
      profile: "Ihren Namen, Benutzernamen und Ihre Sprache sehen",
      email: "Ihre E-Mail-Adresse sehen",
      "read:self": "Ihr Profil mit Ihrer E-Mail-Adresse sehen",
      "write:conversations": "in Ihrem Namen Unterhaltungen beginnen",
      "write:conversations_code": "Gästelinks zu Ihren Unterhaltungen erstellen",
      "read:feature_configs": "sehen, welche Funktionen Sie nutzen können",
    },
    note: "Sie können das jederzeit zurücknehmen.",
    allow: "Erlauben",
    deny: "Ablehnen",
    otherAccount: "Anderes Konto verwenden",
  },
  endSession: {
    title: "Abmelden?",
    asks: (name) => `Sie sind als ${name} angemeldet.`,
    logOut: "Abmelden",
    note: "Schließen Sie diese Seite, um angemeldet zu bleiben. Apps behalten den Zugriff, den Sie ihnen gegeben haben.",
    doneTitle: "Sie sind abgemeldet",
    done: "Sie können diese Seite schließen.",
  },
  refusal: {
    title: "So geht es nicht weiter",
    advice:
      "Gehen Sie zurück zur App und versuchen Sie es noch einmal. Wenn es wieder passiert, sagen Sie es den Machern der App.",
  },
  problems: {
    "unknown-app": "Die App, die Sie hierher geschickt hat, ist nicht registriert.",
    "wrong-redirect": "Die App möchte Sie zu einer Adresse schicken, die für sie nicht registriert ist.",
    "bad-request": "Die Anfrage ist unvollständig oder fehlerhaft.",
    "switched-off": "Der Zugriff durch Apps ist hier abgeschaltet.",
    "server-error": "Bei uns ist etwas schiefgegangen.",
  },
};
