import { randomUUID } from "node:crypto";
import type { Clock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

interface Deps {
  readonly config: Pick<Config, "publicUrl">;
  readonly settings: Settings;
}

type Configured = Settings["saml"]["serviceProvider"];

/** How the service presents itself to identity providers on one host. */
export interface ServiceProvider extends Configured {
  /** Address of `/sso`, without trailing slash. */
  readonly spSsoUri: string;
}

/** The configured host of the request; undefined on other hosts, and with one service provider for all hosts. */
export const boundHost = (host: string, { settings }: Pick<Deps, "settings">): string | undefined =>
  findByHost(host, settings) && host;

/**
 * Find the service provider that answers on a host.
 * @throws ApiError `not-found` when there are several, and none for this host
 */
export function serviceProviderAt(host: string, { config, settings }: Deps): ServiceProvider {
  const { serviceProvider, serviceProvidersByHost } = settings.saml;
  const found = serviceProvidersByHost === undefined ? serviceProvider : findByHost(host, settings);
  if (found === undefined) throw new ApiError("not-found");
  const { spSsoUri = `${config.publicUrl}/sso` } = found;
  return { ...found, spSsoUri: spSsoUri.replace(/\/$/, "") };
}

/**
 * Create the entity id of a service provider, which is also the address for responses.
 * @param teamId absent: the one for all teams, used by identity providers of version 1
 */
export const entityIdOf = ({ spSsoUri }: ServiceProvider, teamId?: string): string =>
  [`${spSsoUri}/finalize-login`, ...(teamId === undefined ? [] : [teamId])].join("/");

const findByHost = (host: string, { saml }: Settings): Configured | undefined =>
  Object.entries(saml.serviceProvidersByHost ?? {}).find(([name]) => name.toLowerCase() === host)?.[1];

const day = 24 * 60 * 60_000;
const lifetimeMilliseconds = 365 * day;
const cacheSeconds = (30 * day) / 1000;

/**
 * Describes the service provider of a host to identity providers (SAML metadata 2.4.4).
 * @param teamId team whose identity providers it is for; absent: those of version 1
 * @throws ApiError `not-found` when no service provider answers on the host
 */
export function serviceProviderMetadata(
  { config, settings, clock }: Deps & { readonly clock: Clock },
  host: string,
  teamId?: string,
): string {
  const serviceProvider = serviceProviderAt(host, { config, settings });
  const entityId = entityIdOf(serviceProvider, teamId);
  const validUntil = new Date(clock() + lifetimeMilliseconds).toISOString();
  return html`<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
<md:SPSSODescriptor ID="_${randomUUID()}" validUntil="${validUntil}" cacheDuration="PT${String(cacheSeconds)}S" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" AuthnRequestsSigned="false" WantAssertionsSigned="true">
<md:Organization>
<md:OrganizationName xml:lang="EN">${settings.productName}</md:OrganizationName>
<md:OrganizationDisplayName xml:lang="EN">${settings.productName}</md:OrganizationDisplayName>
<md:OrganizationURL xml:lang="EN">${entityId}</md:OrganizationURL>
</md:Organization>
${serviceProvider.contacts.map(contactPerson)}<md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified</md:NameIDFormat>
<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:entity</md:NameIDFormat>
<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${entityId}" index="0" isDefault="true"/>
</md:SPSSODescriptor>
</md:EntityDescriptor>
`.toString();
}

type Contact = Settings["saml"]["serviceProvider"]["contacts"][number];

const contactPerson = ({ type, company, givenName, surname, email, phone }: Contact): Html =>
  html`<md:ContactPerson contactType="${type}">
${element("Company", company)}${element("GivenName", givenName)}${element("SurName", surname)}${element("EmailAddress", email && `mailto:${email}`)}${element("TelephoneNumber", phone)}</md:ContactPerson>
`;

const element = (name: string, text: string | undefined): Html | undefined =>
  text === undefined
    ? undefined
    : html`<md:${name}>${text}</md:${name}>
`;
