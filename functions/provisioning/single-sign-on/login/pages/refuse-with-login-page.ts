import type { Brand } from "#shared/platform/html/brand.ts";
import { chooseLocale } from "#shared/platform/html/choose-locale.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { type HttpResult, renderError } from "#shared/platform/http/render.ts";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { errorPage } from "./result-page.ts";

/** Renders errors as a page for whoever posts a response or asks for HTML, and as JSON for apps that start a login. */
export const refuseWithLoginPage =
  (settings: Brand & Pick<Settings, "vendor">) =>
  (error: ApiError, { headers, requestContext }: HttpEvent): HttpResult => {
    const isResponse = requestContext.http.method === "POST";
    if (!isResponse && !headers.accept?.includes("text/html")) return renderError(error);
    const mistake = isResponse ? undefined : error.message;
    const failure = { label: error.label, requestId: requestContext.requestId, mistake };
    const language = chooseLocale(headers["accept-language"]);
    const page = errorPage(failure, { language, settings });
    return {
      statusCode: error.status,
      headers: { ...error.headers, ...page.headers, "content-type": pageBody.contentType },
      body: page.body,
    };
  };
