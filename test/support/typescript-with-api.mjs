// Gives openapi-typescript the compiler that it needs: TypeScript 7 has no API.
import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "typescript" ? "typescript-with-api" : specifier, context),
});
