import * as z from "zod";
import { contrast, leastContrast, pagePalette } from "../page-palette.ts";

/** What the accent is put on, as text: cards, and the page around them. */
const backgrounds = ["surface", "canvas"] as const;

const accentIn = (mode: "light" | "dark") =>
  z
    .string()
    .regex(/^#[\da-f]{6}$/i, "a colour such as #1f4fd1")
    .superRefine((colour, context) => {
      if (!/^#[\da-f]{6}$/i.test(colour)) return;
      for (const background of backgrounds) {
        const ratio = contrast(colour, pagePalette[background][mode]);
        if (ratio >= leastContrast) continue;
        const message =
          `${colour} has a contrast of ${Math.floor(ratio * 100) / 100} to ${pagePalette[background][mode]}, ` +
          `the background of pages in ${mode} mode; text needs ${leastContrast}`;
        return context.addIssue({ code: "custom", message });
      }
    });

/** Settings and functions are deployed together, and each page contains its logo. */
const logo = z
  .string()
  .max(24_000, "at most 24,000 characters")
  .regex(
    /^data:image\/(svg\+xml|png);base64,[A-Za-z\d+/]+={0,2}$/,
    "an SVG or PNG as data URI: data:image/svg+xml;base64,…",
  );

const legalPage = z.url({ protocol: /^https?$/ });

/** Settings of how pages for browsers look. */
export const brandingSettings = {
  /** How pages look. */
  branding: z
    .strictObject({
      /** Colour of buttons and links. Its contrast is checked in each mode. */
      accent: z.strictObject({ light: accentIn("light"), dark: accentIn("dark") }).optional(),
      /** Shown instead of the product's name, 40 pixels high. */
      logo: z.strictObject({ light: logo, dark: logo.optional() }).optional(),
      /** Linked from every page. */
      legalLinks: z
        .strictObject({
          terms: legalPage.optional(),
          privacy: legalPage.optional(),
          imprint: legalPage.optional(),
        })
        .prefault({}),
    })
    .prefault({}),
};
