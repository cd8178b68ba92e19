import type { ApiError } from "../http/api-error.ts";
import type { Locale } from "./choose-locale.ts";
import type { Refusal } from "./refuse-with-page.ts";

/** The problem, and what to do now. */
export type Reason = Omit<Refusal, "title">;

interface Texts {
  readonly title: string;
  readonly link: Reason;
  readonly server: Reason;
}

const texts: Readonly<Record<Locale, Texts>> = {
  en: {
    title: "This didn’t work",
    link: {
      problem: "This link is incomplete.",
      advice: "Open the link in the message again, or copy all of it into the address bar.",
    },
    server: { problem: "Something went wrong on our side.", advice: "Please try again in a few minutes." },
  },
  de: {
    title: "Das hat nicht geklappt",
    link: {
      problem: "Dieser Link ist unvollständig.",
      advice:
        "Öffnen Sie den Link in der Nachricht noch einmal oder kopieren Sie ihn ganz in die Adresszeile.",
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
    server: { problem: "Un problème est survenu de notre côté.", advice: "Réessayez dans quelques minutes." },
  },
};

/** Explains why following a link in a message had no effect, with the family's own `reason`, if any. */
export function describeLinkRefusal(error: ApiError, locale: Locale, reason?: Reason): Refusal {
  const { title, link, server } = texts[locale];
  return { title, ...(reason ?? (error.status < 500 ? link : server)) };
}
