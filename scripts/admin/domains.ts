import { domain, team } from "./arguments.ts";
import { type Context, defineCommand } from "./command.ts";
import { asAdminOf } from "./team.ts";

const pathOf = (name: string) => `/i/domain-registration/${encodeURIComponent(name)}`;

const send =
  (action: string) =>
  async ({ api }: Context, values: { domain: string }) => {
    await api.call("POST", `${pathOf(values.domain)}/${action}`);
  };

export const teamDomains = defineCommand({
  name: "team domains",
  summary: "List the email domains of a team",
  examples: ["team domains 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "reads",
  arguments: { team },
  async run({ api }, values) {
    const path = `/v9/teams/${encodeURIComponent(values.team)}/registered-domains`;
    const { registered_domains } = await api.read(path, await asAdminOf(api, values.team));
    return registered_domains;
  },
});

export const domainShow = defineCommand({
  name: "domain show",
  summary: "Show the rules of an email domain, and the team that has claimed it",
  examples: ["domain show example.com --stage prod"],
  effect: "reads",
  arguments: { domain },
  run: ({ api }, values) => api.read(pathOf(values.domain)),
});

export const domainPreauthorize = defineCommand({
  name: "domain preauthorize",
  summary: "Let the owner of an email domain choose a backend",
  examples: ["domain preauthorize example.com --stage prod"],
  effect: "changes",
  arguments: { domain },
  run: send("preauthorize"),
});

export const domainUnauthorize = defineCommand({
  name: "domain unauthorize",
  summary: "Withdraw the choice of a backend from the owner of an email domain",
  examples: ["domain unauthorize example.com --stage prod"],
  effect: "changes",
  arguments: { domain },
  run: send("unauthorize"),
});

export const domainLock = defineCommand({
  name: "domain lock",
  summary: "Close an email domain to verification, and remove its rules and the team that has claimed it",
  examples: ["domain lock example.com --stage prod --yes example.com"],
  effect: "changes",
  confirms: "the domain",
  arguments: { domain },
  async run(context, values) {
    await context.confirm(values.domain, "the domain");
    await send("lock")(context, values);
  },
});

export const domainUnlock = defineCommand({
  name: "domain unlock",
  summary: "Open an email domain to verification again",
  examples: ["domain unlock example.com --stage prod"],
  effect: "changes",
  arguments: { domain },
  run: send("unlock"),
});

export const domainRemove = defineCommand({
  name: "domain remove",
  summary: "Remove the registration of an email domain",
  examples: ["domain remove example.com --stage prod --yes example.com"],
  effect: "changes",
  confirms: "the domain",
  arguments: { domain },
  async run({ api, confirm }, values) {
    await confirm(values.domain, "the domain");
    await api.call("DELETE", pathOf(values.domain));
  },
});
