import * as z from "zod";
import { type Html, html } from "./html.ts";

/**
 * /* Fields as people fill them in. A field that is left empty is missing in the parsed form. A value that nobody can
 * have counts as wrong, not as malformed, so that the page reports it like any other wrong value.
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

/**
 * Limits a field to the length that schemas allow: schemas count characters, browsers UTF-16 code units, of which an
 * emoji has two.
 */
export const maxLength = (characters: number): Html => html` maxlength="${String(2 * characters)}"`;

/**
 * Tells password managers whose password a form asks for, if its page knows the user. The field is invisible and not
 * sent.
 */
export const usernameField = (username: string | undefined): Html =>
  html`<input type="text" value="${username}" autocomplete="username" readonly hidden>
`;
