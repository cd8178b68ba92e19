import { accountErrors } from "./errors/accounts.ts";
import { assetErrors } from "./errors/assets.ts";
import { callErrors } from "./errors/calls.ts";
import { codeErrors } from "./errors/codes.ts";
import { conversationErrors } from "./errors/conversations.ts";
import { deviceErrors } from "./errors/devices.ts";
import { domainErrors } from "./errors/domains.ts";
import { eventErrors } from "./errors/events.ts";
import { httpErrors } from "./errors/http.ts";
import { legalHoldErrors } from "./errors/legal-hold.ts";
import { oauthErrors } from "./errors/oauth.ts";
import { peopleErrors } from "./errors/people.ts";
import { provisioningErrors } from "./errors/provisioning.ts";
import { serviceErrors } from "./errors/services.ts";
import { sessionErrors } from "./errors/sessions.ts";
import { teamErrors } from "./errors/teams.ts";

/** Every error that a client can see, under a name of our own: status, public label and default message. */
export const errorCatalogue = {
  ...httpErrors,
  ...accountErrors,
  ...codeErrors,
  ...sessionErrors,
  ...peopleErrors,
  ...deviceErrors,
  ...oauthErrors,
  ...teamErrors,
  ...domainErrors,
  ...provisioningErrors,
  ...legalHoldErrors,
  ...conversationErrors,
  ...serviceErrors,
  ...assetErrors,
  ...eventErrors,
  ...callErrors,
};

export type ErrorName = keyof typeof errorCatalogue;
