import {
  appsPage,
  deletionPage,
  keptPage,
  profilePage,
  securityPage,
  sessionsPage,
} from "#functions/accounts/account-pages/pages/pages.ts";
import { translations as accountTexts } from "#functions/accounts/account-pages/show-page.ts";
import * as resets from "#functions/accounts/password-reset/pages/reset-pages.ts";
import { translations as resetTexts } from "#functions/accounts/password-reset/pages/texts.ts";
import { joinedPage, joinPage } from "#functions/accounts/registration/joining/pages/join-pages.ts";
import { translations as joinTexts } from "#functions/accounts/registration/joining/pages/translations.ts";
import * as activations from "#functions/accounts/registration/pages/activation-pages.ts";
import { translations as activationTexts } from "#functions/accounts/registration/pages/activation-pages.ts";
import * as confirmations from "#functions/accounts/self/pages/deletion-pages.ts";
import { translations as confirmationTexts } from "#functions/accounts/self/pages/deletion-pages.ts";
import * as logouts from "#functions/oauth/authorize/pages/pages.ts";
import { consentPage } from "#functions/oauth/authorize/pages/pages.ts";
import { translations as consentTexts } from "#functions/oauth/authorize/pages/texts.ts";
import * as profileLinks from "#functions/platform/api-info/account-site/handlers.ts";
import { docsPage, guidePage, internalDocsPage } from "#functions/platform/api-info/docs-page.ts";
import * as guestLinks from "#functions/platform/api-info/guest-link/handlers.ts";
import * as home from "#functions/platform/api-info/home/handlers.ts";
import { auditPage } from "#functions/platform/audit-trail/team-page/audit-page.ts";
import { tokensPage } from "#functions/provisioning/scim/team-page/tokens-page.ts";
import { requestPage } from "#functions/provisioning/single-sign-on/login/handlers.ts";
import * as results from "#functions/provisioning/single-sign-on/login/pages/result-page.ts";
import { providersPage } from "#functions/provisioning/single-sign-on/team-page/providers-page.ts";
import * as ownPages from "#functions/services/providers/own-pages/pages.ts";
import { translations as ownTexts } from "#functions/services/providers/own-pages/texts.ts";
import * as providerActivations from "#functions/services/providers/pages/pages.ts";
import { resetDonePage, resetPage } from "#functions/services/providers/pages/pages.ts";
import { translations as providerTexts } from "#functions/services/providers/pages/texts.ts";
import { listPage, newServicePage, servicePage } from "#functions/services/services/own-pages/pages.ts";
import { translations as serviceTexts } from "#functions/services/services/own-pages/texts.ts";
import { featuresPage } from "#functions/teams/features/pages/features-page.ts";
import { invitationsPage } from "#functions/teams/teams/pages/invitations-page.ts";
import { memberPage, membersPage } from "#functions/teams/teams/pages/members-page.ts";
import { accountItem } from "#shared/accounts/account.ts";
import { logInPage, logInTranslations, secondFactorPage } from "#shared/accounts/page-login/log-in-pages.ts";
import type { TeamFrame } from "#shared/accounts/team-pages/layout.ts";
import { teamTranslations } from "#shared/accounts/team-pages/team-page.ts";
import { switchedFeatures } from "#shared/accounts/team-pages/texts.ts";
import { type Locale, locales } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { type RenderedPage, renderPage } from "#shared/platform/html/page.ts";
import { oauthScopes, openIdScopes } from "#shared/registry/oauth-scopes.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { ActiveProvider } from "#shared/services/provider.ts";
import type { Service } from "#shared/services/service.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { Member } from "#shared/teams/member.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import type { Team } from "#shared/teams/team.ts";

/** A name that is dangerous unless it is escaped. */
export const namedMarkup = `<b>"Ada" & Ben's</b>`;

/** The whole documents that a template renders. */
export interface PageSample {
  readonly template: { readonly name: string };
  readonly language: Locale;
  readonly documents: readonly string[];
}

const settings = { ...parseSettings({}), webAppUrl: "https://app.example.com" };
const { productName } = settings;
const uuid = "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60";
const account = { ...accountItem.parse(accountItem.example), name: namedMarkup, phone: "+491700000000" };
const provider: ActiveProvider = {
  ...{ providerId: uuid, revision: 1, name: namedMarkup, email: "acme@example.com" },
  ...{ emailKey: "acme@example.com", url: "https://acme.example.com", description: namedMarkup },
  ...{ passwordHash: "", createdAt: 0 },
};
const service: Service = {
  ...{ providerId: uuid, serviceId: uuid, revision: 1, name: namedMarkup, summary: namedMarkup },
  ...{ description: namedMarkup, assets: [], tags: ["quiz"], isEnabled: true, authTokens: ["token"] },
  ...{ baseUrl: "https://quiz.example.com", keys: [{ pem: "pem", bits: 2048, fingerprint: "" }] },
};
const invitation: Invitation = {
  ...{ teamId: uuid, invitationId: uuid, role: "member", email: "ben@example.com", addressKey: "" },
  ...{ name: namedMarkup, createdAt: 0, expiresAt: 0, codeHash: "" },
};
const team: Team = {
  ...{ teamId: uuid, creator: uuid, name: namedMarkup, icon: "default", splashScreen: "default" },
  ...{ status: "active", statusChangedAt: 0, searchVisibility: "standard" },
  ...{ memberCount: 1, ownerCount: 1, adminCount: 1 },
};
const cookies = [
  { id: 1, type: "session", createdAt: 0, expiresAt: 1, label: namedMarkup },
  { id: 2, type: "persistent", createdAt: 0, expiresAt: 1, label: "account page" },
] as const;
const member: Member = {
  ...{ teamId: uuid, userId: uuid, permissions: permissionsOf("member") },
  legalHoldStatus: "disabled",
};
const listedMember = { member, account };
const listedProvider = { id: uuid, handle: namedMarkup, issuer: namedMarkup, createdAt: 0 };
const listedToken = { id: uuid, name: namedMarkup, description: "", createdAt: 0 };
const auditRecord = {
  ...{ time: "2026-01-01T00:00:00.000Z", event: "team.member-changed", error: namedMarkup },
  ...{ actor: { kind: "user", user: uuid }, target: { uid: uuid, name: namedMarkup } },
};
const link = { productName, key: "key", code: "123456" };
const forms = { path: "/account", query: "a=1&b=2", formToken: "token" };

/** A document, or its content with or without a title. */
type Rendered = RenderedPage | { readonly title: string; readonly body: Html } | Html;

/** Every template of a page, in a language, with each form that its page can have. */
function samplesIn(language: Locale): PageSample[] {
  const documentOf = (rendered: Rendered): string => {
    if ("headers" in rendered) return rendered.body;
    const content = "title" in rendered ? rendered : { title: "Page", body: rendered };
    return renderPage({ language, settings, ...content }).body;
  };
  const sample = <Given extends readonly unknown[]>(
    template: (...given: Given) => Rendered,
    ...variants: Given[]
  ): PageSample => ({
    template,
    language,
    documents: variants.map((given) => documentOf(template(...given))),
  });

  const texts = accountTexts[language];
  const frame = { texts, formToken: "token", identity: account.email, hasPassword: true, hasTeam: true };
  const frames = [frame, { ...frame, outcome: "wrong-password" }, { ...frame, hasPassword: false }] as const;
  const teamFrame: TeamFrame = {
    ...{ texts: teamTranslations[language], language, formToken: "token", identity: account.email },
    ...{ isOwner: true, hasPassword: true, outcome: undefined },
  };
  const apps = [{ id: uuid, name: namedMarkup, since: 0 }];
  const visit = { provider, formToken: "token", language };
  const serviceFrame = { texts: serviceTexts[language], provider, formToken: "token", language };
  const invitee = { invitation, team, state: undefined as never, invitee: undefined, code: "code" };
  const inviting = { ...invitee, productName, inviterEmail: "ada@example.com", problem: undefined };
  const failure = { label: "forbidden", requestId: uuid };
  const surroundings = { language, settings };
  return [
    sample(
      logInPage,
      [logInTranslations[language], { ...forms, intro: html`<p>Intro</p>` }],
      [
        logInTranslations[language],
        { ...forms, intro: html`<p>Intro</p>`, identity: namedMarkup, problem: "wrong-credentials" },
      ],
    ),
    sample(
      secondFactorPage,
      [logInTranslations[language], forms],
      [logInTranslations[language], { ...forms, problem: "wrong-code" }],
    ),

    sample(
      profilePage,
      [frame, { account, fixed: { name: false, handle: false, locale: false } }],
      [frame, { account, fixed: { name: true, handle: true, locale: true } }],
    ),
    sample(
      securityPage,
      ...frames.map(
        (one): Parameters<typeof securityPage> => [one, { codesTo: account.email, logsInByCompany: false }],
      ),
    ),
    sample(
      sessionsPage,
      ...frames.flatMap((one) =>
        [true, false].map(
          (mayEnd): Parameters<typeof sessionsPage> => [
            one,
            { cookies, ownId: 2, pageLabel: "account page", language, mayEnd },
          ],
        ),
      ),
    ),
    sample(appsPage, ...frames.map((one): Parameters<typeof appsPage> => [one, { apps, language }]), [
      frame,
      { apps: [], language },
    ]),
    sample(deletionPage, ...frames.map((one): Parameters<typeof deletionPage> => [one, productName])),
    sample(keptPage, [frame]),

    sample(
      membersPage,
      [teamFrame, { members: [listedMember], ownId: member.userId, after: uuid }],
      [
        { ...teamFrame, outcome: "refused", isOwner: false },
        { members: [], ownId: uuid, after: undefined },
      ],
    ),
    sample(
      memberPage,
      [teamFrame, { ...listedMember, roles: ["owner", "member"] }],
      [
        { ...teamFrame, hasPassword: false },
        { ...listedMember, roles: [] },
      ],
    ),
    sample(
      invitationsPage,
      [teamFrame, { invitations: [{ invitation, url: namedMarkup }], roles: ["member"], after: uuid }],
      [
        { ...teamFrame, outcome: "invited" },
        { invitations: [], roles: ["member"], after: undefined },
      ],
    ),
    sample(featuresPage, [
      teamFrame,
      switchedFeatures.map((name, index) => ({ name, isOn: index % 2 === 0, isLocked: index % 3 === 0 })),
    ]),
    sample(
      providersPage,
      ...[[], [listedProvider]].map(
        (providers): Parameters<typeof providersPage> => [
          teamFrame,
          { providers, metadataUrl: namedMarkup, toCode: (id) => id, toLink: (id) => id },
        ],
      ),
    ),
    sample(
      tokensPage,
      [
        teamFrame,
        {
          ...{ address: namedMarkup, tokens: [listedToken], providers: [listedProvider] },
          ...{ created: namedMarkup, needsCode: true },
        },
      ],
      [teamFrame, { address: "", tokens: [], providers: [], created: undefined, needsCode: false }],
    ),
    sample(
      auditPage,
      [
        teamFrame,
        {
          ...{ day: "2026-01-01", records: [auditRecord], nameOf: () => namedMarkup, isDamaged: true },
          ...{ earlier: "2025-12-31", later: "2026-01-02", more: namedMarkup },
        },
      ],
      [
        teamFrame,
        {
          ...{ day: "2026-01-01", records: [], nameOf: () => undefined, isDamaged: false },
          ...{ earlier: "2025-12-31", later: undefined, more: undefined },
        },
      ],
    ),

    sample(resets.askPage, [resetTexts[language], {}], [resetTexts[language], { problem: "dead-link" }]),
    sample(
      resets.completionPage,
      [resetTexts[language], {}],
      [resetTexts[language], { problem: "wrong-code", address: namedMarkup }],
    ),
    sample(
      resets.linkedPage,
      [resetTexts[language], link],
      [resetTexts[language], { ...link, problem: "short-password", address: namedMarkup }],
    ),
    sample(resets.donePage, [resetTexts[language]]),

    sample(
      activations.activationPage,
      [activationTexts[language], { ...link, account }],
      [activationTexts[language], { ...link, account: undefined }],
    ),
    sample(activations.activatedPage, [
      activationTexts[language],
      { title: activationTexts[language].done.confirmed, productName, name: namedMarkup },
    ]),
    sample(
      joinPage,
      ...[true, false].flatMap((hasAccount) =>
        [undefined, "wrong-password" as const].map(
          (problem): Parameters<typeof joinPage> => [
            joinTexts[language],
            { ...inviting, hasAccount, problem },
          ],
        ),
      ),
    ),
    sample(joinedPage, [joinTexts[language], { ...inviting, hasAccount: true }, settings]),
    sample(confirmations.deletionPage, [confirmationTexts[language], link]),
    sample(confirmations.deletedPage, [confirmationTexts[language], productName]),

    sample(
      consentPage,
      ...[[], oauthScopes, openIdScopes].map(
        (scope): Parameters<typeof consentPage> => [
          consentTexts[language],
          {
            ...forms,
            appName: namedMarkup,
            user: { name: namedMarkup, identity: account.email },
            redirectUrl: new URL("https://calendar.example.com/callback"),
            scope,
          },
        ],
      ),
    ),

    sample(logouts.confirmationPage, [consentTexts[language].endSession, { ...forms, name: namedMarkup }]),
    sample(logouts.loggedOutPage, [consentTexts[language].endSession]),

    sample(home.homePage, [home.translations[language], { webAppUrl: undefined, hasDeepLink: true }]),
    sample(home.deepLinkPage, [home.translations[language], { address: "https://example.com", productName }]),
    sample(guestLinks.guestLinkPage, [guestLinks.translations[language], productName]),
    sample(
      profileLinks.profileLinkPage,
      [profileLinks.translations[language], { app: "svc://user", webApp: undefined, productName }],
      [
        profileLinks.translations[language],
        { app: "svc://user", webApp: "https://example.com", productName },
      ],
    ),
    sample(requestPage, [{ requestUri: "https://idp.example.com", samlRequest: "PHg+" }, surroundings]),
    sample(results.successPage, [surroundings]),
    sample(results.denialPage, [{ ...failure, reasons: [namedMarkup] }, surroundings]),
    sample(results.errorPage, [{ ...failure, mistake: namedMarkup }, surroundings]),

    sample(ownPages.logInPage, [ownTexts[language], undefined], [ownTexts[language], "wrong-login"]),
    sample(
      ownPages.registrationPage,
      [ownTexts[language], { outcome: undefined }],
      [ownTexts[language], { outcome: "email-exists", typed: provider }],
      [ownTexts[language], { outcome: "registered" }],
    ),
    sample(ownPages.resetRequestPage, [ownTexts[language], "unknown-email"]),
    sample(
      ownPages.accountPage,
      [ownTexts[language], { ...visit, outcome: undefined }],
      [ownTexts[language], { ...visit, outcome: "saved" }],
    ),
    sample(ownPages.deletionPage, [ownTexts[language], { ...visit, outcome: "wrong-password" }]),
    sample(providerActivations.activationPage, [providerTexts[language], link]),
    sample(providerActivations.activatedPage, [
      providerTexts[language],
      { title: providerTexts[language].confirmed.now, productName },
    ]),
    sample(
      resetPage,
      [providerTexts[language], link],
      [providerTexts[language], { ...link, problem: "same-password" }],
    ),
    sample(resetDonePage, [providerTexts[language]]),
    sample(
      listPage,
      [{ ...serviceFrame, outcome: undefined }, []],
      [{ ...serviceFrame, outcome: "deleted" }, [service]],
    ),
    sample(
      newServicePage,
      [{ ...serviceFrame, outcome: undefined }, {}],
      [{ ...serviceFrame, outcome: "invalid-key" }, { name: namedMarkup }],
    ),
    sample(
      servicePage,
      [{ ...serviceFrame, outcome: undefined }, service],
      [{ ...serviceFrame, outcome: "wrong-password" }, service],
    ),
  ];
}

const guides = [{ name: "overview", title: namedMarkup }];
const guide = { name: "overview", title: namedMarkup, html: "<h1>Overview</h1>" };

/** Pages for developers, which are in English only. */
const englishSamples: readonly PageSample[] = [
  { template: docsPage, language: "en", documents: [docsPage(namedMarkup, guides)] },
  {
    template: internalDocsPage,
    language: "en",
    documents: [internalDocsPage(namedMarkup, "http://localhost")],
  },
  { template: guidePage, language: "en", documents: [guidePage({ productName, guides, guide })] },
];

export const pageSamples: readonly PageSample[] = [...locales.flatMap(samplesIn), ...englishSamples];
