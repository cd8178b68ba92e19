import * as z from "zod";
import type { Brand } from "./brand.ts";
import { chooseLocale, type Translations } from "./choose-locale.ts";
import type { Html } from "./html.ts";
import { type RenderedPage, renderPage } from "./page.ts";

/** Headers of a browser that decide how a page looks. */
export const browserHeaders = z.object({
  "Accept-Language": z.string().optional().meta({ setBy: "browser" }),
});

/** Chooses the language that a browser prefers, and returns a family's texts and pages in it. */
export const pagesFor =
  <Texts>(translations: Translations<Texts>, settings: Brand) =>
  (headers: z.output<typeof browserHeaders>) => {
    const language = chooseLocale(headers["Accept-Language"]);
    const page = (title: string, body: Html): RenderedPage => renderPage({ language, settings, title, body });
    return { texts: translations[language], page };
  };
