import * as z from "zod";
import { chooseLocale } from "#shared/platform/html/choose-locale.ts";
import type { Html } from "#shared/platform/html/html.ts";
import { renderPage } from "#shared/platform/html/page.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import * as types from "#shared/platform/outbound/service-types.ts";
import { attemptAsProvider } from "#shared/services/provider-pages/attempt-as-provider.ts";
import {
  leadTo,
  type ProviderPageRequest,
  type ProviderVisit,
  providerHome,
  providerOfForm,
  providerVisit,
} from "#shared/services/provider-pages/provider-visit.ts";
import type { Deps } from "../deps.ts";
import { changeConnection, changeService } from "../own-services/change-service.ts";
import { createService } from "../own-services/create-service.ts";
import { deleteService } from "../own-services/delete-service.ts";
import { newService } from "../own-services/routes.ts";
import { asProblem, type Outcome, type Problem, readOutcome } from "./outcomes.ts";
import { type Frame, listPage, newServicePage, servicePage } from "./pages.ts";
import type { routes } from "./routes.ts";
import type { TypedProfile } from "./schemas.ts";
import { translations } from "./texts.ts";

const listPath = "/provider/services/page/list";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { services, settings } = deps;
  const logInFirst = leadTo(providerHome, { outcome: "session-ended" });
  const list = (outcome: Outcome) => leadTo(listPath, { outcome });
  const one = (id: string, outcome: Outcome) => leadTo("/provider/services/page/one", { id, outcome });

  const render = (
    { headers }: ProviderPageRequest,
    { provider, formToken }: ProviderVisit,
    outcome: Outcome | undefined,
    content: (frame: Frame) => { readonly title: string; readonly body: Html },
  ) => {
    const language = chooseLocale(headers["Accept-Language"]);
    const frame = { texts: translations[language], language, provider, formToken, outcome };
    return { status: 200, ...renderPage({ language, settings, ...content(frame) }) } as const;
  };

  return {
    "get-provider-services-page": async (input) => {
      const visit = await providerVisit(deps, input);
      if (visit === undefined) return leadTo(providerHome);
      const own = await services.ofProvider(visit.provider.providerId);
      return render(input, visit, readOutcome(input.query.outcome), (frame) => listPage(frame, own));
    },

    "get-provider-new-service-page": async (input) => {
      const visit = await providerVisit(deps, input);
      if (visit === undefined) return leadTo(providerHome);
      return render(input, visit, undefined, (frame) => newServicePage(frame, {}));
    },

    "post-provider-new-service-form": async (input) => {
      const visit = await providerOfForm(deps, input);
      if (visit === undefined) return logInFirst;
      const again = (problem: Problem) =>
        render(input, visit, problem, (frame) => newServicePage(frame, input.body));
      const [profile, address, keys] = [
        readProfile(input.body),
        readAddress(input.body.base_url),
        readKeys(input.body.keys),
      ];
      if ("problem" in profile) return again(profile.problem);
      if ("problem" in address) return again(address.problem);
      if ("problem" in keys) return again(keys.problem);
      const [publicKey = "", ...others] = keys.value;
      if (others.length > 0) return again("invalid-key");
      let id = "";
      const problem = await attemptAsProvider(async () => {
        const created = { ...profile.value, assets: [], baseUrl: address.value, publicKey };
        id = (await createService(deps, visit.provider, created)).serviceId;
      });
      return problem === undefined ? one(id, "created") : again(asProblem(problem));
    },

    "get-provider-service-page": async (input) => {
      const { id, outcome } = input.query;
      const visit = await providerVisit(deps, input);
      if (visit === undefined) return leadTo(providerHome);
      const service = await services.get(visit.provider.providerId, id);
      if (service === undefined) throw new ApiError("service-not-found");
      return render(input, visit, readOutcome(outcome), (frame) => servicePage(frame, service));
    },

    "post-provider-service-form": async (input) => {
      const { id, form_token: _, ...typed } = input.body;
      const visit = await providerOfForm(deps, input);
      if (visit === undefined) return logInFirst;
      const profile = readProfile(typed);
      if ("problem" in profile) return one(id, profile.problem);
      await changeService(deps, { providerId: visit.provider.providerId, serviceId: id }, profile.value);
      return one(id, "saved");
    },

    "post-provider-connection-form": async (input) => {
      const { id, base_url, keys: typedKeys, tokens: typedTokens, enabled, password } = input.body;
      const visit = await providerOfForm(deps, input);
      if (visit === undefined) return logInFirst;
      const [address, keys, tokens] = [readAddress(base_url), readKeys(typedKeys), readTokens(typedTokens)];
      if ("problem" in address) return one(id, address.problem);
      if ("problem" in keys) return one(id, keys.problem);
      if ("problem" in tokens) return one(id, tokens.problem);
      const problem = await attemptAsProvider(() =>
        changeConnection(
          deps,
          { providerId: visit.provider.providerId, serviceId: id },
          {
            password,
            baseUrl: address.value,
            publicKeys: keys.value,
            authTokens: tokens.value,
            isEnabled: enabled === "yes",
          },
        ),
      );
      return one(id, problem === undefined ? "saved" : asProblem(problem));
    },

    "post-provider-service-deletion-form": async (input) => {
      const { id, password } = input.body;
      const visit = await providerOfForm(deps, input);
      if (visit === undefined) return logInFirst;
      const service = { providerId: visit.provider.providerId, serviceId: id };
      const problem = await attemptAsProvider(() => deleteService(deps, service, password));
      return problem === undefined ? list("deleted") : one(id, asProblem(problem));
    },
  };
}

const profile = newService.pick({ name: true, summary: true, description: true, tags: true });
const keys = z.array(types.newPublicKey).min(1).max(2);
const tokens = z.array(types.authToken).min(1).max(2);

/** The typed values if they are valid; otherwise their problem. */
type Read<Value> = { readonly value: Value } | { readonly problem: Problem };

const read = <Schema extends z.ZodType>(
  schema: Schema,
  typed: unknown,
  problem: Problem,
): Read<z.output<Schema>> => {
  const { success, data } = schema.safeParse(typed);
  return success ? { value: data } : { problem };
};

function readProfile({ tag1, tag2, tag3, ...typed }: TypedProfile) {
  const tags = [...new Set([tag1, tag2, tag3])].filter((tag) => tag !== "");
  return read(profile, { ...typed, tags }, "invalid-fields");
}

const readAddress = (typed: string) => read(types.newBaseUrl, typed.trim(), "invalid-address");

/** Sections of PEM, one after the other. */
const readKeys = (typed: string) =>
  read(
    keys,
    typed.split(/(?<=-----END [A-Z ]+-----)\s*/).filter((section) => section.trim() !== ""),
    "invalid-key",
  );

/** Tokens, one a line. */
const readTokens = (typed: string) =>
  read(
    tokens,
    typed.split(/\s+/).filter((token) => token !== ""),
    "invalid-token",
  );
