import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { docsPageHeaders, guidePage } from "../docs-page.ts";
import type { routes } from "./routes.ts";

/** Loaded on first use: bundles have it in a file beside them. */
export const loadGuides = () => import("#functions/platform/api-info/guides/rendered-guides.ts");

export function createHandlers({ settings: { productName } }: Deps): Handlers<typeof routes> {
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
        return { body: guidePage({ productName, guides, guide }), headers };
      }
      const file = Object.hasOwn(files, params.guide) ? files[params.guide] : undefined;
      if (file === undefined) throw new ApiError("not-found");
      return { body: file, headers: { "content-type": "text/plain;charset=utf-8" } };
    },
  };
}
