interface GuideLink {
  readonly name: string;
  readonly title: string;
}

interface PageParts {
  readonly title: string;
  /** Prefix of the paths of scripts, styles and guides. */
  readonly assets: string;
  readonly header: string;
  readonly columns: string;
  readonly end?: string;
}

const page = ({ title, assets, header, columns, end = "" }: PageParts) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${assets}docs.css">
  </head>
  <body>
    <header>
      ${header}
    </header>
    <div class="columns">
      ${columns}
    </div>${end}
  </body>
</html>
`;

const searchField = `<label>Search <input id="search" name="search" type="search" autocomplete="off"></label>`;

/** Page that reads the API document `openapi.json` in the same folder. */
const referencePage = ({
  title,
  header,
  guides = "",
}: {
  readonly title: string;
  readonly header: string;
  readonly guides?: string;
}) =>
  page({
    title,
    assets: "docs/",
    header: `<a href="#">${escapeHtml(title)}: overview</a>
      ${searchField}
      ${header}`,
    columns: `<nav aria-label="Guides, operations and events">
        ${guides}
        <details id="operations" open>
          <summary>Operations</summary>
          <p id="count" role="status"></p>
          <ul id="found" tabindex="0" aria-label="Found"></ul>
        </details>
      </nav>
      <main id="reading">
        <h1>${escapeHtml(title)}</h1>
        <noscript><p>The reference needs scripts. Without them, read the <a href="openapi.json">document</a> itself.</p></noscript>
      </main>`,
    end: `
    <script src="docs/docs.js"></script>`,
  });

/** Page of the public API's document and the guides; everything that it loads comes from this origin. */
export const docsPage = (productName: string, guides: readonly GuideLink[]) =>
  referencePage({
    title: `${productName} API`,
    header: `<label>Version <select id="version"></select></label>`,
    guides: `<section id="guides" class="guides">
          <h2>Guides</h2>
          ${guideList(guides, "docs/guides/")}
        </section>`,
  });

/** Page of the internal API's document, which has no versions. */
export const internalDocsPage = (productName: string, publicUrl: string) =>
  referencePage({
    title: `${productName} internal API`,
    header: `<a href="${escapeHtml(publicUrl)}/api/docs">Public API and guides</a>`,
  });

interface GuidePageContent {
  readonly productName: string;
  readonly guides: readonly GuideLink[];
  readonly guide: GuideLink & { readonly html: string };
}

/** Page of a guide; only its copy buttons need a script. */
export const guidePage = ({ productName, guides, guide }: GuidePageContent) =>
  page({
    title: `${guide.title} – ${productName} API`,
    assets: "../",
    header: `<a href="../../docs">${escapeHtml(productName)} API</a>
      <form role="search" action="../../docs">${searchField}</form>`,
    columns: `<nav aria-label="Guides" class="guides">
        <h2>Guides</h2>
        ${guideList(guides, "", guide.name)}
      </nav>
      <main class="guide">
${guide.html}
      </main>`,
    end: `
    <script src="../guide.js"></script>`,
  });

const guideList = (guides: readonly GuideLink[], folder: string, current?: string) => `<ul>
${guides.map(({ name, title }) => `<li><a href="${folder}${name}"${name === current ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a></li>`).join("\n")}
</ul>`;

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
  // Only the operation in the fragment is drawn, because drawing all of them takes seconds.
  docExpansion: "none",
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
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
});
/** The icon is an empty data URL. */
export const docsPageHeaders = policyWith("", " data:");
/** Swagger UI sets style attributes and loads its icons from data URLs. */
export const tryPageHeaders = policyWith(" 'unsafe-inline'", " data:");

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
