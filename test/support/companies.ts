import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { newSsoTeam, registeredProvider } from "./identity-providers.ts";
import {
  finalizeLogin,
  initiateLogin,
  type LoginRequest,
  type NameId,
  type ResponseFields,
  samlNames,
  type TestIdentityProvider,
  verdictOf,
} from "./saml.ts";
import type { Team } from "./teams.ts";
import type { Apis } from "./users.ts";

/** A team whose members log in through an identity provider. */
export interface Company {
  readonly team: Team;
  readonly idp: TestIdentityProvider;
  readonly registered: { readonly id: string; readonly teamId: string; readonly apiVersion: "v2" };
}

export async function newCompany(apis?: Apis): Promise<Company> {
  const team = await newSsoTeam(apis);
  const { id, idp } = await registeredProvider(team, { query: { api_version: "v2" }, ...apis });
  return { team, idp, registered: { id, teamId: team.id, apiVersion: "v2" } };
}

/** A name that no identity provider has used before. */
export const newName = (): NameId => ({ text: `subject-${randomUUID()}`, format: samlNames.unspecified });

/** An employee whom the company's identity provider knows by this name, without a password. */
export async function newEmployee(
  { idp, registered }: Company,
  nameId: NameId = newName(),
  apis?: Apis,
): Promise<NameId> {
  const request = await initiateLogin(registered, apis);
  const answer = await finalizeLogin(registered, idp.respond(request, { nameId }), apis);
  expect(verdictOf(answer)).toBe("success");
  return nameId;
}

/** The address at which an identity provider's response leaves the browser. */
export async function answerCompany(
  { idp, registered }: Company,
  request: LoginRequest,
  fields: Partial<ResponseFields>,
  apis?: Apis,
) {
  const answer = await finalizeLogin(registered, idp.respond(request, fields), apis);
  return { ...answer, location: answer.headers.get("location") ?? "" };
}
