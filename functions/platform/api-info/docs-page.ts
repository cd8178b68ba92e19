/** Page that shows the API document; everything that it loads comes from this origin. */
export const docsPage = (title: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)} API</title>
    <link rel="stylesheet" href="docs/docs.css">
  </head>
  <body>
    <header>
      <a href="#">${escapeHtml(title)} API: guide</a>
      <label>Search <input id="search" type="search" autocomplete="off"></label>
      <label>Version <select id="version"></select></label>
    </header>
    <div class="columns">
      <nav aria-label="Operations and events">
        <p id="count" role="status"></p>
        <ul id="found" tabindex="0" aria-label="Operations and events found"></ul>
      </nav>
      <main id="reading"><h1>${escapeHtml(title)} API</h1></main>
    </div>
    <script src="docs/docs.js"></script>
  </body>
</html>
`;

/** Page that sends requests, by Swagger UI. */
export const tryPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Try it out</title>
    <link rel="stylesheet" href="swagger-ui.css">
  </head>
  <body>
    <div id="document"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="try.js"></script>
  </body>
</html>
`;

export const tryScript = `SwaggerUIBundle({
  url: "../openapi.json",
  dom_id: "#document",
  deepLinking: true,
  filter: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

const policyWith = (styles: string, images: string) => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles}`,
    `img-src 'self'${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
});
export const docsPageHeaders = policyWith("", "");
/** Swagger UI sets style attributes and loads its icons from data URLs. */
export const tryPageHeaders = policyWith(" 'unsafe-inline'", " data:");

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
