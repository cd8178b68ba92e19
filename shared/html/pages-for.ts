import * as z from "zod";
import type { Settings } from "../settings.ts";
import { chooseLocale, type Locale } from "./choose-locale.ts";
import type { Html } from "./html.ts";
import { type RenderedPage, renderPage } from "./page.ts";

/** What a browser tells of itself. */
export const browserHeaders = z.object({ "Accept-Language": z.string().optional() });

/** The texts of a family in the language that a browser likes best, and its pages in that language. */
export const pagesFor =
  <Texts>(textsIn: (locale: Locale) => Texts, { productName }: Pick<Settings, "productName">) =>
  (headers: z.output<typeof browserHeaders>) => {
    const language = chooseLocale(headers["Accept-Language"]);
    const page = (title: string, body: Html): RenderedPage =>
      renderPage({ language, productName, title, body });
    return { texts: textsIn(language), page };
  };
