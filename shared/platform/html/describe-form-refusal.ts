import type { ApiError } from "../http/api-error.ts";
import type { Locale, Translations } from "./choose-locale.ts";
import { describeLinkRefusal, type Reason } from "./describe-link-refusal.ts";
import type { Refusal } from "./refuse-with-page.ts";

/** For a form that is incomplete, or was sent by another site. */
const badForm: Translations<Reason> = {
  en: {
    problem: "The form is incomplete, or comes from another site.",
    advice: "Go back, reload the page and try again.",
  },
  de: {
    problem: "Das Formular ist unvollständig oder kommt von einer anderen Website.",
    advice: "Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.",
  },
  es: {
    problem: "El formulario está incompleto o viene de otro sitio.",
    advice: "Vuelva atrás, recargue la página e inténtelo de nuevo.",
  },
  fr: {
    problem: "Le formulaire est incomplet, ou vient d’un autre site.",
    advice: "Revenez en arrière, rechargez la page et réessayez.",
  },
};

/** Explains why a form did nothing, where no form can show it. */
export const describeFormRefusal = (error: ApiError, locale: Locale): Refusal =>
  describeLinkRefusal(error, locale, error.status < 500 ? badForm[locale] : undefined);
