import { describe, expect, it } from "vitest";
import { contrast, leastContrast, pagePalette, readableOn } from "../page-palette.ts";
import { parseSettings } from "../settings.ts";

const branded = (branding: unknown) => () => parseSettings({ branding });

describe("colours of pages", () => {
  it("have the contrasts that WCAG computes", () => {
    expect(contrast("#000000", "#ffffff")).toBe(21);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
    expect(contrast("#ffffff", "#777777")).toBeCloseTo(4.48, 2);
  });

  it.each(["light", "dark"] as const)("can be read in %s mode", (mode) => {
    const on = (text: keyof typeof pagePalette, background: keyof typeof pagePalette) =>
      contrast(pagePalette[text][mode], pagePalette[background][mode]);
    const pairs = [
      ["text", "surface"],
      ["muted", "surface"],
      ["muted", "canvas"],
      ["accent", "surface"],
      ["accent", "canvas"],
      ["on-accent", "accent"],
      ["bad", "bad-soft"],
      ["good", "good-soft"],
    ] as const;
    const unreadable = pairs.filter(([text, background]) => on(text, background) < leastContrast);
    expect(unreadable).toEqual([]);
  });

  it("always leave white or black text readable", () => {
    for (let grey = 0; grey < 256; grey++) {
      const colour = `#${grey.toString(16).padStart(2, "0").repeat(3)}`;
      expect(contrast(readableOn(colour), colour)).toBeGreaterThanOrEqual(leastContrast);
    }
  });
});

describe("the setting branding", () => {
  const accent = { light: "#0a7a4b", dark: "#6fdca8" };

  it("accepts colours that can be read, a logo and links", () => {
    const logo = { light: "data:image/png;base64,iVBORw0KGgo=" };
    const branding = { accent, logo, legalLinks: { imprint: "https://example.com/imprint" } };
    expect(branded(branding)()).toMatchObject({ branding });
    expect(parseSettings({}).branding).toEqual({ legalLinks: {} });
  });

  it("refuses a colour that cannot be read, and says where and by how much", () => {
    expect(branded({ accent: { ...accent, light: "#ffcc00" } })).toThrow(
      "branding.accent.light: #ffcc00 has a contrast of 1.51 to #ffffff, the background of pages in light mode; text needs 4.5",
    );
    expect(branded({ accent: { ...accent, dark: "#333333" } })).toThrow(/dark: #333333 .* dark mode/);
    expect(branded({ accent: { ...accent, light: "green" } })).toThrow("a colour such as #1f4fd1");
  });

  it.each([
    "https://example.com/logo.svg",
    'data:image/svg+xml,<svg onload="alert(1)"/>',
    "data:text/html;base64,AAAA",
    'data:image/png;base64,AA"onerror="alert(1)',
    `data:image/png;base64,${"A".repeat(24_000)}`,
  ])("refuses a logo that is not a short SVG or PNG: %.40s", (light) => {
    expect(branded({ logo: { light } })).toThrow("branding.logo.light");
  });

  it.each(["javascript:alert(1)", "example.com"])("refuses the link %s", (terms) => {
    expect(branded({ legalLinks: { terms } })).toThrow("branding.legalLinks.terms");
  });
});
