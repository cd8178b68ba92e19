import { randomUUID } from "node:crypto";
import type { Clock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { entityIdOf, serviceProviderAt } from "./service-provider.ts";

interface Deps {
  readonly config: Pick<Config, "publicUrl">;
  readonly settings: Settings;
  readonly clock: Clock;
}

const day = 24 * 60 * 60_000;
const lifetimeMilliseconds = 365 * day;
const cacheSeconds = (30 * day) / 1000;

/**
 * Describes the service provider of a host to identity providers (SAML metadata 2.4.4).
 * @param teamId team whose identity providers it is for; absent: those of version 1
 * @throws ApiError `not-found` when no service provider answers on the host
 */
export function serviceProviderMetadata(
  { config, settings, clock }: Deps,
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
