import { appsList } from "./apps-list.ts";
import { blockedAdd, blockedList, blockedRemove } from "./blocked.ts";
import { call } from "./call.ts";
import type { Command } from "./command.ts";
import { stats } from "./stats.ts";
import { suppressedLift, suppressedShow } from "./suppressed.ts";
import { teamShow } from "./team-show.ts";
import { teamResume, teamSuspend } from "./team-status.ts";
import { userDelete } from "./user-delete.ts";
import { userFind } from "./user-find.ts";
import { userLogOut } from "./user-log-out.ts";
import { userShow } from "./user-show.ts";
import { userResume, userSuspend } from "./user-status.ts";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  userFind,
  userShow,
  userSuspend,
  userResume,
  userLogOut,
  userDelete,
  teamShow,
  teamSuspend,
  teamResume,
  blockedList,
  blockedAdd,
  blockedRemove,
  suppressedShow,
  suppressedLift,
  appsList,
  stats,
  call,
];
