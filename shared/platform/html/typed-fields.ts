import * as z from "zod";
import { type Html, html } from "./html.ts";

/*
 * Fields as people fill them in. A field that is left empty is missing in the parsed form. What nobody can have is wrong, not
 * malformed: the page says so, as it does for any other wrong value.
 */

/** A password, or an address, number or handle. */
export const typedText = z.string().default("");

/** Digits as people type them, without the space between. */
export const typedCode = z
  .string()
  .default("")
  .transform((text) => text.replaceAll(/\s/g, ""));

/** Longest address that a page shows again after a wrong one. */
export const maxShownLength = 320;

/** Limits a field to what schemas allow: they count characters, and browsers UTF-16 code units, of which an emoji has two. */
export const maxLength = (characters: number): Html => html` maxlength="${String(2 * characters)}"`;
