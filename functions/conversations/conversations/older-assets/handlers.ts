import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { routes } from "./routes.ts";

const refuse = () => {
  throw new ApiError("not-found");
};

export const handlers: Handlers<typeof routes> = {
  "assets-download-v1-conversation": refuse,
  "assets-download-v2-conversation": refuse,
};
