import { appsChange, appsDelete, appsList, appsRegister, appsRotateSecret, appsShow } from "./apps.ts";
import { assetsDelete, assetsList, assetsShow } from "./assets.ts";
import { auditList } from "./audit.ts";
import { auditExport } from "./audit-export.ts";
import { auditVerify } from "./audit-verify.ts";
import { blockedAdd, blockedList, blockedRemove } from "./blocked.ts";
import { call } from "./call.ts";
import { certificateVerify } from "./certificate-verify.ts";
import type { Command } from "./command.ts";
import { completion } from "./completion.ts";
import {
  deadLettersList,
  deadLettersMoves,
  deadLettersPurge,
  deadLettersRepeat,
  deadLettersShow,
} from "./dead-letters.ts";
import { defaultProvider } from "./default-provider.ts";
import {
  domainLock,
  domainPreauthorize,
  domainRemove,
  domainShow,
  domainUnauthorize,
  domainUnlock,
  teamDomains,
} from "./domains.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { mailResend } from "./mail-resend.ts";
import { outboxDrop, outboxList, outboxRepeat, outboxShow } from "./outbox.ts";
import { page } from "./page.ts";
import { policy } from "./policy.ts";
import {
  providersDelete,
  providersShow,
  servicesDelete,
  servicesDisable,
  servicesEnable,
  servicesList,
  servicesShow,
} from "./services.ts";
import { stats } from "./stats.ts";
import { suppressedLift, suppressedList, suppressedShow } from "./suppressed.ts";
import { switchesList, switchesPause, switchesResume } from "./switches.ts";
import { teamDelete } from "./team-delete.ts";
import { teamFeaturesSet, teamFeaturesShow } from "./team-features.ts";
import { teamInvitationsList, teamInvitationsRevoke } from "./team-invitations.ts";
import { teamLegalHoldAllow, teamLegalHoldDeny } from "./team-legal-hold.ts";
import { teamMembers } from "./team-members.ts";
import { teamProvidersList, teamProvidersRemove } from "./team-providers.ts";
import { teamSearchVisibility } from "./team-search-visibility.ts";
import { teamMembersSetRole } from "./team-set-role.ts";
import { teamShow } from "./team-show.ts";
import { teamResume, teamSuspend } from "./team-status.ts";
import { teamsList } from "./teams-list.ts";
import { userSetAddress, userSetHandle } from "./user-address.ts";
import { userDelete } from "./user-delete.ts";
import { userDevicesList, userDevicesRemove, userSessionsList } from "./user-devices.ts";
import { userFind } from "./user-find.ts";
import { userGrantsList, userGrantsRevoke } from "./user-grants.ts";
import { userLimitsReset, userLimitsShow, userResetSecondFactor } from "./user-limits.ts";
import { userLogOut } from "./user-log-out.ts";
import { userShow } from "./user-show.ts";
import { userResume, userSuspend } from "./user-status.ts";
import { usersList } from "./users-list.ts";
import { usersSuspend } from "./users-suspend.ts";
import {
  webhooksChange,
  webhooksCreate,
  webhooksDelete,
  webhooksList,
  webhooksLog,
  webhooksRedeliver,
  webhooksRotateSecret,
  webhooksShow,
  webhooksTest,
} from "./webhooks.ts";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  usersList,
  usersSuspend,
  userFind,
  userShow,
  userSuspend,
  userResume,
  userLogOut,
  userSetAddress,
  userSetHandle,
  userResetSecondFactor,
  userLimitsShow,
  userLimitsReset,
  userDevicesList,
  userDevicesRemove,
  userSessionsList,
  userGrantsList,
  userGrantsRevoke,
  userDelete,
  teamsList,
  teamShow,
  teamMembersSetRole,
  teamMembers,
  teamSuspend,
  teamResume,
  teamFeaturesShow,
  teamFeaturesSet,
  teamLegalHoldAllow,
  teamLegalHoldDeny,
  teamInvitationsList,
  teamInvitationsRevoke,
  teamDomains,
  teamProvidersList,
  teamProvidersRemove,
  teamSearchVisibility,
  teamDelete,
  defaultProvider,
  domainShow,
  domainPreauthorize,
  domainUnauthorize,
  domainLock,
  domainUnlock,
  domainRemove,
  blockedList,
  blockedAdd,
  blockedRemove,
  suppressedList,
  suppressedShow,
  suppressedLift,
  mailResend,
  appsList,
  appsShow,
  appsRegister,
  appsChange,
  appsRotateSecret,
  appsDelete,
  webhooksList,
  webhooksShow,
  webhooksTest,
  webhooksCreate,
  webhooksChange,
  webhooksRotateSecret,
  webhooksLog,
  webhooksRedeliver,
  webhooksDelete,
  servicesList,
  servicesShow,
  servicesDisable,
  servicesEnable,
  servicesDelete,
  providersShow,
  providersDelete,
  assetsList,
  assetsShow,
  assetsDelete,
  outboxList,
  outboxShow,
  outboxRepeat,
  outboxDrop,
  deadLettersList,
  deadLettersShow,
  deadLettersRepeat,
  deadLettersMoves,
  deadLettersPurge,
  switchesList,
  switchesPause,
  switchesResume,
  auditList,
  auditExport,
  auditVerify,
  exportCommand,
  certificateVerify,
  importCommand,
  stats,
  call,
  completion,
  policy,
  page,
];
