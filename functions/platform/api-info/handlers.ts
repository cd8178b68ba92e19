import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Handlers } from "#shared/platform/http/route.ts";
import { apiVersions, newestVersion } from "#shared/platform/http/versions.ts";
import type { Deps } from "./deps.ts";
import { docsPage, docsPageHeaders, tryPage, tryPageHeaders, tryScript } from "./docs-page.ts";
import { docsScript, docsStyle } from "./docs-script.ts";
import { createHandlers as createGuestLinkHandlers } from "./guest-link/handlers.ts";
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
  "try.js": tryScript,
  "try.html": tryPage,
};

/** Loaded on first use: bundles have it in a file beside them. */
const documents = () => import("#functions/platform/api-info/openapi-of.ts");

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { config, settings } = deps;
  const { supported, development } = apiVersions(settings);

  return {
    ...createGuestLinkHandlers(deps),
    ...createHomeHandlers(deps),

    "get-version": () => ({
      body: { supported, development, federation: false, domain: settings.domain },
    }),

    "get-openapi": async ({ version, isPrefixed }) => {
      const { openapiOf } = await documents();
      return { body: openapiOf(isPrefixed ? version : newestVersion, settings) };
    },

    "get-docs": () => ({ body: docsPage(settings.productName), headers: docsPageHeaders }),

    "get-docs-asset": async ({ params: { file } }) => ({
      body: ownFiles[file] ?? (await readFile(join(config.docsAssets, file), "utf8")),
      headers: {
        ...(file === "try.html" && tryPageHeaders),
        "content-type": contentTypes[file.replace(/.*\./, "")] ?? "text/plain",
        "cache-control": "public, max-age=86400",
      },
    }),

    "i-get-openapi": async () => {
      const { internalOpenapi } = await documents();
      return { body: internalOpenapi(settings) };
    },

    "i-get-status": () => ({}),
  };
}
