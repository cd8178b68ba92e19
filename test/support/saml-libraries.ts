import { randomUUID } from "node:crypto";
import * as samlify from "samlify";
import samlp from "samlp";
import { type SigningKey, samlNames } from "./saml.ts";

/** An identity provider made with a widely used library, which knows nothing about the service but its metadata. */
export interface LibraryProvider {
  readonly issuer: string;
  readonly metadata: string;
  /**
   * Answer a request.
   * @param samlRequest field of the form that the browser has posted
   * @param serviceMetadata metadata of the service
   * @returns field of the form that the browser is to post
   */
  respond(samlRequest: string, subject: string, serviceMetadata: string): Promise<string>;
}

interface LibraryOptions {
  readonly key: SigningKey;
  /** Base URL of the provider's pages. */
  readonly origin?: string;
}

const newOrigin = () => `https://idp-${randomUUID()}.example.com`;

// The library leaves the check against schemas to packages that it does not include.
samlify.setSchemaValidator({ validate: async () => "not checked" });

const authnStatement = () =>
  [
    `<saml:AuthnStatement AuthnInstant="${new Date().toISOString()}"><saml:AuthnContext>`,
    "<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>",
    "</saml:AuthnContext></saml:AuthnStatement>",
  ].join("");

function samlifyProvider({ key, origin = newOrigin() }: LibraryOptions): LibraryProvider {
  const issuer = `${origin}/metadata`;
  const provider = samlify.IdentityProvider({
    entityID: issuer,
    signingCert: key.certificate,
    privateKey: key.privateKey,
    nameIDFormat: [samlNames.unspecified],
    singleLogoutService: [{ Binding: samlNames.redirect, Location: `${origin}/logout` }],
    singleSignOnService: [
      { Binding: samlNames.redirect, Location: `${origin}/login` },
      { Binding: samlNames.post, Location: `${origin}/login` },
    ],
  });
  return {
    issuer,
    metadata: provider.getMetadata(),
    async respond(samlRequest, subject, serviceMetadata) {
      const service = samlify.ServiceProvider({ metadata: serviceMetadata });
      const { extract } = await provider.parseLoginRequest(service, "post", {
        body: { SAMLRequest: samlRequest },
      });
      const now = new Date();
      const soon = new Date(now.getTime() + 300_000).toISOString();
      const recipient = service.entityMeta.getAssertionConsumerService("post") as string;
      const values = {
        ID: `_${randomUUID()}`,
        AssertionID: `_${randomUUID()}`,
        Issuer: issuer,
        IssueInstant: now.toISOString(),
        Destination: recipient,
        SubjectRecipient: recipient,
        Audience: service.entityMeta.getEntityID(),
        InResponseTo: String(extract.request?.id),
        StatusCode: samlNames.success,
        ConditionsNotBefore: now.toISOString(),
        ConditionsNotOnOrAfter: soon,
        SubjectConfirmationDataNotOnOrAfter: soon,
        NameIDFormat: samlNames.unspecified,
        NameID: subject,
        AttributeStatement: "",
      };
      const { context } = await provider.createLoginResponse(
        service,
        { extract },
        "post",
        {},
        {
          // By default, its response does not state that anybody has logged in.
          customTagReplacement: (template) => ({
            id: values.ID,
            context: samlify.SamlLib.replaceTagsByValue(
              template.replace("{AuthnStatement}", authnStatement()),
              values,
            ),
          }),
        },
      );
      return context;
    },
  };
}

function samlpProvider({ key, origin = newOrigin() }: LibraryOptions): LibraryProvider {
  const issuer = `urn:example:${new URL(origin).hostname}`;
  let metadata = "";
  samlp.metadata({
    issuer,
    cert: key.certificate,
    postEndpointPath: "/login",
    redirectEndpointPath: "/login",
  })(
    {
      method: "GET",
      headers: { host: new URL(origin).host, "x-forwarded-proto": "https" },
      query: {},
      body: {},
      originalUrl: "/FederationMetadata/2007-06/FederationMetadata.xml",
    },
    {
      set: () => undefined,
      send: (body) => {
        metadata = body;
      },
    },
    () => undefined,
  );
  return {
    issuer,
    metadata,
    respond(samlRequest, subject, serviceMetadata) {
      const address = /AssertionConsumerService[^>]*\sLocation="([^"]*)"/.exec(serviceMetadata)?.[1] ?? "";
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const user = {
        id: subject,
        displayName: subject,
        emails: [],
        name: { givenName: "Ada", familyName: "King" },
      };
      samlp.auth({
        issuer,
        cert: key.certificate,
        key: key.privateKey,
        recipient: address,
        destination: address,
        getUserFromRequest: () => user,
        getPostURL: (_audience, _request, _incoming, callback) => callback(null, address),
        responseHandler: (response) => resolve(response.toString("base64")),
      })({ method: "POST", headers: {}, query: {}, body: { SAMLRequest: samlRequest } }, {}, reject);
      return promise;
    },
  };
}

/** Create an identity provider with a library. */
export const libraries = { samlify: samlifyProvider, samlp: samlpProvider };
