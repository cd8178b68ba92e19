import type { Translations } from "#shared/platform/html/choose-locale.ts";
import type { Outcome } from "./outcomes.ts";

/** Texts of the pages for the services of a provider, in one language. */
export interface Texts {
  readonly list: Readonly<Record<"title" | "none" | "create" | "enabled" | "disabled", string>>;
  readonly create: Readonly<Record<"title" | "intro" | "submit", string>>;
  readonly fields: Readonly<
    Record<
      | "name"
      | "nameHint"
      | "summary"
      | "description"
      | "tag"
      | "tags"
      | "address"
      | "addressHint"
      | "keys"
      | "keyHint"
      | "keysHint"
      | "tokens"
      | "tokensHint"
      | "password",
      string
    >
  >;
  readonly one: Readonly<
    Record<
      | "id"
      | "provider"
      | "profile"
      | "save"
      | "connection"
      | "enabled"
      | "connect"
      | "deletion"
      | "deletionIntro",
      string
    >
  >;
  readonly outcomes: Readonly<Record<Outcome, string>>;
}

export const translations: Translations<Texts> = {
  en: {
    list: {
      title: "Your services",
      none: "You have no services yet.",
      create: "Create a service",
      enabled: "on",
      disabled: "off",
    },
    create: {
      title: "Create a service",
      intro: "It is off until you switch it on, so that nobody finds it before it works.",
      submit: "Create",
    },
    fields: {
      name: "Name of the service",
      nameHint: "Bots of the service appear under it.",
      summary: "Summary, one line",
      description: "What it does",
      tag: "Tag",
      tags: "Tags, 1 to 3, under which the directory lists it",
      address: "Address",
      addressHint: "Begins with https://, without query; paths of calls are appended.",
      keys: "Public key of its certificate",
      keyHint: "RSA of 2048 bits or more, as PEM: BEGIN PUBLIC KEY.",
      keysHint: "One or two sections of PEM. The service may prove either, so that you can replace one.",
      tokens: "Tokens",
      tokensHint: "One or two, one a line. Calls carry the first, by which your service recognises them.",
      password: "Your password",
    },
    one: {
      id: "Id of the service",
      provider: "Id of the provider",
      profile: "What users see",
      save: "Save",
      connection: "Connection",
      enabled: "Switched on: it can be added to conversations and gets what is sent there",
      connect: "Save connection",
      deletion: "Delete service",
      deletionIntro: "Its bots leave all conversations. This can’t be undone.",
    },
    outcomes: {
      created: "The service is created. Give it the token below, then switch it on.",
      saved: "Your changes are saved.",
      deleted: "The service is deleted.",
      "invalid-fields": "Something isn’t filled in as it should be.",
      "invalid-address": "The address must begin with https:// and have neither query nor user.",
      "invalid-key": "This is not a public RSA key of 2048 bits or more as PEM.",
      "invalid-token": "Give one or two tokens of letters, digits, - and _.",
      "wrong-password": "The password is wrong.",
      "too-many-attempts": "Too many attempts. Wait a few minutes, then try again.",
      "too-many-services": "You have as many services as are allowed.",
    },
  },
  de: {
    list: {
      title: "Ihre Dienste",
      none: "Sie haben noch keine Dienste.",
      create: "Dienst anlegen",
      enabled: "ein",
      disabled: "aus",
    },
    create: {
      title: "Dienst anlegen",
      intro: "Er ist aus, bis Sie ihn einschalten. So findet ihn niemand, bevor er funktioniert.",
      submit: "Anlegen",
    },
    fields: {
      name: "Name des Dienstes",
      nameHint: "Unter ihm erscheinen Bots des Dienstes.",
      summary: "Zusammenfassung, eine Zeile",
      description: "Was er tut",
      tag: "Schlagwort",
      tags: "Schlagwörter, 1 bis 3, unter denen das Verzeichnis ihn führt",
      address: "Adresse",
      addressHint: "Beginnt mit https://, ohne Abfrage; Pfade von Aufrufen werden angehängt.",
      keys: "Öffentlicher Schlüssel seines Zertifikats",
      keyHint: "RSA mit 2048 Bit oder mehr, als PEM: BEGIN PUBLIC KEY.",
      keysHint:
        "Ein oder zwei Abschnitte PEM. Der Dienst darf jeden vorweisen, damit Sie einen ersetzen können.",
      tokens: "Token",
      tokensHint: "Eines oder zwei, je Zeile eines. Aufrufe tragen das erste; daran erkennt sie Ihr Dienst.",
      password: "Ihr Passwort",
    },
    one: {
      id: "Id des Dienstes",
      provider: "Id des Anbieters",
      profile: "Was Benutzer sehen",
      save: "Speichern",
      connection: "Verbindung",
      enabled: "Eingeschaltet: Er kann in Unterhaltungen geholt werden und bekommt, was dort gesendet wird",
      connect: "Verbindung speichern",
      deletion: "Dienst löschen",
      deletionIntro: "Seine Bots verlassen alle Unterhaltungen. Das lässt sich nicht rückgängig machen.",
    },
    outcomes: {
      created: "Der Dienst ist angelegt. Geben Sie ihm das Token weiter unten und schalten Sie ihn dann ein.",
      saved: "Ihre Änderungen sind gespeichert.",
      deleted: "Der Dienst ist gelöscht.",
      "invalid-fields": "Etwas ist nicht richtig ausgefüllt.",
      "invalid-address": "Die Adresse muss mit https:// beginnen und darf weder Abfrage noch Benutzer haben.",
      "invalid-key": "Das ist kein öffentlicher RSA-Schlüssel mit 2048 Bit oder mehr als PEM.",
      "invalid-token": "Geben Sie ein oder zwei Token aus Buchstaben, Ziffern, - und _ an.",
      "wrong-password": "Das Passwort ist falsch.",
      "too-many-attempts": "Zu viele Versuche. Warten Sie ein paar Minuten, bevor Sie es wieder versuchen.",
      "too-many-services": "Sie haben so viele Dienste, wie erlaubt sind.",
    },
  },
  es: {
    list: {
      title: "Sus servicios",
      none: "Aún no tiene servicios.",
      create: "Crear un servicio",
      enabled: "activo",
      disabled: "inactivo",
    },
    create: {
      title: "Crear un servicio",
      intro: "Está inactivo hasta que lo active, para que nadie lo encuentre antes de que funcione.",
      submit: "Crear",
    },
    fields: {
      name: "Nombre del servicio",
      nameHint: "Con él aparecen los bots del servicio.",
      summary: "Resumen, una línea",
      description: "Qué hace",
      tag: "Etiqueta",
      tags: "Etiquetas, de 1 a 3, con las que aparece en el directorio",
      address: "Dirección",
      addressHint: "Empieza por https://, sin consulta; se le añaden las rutas de las llamadas.",
      keys: "Clave pública de su certificado",
      keyHint: "RSA de 2048 bits o más, como PEM: BEGIN PUBLIC KEY.",
      keysHint: "Una o dos secciones PEM. El servicio puede probar cualquiera, para que pueda cambiar una.",
      tokens: "Tokens",
      tokensHint:
        "Uno o dos, uno por línea. Las llamadas llevan el primero, por el que su servicio las reconoce.",
      password: "Su contraseña",
    },
    one: {
      id: "Id del servicio",
      provider: "Id del proveedor",
      profile: "Lo que ven los usuarios",
      save: "Guardar",
      connection: "Conexión",
      enabled: "Activo: se puede añadir a conversaciones y recibe lo que se envía en ellas",
      connect: "Guardar la conexión",
      deletion: "Eliminar el servicio",
      deletionIntro: "Sus bots abandonan todas las conversaciones. No se puede deshacer.",
    },
    outcomes: {
      created: "El servicio se ha creado. Dele el token de abajo y después actívelo.",
      saved: "Los cambios se han guardado.",
      deleted: "El servicio se ha eliminado.",
      "invalid-fields": "Algo no está bien rellenado.",
      "invalid-address": "La dirección debe empezar por https:// y no tener consulta ni usuario.",
      "invalid-key": "No es una clave pública RSA de 2048 bits o más como PEM.",
      "invalid-token": "Indique uno o dos tokens de letras, cifras, - y _.",
      "wrong-password": "La contraseña no es correcta.",
      "too-many-attempts": "Demasiados intentos. Espere unos minutos y vuelva a intentarlo.",
      "too-many-services": "Tiene tantos servicios como se permiten.",
    },
  },
  fr: {
    list: {
      title: "Vos services",
      none: "Vous n’avez pas encore de services.",
      create: "Créer un service",
      enabled: "actif",
      disabled: "inactif",
    },
    create: {
      title: "Créer un service",
      intro:
        "Il est inactif jusqu’à ce que vous l’activiez\u00a0: personne ne le trouve avant qu’il fonctionne.",
      submit: "Créer",
    },
    fields: {
      name: "Nom du service",
      nameHint: "Les bots du service apparaissent sous ce nom.",
      summary: "Résumé, une ligne",
      description: "Ce qu’il fait",
      tag: "Mot-clé",
      tags: "Mots-clés, 1 à 3, sous lesquels l’annuaire le classe",
      address: "Adresse",
      addressHint: "Commence par https://, sans requête\u202f; les chemins des appels s’y ajoutent.",
      keys: "Clé publique de son certificat",
      keyHint: "RSA de 2048 bits ou plus, au format PEM\u00a0: BEGIN PUBLIC KEY.",
      keysHint:
        "Une ou deux sections PEM. Le service peut prouver l’une ou l’autre\u00a0: ainsi, vous pouvez en remplacer une.",
      tokens: "Jetons",
      tokensHint:
        "Un ou deux, un par ligne. Les appels portent le premier, auquel votre service les reconnaît.",
      password: "Votre mot de passe",
    },
    one: {
      id: "Id du service",
      provider: "Id du fournisseur",
      profile: "Ce que voient les utilisateurs",
      save: "Enregistrer",
      connection: "Connexion",
      enabled: "Actif\u00a0: il peut être ajouté à des conversations et reçoit ce qui y est envoyé",
      connect: "Enregistrer la connexion",
      deletion: "Supprimer le service",
      deletionIntro: "Ses bots quittent toutes les conversations. C’est irréversible.",
    },
    outcomes: {
      created: "Le service est créé. Donnez-lui le jeton ci-dessous, puis activez-le.",
      saved: "Vos modifications sont enregistrées.",
      deleted: "Le service est supprimé.",
      "invalid-fields": "Un champ n’est pas rempli comme il faut.",
      "invalid-address": "L’adresse doit commencer par https:// et n’avoir ni requête ni utilisateur.",
      "invalid-key": "Ce n’est pas une clé publique RSA de 2048 bits ou plus au format PEM.",
      "invalid-token": "Donnez un ou deux jetons de lettres, chiffres, - et _.",
      "wrong-password": "Le mot de passe est faux.",
      "too-many-attempts": "Trop de tentatives. Attendez quelques minutes, puis réessayez.",
      "too-many-services": "Vous avez autant de services qu’il est permis.",
    },
  },
};
