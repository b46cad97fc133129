/** Every operation, in the order of the guides. */
import { checkAlerts, listClientAlerts, showAlerts, testAlerts, testOwnAlerts } from './alerts.ts';
import { createWebhook, listWebhooks, revokeWebhook, rotateWebhook, showWebhook } from './hooks.ts';
import type { Operation } from './kit/operation.ts';
import {
  listClientSchedules,
  pauseScheduledRuns,
  resumeScheduledRuns,
  showSchedule,
} from './schedules.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';
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
  listClientSchedules,
  showSchedule,
  pauseScheduledRuns,
  resumeScheduledRuns,
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
