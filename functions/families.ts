import type { Family, Worker } from "#shared/family.ts";
import { accountAdmin } from "./account-admin/family.ts";
import { apiInfo } from "./api-info/family.ts";
import { authorize } from "./authorize/family.ts";
import { calls } from "./calls/family.ts";
import { clients } from "./clients/family.ts";
import { connections } from "./connections/family.ts";
import { erasure } from "./erasure/worker.ts";
import { fanOut } from "./fan-out/worker.ts";
import { keyPackages } from "./key-packages/family.ts";
import { keyRotation } from "./key-rotation/worker.ts";
import { mailDelivery } from "./mail-delivery/worker.ts";
import { notifications } from "./notifications/family.ts";
import { oauth } from "./oauth/family.ts";
import { outboxSweeper } from "./outbox-sweeper/worker.ts";
import { passwordReset } from "./password-reset/family.ts";
import { prekeys } from "./prekeys/family.ts";
import { properties } from "./properties/family.ts";
import { registration } from "./registration/family.ts";
import { search } from "./search/family.ts";
import { searchIndexer } from "./search-indexer/worker.ts";
import { secondFactor } from "./second-factor/family.ts";
import { self } from "./self/family.ts";
import { sessions } from "./sessions/family.ts";
import { system } from "./system/family.ts";
import { users } from "./users/family.ts";
import { websocket } from "./websocket/worker.ts";

/** Every endpoint family. The gateways, the API document and the tests know an operation through this list. */
export const families: readonly Family[] = [
  apiInfo,
  registration,
  sessions,
  passwordReset,
  self,
  secondFactor,
  users,
  search,
  connections,
  properties,
  clients,
  prekeys,
  keyPackages,
  calls,
  system,
  oauth,
  authorize,
  accountAdmin,
  notifications,
];

/** Every function that a queue, a schedule, a rotation or a socket calls. */
export const workers: readonly Worker[] = [
  mailDelivery,
  fanOut,
  searchIndexer,
  erasure,
  outboxSweeper,
  keyRotation,
  websocket,
];
