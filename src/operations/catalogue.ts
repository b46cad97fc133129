/** Every operation, in the order of the guides. */

import { checkAlerts, listClientAlerts, showAlerts, testAlerts, testOwnAlerts } from './alerts.ts';
import { confirmRequest, listWaitingApprovals, refuseRequest } from './approvals.ts';
import { reconcileCredits, showBill, showCredits, showSpending } from './credits.ts';
import { decideAll } from './decide-all.ts';
import { forgetContact } from './forget.ts';
import { createWebhook, listWebhooks, revokeWebhook, rotateWebhook, showWebhook } from './hooks.ts';
import type { Operation } from './kit/operation.ts';
import { checkNetworks, listNetworks, repairNetworks, showIntroductions } from './networks.ts';
import { findProspects, showPaths } from './paths.ts';
import { listRunContacts, listRuns, showRun, stopRun } from './runs.ts';
import {
  listClientSchedules,
  pauseScheduledRuns,
  resumeScheduledRuns,
  showSchedule,
} from './schedules.ts';
import { retryRun, startRun } from './start-run.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';
import { undoRun } from './undo.ts';
import {
  changeRole,
  disableUser,
  enableUser,
  inviteUser,
  listUserPasskeys,
  listUsers,
  removeUser,
  removeUserPasskey,
  renewLink,
  signUserOut,
} from './users.ts';

export const OPERATIONS: readonly Operation[] = [
  inviteUser,
  listUsers,
  changeRole,
  renewLink,
  disableUser,
  enableUser,
  signUserOut,
  listUserPasskeys,
  removeUserPasskey,
  removeUser,
  createToken,
  listTokens,
  revokeToken,
  listRuns,
  showRun,
  listRunContacts,
  startRun,
  retryRun,
  stopRun,
  undoRun,
  forgetContact,
  listWaitingApprovals,
  confirmRequest,
  refuseRequest,
  decideAll,
  listClientSchedules,
  showSchedule,
  pauseScheduledRuns,
  resumeScheduledRuns,
  listNetworks,
  checkNetworks,
  repairNetworks,
  showIntroductions,
  showPaths,
  findProspects,
  showCredits,
  showSpending,
  showBill,
  reconcileCredits,
  createWebhook,
  listWebhooks,
  showWebhook,
  rotateWebhook,
  revokeWebhook,
  listClientAlerts,
  showAlerts,
  testAlerts,
  testOwnAlerts,
  checkAlerts,
];
