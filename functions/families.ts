import type { Family, Worker } from "#shared/family.ts";
import { accountAdmin } from "./account-admin/family.ts";
import { apiInfo } from "./api-info/family.ts";
import { fanOut } from "./fan-out/worker.ts";
import { keyRotation } from "./key-rotation/worker.ts";
import { mailDelivery } from "./mail-delivery/worker.ts";
import { notifications } from "./notifications/family.ts";
import { outboxSweeper } from "./outbox-sweeper/worker.ts";
import { passwordReset } from "./password-reset/family.ts";
import { registration } from "./registration/family.ts";
import { self } from "./self/family.ts";
import { sessions } from "./sessions/family.ts";
import { websocket } from "./websocket/worker.ts";

/** Every endpoint family. The gateways, the API document and the tests know an operation through this list. */
export const families: readonly Family[] = [
  apiInfo,
  registration,
  sessions,
  passwordReset,
  self,
  accountAdmin,
  notifications,
];

/** Every function that a queue, a schedule, a rotation or a socket calls. */
export const workers: readonly Worker[] = [mailDelivery, fanOut, outboxSweeper, keyRotation, websocket];
