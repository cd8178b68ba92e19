import { type Html, html } from "./html.ts";

/**
 * Tells password managers whose password a form asks for, if its page knows the user. The field is invisible and not
 * sent.
 */
export const usernameField = (username: string | undefined): Html =>
  html`<input type="text" value="${username}" autocomplete="username" readonly hidden>
`;
