import type { Texts } from "../texts.ts";

export const de: Texts = {
  logIn: {
    title: "Anmelden",
    intro: (application) => `Melde dich an und entscheide, ob ${application} auf dein Konto zugreifen darf.`,
    identity: "E-Mail-Adresse oder Benutzername",
    password: "Passwort",
    submit: "Anmelden",
  },
  secondFactor: {
    title: "Code eingeben",
    intro: "Wir haben einen Code an deine E-Mail-Adresse geschickt.",
    code: "Bestätigungscode",
    submit: "Weiter",
    again: "Neu beginnen",
  },
  consent: {
    title: (application) => `Darf ${application} auf dein Konto zugreifen?`,
    account: "Dein Konto",
    redirect: "Danach geht es zu",
    asks: "Diese Berechtigungen werden gewünscht:",
    asksNothing: "Es werden keine Berechtigungen gewünscht. Die App erfährt nur, dass du zugestimmt hast.",
    scopes: {
      "read:self": "dein Profil mit deiner E-Mail-Adresse sehen",
      "write:conversations": "in deinem Namen Unterhaltungen beginnen",
      "write:conversations_code": "Gästelinks zu deinen Unterhaltungen erstellen",
      "read:feature_configs": "sehen, welche Funktionen du nutzen kannst",
    },
    note: "Du kannst das jederzeit zurücknehmen.",
    allow: "Erlauben",
    deny: "Nicht erlauben",
    otherAccount: "Anderes Konto verwenden",
  },
  refusal: {
    title: "Das geht so nicht",
    advice:
      "Geh zurück zur App und versuch es noch einmal. Wenn es wieder passiert, sag es denen, die die App machen.",
  },
  problems: {
    "wrong-credentials": "Adresse oder Benutzername und Passwort passen nicht zusammen.",
    "wrong-code": "Der Code ist falsch oder abgelaufen.",
    "pending-activation": "Dein Konto ist noch nicht aktiviert. Bestätige zuerst deine E-Mail-Adresse.",
    suspended: "Dein Konto ist gesperrt.",
    "too-many-tries": "Zu viele Versuche. Warte ein paar Minuten und versuch es dann wieder.",
    "session-ended": "Du warst zu lange weg. Bitte melde dich noch einmal an.",
    "unknown-application": "Die App, die dich hierher geschickt hat, ist nicht registriert.",
    "wrong-redirect": "Die App will dich zu einer Adresse schicken, die für sie nicht registriert ist.",
    "bad-request": "Die Anfrage der App ist unvollständig oder fehlerhaft.",
    "switched-off": "Der Zugriff durch Apps ist hier abgeschaltet.",
    "server-error": "Bei uns ist etwas schiefgegangen.",
  },
};
