/** How the API document describes `Set-Cookie` where an operation sets the cookie of a login. */
export const zuidCookie =
  "The cookie `zuid`, HttpOnly and for paths below `/access` only. Without `Expires` it is a session cookie.";
