/** A colour in each mode of a page, as `#rrggbb`. */
export interface Colour {
  readonly light: string;
  readonly dark: string;
}

/** Colours of pages for browsers. Settings can replace the accent, but not the background colours. */
export const pagePalette = {
  canvas: { light: "#f3f5f7", dark: "#101316" },
  surface: { light: "#ffffff", dark: "#1a1e23" },
  line: { light: "#d5dae0", dark: "#39414a" },
  field: { light: "#ffffff", dark: "#12161a" },
  "field-line": { light: "#7b8692", dark: "#77828e" },
  text: { light: "#1a1e23", dark: "#e9ecef" },
  muted: { light: "#59636e", dark: "#a9b2bb" },
  accent: { light: "#1f4fd1", dark: "#8fb6ff" },
  "on-accent": { light: "#ffffff", dark: "#0a1a38" },
  bad: { light: "#a3161f", dark: "#ff9a9a" },
  danger: { light: "#a3161f", dark: "#c4303a" },
  "bad-soft": { light: "#fdeeee", dark: "#3a2022" },
  good: { light: "#14603a", dark: "#8ddcae" },
  "good-soft": { light: "#e8f5ed", dark: "#17301f" },
} as const satisfies Record<string, Colour>;

/** Least contrast of text that is not large (WCAG 2.2, success criterion 1.4.3). */
export const leastContrast = 4.5;

/** Contrast of two colours, between 1 and 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((value) => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** White or black, whichever is easier to read on a colour: one of them always has a contrast of 4.58. */
export const readableOn = (colour: string): string =>
  contrast("#ffffff", colour) >= contrast("#000000", colour) ? "#ffffff" : "#000000";
