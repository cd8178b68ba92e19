import type { Texts } from "../texts.ts";

export const de: Texts = {
  logIn: {
    title: "Anmelden",
    intro: (appName) =>
      `Melden Sie sich an und entscheiden Sie, ob „${appName}“ auf Ihr Konto zugreifen darf.`,
    identity: "E-Mail-Adresse oder Benutzername",
    password: "Passwort",
    submit: "Anmelden",
  },
  secondFactor: {
    title: "Code eingeben",
    intro: "Wir haben Ihnen per E-Mail einen Code geschickt.",
    code: "Bestätigungscode",
    submit: "Weiter",
    again: "Neu beginnen",
  },
  consent: {
    title: (appName) => `Darf „${appName}“ auf Ihr Konto zugreifen?`,
    account: "Ihr Konto",
    redirect: "Danach geht es zu",
    asks: "Die App möchte:",
    asksNothing: "Die App möchte keine Berechtigungen. Sie erfährt nur, dass Sie zugestimmt haben.",
    scopes: {
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
  refusal: {
    title: "So geht es nicht weiter",
    advice:
      "Gehen Sie zurück zur App und versuchen Sie es noch einmal. Wenn es wieder passiert, sagen Sie es den Machern der App.",
  },
  problems: {
    "wrong-credentials": "Adresse oder Benutzername und Passwort passen nicht zusammen.",
    "wrong-code": "Der Code ist falsch oder abgelaufen.",
    "no-address": "Zum Anmelden gehört ein Code per E-Mail, und Ihr Konto hat keine E-Mail-Adresse.",
    "pending-activation": "Ihr Konto ist noch nicht aktiviert. Bestätigen Sie zuerst Ihre E-Mail-Adresse.",
    suspended: "Ihr Konto ist gesperrt.",
    "too-many-attempts": "Zu viele Versuche. Warten Sie ein paar Minuten, bevor Sie es wieder versuchen.",
    "session-ended":
      "Ihre Sitzung ist beendet. Bitte melden Sie sich noch einmal an. Wenn Sie das immer wieder lesen, erlauben Sie Cookies für diese Seite.",
    "unknown-app": "Die App, die Sie hierher geschickt hat, ist nicht registriert.",
    "wrong-redirect": "Die App möchte Sie zu einer Adresse schicken, die für sie nicht registriert ist.",
    "bad-request": "Die Anfrage ist unvollständig oder fehlerhaft.",
    "switched-off": "Der Zugriff durch Apps ist hier abgeschaltet.",
    "server-error": "Bei uns ist etwas schiefgegangen.",
  },
};
