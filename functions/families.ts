import { audited, type Family, metered, type Worker } from "../shared/platform/manifest.ts";
import { family as accountAdmin } from "./accounts/account-admin/family.ts";
import { family as accountPages } from "./accounts/account-pages/family.ts";
import { worker as erasure } from "./accounts/erasure/worker.ts";
import { family as passwordReset } from "./accounts/password-reset/family.ts";
import { family as registration } from "./accounts/registration/family.ts";
import { family as secondFactor } from "./accounts/second-factor/family.ts";
import { family as self } from "./accounts/self/family.ts";
import { family as sessions } from "./accounts/sessions/family.ts";
import { family as assets } from "./assets/assets/family.ts";
import { worker as conversationJobs } from "./conversations/conversation-jobs/worker.ts";
import { family as conversations } from "./conversations/conversations/family.ts";
import { family as clients } from "./devices/clients/family.ts";
import { family as keyPackages } from "./devices/key-packages/family.ts";
import { family as prekeys } from "./devices/prekeys/family.ts";
import { family as pushTokens } from "./devices/push-tokens/family.ts";
import { worker as delivery } from "./events/delivery/worker.ts";
import { worker as fanOut } from "./events/fan-out/worker.ts";
import { worker as nativePush } from "./events/native-push/worker.ts";
import { family as notifications } from "./events/notifications/family.ts";
import { worker as pushEndpoints } from "./events/push-endpoints/worker.ts";
import { worker as socketCloser } from "./events/socket-closer/worker.ts";
import { worker as socketFloods } from "./events/socket-floods/worker.ts";
import { worker as websocket } from "./events/websocket/worker.ts";
import { family as authorize } from "./oauth/authorize/family.ts";
import { family as oauth } from "./oauth/oauth/family.ts";
import { family as connections } from "./people/connections/family.ts";
import { family as properties } from "./people/properties/family.ts";
import { family as search } from "./people/search/family.ts";
import { worker as searchIndexer } from "./people/search-indexer/worker.ts";
import { family as users } from "./people/users/family.ts";
import { family as apiInfo } from "./platform/api-info/family.ts";
import { worker as auditSealer } from "./platform/audit-sealer/worker.ts";
import { family as auditTrail } from "./platform/audit-trail/family.ts";
import { worker as auditVerifier } from "./platform/audit-verifier/worker.ts";
import { family as calls } from "./platform/calls/family.ts";
import { worker as canary } from "./platform/canary/worker.ts";
import { worker as keyRotation } from "./platform/key-rotation/worker.ts";
import { worker as mailDelivery } from "./platform/mail-delivery/worker.ts";
import { worker as mailFeedback } from "./platform/mail-feedback/worker.ts";
import { worker as outboxSweeper } from "./platform/outbox-sweeper/worker.ts";
import { family as statements } from "./platform/statements/family.ts";
import { family as statistics } from "./platform/statistics/family.ts";
import { family as system } from "./platform/system/family.ts";
import { worker as provisioningJobs } from "./provisioning/provisioning-jobs/worker.ts";
import { family as scim } from "./provisioning/scim/family.ts";
import { family as singleSignOn } from "./provisioning/single-sign-on/family.ts";
import { worker as botDelivery } from "./services/bot-delivery/worker.ts";
import { family as bots } from "./services/bots/family.ts";
import { family as providers } from "./services/providers/family.ts";
import { worker as serviceJobs } from "./services/service-jobs/worker.ts";
import { family as services } from "./services/services/family.ts";
import { worker as slowBotDelivery } from "./services/slow-bot-delivery/worker.ts";
import { family as domains } from "./teams/domains/family.ts";
import { family as features } from "./teams/features/family.ts";
import { family as legalHold } from "./teams/legal-hold/family.ts";
import { worker as slowWebhookDelivery } from "./teams/slow-webhook-delivery/worker.ts";
import { worker as teamJobs } from "./teams/team-jobs/worker.ts";
import { family as teams } from "./teams/teams/family.ts";
import { worker as webhookCollector } from "./teams/webhook-collector/worker.ts";
import { worker as webhookDelivery } from "./teams/webhook-delivery/worker.ts";
import { family as webhooks } from "./teams/webhooks/family.ts";

/** Every endpoint family. The gateways, the API document and the tests take their operations from this list. */
export const families: readonly Family[] = [
  apiInfo,
  registration,
  sessions,
  passwordReset,
  self,
  secondFactor,
  accountPages,
  users,
  search,
  connections,
  properties,
  clients,
  prekeys,
  keyPackages,
  pushTokens,
  calls,
  system,
  auditTrail,
  teams,
  features,
  legalHold,
  webhooks,
  domains,
  singleSignOn,
  scim,
  conversations,
  bots,
  providers,
  services,
  assets,
  oauth,
  authorize,
  accountAdmin,
  notifications,
  statements,
  statistics,
].map((family) => audited(metered(family)));

/** Every function that a queue, a schedule, a rotation or a socket invokes. */
export const workers: readonly Worker[] = [
  mailDelivery,
  mailFeedback,
  fanOut,
  delivery,
  botDelivery,
  slowBotDelivery,
  nativePush,
  pushEndpoints,
  searchIndexer,
  erasure,
  teamJobs,
  provisioningJobs,
  conversationJobs,
  serviceJobs,
  webhookCollector,
  webhookDelivery,
  slowWebhookDelivery,
  outboxSweeper,
  auditSealer,
  auditVerifier,
  keyRotation,
  canary,
  websocket,
  socketCloser,
  socketFloods,
].map(metered);
