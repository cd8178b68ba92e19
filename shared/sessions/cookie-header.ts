/** Description of `Set-Cookie` in the API document, for operations that set the cookie of a login. */
export const zuidCookie =
  "The cookie `zuid`, HttpOnly and for paths below `/access` only. Without `Expires` it is a session cookie.";
