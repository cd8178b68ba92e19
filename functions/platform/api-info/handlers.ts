import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Handlers } from "#shared/platform/http/route.ts";
import { apiVersions, newestVersion } from "#shared/platform/http/versions.ts";
import { createHandlers as createAccountSiteHandlers } from "./account-site/handlers.ts";
import type { Deps } from "./deps.ts";
import {
  docsPage,
  docsPageHeaders,
  internalDocsPage,
  tryPage,
  tryPageHeaders,
  tryScript,
} from "./docs-page.ts";
import { docsScript, docsStyle, guideScript } from "./docs-script.ts";
import { createHandlers as createGuestLinkHandlers } from "./guest-link/handlers.ts";
import { createHandlers as createGuideHandlers, loadGuides } from "./guides/handlers.ts";
import { createHandlers as createHomeHandlers } from "./home/handlers.ts";
import type { routes } from "./routes.ts";

const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript;charset=utf-8",
  css: "text/css;charset=utf-8",
  html: "text/html;charset=utf-8",
};
/** Files that are not from Swagger UI. */
const ownFiles: Readonly<Record<string, string>> = {
  "docs.js": docsScript,
  "docs.css": docsStyle,
  "guide.js": guideScript,
  "try.js": tryScript,
  "try.html": tryPage,
};

/** Loaded on first use: bundles have it in a separate file. */
const documents = () => import("#functions/platform/api-info/openapi-of.ts");

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { config, settings } = deps;
  const { supported, development } = apiVersions(settings);

  const assetOf = async (file: string) => ({
    body: ownFiles[file] ?? (await readFile(join(config.docsAssets, file), "utf8")),
    headers: {
      ...(file === "try.html" && tryPageHeaders),
      "content-type": contentTypes[file.replace(/.*\./, "")] ?? "text/plain",
      "cache-control": "public, max-age=86400",
    },
  });

  return {
    ...createAccountSiteHandlers(deps),
    ...createGuestLinkHandlers(deps),
    ...createGuideHandlers(deps),
    ...createHomeHandlers(deps),

    "get-version": () => ({
      body: { supported, development, federation: false, domain: settings.domain },
    }),

    "get-openapi": async ({ version, isPrefixed }) => {
      const { openapiOf } = await documents();
      return { body: openapiOf(isPrefixed ? version : newestVersion, settings) };
    },

    "get-docs": async () => {
      const { guides } = await loadGuides();
      return { body: docsPage(settings.productName, guides), headers: docsPageHeaders };
    },

    "get-docs-asset": ({ params }) => assetOf(params.file),

    "i-get-openapi": async () => {
      const { internalOpenapi } = await documents();
      return { body: internalOpenapi(settings) };
    },

    "i-get-docs": () => ({
      body: internalDocsPage(settings.productName, config.publicUrl),
      headers: docsPageHeaders,
    }),

    "i-get-docs-asset": ({ params }) => assetOf(params.file),

    "i-get-status": () => ({}),
  };
}
