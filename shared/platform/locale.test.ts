import { describe, expect, it } from "vitest";
import { readLocale } from "./locale.ts";

describe("readLocale", () => {
  it.each([
    ["en", "en"],
    ["DE_ch", "de-CH"],
    ["fil-PH", "fil-PH"],
    ["es-419", "es"],
    ["zh-Hant-TW", "zh-TW"],
    ["zh_hans_cn", "zh-CN"],
    ["sr-Latn-RS", "sr-RS"],
    ["zh-cmn-Hans-CN", "zh-CN"],
    ["de-DE-1996", "de-DE"],
    ["de-1901", "de"],
    ["sl-rozaj-biske", "sl"],
    ["ca-ES-valencia", "ca-ES"],
    ["en-US-u-ca-gregory-hc-h12", "en-US"],
    ["ar-EG-u-nu-latn-t-en-x-a", "ar-EG"],
    ["en-x-twain", "en"],
    ["x-klingon", "und"],
    ["i-klingon", "und"],
    ["sgn-ase", "sgn"],
    ["en_US@rg=gbzzzz", "en-US"],
    ["zh-Hans_CN@calendar=chinese;currency=CNY", "zh-CN"],
    ["zh_TW_#Hant", "zh-TW"],
    ["sr__#Latn", "sr"],
    ["de_DE.UTF-8", "de-DE"],
    ["sr_RS.utf8@latin", "sr-RS"],
    ["ca_ES@valencia", "ca-ES"],
    ["C.UTF-8", "und"],
    ["POSIX", "und"],
  ])("reads %s as %s", (text, locale) => {
    expect(readLocale(text)).toBe(locale);
  });

  it.each([
    "",
    "e",
    "german",
    "de-CHE",
    "x",
    "i",
    "en-",
    "-en",
    "en--US",
    "en US",
    "en-USA1x9999",
    "en-u",
    "en-x",
    "e1",
    "en-\u00e4",
    "en\n",
    "@rg=gbzzzz",
    ".UTF-8",
    "__#Latn",
    "en.UTF-8\n",
  ])("refuses %j", (text) => {
    expect(readLocale(text)).toBeUndefined();
  });
});
