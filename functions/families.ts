import type { Family, Worker } from "#shared/family.ts";
import { accountAdmin } from "./account-admin/family.ts";
import { apiInfo } from "./api-info/family.ts";
import { keyRotation } from "./key-rotation/worker.ts";
import { mailDelivery } from "./mail-delivery/worker.ts";
import { outboxSweeper } from "./outbox-sweeper/worker.ts";
import { passwordReset } from "./password-reset/family.ts";
import { registration } from "./registration/family.ts";
import { self } from "./self/family.ts";
import { sessions } from "./sessions/family.ts";

/** Every endpoint family. The gateways, the API document and the tests know an operation through this list. */
export const families: readonly Family[] = [
  apiInfo,
  registration,
  sessions,
  passwordReset,
  self,
  accountAdmin,
];

/** Every function that a queue or a schedule calls. */
export const workers: readonly Worker[] = [mailDelivery, outboxSweeper, keyRotation];
