import type { Texts } from "../texts.ts";

export const de: Texts = {
  direction: "ltr",
  emails: {
    verification: (productName) => ({
      subject: `Ihr Bestätigungscode für ${productName}`,
      heading: "E-Mail-Adresse bestätigen",
      intro: `Geben Sie diesen Code in ${productName} ein, um zu bestätigen, dass diese E-Mail-Adresse Ihnen gehört:`,
      unrequested:
        "Sie haben keinen Code angefordert? Dann ignorieren Sie diese Nachricht einfach – ohne den Code geschieht nichts.",
    }),
    activation: (productName) => ({
      subject: `Bestätigen Sie Ihre E-Mail-Adresse für ${productName}`,
      heading: "E-Mail-Adresse bestätigen",
      intro: `Diese E-Mail-Adresse wurde für ein Konto bei ${productName} angegeben. Bitte bestätigen Sie, dass sie Ihnen gehört:`,
      link: {
        label: "E-Mail-Adresse bestätigen",
        alternative: `Oder geben Sie diesen Code in ${productName} ein:`,
      },
      unrequested:
        "Das waren nicht Sie? Dann ignorieren Sie diese Nachricht einfach – " +
        "ohne den Link oder den Code kann die Adresse nicht bestätigt werden.",
    }),
    "team-activation": (productName) => ({
      subject: `Bestätigen Sie Ihre E-Mail-Adresse für Ihr Team bei ${productName}`,
      heading: "E-Mail-Adresse bestätigen",
      intro: `Diese E-Mail-Adresse wurde für ein Konto bei ${productName} angegeben, das ein Team gründet. Bitte bestätigen Sie, dass sie Ihnen gehört:`,
      link: {
        label: "E-Mail-Adresse bestätigen",
        alternative: `Oder geben Sie diesen Code in ${productName} ein:`,
      },
      unrequested:
        "Das waren nicht Sie? Dann ignorieren Sie diese Nachricht einfach – " +
        "ohne den Link oder den Code werden weder Konto noch Team aktiviert.",
    }),
    "password-reset": (productName) => ({
      subject: `Passwort für ${productName} zurücksetzen`,
      heading: "Passwort zurücksetzen",
      intro: `Wählen Sie ein neues Passwort für Ihr Konto bei ${productName}:`,
      link: {
        label: "Neues Passwort wählen",
        alternative: `Oder geben Sie diesen Code in ${productName} ein:`,
      },
      unrequested:
        "Sie haben das nicht angefordert? Dann ignorieren Sie diese Nachricht einfach – Ihr Passwort bleibt unverändert. " +
        "Bitte geben Sie Link und Code an niemanden weiter.",
    }),
    "second-factor": (productName) => ({
      subject: `Ihr Sicherheitscode für ${productName}`,
      heading: "Bestätigen Sie, dass Sie es sind",
      intro: `Geben Sie diesen Code in ${productName} ein, um zu bestätigen, dass Sie es sind:`,
      unrequested:
        "Sie haben keinen Code angefordert? Dann versucht vielleicht jemand anderes, Ihr Konto zu benutzen. " +
        "Dazu ist der Code nötig: Bitte geben Sie ihn an niemanden weiter.",
    }),
    deletion: (productName) => ({
      subject: `Ihr Konto bei ${productName} löschen`,
      heading: "Konto löschen",
      intro: `Sie möchten Ihr Konto bei ${productName} löschen. Nach der Bestätigung lässt sich das nicht rückgängig machen:`,
      link: { label: "Konto löschen", alternative: `Oder geben Sie diesen Code in ${productName} ein:` },
      unrequested:
        "Sie haben das nicht angefordert? Dann benutzen Sie weder den Link noch den Code: Ihr Konto bleibt, wie es ist. " +
        "Ändern Sie aber bitte Ihr Passwort, denn vielleicht hat jemand anderes Zugang zu Ihrem Konto.",
    }),
    "new-device": (productName) => ({
      subject: `Neues Gerät in Ihrem Konto bei ${productName}`,
      heading: "Ein Gerät wurde hinzugefügt",
      intro: `Ihr Konto bei ${productName} wird jetzt auf einem weiteren Gerät benutzt:`,
      unrequested: `Das waren nicht Sie? Dann entfernen Sie das Gerät in den Einstellungen von ${productName} und ändern Sie Ihr Passwort.`,
    }),
    welcome: (productName) => ({
      subject: `Willkommen in Ihrem Team bei ${productName}`,
      heading: "Willkommen in Ihrem Team",
      intro: `Ihr Konto bei ${productName} gehört jetzt zu einem Team:`,
      link: { label: `${productName} öffnen` },
      unrequested: `Das waren nicht Sie? Dann ändern Sie Ihr Passwort für ${productName}, denn vielleicht hat jemand anderes Zugang zu Ihrem Konto.`,
    }),
    "identity-provider-changed": (productName) => ({
      subject: `Single Sign-on Ihres ${productName}-Teams wurde geändert`,
      heading: "Single Sign-on wurde geändert",
      intro: `Ein Identitätsanbieter, über den sich Personen bei Ihrem ${productName}-Team anmelden, wurde geändert:`,
      unrequested:
        "Falls das in Ihrem Team nicht abgesprochen war, prüfen Sie seine Identitätsanbieter: Wer einen " +
        "davon betreibt, kann sich mit dessen Konten anmelden.",
    }),
    "provider-activation": (productName) => ({
      subject: `Bestätigen Sie Ihre E-Mail-Adresse als Anbieter bei ${productName}`,
      heading: "E-Mail-Adresse bestätigen",
      intro: `Diese E-Mail-Adresse wurde für das Konto eines Anbieters von Diensten bei ${productName} angegeben. Bitte bestätigen Sie, dass sie Ihnen gehört:`,
      link: { label: "E-Mail-Adresse bestätigen", alternative: "Oder verwenden Sie diesen Code:" },
      unrequested:
        "Das waren nicht Sie? Dann ignorieren Sie diese Nachricht einfach – " +
        "ohne den Link oder den Code lässt sich das Konto nicht benutzen.",
    }),
    "provider-email-change": (productName) => ({
      subject: `Bestätigen Sie Ihre neue E-Mail-Adresse als Anbieter bei ${productName}`,
      heading: "Neue E-Mail-Adresse bestätigen",
      intro: `Ihr Konto als Anbieter von Diensten bei ${productName} soll diese E-Mail-Adresse bekommen. Bitte bestätigen Sie, dass sie Ihnen gehört:`,
      link: { label: "E-Mail-Adresse bestätigen", alternative: "Oder verwenden Sie diesen Code:" },
      unrequested:
        "Das waren nicht Sie? Dann ignorieren Sie diese Nachricht einfach – " +
        "ohne den Link oder den Code behält das Konto seine alte Adresse.",
    }),
    "provider-password-reset": (productName) => ({
      subject: `Passwort als Anbieter bei ${productName} zurücksetzen`,
      heading: "Passwort zurücksetzen",
      intro: `Wählen Sie ein neues Passwort für Ihr Konto als Anbieter von Diensten bei ${productName}:`,
      link: { label: "Neues Passwort wählen", alternative: "Oder verwenden Sie diesen Code:" },
      unrequested:
        "Sie haben das nicht angefordert? Dann ignorieren Sie diese Nachricht einfach – Ihr Passwort bleibt unverändert. " +
        "Bitte geben Sie Link und Code an niemanden weiter.",
    }),
    "provider-approved": (productName) => ({
      subject: `Willkommen als Anbieter bei ${productName}`,
      heading: "Ihr Konto ist bereit",
      intro: `Sie können sich jetzt als Anbieter anmelden und Dienste bei ${productName} anbieten.`,
      unrequested:
        "Das waren nicht Sie? Dann hat jemand anderes Zugang zu Ihrem Postfach: Bitte sichern Sie es, und setzen Sie das Passwort des Kontos zurück.",
    }),
    "webhook-off": (productName) => ({
      subject: `Ein Webhook von ${productName} wurde abgeschaltet`,
      heading: "Ein Webhook wurde abgeschaltet",
      intro:
        "An diesen Empfänger werden keine Ereignisse mehr gesendet, weil er sie eine Woche lang abgelehnt oder nicht geantwortet hat oder keine mehr möchte:",
      unrequested:
        "Was inzwischen geschieht, wird nicht nachgereicht. Sobald der Empfänger wieder funktioniert, können Admins den Webhook einschalten lassen.",
    }),
    "team-invitation": (productName) => ({
      subject: `Einladung in ein Team bei ${productName}`,
      heading: "Einem Team beitreten",
      intro: `Sie sind in ein Team bei ${productName} eingeladen:`,
      link: {
        label: "Dem Team beitreten",
        alternative: "Um beizutreten, erstellen Sie ein Konto für diese E-Mail-Adresse.",
      },
      unrequested:
        "Sie wissen nicht, wer Sie eingeladen hat? Dann ignorieren Sie diese Nachricht einfach – ohne den Link geschieht nichts. " +
        "Bitte leiten Sie sie nicht weiter: Wer den Link hat, kann an Ihrer Stelle beitreten.",
    }),
    "team-invitation-existing": (productName) => ({
      subject: `Einladung in ein Team bei ${productName}`,
      heading: "Einem Team beitreten",
      intro: `Sie sind eingeladen, mit Ihrem Konto bei ${productName} einem Team beizutreten:`,
      link: {
        label: "Dem Team beitreten",
        alternative: "Sobald Sie beigetreten sind, gehört Ihr Konto zum Team.",
      },
      unrequested:
        "Sie wissen nicht, wer Sie eingeladen hat? Dann ignorieren Sie diese Nachricht einfach – Ihr Konto bleibt, wie es ist.",
    }),
  },
  sms: {
    "activation-sms": ({ productName, code, name, lifetime }) =>
      `${code} ist Ihr Aktivierungscode für ${productName}${name && ` (Konto ${name})`}, höchstens ${lifetime} gültig. ` +
      "Nicht angefordert? Dann ignorieren Sie diese SMS.",
    "login-sms": ({ productName, code, lifetime }) =>
      `${code} ist Ihr Anmeldecode für ${productName}, höchstens ${lifetime} gültig. Geben Sie ihn nicht weiter. ` +
      "Nicht angefordert? Dann ignorieren Sie diese SMS.",
    "deletion-sms": ({ productName, link, lifetime }) =>
      `Ihr Konto bei ${productName} endgültig löschen: ${link} (höchstens ${lifetime} gültig). ` +
      "Nicht angefordert? Dann ignorieren Sie diese SMS.",
    "password-reset-sms": ({ productName, code, lifetime }) =>
      `${code} ist Ihr Code zum Ändern des Passworts für ${productName}, höchstens ${lifetime} gültig. ` +
      "Nicht weitergeben. Nicht angefordert? Dann ignorieren Sie diese SMS.",
  },
  validity: (lifetime) => `Der Code ist höchstens ${lifetime} gültig.`,
  account: {
    existing: (name) => `Bestehendes Konto: ${name}`,
    registered: (name) => `Neues Konto: ${name}`,
    requestedAt: (time) => `Angefordert: ${time}`,
    contested: "Auch ein anderes Konto hat diese Adresse angegeben. Bestätigen Sie nur Ihr eigenes.",
  },
  team: {
    founded: (team) => `Neues Team: ${team}`,
    member: (name) => `Name: ${name}`,
    address: (address) => `E-Mail-Adresse: ${address}`,
    team: (team) => `Team: ${team}`,
    teamId: (teamId) => `Team-ID: ${teamId}`,
  },
  invitation: {
    inviter: (address) => `Eingeladen von: ${address}`,
    validity: (lifetime) => `Die Einladung ist höchstens ${lifetime} gültig.`,
  },
  identityProvider: {
    created: (id) => `Neuer Identitätsanbieter: ${id}`,
    updated: (id) => `Geänderter Identitätsanbieter: ${id}`,
    deleted: (id) => `Gelöschter Identitätsanbieter: ${id}`,
    admin: (name) => `Von: ${name}`,
    issuer: (issuer) => `Aussteller: ${issuer}`,
    formerIssuer: (issuer) => `Bisheriger Aussteller: ${issuer}`,
    endpoint: (url) => `Adresse: ${url}`,
    formerEndpoint: (url) => `Bisherige Adresse: ${url}`,
    addedCertificate: (fingerprint) => `Neues Zertifikat (SHA-256): ${fingerprint}`,
    removedCertificate: (fingerprint) => `Entferntes Zertifikat (SHA-256): ${fingerprint}`,
  },
  webhook: {
    host: (host) => `Empfänger: ${host}`,
    id: (id) => `Webhook: ${id}`,
  },
  device: {
    label: (label) => `Name: ${label}`,
    model: (model) => `Modell: ${model}`,
    addedAt: (time) => `Hinzugefügt: ${time}`,
  },
  footer: (productName, address) =>
    `${productName} hat diese Nachricht automatisch an ${address} gesendet. Antworten werden nicht gelesen.`,
};
