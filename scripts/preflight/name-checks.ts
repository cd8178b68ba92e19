import { Resolver } from "node:dns/promises";
import { DescribeCertificateCommand } from "@aws-sdk/client-acm";
import type { Stage } from "#lib/stage.ts";
import type { Clients } from "./clients.ts";
import { type Check, missing, ok, warning } from "./finding.ts";

interface Named {
  readonly key: string;
  readonly certificateArn: string;
  readonly hosts: readonly string[];
  readonly region: string;
}

/** Checks of certificates and DNS records for the host names that clients use. */
export const nameChecks = (
  stage: Stage,
  region: string,
  clients: Clients,
  dnsServers: readonly string[] | undefined,
): Check[] =>
  namesOf(stage, region).flatMap((one) => [certificate(one, clients), dnsRecord(one, dnsServers)]);

function namesOf(
  { customDomain, distribution, settings, sockets: { relay } }: Stage,
  region: string,
): Named[] {
  const aliases = Object.keys(settings.saml.serviceProvidersByHost ?? {});
  return [
    ...(distribution === undefined
      ? []
      : [
          {
            key: "distribution",
            certificateArn: distribution.certificateArn,
            hosts: [...new Set([distribution.domainName, ...aliases])],
            region: "us-east-1",
          },
        ]),
    ...(customDomain === undefined
      ? []
      : [
          {
            key: "customDomain",
            certificateArn: customDomain.certificateArn,
            hosts: [customDomain.name],
            region,
          },
        ]),
    ...(relay === undefined
      ? []
      : [{ key: "sockets.relay", certificateArn: relay.certificateArn, hosts: [relay.domainName], region }]),
  ];
}

const certificate = ({ key, certificateArn, hosts, region }: Named, { acmIn }: Clients): Check => ({
  name: `certificate of ${key}`,
  needs: "acm:DescribeCertificate",
  async run() {
    const request = `ACM in ${region} › Request certificate for ${hosts.join(" and ")}, and set ${key}.certificateArn`;
    const [, , , actualRegion] = certificateArn.split(":");
    if (actualRegion !== region) return missing(`it is in ${actualRegion}, not in ${region}`, request);
    try {
      const command = new DescribeCertificateCommand({ CertificateArn: certificateArn });
      const { Certificate } = await acmIn(region).send(command);
      const { Status, SubjectAlternativeNames = [], DomainName = "" } = Certificate ?? {};
      const names = [DomainName, ...SubjectAlternativeNames];
      const uncovered = hosts.filter((host) => !names.some((one) => covers(one, host)));
      if (uncovered.length > 0) return missing(`it is not for ${uncovered.join(" and ")}`, request);
      if (Status === "ISSUED") return ok(`issued for ${hosts.join(" and ")}`);
      return missing(
        `its status is ${Status}`,
        Status === "PENDING_VALIDATION" ? "create the DNS records that ACM shows" : request,
      );
    } catch (error) {
      if ((error as Error).name !== "ResourceNotFoundException") throw error;
      return missing("there is none with this ARN", request);
    }
  },
});

/** A wildcard stands for one label (RFC 6125 §6.4.3). */
const covers = (name: string, host: string) =>
  name.toLowerCase() === host.toLowerCase() ||
  (name.startsWith("*.") && name.slice(2).toLowerCase() === host.replace(/^[^.]+\./, "").toLowerCase());

/** A zone has records at its apex, where a CNAME is not allowed in addition (RFC 1034 §3.6.2). */
const dnsRecord = ({ key, hosts }: Named, servers: readonly string[] | undefined): Check => ({
  name: `DNS record of ${key}`,
  needs: "queries to DNS",
  async run() {
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const isApex = (host: string) =>
      resolver.resolveNs(host).then(
        (names) => names.length > 0,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "ENODATA" || error.code === "ENOTFOUND") return false;
          throw error;
        },
      );
    try {
      const known = await Promise.all(hosts.map(isApex));
      const apexes = hosts.filter((_, index) => known[index]);
      if (apexes.length === 0) return ok(`a CNAME for ${hosts.join(" and ")}`);
      return warning(
        `${apexes.join(" and ")} is the apex of a zone, where DNS allows no CNAME`,
        "create an alias there instead: in Route 53 a record A with Alias, elsewhere often called ALIAS or ANAME",
      );
    } catch (error) {
      return warning(
        `DNS does not say whether ${hosts.join(" or ")} is the apex of a zone (${(error as Error).message})`,
        "for the apex of a zone, create an alias instead of a CNAME",
      );
    }
  },
});
