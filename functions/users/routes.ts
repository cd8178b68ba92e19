import { defineRoutes } from "#shared/http/route.ts";

export const routes = defineRoutes({});
