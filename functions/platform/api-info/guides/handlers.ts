import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { docsPageHeaders, guidePage } from "../docs-page.ts";
import type { routes } from "./routes.ts";

/** Loaded on first use: bundles have it in a separate file. */
export const loadGuides = () => import("#functions/platform/api-info/guides/rendered-guides.ts");

/**
 * Guides name the default addresses of `npm start`. With another port, the three addresses are at that port and the
 * next two; a deployed stage has only the public address.
 */
function atAddress(html: string, publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl);
  const shown = html
    .replaceAll("http://127.0.0.1:8080", publicUrl)
    .replaceAll("ws://127.0.0.1:8080", publicUrl.replace(/^http/, "ws"));
  if (protocol !== "http:" || port === "") return shown;
  return [1, 2].reduce(
    (text, offset) =>
      text.replaceAll(`http://127.0.0.1:${8080 + offset}`, `http://127.0.0.1:${Number(port) + offset}`),
    shown,
  );
}

export function createHandlers({ config, settings: { productName } }: Deps): Handlers<typeof routes> {
  return {
    "get-docs-guides": async () => {
      const { guides } = await loadGuides();
      return { body: { guides: [...guides] } };
    },

    "get-docs-guide": async ({ params }) => {
      const { guides, files } = await loadGuides();
      const guide = guides.find(({ name }) => name === params.guide);
      if (guide !== undefined) {
        const headers = { ...docsPageHeaders, "content-type": "text/html;charset=utf-8" };
        const shown = { ...guide, html: atAddress(guide.html, config.publicUrl) };
        return { body: guidePage({ productName, guides, guide: shown }), headers };
      }
      const file = Object.hasOwn(files, params.guide) ? files[params.guide] : undefined;
      if (file === undefined) throw new ApiError("not-found");
      return { body: file, headers: { "content-type": "text/plain;charset=utf-8" } };
    },
  };
}
