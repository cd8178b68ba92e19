import type { ApiError } from "../http/api-error.ts";
import type { Locale, Translations } from "./choose-locale.ts";
import type { Refusal } from "./refuse-with-page.ts";

/** The problem, and what to do now. */
export type Reason = Omit<Refusal, "title">;

interface Texts {
  readonly title: string;
  readonly link: Reason;
  /** For a page that does not exist. */
  readonly missing: Reason;
  /** For a limit that was reached. */
  readonly limited: Reason;
  readonly server: Reason;
}

const refusalTranslations: Translations<Texts> = {
  en: {
    title: "This didn’t work",
    link: {
      problem: "This link is incomplete.",
      advice: "Open the link in the message again, or copy all of it into the address bar.",
    },
    missing: { problem: "This page doesn’t exist.", advice: "Check the address, or begin at the home page." },
    limited: { problem: "Too many attempts.", advice: "Wait a few minutes, then try again." },
    server: { problem: "Something went wrong on our side.", advice: "Please try again in a few minutes." },
  },
  de: {
    title: "Das hat nicht geklappt",
    link: {
      problem: "Dieser Link ist unvollständig.",
      advice:
        "Öffnen Sie den Link in der Nachricht noch einmal oder kopieren Sie ihn ganz in die Adresszeile.",
    },
    missing: {
      problem: "Diese Seite gibt es nicht.",
      advice: "Prüfen Sie die Adresse oder beginnen Sie auf der Startseite.",
    },
    limited: {
      problem: "Zu viele Versuche.",
      advice: "Warten Sie ein paar Minuten, bevor Sie es wieder versuchen.",
    },
    server: {
      problem: "Bei uns ist etwas schiefgegangen.",
      advice: "Bitte versuchen Sie es in ein paar Minuten noch einmal.",
    },
  },
  es: {
    title: "No ha funcionado",
    link: {
      problem: "Este enlace está incompleto.",
      advice: "Abra de nuevo el enlace del mensaje o cópielo entero en la barra de direcciones.",
    },
    missing: {
      problem: "Esta página no existe.",
      advice: "Compruebe la dirección o empiece en la página de inicio.",
    },
    limited: {
      problem: "Demasiados intentos.",
      advice: "Espere unos minutos y vuelva a intentarlo.",
    },
    server: {
      problem: "Algo ha fallado por nuestra parte.",
      advice: "Inténtelo de nuevo dentro de unos minutos.",
    },
  },
  fr: {
    title: "Cela n’a pas fonctionné",
    link: {
      problem: "Ce lien est incomplet.",
      advice: "Rouvrez le lien du message, ou copiez-le en entier dans la barre d’adresse.",
    },
    missing: {
      problem: "Cette page n’existe pas.",
      advice: "Vérifiez l’adresse, ou commencez par la page d’accueil.",
    },
    limited: {
      problem: "Trop de tentatives.",
      advice: "Attendez quelques minutes, puis réessayez.",
    },
    server: { problem: "Un problème est survenu de notre côté.", advice: "Réessayez dans quelques minutes." },
  },
};

/** Explains why following a link in a message had no effect, with the family's own `reason`, if any. */
export function describeLinkRefusal(error: ApiError, locale: Locale, reason?: Reason): Refusal {
  const { title, ...reasons } = refusalTranslations[locale];
  return { title, ...(reason ?? reasons[kindOf(error)]) };
}

function kindOf({ status }: ApiError): "limited" | "link" | "missing" | "server" {
  if (status >= 500) return "server";
  if (status === 429) return "limited";
  return status === 404 ? "missing" : "link";
}
