import { defineRoutes } from "#shared/platform/http/route.ts";

export const routes = defineRoutes({});
