import { type Html, html } from "./html.ts";

/**
 * Tells password managers whose password a form asks for, where its page knows whose it is. People do not see the field,
 * and it is not sent.
 */
export const usernameField = (username: string | undefined): Html =>
  html`<input type="text" value="${username}" autocomplete="username" readonly hidden>
`;
